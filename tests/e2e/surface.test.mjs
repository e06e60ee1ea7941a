// One table of behaviours, run on native WebMCP and on the polyfill. Each row runs in the page and gives something
// that JSON can hold; where the two differ, the row says why.
import assert from 'node:assert/strict';
import test from 'node:test';
import { html, open, SURFACES, tag } from './support.mjs';

const IN_PAGE = `
  const mc = document.modelContext;
  const error = async (f) => { try { return await f(); } catch (e) { return e.name; } };
  const tool = (name, execute = () => ({ ok: 1 }), more = {}) => ({ name, description: 'd', execute, ...more });
  const add = async (...input) => { const c = new AbortController(); await mc.registerTool(tool(...input), { signal: c.signal }); return c; };
  const find = async (name) => (await mc.getTools()).find((one) => one.name === name);
  const exec = async (value, input) => { const c = await add('x', typeof value === 'function' ? value : () => value); try { return await mc.executeTool(await find('x'), input); } finally { c.abort(); } };
  const wait = (ms) => new Promise((r) => setTimeout(r, ms));
  const until = async (test) => { for (let i = 0; i < 1000 && !test(); i += 1) await wait(20); };
`;

/** what → [source, result on both] or [source, native, polyfill, why they differ] */
const ROWS = {
  'class and tag': ["[String(mc), mc instanceof EventTarget, mc.constructor.name, await error(() => new mc.constructor())]", ['[object ModelContext]', true, 'ModelContext', 'TypeError']],
  'no argument': ["await error(() => mc.registerTool())", 'TypeError'],
  'a rejected promise, never a throw': ["await mc.registerTool(5).catch((e) => e.name)", 'TypeError'],
  'no description': ["await error(() => mc.registerTool({ name: 'a', execute() {} }))", 'TypeError'],
  'no execute': ["await error(() => mc.registerTool({ name: 'a', description: 'd' }))", 'TypeError'],
  'execute is no function': ["await error(() => mc.registerTool({ name: 'a', description: 'd', execute: 5 }))", 'TypeError'],
  'annotations are no object': ["await error(() => mc.registerTool(tool('a', undefined, { annotations: 5 })))", 'TypeError'],
  'names': ["await Promise.all(['', 'a b', 'a/b', 'ä', 'x'.repeat(129), '.', '__proto__', '0'].map(async (n) => { const r = await error(async () => { (await add(n)).abort(); return 'ok'; }); return r; }))", ['InvalidStateError', 'InvalidStateError', 'InvalidStateError', 'InvalidStateError', 'InvalidStateError', 'ok', 'ok', 'ok']],
  'an empty description': ["await error(() => mc.registerTool({ name: 'a', description: '', execute() {} }))", 'InvalidStateError'],
  'a taken name': ["const c = await add('dup'); const r = await error(() => mc.registerTool(tool('dup'))); c.abort(); return r", 'InvalidStateError'],
  'bad schemas': ["const loop = {}; loop.loop = loop; return Promise.all([null, 'x', 5, loop, () => 1].map((inputSchema) => error(() => mc.registerTool(tool('s', undefined, { inputSchema })))))", ['TypeError', 'TypeError', 'TypeError', 'TypeError', 'TypeError']],
  'any object is a schema': ["const r = []; for (const inputSchema of [{}, [], { type: 'bogus' }]) { const c = await add('s', undefined, { inputSchema }); r.push((await find('s')).inputSchema); c.abort(); } return r", [{}, [], { type: 'bogus' }]],
  'an aborted signal': ["await mc.registerTool(tool('a'), { signal: AbortSignal.abort('why') }).catch((e) => e)", 'why'],
  'bad options': ["await Promise.all([5, { signal: null }, { signal: {} }, { exposedTo: 'x' }, { exposedTo: null }].map((o) => error(() => mc.registerTool(tool('a'), o))))", ['TypeError', 'TypeError', 'TypeError', 'TypeError', 'TypeError']],
  'insecure origins': ["await Promise.all(['http://a.example', '*', 'junk'].map((o) => error(() => mc.registerTool(tool('a'), { exposedTo: [o] }))))", ['SecurityError', 'SecurityError', 'SecurityError']],
  'a name is free at once': ["const c = new AbortController(); const p = mc.registerTool(tool('f'), { signal: c.signal }).catch((e) => e.name); c.abort(); const d = new AbortController(); const q = mc.registerTool(tool('f'), { signal: d.signal }); const r = [await p, await q]; d.abort(); return r.map(String)", ['AbortError', 'undefined']],
  'listed at once': ["const p = add('now'); const l = (await mc.getTools()).some((one) => one.name === 'now'); (await p).abort(); return l", true],
  'the list is sorted': ["const c = [await add('b'), await add('a'), await add('B')]; const r = (await mc.getTools()).map((one) => one.name); c.forEach((one) => one.abort()); return r", ['B', 'a', 'b']],
  'what is listed': ["const c = await add('l', undefined, { title: 'T', annotations: { readOnlyHint: 1 } }); const { window: w, ...r } = await find('l'); c.abort(); return [r, w === window]", [{ annotations: { consequentialHint: false, debugging: false, readOnlyHint: true, untrustedContentHint: false }, description: 'd', name: 'l', origin: 'https://shop.example', title: 'T' }, true]],
  'schemas are copies': ["const inputSchema = { type: 'object' }; const c = await add('y', undefined, { inputSchema }); inputSchema.type = 'x'; const a = (await find('y')).inputSchema; a.type = 'z'; const b = (await find('y')).inputSchema; c.abort(); return b", { type: 'object' }],
  'results': ["const r = []; for (const v of [{ a: 1 }, [1], 'text', '', 42, NaN, true, null, undefined, () => 1, new Map(), new Date(0)]) r.push(await exec(typeof v === 'function' ? () => v : () => v)); return r", ['{"a":1}', '[1]', 'text', 'Operation succeeded', '42', 'NaN', 'true', 'null', 'undefined', 'undefined', '{}', '"1970-01-01T00:00:00.000Z"']],
  'promises and thenables': ["[await exec(async () => ({ a: 1 })), await exec(() => ({ then: (f) => f({ b: 2 }) }))]", ['{"a":1}', '{"b":2}']],
  'failures': ["const loop = {}; loop.loop = loop; return Promise.all([1, 2, 3].map(() => 0)).then(async () => [await error(() => exec(() => { throw new Error('x'); })), await error(() => exec(() => Promise.reject('y'))), await error(() => exec(() => loop))])", ['UnknownError', 'UnknownError', 'UnknownError']],
  'input': ["const echo = (v) => v; return [await exec(echo), await exec(echo, { a: 1, b: undefined }), await exec(echo, [1]), await error(() => exec(echo, 5)), await error(() => exec(echo, null))]", ['{}', '{"a":1}', '[1]', 'TypeError', 'TypeError']],
  'input as text': ["await error(() => exec((v) => v, '{\"a\":1}'))", 'TypeError', '{"a":1}', 'callers written for Chrome up to 154 pass text; accepting it harms nobody'],
  'input that is no JSON': ["await error(() => exec((v) => v, 'nonsense'))", 'TypeError'],
  'execute is called with input and signal': ["await exec((...input) => [input.length, input[1].signal instanceof AbortSignal, Object.keys(input[1])])", '[2,true,["signal"]]'],
  'unknown tools': ["const c = await add('k'); const t = await find('k'); c.abort(); return [await error(() => mc.executeTool(t)), await error(() => mc.executeTool('k')), await error(() => mc.executeTool({})), await error(() => mc.executeTool({ ...t, origin: 'junk' }))]", ['UnknownError', 'TypeError', 'TypeError', 'NotSupportedError']],
  'cancelling': ["let inner, began; const c = await add('slow', (_, { signal }) => new Promise((r) => { began = true; signal.addEventListener('abort', () => { inner = signal.reason.name; r(1); }); })); const stop = new AbortController(); const p = mc.executeTool(await find('slow'), {}, { signal: stop.signal }).catch((e) => e); await until(() => began); stop.abort('mine'); const r = await p; await until(() => inner); c.abort(); return [r, inner]", ['mine', 'AbortError']],
  'unregistering does not cancel': ["let done; const c = await add('u', () => new Promise((r) => (done = r))); const p = mc.executeTool(await find('u')); await until(() => done); c.abort(); done({ late: 1 }); return p", '{"late":1}'],
  'events': ["const seen = []; for (const t of ['toolchange', 'toolactivated', 'toolcancel']) mc.addEventListener(t, (e) => seen.push(e.type + ':' + (e.toolName ?? ''))); const c = await add('e'); await mc.executeTool(await find('e')); c.abort(); await until(() => seen.length > 2); await wait(20); return seen", ['toolchange:', 'toolactivated:e', 'toolchange:']],
  'handlers': ["let n = 0; mc.ontoolchange = () => n++; (await add('h')).abort(); await until(() => n > 1); await wait(20); const f = typeof mc.ontoolchange; mc.ontoolchange = null; return [n, f, mc.ontoolchange]", [2, 'function', null]],
  'toolactivated comes after the synchronous part': ["const seen = []; mc.addEventListener('toolactivated', () => seen.push('event'), { once: true }); await exec(() => { seen.push('run'); return 1; }); return seen", ['run', 'event']],
};

for (const surface of SURFACES) {
  test(`${surface}: behaves as the table says`, async (t) => {
    const fresh = async () => {
      const page = await open({ surface, page: html(tag('data-page="off"')) });
      await page.evaluate(() => window.toolmark.ready.then(() => 1));
      return page;
    };
    const page = await fresh();
    for (const [what, row] of Object.entries(ROWS)) {
      await t.test(what, async () => {
        const [source, native, polyfill = native, why] = row;
        if (row.length > 2) assert.ok(why, 'a difference needs its reason');
        const body = /;/.test(source) && /^(const|let) /.test(source) ? source : `return ${source}`;
        // What a row leaves behind may be told during the next ones.
        const at = /toolchange/.test(source) ? await fresh() : page;
        const result = await at.evaluate(`(async () => { ${IN_PAGE} ${body}; })()`);
        assert.deepEqual(result, surface === 'native' ? native : polyfill);
        if (at !== page) await at.done();
      });
    }
    assert.deepEqual(page.errors, []);
    await page.done();
  });

  test(`${surface}: navigator.modelContext serves the first bridges, and makes way for another's`, async () => {
    const page = await open({ surface, page: html(tag('data-page="off"')) });
    const found = await page.evaluate(async () => {
      await window.toolmark.ready;
      const alias = navigator.modelContext;
      let changed = 0;
      alias.addEventListener('toolschanged', () => (changed += 1));
      await document.modelContext.registerTool({ name: 'add', description: 'Adds.', inputSchema: { type: 'object', properties: { a: { type: 'number' } } }, execute: ({ a }) => ({ sum: a + 1 }) });
      for (let i = 0; i < 1000 && !changed; i += 1) await new Promise((resolve) => setTimeout(resolve, 20));
      const [{ name, inputSchema }] = alias.listTools();
      const result = await alias.callTool({ name: 'add', arguments: { a: 41 } });
      return { name, type: typeof inputSchema, result, changed: changed > 0, parsed: document.modelContext.constructor.toString().includes('native') ? null : JSON.parse((await document.modelContext.getTools())[0].inputSchema) };
    });
    assert.deepEqual([found.name, found.type, found.changed], ['add', 'object', true]);
    assert.deepEqual(found.result, { content: [{ type: 'text', text: '{"sum":42}' }], structuredContent: { sum: 42 } });
    if (found.parsed) assert.equal(found.parsed.type, 'object');
    await page.done();

    const taken = await open({ surface, page: html(tag('data-page="off"')), init: () => Object.defineProperty(navigator, 'modelContext', { value: 'theirs', configurable: true }) });
    assert.equal(await taken.evaluate(async () => (await window.toolmark.ready) && navigator.modelContext), 'theirs');
    await taken.done();
  });
}
