// toolmark.js is small because what it needs lies beside it, and it loads that only when somebody asks for tools.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import path from 'node:path';
import test from 'node:test';
import { html, ld, look, open, product, run, shipped, SURFACES, tag, until } from './support.mjs';

const OFF = 'data-page="off"';
const body = html(`${ld(product())}${tag(OFF)}`);
/** Names of the files beside the script that were asked for, in that order. */
const files = (page) => page.requests.map((url) => /toolmark\.(wasm|calls|nowasm)\.js/.exec(url)?.[1]).filter(Boolean);
/** Counts the page's workers and the code that its own thread compiles, and says when tools came. */
const watched = `{
  const { Worker } = window;
  const { Module, compile } = WebAssembly;
  window.seen = { workers: 0, compiled: 0, changes: 0 };
  window.Worker = class extends Worker { constructor(...input) { super(...input); seen.workers += 1; } };
  const count = (code) => { if (code.byteLength > 1000) seen.compiled += 1; };
  WebAssembly.Module = new Proxy(Module, { construct(to, input) { count(input[0]); return Reflect.construct(to, input); } });
  WebAssembly.compile = (code) => { count(code); return compile(code); };
  document.addEventListener('toolmark:change', () => { seen.changes += 1; });
}`;
const settled = (page) => page.evaluate(() => new Promise((resolve) => (document.readyState === 'complete' ? setTimeout(resolve, 300) : addEventListener('load', () => setTimeout(resolve, 300)))));

const ASKS = {
  'toolmark.ready': () => window.toolmark.ready,
  'toolmark.start()': () => window.toolmark.start(),
  'toolmark.manifest()': () => window.toolmark.manifest(),
  'toolmark.inspect()': () => window.toolmark.inspect(),
  'getTools()': () => document.modelContext.getTools(),
  'executeTool()': () => document.modelContext.executeTool({ name: 'get_product', description: 'x', origin: location.origin, window }, {}),
  'a listener for toolchange': () => void document.modelContext.addEventListener('toolchange', () => {}),
  ontoolchange: () => void (document.modelContext.ontoolchange = () => {}),
  'the first agents: listTools()': () => void navigator.modelContext.listTools(),
  'the first agents: callTool()': () => navigator.modelContext.callTool({ name: 'get_product' }),
  'the first agents: a listener': () => void navigator.modelContext.addEventListener('toolschanged', () => {}),
  'getTools(), which a script has wrapped': () => {
    const { getTools } = document.modelContext;
    document.modelContext.getTools = (...input) => getTools.apply(document.modelContext, input);
    return document.modelContext.getTools();
  },
  'getTools() of a surface that a script has put before ours': () => {
    const ours = document.modelContext;
    const value = { registerTool: (...input) => ours.registerTool(...input), getTools: (...input) => ours.getTools(...input) };
    Object.defineProperty(document, 'modelContext', { configurable: true, value });
    return value.getTools();
  },
  'another script puts another surface there': () => {
    Object.defineProperty(document, 'modelContext', { configurable: true, value: { registerTool: async () => {} } });
    dispatchEvent(new Event('load'));
  },
};
for (const [what, ask] of Object.entries(ASKS)) {
  test(`nothing is loaded, started or watched until somebody asks: ${what}`, async () => {
    const page = await open({ page: body, init: watched });
    await settled(page);
    assert.deepEqual([files(page), await page.evaluate(() => window.seen)], [[], { workers: 0, compiled: 0, changes: 0 }]);
    await page.evaluate(ask);
    await until(page, () => window.seen.changes > 0, undefined, 15_000);
    const { tools } = await look(page);
    assert.deepEqual(tools, ['get_product']);
    assert.deepEqual([files(page), await page.evaluate(() => window.seen.workers)], [['wasm'], 1]);
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

test('tools that the page registers or defines, and its changes, ask for nothing; who asks then gets all', async () => {
  const page = await open({ page: body, init: watched });
  await page.evaluate(async () => {
    await document.modelContext.registerTool({ name: 'own', description: 'Own.', execute: () => 'own' });
    window.toolmark.defineTool({ name: 'defined', description: 'Defined.', execute: () => ({ fine: true }) });
    document.body.insertAdjacentHTML('beforeend', '<div itemscope itemtype="https://schema.org/Event"><b itemprop="name">Fair</b><time itemprop="startDate">2027-01-01</time></div>');
    history.pushState({}, '', '/other');
  });
  await settled(page);
  assert.deepEqual([files(page), await page.evaluate(() => window.seen)], [[], { workers: 0, compiled: 0, changes: 0 }]);
  const names = await page.evaluate(async () => (await document.modelContext.getTools()).map((tool) => tool.name));
  assert.deepEqual(names, ['defined', 'get_event', 'get_product', 'own']);
  // What heard it is gone again.
  assert.deepEqual(await page.evaluate(() => [Object.getOwnPropertyNames(document.modelContext), Object.getOwnPropertyDescriptor(navigator.modelContext, 'listTools').writable]), [[], false]);
  assert.deepEqual(page.errors, []);
  await page.done();
});

for (const [what, surface, options] of [['where the browser has WebMCP', 'native', OFF], ['with data-relay', 'polyfill', `${OFF} data-relay="ws://127.0.0.1:9"`], ['with the inspector', 'polyfill', `${OFF} data-inspect`]]) {
  test(`starts at once ${what}`, async () => {
    const page = await open({ surface, page: html(`${ld(product())}${tag(options)}`), init: watched });
    await until(page, () => window.seen.changes > 0, undefined, 15_000);
    assert.deepEqual(files(page), ['wasm']);
    await page.done();
  });
}

test('toolmark.all.js needs nothing beside it, and starts at once', async () => {
  const page = await open({ page: body.replace('toolmark.js', 'toolmark.all.js').replace(ld(product()), ld([product(), { '@context': 'https://schema.org', '@type': 'WebSite', potentialAction: { '@type': 'SearchAction', target: '/s?q={q}', 'query-input': 'required name=q' } }])), init: watched, routes: { '/s': { body: html('<h1>Found</h1>') } } });
  await until(page, () => window.seen.changes > 0, undefined, 15_000);
  assert.match(JSON.stringify(await run(page, 'search_web_site', { q: 'bag' })), /Found/);
  assert.deepEqual([files(page), await page.evaluate(() => window.seen.workers)], [[], 1]);
  await page.done();
});

/** As a host sends them that says nothing of other origins. */
const elsewhere = (headers = {}, change = (text) => text) =>
  Object.fromEntries(['toolmark.js', 'toolmark.wasm.js', 'toolmark.calls.js'].map((name) => [`/x/${name}`, { body: change(shipped(name).toString(), name), contentType: 'text/javascript; charset=utf-8', headers }]));
const SEARCH = { '@context': 'https://schema.org', '@type': 'WebSite', potentialAction: { '@type': 'SearchAction', target: '/s?q={q}', 'query-input': 'required name=q' } };

for (const surface of SURFACES) {
  for (const worker of ['on', 'off']) {
    test(`${surface}, worker ${worker}: comes from another origin that gives no leave to read it`, async () => {
      const page = await open({ surface, page: html(`${ld(product())}${ld(SEARCH)}<script src="https://cdn.example/x/toolmark.js" ${OFF} data-worker="${worker}"></script>`), routes: { ...elsewhere(), '/s': { body: html('<h1>Found</h1>') } } });
      const { listed, codes } = await look(page);
      assert.deepEqual([listed, codes], [['get_product', 'search_web_site'], []]);
      assert.deepEqual(files(page), ['wasm']);
      assert.match(JSON.stringify(await run(page, 'search_web_site', { q: 'bag' })), /Found/);
      await run(page, 'search_web_site', { q: 'belt' });
      assert.deepEqual(files(page), ['wasm', 'calls'], 'each once, and only where it is needed');
      assert.equal(await page.evaluate(() => document.querySelectorAll('script[src]').length), 1);
      assert.deepEqual(page.errors, []);
      await page.done();
    });

    test(`${surface}, worker ${worker}: without toolmark.wasm.js the page has its own tools, and a word what to do`, async () => {
      const page = await open({ surface, page: html(`${ld(product())}${tag(`${OFF} data-worker="${worker}"`)}`), routes: { '/dist/toolmark.wasm.js': { status: 404, body: '' } } });
      await page.evaluate(() => void window.toolmark.defineTool({ name: 'mine', description: 'Mine.', execute: () => ({ fine: true }) }));
      const { listed, diagnostics } = await look(page);
      assert.deepEqual([listed, diagnostics.map((one) => one.code)], [['mine'], ['wasm-missing']]);
      assert.match(diagnostics[0].message, /toolmark\.wasm\.js could not be loaded.*Serve it beside toolmark\.js.*toolmark\.all\.js/);
      assert.equal(page.warnings.filter((text) => text.includes('[toolmark]')).length, 1);
      assert.match(JSON.stringify(await run(page, 'mine')), /fine/);
      assert.deepEqual(page.errors, []);
      await page.done();
    });
  }
}

test('a file of another build is not used', async () => {
  const page = await open({ page: html(`${ld(product())}<script src="/x/toolmark.js" ${OFF}></script>`), routes: elsewhere({}, (text, name) => (name === 'toolmark.js' ? text : text.replace(/id:"[0-9a-f]{2}/, 'id:"zz'))) });
  const { listed, diagnostics } = await look(page);
  assert.deepEqual([listed, diagnostics.map((one) => one.code)], [[], ['wasm-missing']]);
  assert.match(diagnostics[0].message, /not of the same build.*Replace both/);
  await page.done();
});

/** A site that put a new build on its server, and a visitor whose cache still has the old toolmark.js. */
const replaced = (renew) => {
  const build = /id:"([0-9a-f]{16})"/.exec(shipped('toolmark.wasm.js'))[1];
  const current = shipped('toolmark.js').toString();
  return {
    ...elsewhere(),
    '/s': { body: html('<h1>Found</h1>') },
    '/x/toolmark.js': (request) => {
      const { search } = new URL(request.url());
      if (!search) return { body: current.replaceAll(build, '0'.repeat(16)), contentType: 'text/javascript' };
      return search === `?${build}` && renew ? { body: current, contentType: 'text/javascript' } : { status: 404, body: '' };
    },
  };
};
for (const [what, ask] of [['toolmark.ready', () => window.toolmark.ready], ['getTools()', async () => (window.first = (await document.modelContext.getTools()).map((tool) => tool.name))]]) {
  test(`a toolmark.js that a cache kept gives way to the one that fits what lies beside it: ${what}`, async () => {
    const page = await open({ page: html(`${ld(product())}${ld(SEARCH)}<script src="/x/toolmark.js" ${OFF} data-prefix="shop"></script>`), routes: replaced(true) });
    await page.evaluate(ask);
    const { listed, tools, codes } = await look(page);
    assert.deepEqual([listed, tools, codes], [['shop_get_product', 'shop_search_web_site'], ['shop_get_product', 'shop_search_web_site'], []]);
    assert.match(JSON.stringify(await run(page, 'shop_search_web_site', { q: 'bag' })), /Found/);
    const first = await page.evaluate(() => window.first);
    if (first) assert.deepEqual(first, listed);
    assert.equal(await page.evaluate(async () => (await window.toolmark.ready) === (await window.toolmark.start())), true);
    assert.deepEqual(page.errors, []);
    await page.evaluate(async () => (await window.toolmark.ready).stop());
    assert.equal(await page.evaluate(() => 'modelContext' in document), false);
    await page.done();
  });
}

for (const [what, attributes, policy] of [
  ['with a nonce', 'nonce="abc"', "script-src 'nonce-abc' 'wasm-unsafe-eval'"],
  ['as a module', 'type="module" data-toolmark', undefined],
]) {
  test(`so does a tag ${what}`, async () => {
    const page = await open({ page: html(`${ld(product())}<script src="/x/toolmark.js" ${attributes} ${OFF}></script>`), routes: replaced(true), headers: policy && { 'content-security-policy': policy } });
    const { listed, codes } = await look(page);
    assert.deepEqual([listed, codes, page.errors], [['get_product'], [], []]);
    await page.done();
  });
}

for (const renew of [true, false]) {
  test(`what the page has registered and what it holds outlive that, and stop() and start() after it: ${renew ? 'it came' : 'it did not come'}`, async () => {
    const page = await open({ page: html(`${ld(product())}<script src="/x/toolmark.js" ${OFF}></script>`), routes: replaced(renew) });
    const seen = await page.evaluate(async () => {
      const surface = document.modelContext;
      await surface.registerTool({ name: 'own', description: 'Own.', execute: () => 'own' });
      const handle = await window.toolmark.ready;
      const listed = (await surface.getTools()).map((tool) => tool.name);
      const same = surface === document.modelContext;
      handle.stop();
      const gone = !('modelContext' in document);
      const again = await window.toolmark.start({ page: false });
      return { listed, same, gone, again: again.tools().map((tool) => tool.name) };
    });
    const generated = renew ? ['get_product'] : [];
    assert.deepEqual(seen, { listed: [...generated, 'own'], same: true, gone: true, again: generated });
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

const NOT_HAD = { 'it is not there': {}, 'the server sends the same again': { '/x/toolmark.js': (old) => old }, 'it never comes': { '/x/toolmark.js': () => new Promise(() => {}) }, 'Trusted Types': {} };
for (const [what, given] of Object.entries(NOT_HAD)) {
  test(`where the one that fits cannot be had, the site's own tools are there: ${what}`, async () => {
    const routes = replaced(false);
    const first = routes['/x/toolmark.js'];
    const later = given['/x/toolmark.js'] ?? first;
    const old = first({ url: () => 'https://shop.example/x/toolmark.js' });
    routes['/x/toolmark.js'] = (request) => (new URL(request.url()).search ? later(later === first ? request : old) : old);
    const page = await open({ page: html(`${ld(product())}<script src="/x/toolmark.js" ${OFF} data-prefix="?"></script>`), routes, headers: what === 'Trusted Types' ? { 'content-security-policy': "require-trusted-types-for 'script'" } : {} });
    await page.evaluate(() => void window.toolmark.defineTool({ name: 'mine', description: 'Mine.', execute: () => ({ fine: true }) }));
    const { listed, codes } = await look(page);
    assert.deepEqual([listed, codes, page.errors], [['mine'], ['option-invalid', 'wasm-missing'], []]);
    assert.ok(page.requests.length < 15, 'and nobody asks again and again');
    await page.done();
  });
}

test('where the one that fits cannot be had, the old one says what to do', async () => {
  const page = await open({ page: html(`${ld(product())}<script src="/x/toolmark.js" ${OFF}></script>`), routes: replaced(false) });
  await page.evaluate(() => void window.toolmark.defineTool({ name: 'mine', description: 'Mine.', execute: () => ({ fine: true }) }));
  const { listed, diagnostics } = await look(page);
  assert.deepEqual([listed, diagnostics.map((one) => one.code)], [['mine'], ['wasm-missing']]);
  assert.match(diagnostics[0].message, /not of the same build.*Replace both/);
  assert.deepEqual(page.errors, []);
  await page.done();
});

test('a call that needs toolmark.calls.js says what is missing, and works as soon as it is there', async () => {
  let there = false;
  const calls = () => (there ? { body: shipped('toolmark.calls.js'), contentType: 'text/javascript' } : { status: 404, body: '' });
  const page = await open({ page: html(`${ld(product())}${ld(SEARCH)}${tag(OFF)}`), routes: { '/dist/toolmark.calls.js': calls, '/s': { body: html('<h1>Found</h1>') } } });
  const { codes } = await look(page);
  assert.deepEqual(codes, []);
  assert.match(JSON.stringify(await run(page, 'search_web_site', { q: 'bag' })), /"internal".*toolmark\.calls\.js could not be loaded/);
  assert.deepEqual((await look(page)).codes, ['calls-missing']);
  assert.match(JSON.stringify(await run(page, 'get_product')), /10\.00/);
  there = true;
  assert.match(JSON.stringify(await run(page, 'search_web_site', { q: 'bag' })), /Found/);
  assert.deepEqual(page.errors, []);
  await page.done();
});

for (const worker of ['on', 'off']) {
  test(`worker ${worker}: a server that sends a page for what it lacks causes no error in this one`, async () => {
    const app = { body: html('<h1>App</h1>') };
    const page = await open({ page: html(`${ld(product())}${tag(`${OFF} data-worker="${worker}"`)}`), routes: { '/dist/toolmark.wasm.js': app, '/dist/toolmark.calls.js': app }, init: 'onerror = (message) => { window.heard = message; };' });
    const { diagnostics } = await look(page);
    assert.match(diagnostics[0].message, /toolmark\.wasm\.js could not be loaded: another file came/);
    assert.deepEqual([page.errors, await page.evaluate(() => window.heard)], [[], undefined]);
    await page.done();
  });
}

test('a page with what bears the names of a worker is none', async () => {
  const page = await open({ page: html(`<p id="importScripts"></p>${ld(product())}${tag(`${OFF} data-worker="off"`)}`) });
  const { listed, codes } = await look(page);
  assert.deepEqual([listed, codes], [['get_product'], []]);
  await page.done();
});

for (const [what, init] of Object.entries({
  locked: () => Object.defineProperty(navigator, 'modelContext', { value: Object.freeze({ listTools() {}, addEventListener() {} }) }),
  'not to be had': () => Object.defineProperty(navigator, 'modelContext', { get() { throw new Error('no'); } }),
})) {
  test(`another script's navigator.modelContext is ${what}`, async () => {
    const page = await open({ page: body, init });
    const { listed, codes } = await look(page);
    assert.deepEqual([listed, codes, page.errors], [['get_product'], [], []]);
    await page.done();
  });
}

for (const encoding of ['windows-1251', 'gbk']) {
  test(`a tag with a charset in a page in ${encoding} brings all in that charset`, async () => {
    const routes = Object.fromEntries(Object.entries(elsewhere()).map(([path, given]) => [path, { ...given, contentType: 'text/javascript' }]));
    const page = await open({ page: html(`${ld(product())}<script src="https://cdn.example/x/toolmark.js" charset="utf-8" ${OFF} data-worker="off"></script>`).replace('<meta charset="utf-8">', ''), type: `text/html; charset=${encoding}`, routes });
    const { listed, codes } = await look(page);
    assert.deepEqual([listed, codes, page.errors], [['get_product'], [], []]);
    await page.done();
  });
}

test('calls that come at once load what they need once', async () => {
  const page = await open({ page: html(`${ld(product())}${ld(SEARCH)}<script src="https://cdn.example/x/toolmark.js" ${OFF}></script>`), routes: { ...elsewhere({ 'cache-control': 'no-store' }), '/s': { body: html('<h1>Found</h1>') } } });
  await page.evaluate(async () => {
    const tool = (await window.toolmark.ready).tools().find(({ name }) => name === 'search_web_site');
    await Promise.all(['a', 'b', 'c', 'd'].map((q) => tool.execute({ q })));
  });
  assert.deepEqual(files(page), ['wasm', 'calls']);
  await page.done();
});

for (const surface of SURFACES) {
  test(`${surface}: the site's own tools do not wait for what never comes`, async () => {
    const page = await open({ surface, page: body, routes: { '/dist/toolmark.wasm.js': () => new Promise(() => {}) } });
    await page.evaluate(() => void window.toolmark.defineTool({ name: 'mine', description: 'Mine.', execute: () => ({ fine: true }) }));
    await until(page, async () => (await document.modelContext.getTools()).some((tool) => tool.name === 'mine'));
    assert.match(JSON.stringify(await run(page, 'mine')), /fine/);
    await page.done();
  });
}

test('who asks does not wait for ever for what never comes', async () => {
  const page = await open({ page: body, routes: { '/dist/toolmark.wasm.js': () => new Promise(() => {}) } });
  const names = await page.evaluate(async () => {
    await document.modelContext.registerTool({ name: 'own', description: 'Own.', execute: () => 'own' });
    return (await document.modelContext.getTools()).map((tool) => tool.name);
  });
  assert.deepEqual(names, ['own']);
  await page.done();
});

const sha = (text) => `sha384-${crypto.createHash('sha384').update(text).digest('base64')}`;
for (const worker of ['on', 'off']) {
  test(`worker ${worker}: a tag with integrity runs nothing else than what was built with it`, async () => {
    const tagged = (options = '') => html(`${ld(product())}${ld(SEARCH)}<script src="https://cdn.example/x/toolmark.js" integrity="${sha(shipped('toolmark.js'))}" crossorigin ${OFF} data-worker="${worker}" ${options}></script>`);
    const cors = { 'access-control-allow-origin': '*' };
    const good = await open({ page: tagged(), routes: { ...elsewhere(cors), '/s': { body: html('<h1>Found</h1>') } }, init: watched });
    assert.deepEqual((await look(good)).codes, []);
    assert.match(JSON.stringify(await run(good, 'search_web_site', { q: 'bag' })), /Found/);
    assert.deepEqual([files(good), await good.evaluate(() => window.seen.workers)], [['wasm', 'calls'], worker === 'on' ? 1 : 0]);
    await good.done();
    const bad = await open({ page: tagged(), routes: elsewhere(cors, (text, name) => (name === 'toolmark.js' ? text : `${text};globalThis.strange = true;`)) });
    const { listed, codes } = await look(bad);
    assert.deepEqual([listed, codes, await bad.evaluate(() => window.strange)], [[], ['wasm-missing'], undefined]);
    assert.ok(bad.errors.length === 0);
    await bad.done();
  });
}

test('read() answers at once, also before anybody asked; where it cannot, it says what to wait for', async () => {
  const page = await open({ page: body, init: watched });
  assert.deepEqual(await page.evaluate(() => window.toolmark.read().items[0].type), ['Product']);
  assert.deepEqual(await page.evaluate(() => [window.seen.workers, window.seen.changes]), [0, 0]);
  assert.deepEqual((await look(page)).listed, ['get_product']);
  await page.done();
  const closed = await open({ page: body, headers: { 'content-security-policy': "connect-src 'none'" } });
  assert.match(await closed.evaluate(() => { try { return JSON.stringify(window.toolmark.read()); } catch (error) { return `${error.code}: ${error.message}`; } }), /^not-ready: .*await toolmark\.ready/);
  assert.deepEqual((await look(closed)).listed, ['get_product']);
  assert.deepEqual(await closed.evaluate(() => window.toolmark.read().items[0].type), ['Product']);
  await closed.done();
});

test("what the page's own thread is asked for at once costs it no second compiling", async () => {
  const page = await open({ page: body, init: watched });
  const { listed } = await look(page);
  assert.deepEqual(listed, ['get_product']);
  assert.match(await page.evaluate(async () => JSON.stringify([(await window.toolmark.ready).entities(), window.toolmark.read()])), /Product.*Product/);
  assert.deepEqual([files(page), await page.evaluate(() => window.seen.compiled)], [['wasm'], 0]);
  await page.done();
});

test('a page may load what lies beside the script itself', async () => {
  const page = await open({ page: html(`${ld(product())}<script src="/dist/toolmark.wasm.js"></script>${tag(OFF)}`), init: watched });
  assert.deepEqual((await look(page)).listed, ['get_product']);
  assert.equal(page.requests.filter((url) => url.includes(path.basename('toolmark.wasm.js'))).length, 1);
  await page.done();
});
