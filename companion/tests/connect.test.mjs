// The tabs of the real Chromium, carried to the official MCP client.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PromptListChangedNotificationSchema, ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { chromium } from 'playwright-core';
import { WebSocketServer } from 'ws';
import { client, run, site, start } from './support.mjs';

const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium';
const DIST = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const SCRIPT = path.join(DIST, 'toolmark.all.js');
const ARGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const closing = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

const freePort = () => new Promise((resolve) => {
  const server = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

/** A browser with a debugging port, driven by the test. */
async function browser(port) {
  port ??= await freePort();
  const one = await chromium.launch({ executablePath: CHROMIUM, args: [...ARGS, '--enable-features=WebMCP', `--remote-debugging-port=${port}`] });
  closing.push(() => one.close());
  return { port, one, context: await one.newContext() };
}

/** Most tests share one. */
let shared;
const theBrowser = () => (shared ??= browser());

/** Tools that a page registers: name → body of `execute`. */
const tools = (bodies) => `<script>${Object.entries(bodies).map(([name, body]) => `document.modelContext.registerTool({ name: '${name}', description: 'Does ${name}.', inputSchema: { type: 'object', properties: { text: { type: 'string' } } }, annotations: { readOnlyHint: ${name === 'echo'}, untrustedContentHint: ${name === 'echo'} }, async execute(input, { signal }) { ${body} } });`).join('\n')}</script>`;
const html = (body, title = 'Test') => ({ body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>` });
const SLOW = 'window.began = true; await new Promise((resolve) => { signal.onabort = () => { window.aborted = true; resolve(); }; }); return {};';
const code = (result) => JSON.parse(result.content[0].text).error?.code;
const words = (result) => JSON.parse(result.content[0].text).error.message;

/** Waits until something holds; a test that waits in vain fails with `what` (or what that says then). */
async function until(what, holds, ms = 15_000) {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    const held = await holds();
    if (held) return held;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`in vain: ${typeof what === 'function' ? what() : what}`);
}
const names = async (mcp) => (await mcp.listTools()).tools.map((tool) => tool.name);
const pages = async (mcp, input = {}) => (await mcp.callTool({ name: 'list_page_tools', arguments: input })).structuredContent.pages;
const OWN = ['list_page_tools', 'call_page_tool', 'read_page_result'];

/** A page of a site in a tab of its own, closed at the end of the test. */
async function tab(t, url) {
  const { context } = await theBrowser();
  const page = await context.newPage();
  t.after(() => page.close());
  await page.goto(url);
  return page;
}
/** A client at the shared browser that hears of changes. */
async function connected(...args) {
  const told = { tools: 0, resources: 0, prompts: 0, updated: [] };
  const mcp = await client(['connect', '--port', String((await theBrowser()).port), ...args], {
    prepare(one) {
      one.setNotificationHandler(ToolListChangedNotificationSchema, () => { told.tools += 1; });
      one.setNotificationHandler(ResourceListChangedNotificationSchema, () => { told.resources += 1; });
      one.setNotificationHandler(PromptListChangedNotificationSchema, () => { told.prompts += 1; });
      one.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => { told.updated.push(params.uri); });
    },
  });
  return { mcp, told, tools: () => names(mcp), call: (name, input = {}, options) => mcp.callTool({ name, arguments: input }, undefined, options) };
}

test('lists follow what is open; names never lead to another origin', async (t) => {
  const { origin } = await site((url) => (url.pathname === '/empty' ? html('') : html(tools({ echo: 'return { said: input.text, at: location.href };', [`only${url.pathname.slice(1)}`]: 'return {};' }), `Page ${url.pathname}`)));
  const other = origin.replace('127.0.0.1', 'localhost');
  const page = await tab(t, `${origin}/a`);
  const { call, tools: listed, told, mcp } = await connected();
  assert.deepEqual((await listed()).sort(), [...OWN, 'echo', 'onlya'].sort());
  const echo = (await mcp.listTools()).tools.find((tool) => tool.name === 'echo');
  assert.deepEqual(echo.annotations, { readOnlyHint: true, destructiveHint: false, openWorldHint: true });
  assert.equal(echo.description, 'Does echo. (Tool of the web page 127.0.0.1.)');
  assert.equal(echo._meta['toolmark/untrustedContent'], true);
  assert.deepEqual((await call('echo', { text: 'hi' })).structuredContent, { said: 'hi', at: `${origin}/a` });

  // A second origin with the same name: both are told apart, and the old name still leads where it led.
  const second = await tab(t, `${other}/b`);
  await until('the second tab', async () => (await listed()).includes('localhost_echo'));
  await until('a notification', () => told.tools > 0);
  assert.ok((await listed()).includes('127_0_0_1_echo') && !(await listed()).includes('echo'));
  assert.equal((await call('echo')).structuredContent.at, `${origin}/a`);
  assert.equal((await call('localhost_echo')).structuredContent.at, `${other}/b`);

  // The pair for clients that ask for the list once.
  const [first, last] = await pages(mcp);
  assert.deepEqual([first.url, first.title, last.origin], [`${origin}/a`, 'Page /a', other]);
  assert.equal((await call('call_page_tool', { page: last.page, tool: 'echo', arguments: { text: 'x' } })).structuredContent.at, `${other}/b`);
  assert.equal((await pages(mcp, { page: first.page }))[0].tools[0].inputSchema.type, 'object');

  // Navigation, and tools that come and go in one document.
  await page.goto(`${origin}/c`);
  await until('the tools of the next page', async () => (await listed()).includes('onlyc'));
  assert.ok(!(await listed()).includes('onlya'));
  await page.evaluate(() => document.modelContext.registerTool({ name: 'late', description: 'Late.', execute: () => ({}) }, { signal: (window.gone = new AbortController()).signal }));
  await until('a late tool', async () => (await listed()).includes('late'));
  await page.evaluate(() => window.gone.abort());
  await until('a tool that goes', async () => !(await listed()).includes('late'));
  // Back and forward: documents that the browser kept whole have their tools again.
  await page.goBack();
  await until('the tools of the page before', async () => (await listed()).includes('onlya') && !(await listed()).includes('onlyc'));
  assert.equal((await call('onlya')).isError, false);
  await second.close();
  await until('a closed tab', async () => (await pages(mcp)).length === 1);
  const gone = await call('localhost_echo');
  assert.deepEqual([gone.isError, code(gone)], [true, 'gone']);
  await page.goto(`${origin}/empty`);
  await until('a page without tools', async () => (await listed()).length === OWN.length);
});

test('two tabs of one origin are told apart by the page', async (t) => {
  const { origin } = await site(() => html(tools({ where: 'return { at: location.search };' })));
  await tab(t, `${origin}/?1`);
  await tab(t, `${origin}/?2`);
  const { call, mcp, tools: listed } = await connected();
  assert.deepEqual((await listed()).filter((name) => !OWN.includes(name)), ['where']);
  const result = await call('where');
  assert.equal(code(result), 'ambiguous');
  const last = (await pages(mcp)).find((one) => one.url.endsWith('?2'));
  assert.equal((await call('call_page_tool', { page: last.page, tool: 'where' })).structuredContent.at, '?2');
});

test('frames: of the same and of another origin', async (t) => {
  const { origin } = await site((url, _, origin) => {
    if (url.pathname === '/frame') return html(tools({ inside: 'return { at: location.href };' }));
    return html(`<iframe src="/frame"></iframe><iframe allow="tools" src="${origin.replace('127.0.0.1', 'localhost')}/frame"></iframe>`);
  });
  const page = await tab(t, `${origin}/frame`);
  const { call, mcp, tools: listed } = await connected();
  await page.goto(`${origin}/`);
  let seen;
  const both = () => until(() => `both frames: ${JSON.stringify(seen)}`, async () => {
    seen = await pages(mcp);
    const now = (await listed()).filter((name) => !OWN.includes(name));
    return now.length === 2 && now.sort();
  });
  assert.deepEqual(await both(), ['127_0_0_1_inside', 'localhost_inside']);
  assert.match((await call('localhost_inside')).structuredContent.at, /^http:\/\/localhost:/);
  assert.match((await call('127_0_0_1_inside')).structuredContent.at, /^http:\/\/127/);
  await page.goto(`${origin}/frame`);
  await until('the frames to be gone', async () => (await pages(mcp)).length === 1);
  await page.goBack();
  assert.deepEqual(await both(), ['127_0_0_1_inside', 'localhost_inside']);
});

test('what a page throws reaches the agent; forms answer with where they lead', async (t) => {
  const ld = '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Bag"}</script>';
  const { origin } = await site((url) => {
    if (url.pathname === '/found') return html(ld, 'Found');
    return html(`${tools({ boom: "throw new Error('boom: try echo instead');", odd: 'throw { a: 1 };', text: "return 'plain';", list: 'return [1];' })}
      <form action="/found" toolname="find" tooldescription="Finds." toolautosubmit><input name="q" required><button>Go</button></form>`);
  });
  await tab(t, `${origin}/`);
  const { call } = await connected();
  const boom = await call('boom');
  assert.deepEqual([boom.isError, code(boom), words(boom)], [true, 'tool_failed', "'boom' failed: Error: boom: try echo instead"]);
  assert.equal(code(await call('odd')), 'tool_failed');
  assert.equal((await call('text')).content[0].text, 'plain');
  assert.equal((await call('list')).content[0].text, '[1]');
  assert.equal(code(await call('find', { zz: 1 })), 'tool_failed');
  const found = await call('find', { q: 'bag' });
  assert.equal(found.structuredContent?.navigated_to, `${origin}/found?q=bag`, JSON.stringify(found));
  assert.match(JSON.stringify(found.structuredContent.found), /Bag/);
});

test('a tab that navigates or closes mid-call, and calls that are cancelled', async (t) => {
  const { origin } = await site((url) => html(url.pathname === '/next' ? '' : tools({ slow: SLOW, leave: "location.href = '/next'; await new Promise(() => {});" })));
  const page = await tab(t, `${origin}/`);
  const { call, mcp } = await connected();
  const running = () => until('the tool to begin', () => page.evaluate(() => window.began));
  let result = call('slow');
  await running();
  await page.goto(`${origin}/next`);
  result = await result;
  assert.deepEqual([result.isError, code(result)], [true, 'navigated']);
  assert.match(words(result), /\/next while 'slow' ran/);
  await page.goto(`${origin}/`);
  await until('the page to be back', async () => (await names(mcp)).includes('leave'));
  assert.equal(code(await call('leave')), 'navigated');

  await page.goto(`${origin}/`);
  await until('the page to be back', async () => (await names(mcp)).includes('slow'));
  const cancel = new AbortController();
  const cancelled = assert.rejects(call('slow', {}, { signal: cancel.signal }));
  await running();
  cancel.abort();
  await cancelled;
  await until('the page to hear of it', () => page.evaluate(() => window.aborted));

  // A client that vanishes.
  await page.reload();
  const second = await connected();
  await until('the page to be back', async () => (await second.tools()).includes('slow'));
  void second.call('slow').catch(() => {});
  await running();
  await second.mcp.close();
  await until('the page to hear that the client is gone', () => page.evaluate(() => window.aborted));

  await page.reload();
  await until('the page to be back', async () => (await names(mcp)).includes('slow'));
  result = call('slow');
  await running();
  await page.close();
  result = await result;
  assert.deepEqual([result.isError, code(result)], [true, 'gone']);
});

test('a thousand tools, ten megabytes, a page that hangs', async (t) => {
  const { origin } = await site((url) => {
    if (url.pathname === '/many') return html('<script>for (let i = 0; i < 1000; i += 1) document.modelContext.registerTool({ name: `t${i}`, description: `Tool\\u202e ${i}`, execute: () => ({ i }) });</script>');
    if (url.pathname === '/hang') return html(`${tools({ hang: 'for (;;);' })}`);
    return html(tools({ big: "return 'é'.repeat(5_000_000);", half: "return 'a\\ud800b';", deep: 'let a = {}; for (let i = 0; i < 900; i += 1) a = { a }; return a;', envelope: "return { content: [{ type: 'text', text: 'x'.repeat(60_000) }, { type: 'image', data: 'QQ==', mimeType: 'image/png' }], isError: true };" }));
  });
  await tab(t, `${origin}/many`);
  await tab(t, `${origin}/big`);
  const { call, mcp } = await connected();
  const listed = [];
  for (let cursor; ; ) {
    const part = await mcp.listTools({ cursor });
    listed.push(...part.tools);
    if (!(cursor = part.nextCursor)) break;
  }
  assert.equal(listed.length, 1000 + 4 + OWN.length);
  assert.ok(listed.every((tool) => !tool.description.includes('\u202e')));
  assert.deepEqual((await call('t999')).structuredContent, { i: 999 });
  const big = await call('big');
  assert.ok(big.content[0].text.length <= 50_000);
  const [, id, offset] = /"result": "(r\d+)", "offset": (\d+)/.exec(big.content[1].text);
  const more = await call('read_page_result', { result: id, offset: Number(offset) });
  assert.match(more.content[0].text, /^é{25000}$/);
  assert.match((await call('read_page_result', { result: id, offset: 9_999_999 })).content[1].text, /end/);
  assert.match((await call('half')).content[0].text, /^a.b$/u);
  assert.match((await call('deep')).content[0].text, /^\{"a":/);
  const envelope = await call('envelope');
  assert.deepEqual([envelope.isError, envelope.content.map((part) => part.type)], [true, ['text', 'text', 'image']]);

  // One tab that computes for ever holds up nobody else.
  const { context } = await theBrowser();
  const hanging = await context.newPage();
  await hanging.goto(`${origin}/hang`);
  await until('the page that will hang', async () => (await pages(mcp, { offset: 1000 })).some((one) => one.url.endsWith('/hang')));
  const hung = call('hang', {}, { timeout: 60_000 });
  assert.match((await call('half')).content[0].text, /^a.b$/u);
  const second = await connected();
  await until('a client that comes while a tab hangs', async () => (await second.mcp.listTools()).tools.length > OWN.length);
  await hanging.close({ runBeforeUnload: false });
  assert.equal(code(await hung), 'gone');
});

test('resources and prompts of a page: read, asked, watched', async (t) => {
  const { origin } = await site((url) => {
    if (url.pathname === '/toolmark.js') return { body: fs.readFileSync(SCRIPT), headers: { 'content-type': 'text/javascript; charset=utf-8' } };
    return html(`<script src="/toolmark.js"></script><script>
      let count = 1;
      window.put = () => { window.takeBack?.(); window.takeBack = toolmark.defineResource({ name: 'cart', title: 'Cart', description: 'What is in the cart.', mimeType: 'application/json', execute: () => ({ count: count++ }) }); };
      put();
      toolmark.defineResource({ name: 'note', description: 'A note.', execute: async () => 'plain \\u202etext' });
      toolmark.defineResource({ name: 'broken', description: 'Throws.', execute() { throw new Error('no cart'); } });
      toolmark.definePrompt({ name: 'compare', description: 'Compares.', arguments: [{ name: 'with', description: 'What.', required: true }], execute: (input) => 'Compare with ' + input.with + '.' });
    </script>`);
  });
  const page = await tab(t, `${origin}/`);
  const { mcp, told } = await connected();
  const listed = await until('the resources', async () => {
    const { resources } = await mcp.listResources();
    return resources.length === 3 && resources;
  });
  const cart = listed.find((one) => one.name === 'cart');
  assert.match(cart.uri, /^page:\/\/127\.0\.0\.1\/tab-\d+\/resource\/cart$/);
  assert.equal(cart.mimeType, 'application/json');
  const read = async (uri) => (await mcp.readResource({ uri })).contents[0];
  assert.deepEqual([(await read(cart.uri)).text, (await read(cart.uri)).text], ['{"count":1}', '{"count":2}']);
  assert.equal((await read(listed.find((one) => one.name === 'note').uri)).text, 'plain text');
  await assert.rejects(read(listed.find((one) => one.name === 'broken').uri), /no cart/);
  await assert.rejects(read(`${cart.uri}x`), /no resource/);

  assert.deepEqual((await mcp.listPrompts()).prompts.map((one) => [one.name, one.arguments]), [['compare', [{ name: 'with', description: 'What.', required: true }]]]);
  const prompt = await mcp.getPrompt({ name: 'compare', arguments: { with: 'the blue one' } });
  assert.equal(prompt.messages[0].content.text, 'Compare with the blue one.');
  await assert.rejects(mcp.getPrompt({ name: 'compare' }), /argument "with"/);
  await assert.rejects(mcp.getPrompt({ name: 'none' }), /no prompt/);

  await mcp.subscribeResource({ uri: cart.uri });
  await page.evaluate(() => window.put());
  await until('the update', () => told.updated.length > 0);
  assert.deepEqual(told.updated, [cart.uri]);
  await page.evaluate(() => window.takeBack());
  await until('the shorter list', async () => (await mcp.listResources()).resources.length === 2);
  await until('a notification', () => told.resources > 0);
  await page.evaluate(() => toolmark.definePrompt({ name: 'second', description: 'Another.', execute: () => ({ messages: [{ role: 'assistant', content: 'Yes?' }] }) }));
  await until('the second prompt', async () => (await mcp.listPrompts()).prompts.length === 2);
  await until('a notification', () => told.prompts > 0);
  assert.equal((await mcp.getPrompt({ name: 'second' })).messages[0].role, 'assistant');
  assert.equal(await page.evaluate(() => { try { toolmark.defineResource({ name: 'a b', description: 'x', execute() {} }); return ''; } catch (error) { return error.message; } }), 'A resource needs a name of letters, digits, "_", "." and "-".');
  await page.goto('about:blank');
  await until('an empty list', async () => (await mcp.listResources()).resources.length === 0);
});

test('--inject gives Toolmark to pages that have none, under any policy, once', async (t) => {
  const ld = '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Bag","sku":"1","offers":{"@type":"Offer","price":"10.00","priceCurrency":"EUR"}}</script>';
  const { origin } = await site((url) => {
    if (url.pathname === '/toolmark.js') return { body: fs.readFileSync(SCRIPT), headers: { 'content-type': 'text/javascript; charset=utf-8' } };
    if (url.pathname === '/tagged') return html(`${ld}<script src="/toolmark.js"></script>`);
    if (url.pathname === '/strict') return { ...html(ld), headers: { 'content-security-policy': "default-src 'none'; script-src 'nonce-x'" } };
    if (url.pathname === '/wasm') return { ...html(ld), headers: { 'content-security-policy': "default-src 'none'; script-src 'wasm-unsafe-eval'" } };
    return html(ld);
  });
  const other = origin.replace('127.0.0.1', 'localhost');
  const plain = await tab(t, `${origin}/plain`);
  const tagged = await tab(t, `${origin}/tagged`);
  const wasm = await tab(t, `${origin}/wasm`);
  const elsewhere = await tab(t, `${other}/plain`);
  const { mcp, call } = await connected('--inject=127.0.0.1,shop.example', '--script', path.join(DIST, 'toolmark.js'));
  const offering = async (ending) => (await pages(mcp)).find((one) => one.url.endsWith(ending));
  for (const ending of ['/plain', '/tagged', '/wasm']) {
    const page = await until(`tools at ${ending}`, () => offering(ending));
    const result = await call('call_page_tool', { page: page.page, tool: 'get_product' });
    assert.match(result.content[0].text, /"Bag"/, ending);
  }
  const state = (page) => page.evaluate(async () => (window.toolmark ? (await window.toolmark.ready).diagnostics().map((one) => one.code) : 'none'));
  assert.equal(await state(elsewhere), 'none', 'a host that was not named');
  assert.deepEqual((await state(tagged)).filter((one) => one === 'started-twice'), []);
  assert.deepEqual((await state(wasm)).filter((one) => one === 'wasm-blocked' || one === 'nowasm'), []);
  // A reload is a new document; a second client finds it done.
  await plain.reload();
  await until('tools after a reload', () => offering('/plain'));
  await connected('--inject', '--script', SCRIPT).then(({ tools: listed }) => listed());
  await until('the other host, for whom all were meant', async () => (await state(elsewhere)) !== 'none');
  assert.deepEqual((await state(plain)).filter((one) => one === 'started-twice'), []);

  await t.test('where WebAssembly is forbidden', { skip: !fs.existsSync(path.join(DIST, 'toolmark.nowasm.js')) && 'toolmark.nowasm.js is not built' }, async (t) => {
    await tab(t, `${origin}/strict`);
    const strict = await until('tools at /strict', () => offering('/strict'), 60_000);
    assert.match((await call('call_page_tool', { page: strict.page, tool: 'get_product' })).content[0].text, /"Bag"/);
  });
});

test('a browser that goes away and comes back', async () => {
  const { origin } = await site(() => html(tools({ slow: SLOW })));
  const first = await browser();
  const page = await first.context.newPage();
  await page.goto(`${origin}/`);
  const mcp = await client(['connect', '--port', String(first.port)]);
  assert.ok((await names(mcp)).includes('slow'));
  const running = mcp.callTool({ name: 'slow', arguments: {} });
  await until('the tool to begin', () => page.evaluate(() => window.began));
  await first.one.close();
  const result = await running;
  assert.ok(['disconnected', 'gone'].includes(code(result)), result.content[0].text);
  assert.deepEqual(await names(mcp), OWN);
  const { message } = (await mcp.callTool({ name: 'list_page_tools', arguments: {} })).structuredContent;
  assert.match(message, /browser/);
  assert.equal(code(await mcp.callTool({ name: 'slow', arguments: {} })), 'gone');
  const second = await browser(first.port);
  const again = await second.context.newPage();
  await again.goto(`${origin}/`);
  await until('the browser to be found again', async () => (await names(mcp)).includes('slow'), 30_000);
});

/** The processes of a profile folder. */
const processes = (folder) => {
  try {
    return execFileSync('pgrep', ['-f', '--', `--user-data-dir=${folder}`]).toString().trim().split('\n');
  } catch {
    return [];
  }
};

test('--launch starts a browser that ends with us', async (t) => {
  const { origin } = await site(() => html(tools({ echo: 'return { at: location.href };' })));
  const temporary = fs.mkdtempSync(path.join(process.env.TMPDIR || '/tmp', 'toolmark-launch-'));
  t.after(() => fs.rmSync(temporary, { recursive: true, force: true }));
  const args = ['connect', '--launch', '--headless', '--browser', CHROMIUM, `${origin}/`, '--', '--no-sandbox', '--disable-gpu'];
  const folder = () => fs.readdirSync(temporary).find((name) => name.startsWith('toolmark-browser-'));
  await t.test('when its client goes', async () => {
    const mcp = await client(args, { env: { TMPDIR: temporary } });
    await until('the page', async () => (await names(mcp)).includes('echo'), 40_000);
    assert.equal((await mcp.callTool({ name: 'echo', arguments: {} })).structuredContent.at, `${origin}/`);
    const profile = path.join(temporary, folder());
    assert.equal(fs.statSync(profile).mode & 0o077, 0);
    assert.ok(processes(profile).length > 0);
    await mcp.close();
    await until('the browser to end', () => processes(profile).length === 0);
    await until('its profile to go', () => !folder());
  });
  await t.test('when it is told to end', async () => {
    const child = start(args, { TMPDIR: temporary });
    const profile = path.join(temporary, await until('the profile', folder, 40_000));
    await until('the browser', () => fs.existsSync(path.join(profile, 'DevToolsActivePort')), 40_000);
    child.kill('SIGTERM');
    await until('the browser to end', () => processes(profile).length === 0 && !folder());
  });
  await t.test('when it does not start', async () => {
    const mcp = await client(['connect', '--launch', '--headless', '--browser', '/bin/false'], { env: { TMPDIR: temporary } });
    assert.match((await mcp.callTool({ name: 'list_page_tools', arguments: {} })).structuredContent.message, /'\/bin\/false' ended at once/);
    assert.equal(folder(), undefined);
  });
});

/** Something that says it is a browser. `answer` gets the messages. */
async function pretended(answer) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  closing.push(() => new Promise((resolve) => {
    for (const one of server.clients) one.terminate();
    server.close(resolve);
  }));
  let count = 0;
  server.on('connection', (socket) => {
    count += 1;
    socket.on('error', () => {});
    socket.on('message', (data) => answer(socket, JSON.parse(data), count));
  });
  return `ws://127.0.0.1:${server.address().port}/devtools/browser/x`;
}

test('a browser that says too much, nothing, or things that nobody asked for', async (t) => {
  const attach = (socket) => {
    const say = (method, params, sessionId) => socket.send(JSON.stringify({ method, params, sessionId }));
    say('Target.attachedToTarget', { sessionId: 'S', targetInfo: { targetId: 'F', type: 'page', title: 'T', url: '' } });
    say('Page.frameNavigated', { frame: { id: 'F', url: 'https://shop.example/', securityOrigin: 'https://shop.example' }, type: 'Navigation' }, 'S');
    say('WebMCP.toolsAdded', { tools: [{ name: 'pay', description: 'Pays.', frameId: 'F' }] }, 'S');
    return say;
  };
  await t.test('wrong order, wrong kinds', async () => {
    const endpoint = await pretended((socket, { id, method, sessionId }) => {
      if (method === 'Target.setAutoAttach' && !sessionId) {
        for (const said of ['', '{', '[]', '{"method":"WebMCP.toolsAdded"}', '{"method":"WebMCP.toolResponded","params":{}}', '{"id":"x"}']) socket.send(said);
        const say = attach(socket);
        say('WebMCP.toolsAdded', { tools: [null, 5, { name: 5 }, { name: 'a', frameId: 'F' }, { name: 'b' }] }, 'S');
        say('WebMCP.toolsAdded', { tools: [{ name: 'c', frameId: 'F' }] }, 'unknown');
        say('WebMCP.toolsRemoved', { tools: [{ name: 'a', frameId: 'F' }, { name: 'never', frameId: 'F' }] }, 'S');
        say('WebMCP.toolResponded', { invocationId: 'never', status: 'Completed' }, 'S');
        say('Target.detachedFromTarget', { sessionId: 'unknown' });
        say('Page.frameDetached', {}, 'S');
      }
      if (method === 'WebMCP.invokeTool') {
        // The answer before the invocation is known, another's, then the reply and its own.
        const responded = (invocationId, sessionId) => socket.send(JSON.stringify({ method: 'WebMCP.toolResponded', params: { invocationId, status: 'Completed', output: { invocationId, sessionId } }, sessionId }));
        responded('I', 'other');
        responded('J', 'S');
        socket.send(JSON.stringify({ id, result: { invocationId: 'I' }, sessionId }));
        responded('I', 'other');
        responded('I', 'S');
        responded('I', 'S');
        return;
      }
      socket.send(JSON.stringify({ id, result: {}, sessionId }));
    });
    const mcp = await client(['connect', '--endpoint', endpoint]);
    assert.deepEqual((await names(mcp)).filter((name) => !OWN.includes(name)), ['pay']);
    assert.deepEqual((await mcp.callTool({ name: 'pay', arguments: {} })).structuredContent, { invocationId: 'I', sessionId: 'S' });
  });
  await t.test('a message without end: connected anew, and told', async () => {
    const endpoint = await pretended((socket, { id, method, sessionId }, count) => {
      if (method === 'Target.setAutoAttach' && !sessionId) attach(socket);
      if (method === 'WebMCP.invokeTool' && count === 1) return socket.send('x'.repeat(65_000_000));
      if (method === 'WebMCP.invokeTool') setImmediate(() => socket.send(JSON.stringify({ method: 'WebMCP.toolResponded', params: { invocationId: 'I', status: 'Completed', output: 'ok' }, sessionId })));
      return socket.send(JSON.stringify({ id, result: { invocationId: 'I' }, sessionId }));
    });
    const mcp = await client(['connect', '--endpoint', endpoint]);
    await mcp.listTools();
    assert.equal(code(await mcp.callTool({ name: 'pay', arguments: {} })), 'disconnected');
    await until('the second connection', async () => (await names(mcp)).includes('pay'));
    assert.equal((await mcp.callTool({ name: 'pay', arguments: {} })).content[0].text, 'ok');
  });
  await t.test('one that answers nothing', async () => {
    const endpoint = await pretended(() => {});
    const mcp = await client(['connect', '--endpoint', endpoint]);
    // The list does not wait for it for ever.
    assert.deepEqual(await names(mcp), OWN);
  });
});

test('frames that were there before: in the first list, however late they answer, or told to be silent', async (t) => {
  const frame = (id, path, parentId) => ({ id, parentId, url: `https://shop.example/${path}`, securityOrigin: 'https://shop.example' });
  const tree = { frameTree: { frame: frame('F', ''), childFrames: [{ frame: frame('G', 'cart', 'F') }, { frame: frame('H', 'lost', 'F') }] } };
  const inside = (name) => ({ result: { type: 'object', value: [{ name, description: 'In a frame.', inputSchema: { type: 'object' } }] } });
  /** A browser with one tab of three frames; the last one's tools are asked for with `lost(socket, reply)`. */
  const frames = (lost) => pretended((socket, { id, method, sessionId, params }) => {
    const reply = (result = {}) => socket.send(JSON.stringify({ id, result, sessionId }));
    if (method === 'Target.setAutoAttach' && !sessionId) {
      socket.send(JSON.stringify({ method: 'Target.attachedToTarget', params: { sessionId: 'S', targetInfo: { targetId: 'F', type: 'page', title: 'T', url: '' } } }));
    }
    if (method === 'Page.getFrameTree') return void setTimeout(() => reply(tree), 50);
    if (method === 'Page.createIsolatedWorld') return void setTimeout(() => reply({ executionContextId: params.frameId === 'G' ? 1 : 2 }), 50);
    if (method === 'Runtime.evaluate' && params.contextId === 1) return void setTimeout(() => reply(inside('late')), 200);
    if (method === 'Runtime.evaluate' && params.contextId === 2) return lost(socket, reply);
    return reply();
  });
  await t.test('late', async () => {
    const mcp = await client(['connect', '--endpoint', await frames((_, reply) => reply(inside('other')))]);
    assert.deepEqual((await names(mcp)).sort(), [...OWN, 'late', 'other'].sort());
  });
  await t.test('silent', async () => {
    let after;
    const mcp = await client(['connect', '--endpoint', await frames((socket, reply) => { after = { socket, reply }; })]);
    assert.deepEqual((await names(mcp)).sort(), [...OWN, 'late'].sort());
    const theLost = async () => (await pages(mcp)).find((page) => page.url === 'https://shop.example/lost');
    const lost = await theLost();
    assert.deepEqual(lost.tools, []);
    assert.match(lost.notes[0], /does not answer what tools it has.*Load its page again/);
    // What it registers from now on is told by the browser; an answer is better late than never.
    after.socket.send(JSON.stringify({ method: 'WebMCP.toolsAdded', params: { tools: [{ name: 'new', description: 'New.', frameId: 'H' }] }, sessionId: 'S' }));
    await until('the new tool', async () => (await names(mcp)).includes('new'));
    after.reply(inside('other'));
    await until('the old tool', async () => (await names(mcp)).includes('other'));
    assert.equal((await theLost()).notes, undefined);
  });
});

test('only this machine, and options that say what they need', async () => {
  for (const [args, said] of [
    [['--endpoint', 'http://10.0.0.1:9222'], /not on this machine/],
    [['--endpoint', 'ws://shop.example/x'], /not on this machine/],
    [['--inject', '--script', '/nowhere/toolmark.js'], /\/nowhere\/toolmark\.js.*--script FILE/],
    [['--headless'], /--launch/],
    [['--launch', '--port', '1'], /cannot be used with/],
  ]) {
    const { code: exit, stderr } = await run(['connect', ...args]);
    assert.notEqual(exit, 0, args.join(' '));
    assert.match(stderr, said, args.join(' '));
  }
});
