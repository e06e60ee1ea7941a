// The relay with real pages in Chromium: those with @mcp-b's embed as it is, and those with our tag's data-relay.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { browser, html, ld, product, ROOT, SURFACES, tag, until as inPage } from '../../tests/e2e/support.mjs';
import { serve } from '../../www/serve.mjs';
import { code, relay, text, until } from './relays.mjs';

const EMBED = path.join(ROOT, 'node_modules/@mcp-b/webmcp-local-relay/dist/browser');
const closing = [];
after(() => closing.forEach((close) => close()));

/** A site; `page(port)` is its only page. */
async function site(page) {
  const file = (name, type) => ({ body: fs.readFileSync(path.join(EMBED, name)), headers: { 'content-type': type } });
  const server = await serve({
    routes: (_, url) =>
      ({ '/page': { body: html(page()) }, '/away': { body: html('<h1>Away</h1>') }, '/embed/embed.js': file('embed.js', 'text/javascript'), '/embed/widget.html': file('widget.html', 'text/html'), '/embed/widget.js': file('widget.js', 'text/javascript') })[url.pathname],
  });
  closing.push(() => server.close());
  return server.origin;
}

async function open(surface, origin, { onDialog } = {}) {
  const page = await (await browser(surface)).newPage();
  page.warnings = [];
  page.on('console', (message) => ['warning', 'error'].includes(message.type()) && page.warnings.push(message.text()));
  page.on('dialog', onDialog ?? ((dialog) => dialog.dismiss()));
  await page.goto(`${origin}/page`);
  return page;
}

const codes = (page) => page.evaluate(async () => (await window.toolmark.ready).diagnostics().map((one) => one.code));
const noted = (page, wanted) => inPage(page, async (wanted) => (await window.toolmark.ready).diagnostics().some((one) => one.code === wanted), wanted, 10_000);
/** A tool of the site's own that waits for ever. */
const waits = "toolmark.defineTool({ name: 'wait', description: 'Waits.', execute: () => { window.began = true; return new Promise(() => {}); } });";

for (const surface of SURFACES) {
  test(`${surface}: a page with the embed of 2.2.0 works as it is, once its origin is granted`, async () => {
    const one = await relay();
    const { mcp, port, said, names, listed, unlisted, grant } = one;
    const origin = await site(() => `${ld(product())}${tag('data-page="off"')}<script>${waits}</script><script src="/embed/embed.js" data-relay-port="${port}"></script>`);
    const page = await open(surface, origin);
    const [, digits] = await until(() => new RegExp(`pages of ${origin} ask[^]*grants pair (\\d{6})`).exec(said()), 'the question to the person', 30_000);
    assert.ok(!(await names()).includes('get_product'));
    assert.equal((await grant('pair', digits, 'act', '--port', String(port))).stdout, `act\t${origin}\n`);
    await listed('get_product');
    assert.match(text(await mcp.callTool({ name: 'get_product', arguments: {} })), /10\.00/);
    // Reload: the same name leads to the page again.
    await page.reload();
    await until(async () => code(await mcp.callTool({ name: 'get_product', arguments: {} })) === 'ok', 'the page after its reload');
    await listed('wait');
    const call = mcp.callTool({ name: 'wait', arguments: {} });
    await page.waitForFunction(() => window.began);
    await page.goto(`${origin}/away`);
    assert.equal(code(await call), 'gone');
    await unlisted('wait');
    await page.close();
  });

  test(`${surface}: our tag with data-relay is paired, listed, called, followed, and stops`, async () => {
    const one = await relay({ args: ['--pair-as', 'act'] });
    const { mcp, port, said, listed, unlisted, folder } = one;
    const origin = await site(() => `${ld(product())}${tag(`data-page="off" data-relay="ws://127.0.0.1:${port}"`)}<script>${waits}</script>`);
    const asked = [];
    const page = await open(surface, origin, {
      onDialog: async (dialog) => {
        asked.push(dialog.message());
        const [, digits] = await until(() => /type (\d{6}) in the page/.exec(said()), 'the code');
        // Wrong once: it asks again.
        await dialog.accept(asked.length === 1 ? digits.replace(/./g, (digit) => (digit === '9' ? '0' : '9')) : digits);
      },
    });
    await listed('get_product');
    assert.equal(asked.length, 2);
    assert.match(asked[1], /4 tries left/);
    assert.ok(!(await codes(page)).some((one) => one.startsWith('relay-')), (await codes(page)).join());
    assert.match(text(await mcp.callTool({ name: 'get_product', arguments: {} })), /10\.00/);
    const { tools } = await mcp.listTools();
    assert.equal(tools.find((tool) => tool.name === 'get_product').annotations.readOnlyHint, true);

    // What the site itself registers, and takes back.
    await page.evaluate(() => {
      window.own = new AbortController();
      return document.modelContext.registerTool({ name: 'site_own', description: 'Of the site.', inputSchema: { type: 'object', properties: { a: { type: 'string' } } }, execute: ({ a }) => ({ got: a }) }, { signal: window.own.signal });
    });
    await listed('site_own');
    assert.match(text(await mcp.callTool({ name: 'site_own', arguments: { a: 'b' } })), /"got":"b"/);
    await page.evaluate(() => window.own.abort());
    await unlisted('site_own');
    const undo = await page.evaluateHandle(() => toolmark.defineTool({ name: 'later', description: 'Came later.', execute: () => ({ ok: true }) }));
    await listed('later');
    await undo.evaluate((undo) => undo());
    await unlisted('later');

    // A client that goes away cancels in the page; a reload ends calls.
    const call = mcp.callTool({ name: 'wait', arguments: {} });
    await page.waitForFunction(() => window.began);
    await page.reload();
    assert.equal(code(await call), 'gone');
    await until(async () => code(await mcp.callTool({ name: 'get_product', arguments: {} })) === 'ok', 'the page after its reload');
    assert.equal(asked.length, 2, 'a page that is known is not asked again');

    // The relay starts again: the page comes back by itself.
    await mcp.close();
    await noted(page, 'relay-unreachable');
    const next = await relay({ port, folder });
    await next.listed('get_product');
    assert.ok(!(await codes(page)).includes('relay-unreachable'));

    await page.evaluate(async () => (await toolmark.ready).stop());
    await next.unlisted('get_product');
    await page.close();
  });
}

test('resources and prompts of a page are read, asked for, and followed', async () => {
  const updated = [];
  const { mcp, port, grant } = await relay({ prepare: (one) => one.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated.push(params.uri)) });
  const origin = await site(() => `${ld(product())}${tag(`data-page="off" data-relay="ws://127.0.0.1:${port}"`)}<script>
    let stock = 3;
    const define = () => toolmark.defineResource({ name: 'stock', description: 'What is there.', mimeType: 'application/json', execute: () => ({ stock }) });
    define();
    window.sell = () => { stock -= 1; define(); };
    toolmark.defineResource({ name: 'broken', description: 'Fails.', execute: () => { throw new Error('No shelf.'); } });
    toolmark.definePrompt({ name: 'compare', description: 'Compares.', arguments: [{ name: 'with', required: true }], execute: (input) => 'Compare it with ' + input.with + '.' });
  </script>`);
  await grant('set', origin, 'read');
  const page = await open('polyfill', origin);
  const { uri } = await until(async () => (await mcp.listResources()).resources.find((one) => one.name === 'stock'), 'the resource');
  assert.deepEqual(JSON.parse((await mcp.readResource({ uri })).contents[0].text), { stock: 3 });
  await mcp.subscribeResource({ uri });
  await page.evaluate(() => window.sell());
  await until(() => updated.includes(uri), 'the update');
  assert.deepEqual(JSON.parse((await mcp.readResource({ uri })).contents[0].text), { stock: 2 });
  const broken = (await mcp.listResources()).resources.find((one) => one.name === 'broken');
  await assert.rejects(mcp.readResource({ uri: broken.uri }), /No shelf/);
  const { prompts } = await mcp.listPrompts();
  assert.deepEqual(prompts.map((one) => one.name), ['compare']);
  const { messages } = await mcp.getPrompt({ name: 'compare', arguments: { with: 'a hat' } });
  assert.equal(messages[0].content.text, 'Compare it with a hat.');
  await page.close();
});

test('a refusal, a closed prompt, an address without a relay: diagnostics that say what to do', async () => {
  const { port, grant } = await relay();
  const origin = await site(() => `${ld(product())}${tag(`data-relay="ws://127.0.0.1:${port}"`)}`);
  const asked = [];
  const first = await open('polyfill', origin, { onDialog: (dialog) => { asked.push(dialog.message()); return dialog.dismiss(); } });
  await noted(first, 'relay-pairing');
  await until(() => asked.length === 1, 'the prompt');
  assert.match(asked[0], /terminal/);
  await until(() => first.warnings.some((one) => one.includes(`toolmark grants set ${origin} read`)), 'what to do');
  await first.reload();
  await noted(first, 'relay-pairing');
  await until(() => first.warnings.some((one) => one.includes('not asked again')), 'the answer');
  assert.equal(asked.length, 1, 'a question that was closed is asked again');
  await first.close();
  await grant('set', origin, 'deny');
  const second = await open('polyfill', origin);
  await noted(second, 'relay-refused');
  await second.close();
  const lonely = await site(() => `${ld(product())}${tag('data-relay="ws://127.0.0.1:9"')}`);
  const third = await open('polyfill', lonely);
  await noted(third, 'relay-unreachable');
  await until(() => third.warnings.some((one) => one.includes('toolmark relay') && one.includes('connect-src')), 'what to do');
  await third.close();
});

test('without data-relay nothing is fetched and no socket opened', async () => {
  const origin = await site(() => `${ld(product())}${tag()}`);
  const page = await (await browser('polyfill')).newPage();
  const seen = [];
  page.on('request', (request) => seen.push(request.url()));
  page.on('websocket', (socket) => seen.push(socket.url()));
  await page.goto(`${origin}/page`);
  await page.evaluate(() => toolmark.ready);
  assert.ok(!seen.some((url) => /relay|^ws/.test(url)), seen.join('\n'));
  await page.close();
});
