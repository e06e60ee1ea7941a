import assert from 'node:assert/strict';
import test from 'node:test';
import { html, ld, look, open, product, SURFACES, tag, until } from './support.mjs';

const OFF = 'data-page="off"';
const event = { '@context': 'https://schema.org', '@type': 'Event', name: 'Fair', startDate: '2027-01-01' };
const page3 = html(ld(product()) + ld(event) + tag(OFF));
const siteTool = "document.modelContext.registerTool({name:'get_product',description:'The site\\'s own.',execute:()=>({site:true})})";

for (const surface of SURFACES) {
  test(`${surface}: a name that the site took costs that name only`, async () => {
    // On the polyfill the site comes later: ours makes room.
    const body = surface === 'native' ? page3.replace('<body>', `<body><script>${siteTool}</script>`) : page3;
    const page = await open({ surface, page: body });
    await look(page);
    if (surface === 'polyfill') await page.evaluate((code) => eval(code), siteTool);
    await until(page, async () => (await window.toolmark.ready).diagnostics().length > 0);
    const { listed, codes, tools } = await look(page);
    assert.deepEqual(listed, ['get_event', 'get_product', 'page_get_product']);
    assert.ok(tools.includes('page_get_product'));
    assert.deepEqual(codes, ['tool-renamed']);
    const answer = await page.evaluate(async () => document.modelContext.executeTool((await document.modelContext.getTools()).find((tool) => tool.name === 'get_product'), {}));
    assert.equal(answer, '{"site":true}');
    assert.deepEqual(page.errors, []);
    await page.done();
  });

  test(`${surface}: defineTool() adds, wins over a generated tool, and takes back`, async () => {
    const page = await open({ surface, page: page3 });
    const found = await page.evaluate(async () => {
      const handle = await window.toolmark.ready;
      const undo = window.toolmark.defineTool({ name: 'get_product', description: 'Ours.', execute: () => ({ own: 1 }) });
      await handle.refresh();
      const own = await handle.tools().find((tool) => tool.name === 'get_product').execute({});
      undo();
      await handle.refresh();
      const back = await handle.tools().find((tool) => tool.name === 'get_product').execute({});
      return { own, back: 'own' in back, listed: (await document.modelContext.getTools()).map((tool) => tool.name) };
    });
    assert.deepEqual(found, { own: { own: 1 }, back: false, listed: ['get_event', 'get_product'] });
    await page.done();
  });
}

/** Surfaces that misbehave: what is registered by force of `tools`, and the codes that the site reads. */
const HOSTILE = {
  'only registerTool, frozen': [() => {
    window.taken = [];
    const surface = Object.freeze({ registerTool: async (tool) => void window.taken.push(tool.name) });
    Object.defineProperty(document, 'modelContext', { value: surface });
  }, ['get_product', 'get_event'], []],
  'registerTool throws': [() => Object.defineProperty(document, 'modelContext', { value: { registerTool() { throw new Error('no'); } } }), undefined, ['register-failed', 'register-failed']],
  'registerTool rejects with nothing': [() => Object.defineProperty(document, 'modelContext', { value: { registerTool: () => Promise.reject() } }), undefined, ['register-failed', 'register-failed']],
  'registerTool never answers': [() => Object.defineProperty(document, 'modelContext', { value: { registerTool: () => new Promise(() => {}) } }), undefined, []],
  'registerTool rejects after seconds': [() => Object.defineProperty(document, 'modelContext', { value: { registerTool: () => new Promise((_, no) => setTimeout(no, 900, new Error('late'))) } }), undefined, []],
  'modelContext throws': [() => Object.defineProperty(document, 'modelContext', { get() { throw new Error('mine'); } }), undefined, ['no-webmcp-surface']],
  'modelContext is null': [() => Object.defineProperty(document, 'modelContext', { value: null, configurable: false }), undefined, ['no-webmcp-surface']],
};
for (const [what, [init, taken, codes]] of Object.entries(HOSTILE)) {
  test(`survived: ${what}`, async () => {
    const page = await open({ page: page3, init });
    const found = await page.evaluate(async () => {
      const handle = await window.toolmark.ready;
      await new Promise((resolve) => setTimeout(resolve, 1200));
      const names = handle.tools().map((tool) => tool.name);
      const answer = await handle.tools()[0].execute({});
      return { names, codes: handle.diagnostics().map((one) => one.code), error: answer.error, taken: window.taken };
    });
    assert.deepEqual(found.names.sort(), ['get_event', 'get_product']);
    assert.deepEqual(found.codes, codes);
    assert.equal(found.error, undefined);
    if (taken) assert.deepEqual(found.taken.sort(), [...taken].sort());
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

test('a surface that comes later is found, and one that is replaced', async () => {
  const page = await open({ page: page3 });
  await look(page);
  const taken = await page.evaluate(async () => {
    const taken = [];
    Object.defineProperty(document, 'modelContext', { value: { registerTool: async (tool) => void taken.push(tool.name) }, configurable: true });
    await (await window.toolmark.ready).refresh();
    return taken;
  });
  assert.deepEqual(taken.sort(), ['get_event', 'get_product']);
  await page.done();
});

test('start(): modelContext, exposedTo, custom, allow and prefix', async () => {
  const page = await open({ page: html(ld(product()) + ld(event)) });
  const found = await page.evaluate(async () => {
    const { start } = await import('/dist/toolmark.mjs');
    const calls = [];
    const handle = await start({
      page: false,
      prefix: 'shop',
      modelContext: { registerTool: async (tool, options) => void calls.push([tool.name, options.exposedTo]) },
      exposedTo: ['https://a.example'],
      custom: [{ name: 'mine', description: 'Mine.', execute: () => 'text' }],
      allow: (tool) => !/event/.test(tool.name),
    });
    return { calls, answer: await handle.tools().find((tool) => /mine/.test(tool.name)).execute({}), alias: 'modelContext' in navigator };
  });
  assert.deepEqual(found.calls.map(([name]) => name).sort(), ['shop_get_product', 'shop_mine']);
  assert.ok(found.calls.every(([, exposed]) => exposed[0] === 'https://a.example'));
  assert.equal(typeof found.answer, 'object');
  assert.equal(found.alias, false);
  await page.done();
});
