// npm run test:firefox: what the tag does in Firefox, which has no WebMCP: through the polyfill, all works.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { html, ld, product, ROOT, tag } from '../e2e/support.mjs';
import { find, launch } from './bidi.mjs';

const firefox = find();
if (!firefox) {
  console.error('toolmark: there is no Firefox. Install it (Debian: apt-get install firefox-esr) or set FIREFOX to its path.');
  process.exit(1);
}
console.log(`# ${firefox.version}`);

const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
const pages = new Map();
let browser;
let server;
let at;
before(async () => {
  server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const say = (type, body, headers) => response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, ...headers }).end(body);
    if (pathname.startsWith('/dist/') && fs.existsSync(path.join(ROOT, pathname))) return say(TYPES[path.extname(pathname)] ?? 'text/plain', fs.readFileSync(path.join(ROOT, pathname)));
    const page = pages.get(pathname);
    return page ? say('text/html', ...[page].flat()) : response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  at = `http://127.0.0.1:${server.address().port}`;
  browser = await launch(firefox.command);
});
after(async () => {
  await browser?.stop();
  server.close();
  server.closeAllConnections();
});

const open = async (body, headers) => {
  pages.set('/page', [body, headers]);
  return browser.open(`${at}/page`);
};
const micro = '<main itemscope itemtype="https://schema.org/Event"><h1 itemprop="name">Fair</h1><time itemprop="startDate" datetime="2027-01-01">then</time><p>Everybody comes.</p><h2 id="way">The way</h2><p>Take the tram to the harbour.</p></main>';
const form = '<form role="search" action="/s"><input type="search" name="q"></form>';
const button = '<button data-tool="add" data-tool-description="Adds one.">Add</button><output role="status">0</output><script>document.querySelector("button").onclick = () => { const o = document.querySelector("output"); o.textContent = +o.textContent + 1; };</script>';

test('markup, text, forms and marked controls become tools that answer', async () => {
  pages.set('/s', html('<h1>Results</h1><ol><li><a href="/1">One</a><li><a href="/2">Two</a></ol>'));
  const page = await open(html(ld(product()) + micro + form + button + tag()));
  const told = await page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    const surface = document.modelContext;
    const run = async (name, input = {}) => JSON.parse(await surface.executeTool((await surface.getTools()).find((tool) => tool.name === name), input));
    const listed = (await surface.getTools()).map((tool) => tool.name);
    return {
      listed,
      diagnostics: handle.diagnostics(),
      product: await run('get_product'),
      event: await run('get_event'),
      section: await run('read_page_section', { section: 'way' }),
      found: await run('search_page', { query: 'tram' }),
      asked: await run(listed.find((name) => name.startsWith('search_') && name !== 'search_page'), { q: 'bag' }),
      pressed: await run('press_add'),
      output: document.querySelector('output').textContent,
    };
  });
  assert.deepEqual(told.diagnostics, []);
  assert.match(JSON.stringify(told.product), /10\.00/);
  assert.match(JSON.stringify(told.event), /2027-01-01/);
  assert.match(told.section.text, /tram to the harbour/);
  assert.match(JSON.stringify(told.found), /tram/);
  assert.match(JSON.stringify(told.asked), /One.*Two/);
  assert.equal(told.pressed.did, 'pressed');
  assert.equal(told.output, '1');
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('changes and routes are followed, stop() leaves nothing, start() works again', async () => {
  const page = await open(html(ld(product()) + tag('data-page="off"')));
  const told = await page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    const block = document.querySelector('script[type*=json]');
    const until = async (what) => {
      for (let i = 0; i < 300; i += 1) {
        if (await what()) return true;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return false;
    };
    const names = async () => (await document.modelContext.getTools()).map((tool) => tool.name).join();
    block.textContent = '{"@context":"https://schema.org","@type":"Event","name":"Fair","startDate":"2027-01-01"}';
    const followed = await until(async () => (await names()) === 'get_event');
    history.pushState({}, '', '/next');
    block.textContent = block.textContent.replace('Fair', 'Ball');
    const routed = await until(async () => JSON.stringify(await handle.tools()[0].execute({})).includes('Ball'));
    handle.stop();
    const left = ['modelContext' in document, 'modelContext' in navigator, Object.hasOwn(history, 'pushState')];
    const again = await window.toolmark.start({ page: false });
    return { followed, routed, left, again: again.tools().map((tool) => tool.name) };
  });
  assert.deepEqual(told, { followed: true, routed: true, left: [false, false, false], again: ['get_event'] });
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('without AbortSignal.any and AbortSignal.timeout', async () => {
  const page = await open(html(`<script>delete AbortSignal.any; delete AbortSignal.timeout;</script>${ld(product())}${micro}${button}${tag()}`));
  const told = await page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    const run = async (name, input = {}) => handle.tools().find((tool) => tool.name === name).execute(input);
    return [await run('get_product'), await run('get_page_outline'), await run('press_add'), handle.diagnostics()];
  });
  assert.match(JSON.stringify(told), /10\.00.*way.*pressed/);
  assert.deepEqual([told[3], page.errors], [[], []]);
  await page.close();
});

test('where a policy forbids WebAssembly it says so, or reads by the translation', async () => {
  const page = await open(html(ld(product()) + tag('data-page="off"')), { 'content-security-policy': "script-src 'self'" });
  const told = await page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    return [handle.diagnostics().map((one) => one.code), handle.tools().map((tool) => tool.name)];
  });
  const translated = fs.existsSync(path.join(ROOT, 'dist', 'toolmark.nowasm.js'));
  assert.deepEqual(told, translated ? [['nowasm'], ['get_product']] : [['wasm-blocked'], []]);
  // What the browser itself says of the policy is not ours.
  assert.deepEqual(page.errors.filter((error) => !/^(Content-Security-Policy|Loading module from)/.test(error)), []);
  await page.close();
});
