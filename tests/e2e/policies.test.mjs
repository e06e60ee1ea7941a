// What a page's headers may forbid: each works, or says what to do.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { html, ld, look, open, product, ROOT, run, SURFACES, tag } from './support.mjs';

const body = html(ld(product()) + tag('data-page="off"'));
const withNonce = html(ld(product()) + tag('data-page="off" nonce="n1"'));
const csp = (policy) => ({ 'content-security-policy': policy });
/** The files on another origin, as a CDN sends them. */
const cdn = () =>
  Object.fromEntries(
    ['toolmark.js', 'toolmark.nowasm.js'].map((name) => [
      `https://cdn.example/x/${name}`,
      { body: fs.readFileSync(path.join(ROOT, 'dist', name)), contentType: 'text/javascript', headers: { 'access-control-allow-origin': '*' } },
    ]),
  );

/** headers → whether WebAssembly runs */
const ALLOWED = {
  "script-src 'self' 'wasm-unsafe-eval'": [body, csp("script-src 'self' 'wasm-unsafe-eval'")],
  "default-src 'self' 'wasm-unsafe-eval', nothing to connect": [body, csp("default-src 'self' 'wasm-unsafe-eval'; connect-src 'none'")],
  'nonce with strict-dynamic': [withNonce, csp("script-src 'nonce-n1' 'strict-dynamic' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'")],
  'Trusted Types': [body, csp("script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types 'none'")],
  'COOP and COEP': [body, { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }],
  'report only': [body, { 'content-security-policy-report-only': "script-src 'self'" }],
};
for (const surface of SURFACES) {
  for (const [what, [page, headers]] of Object.entries(ALLOWED)) {
    test(`${surface}: works under ${what}`, async () => {
      const opened = await open({ surface, page, headers });
      const { listed, codes } = await look(opened);
      assert.deepEqual([listed, codes], [['get_product'], []]);
      assert.deepEqual(opened.errors, []);
      await opened.done();
    });
  }
}

/** What a page gets where WebAssembly is forbidden and toolmark.nowasm.js is beside the script. */
const FORBIDDEN = {
  "script-src 'self'": [body, csp("script-src 'self'")],
  "default-src 'self'": [body, csp("default-src 'self'")],
  'nonce with strict-dynamic': [withNonce, csp("script-src 'nonce-n1' 'strict-dynamic'; object-src 'none'; base-uri 'none'")],
  'Trusted Types': [body, csp("script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'")],
  'loaded by the page': [body.replace('<script src', '<script src="/dist/toolmark.nowasm.js"></script><script src'), csp("script-src 'self'")],
};
for (const surface of SURFACES) {
  for (const [what, [page, headers]] of Object.entries(FORBIDDEN)) {
    test(`${surface}: WebAssembly forbidden (${what}): the same tools without it`, async () => {
      const opened = await open({ surface, page, headers });
      const { listed, diagnostics } = await look(opened);
      assert.deepEqual([listed, diagnostics.map((one) => `${one.level} ${one.code}`)], [['get_product'], ['info nowasm']]);
      assert.match(JSON.stringify(await run(opened, 'get_product')), /10\.00/);
      await opened.evaluate(() => (document.querySelector('script[type*=json]').firstChild.data = '{"@context":"https://schema.org","@type":"Product","name":"Other","offers":{"@type":"Offer","price":"12.00","priceCurrency":"EUR"}}'));
      assert.match(JSON.stringify(await run(opened, 'get_product')), /12\.00/);
      assert.deepEqual(opened.requests.filter((url) => url.includes('nowasm')).length, 1);
      assert.deepEqual(opened.warnings.filter((text) => text.includes('[toolmark]')), []);
      assert.deepEqual(opened.errors, []);
      await opened.done();
    });
  }
}

test('the file beside the script is found on another origin too', async () => {
  const page = await open({ page: html(ld(product()) + '<script src="https://cdn.example/x/toolmark.js" crossorigin></script>'), headers: csp("script-src https://cdn.example"), routes: cdn() });
  const { listed } = await look(page);
  assert.ok(listed.includes('get_product'));
  assert.ok(page.requests.includes('https://cdn.example/x/toolmark.nowasm.js'));
  await page.done();
});

for (const policy of ["script-src 'self'", "default-src 'self'"]) {
  test(`WebAssembly forbidden by ${policy}, nothing beside the script: told once, with the directive; the site's own tools work`, async () => {
    const page = await open({ page: body, headers: csp(policy), routes: { '/dist/toolmark.nowasm.js': { status: 404, body: '' } } });
    const { tools, diagnostics } = await look(page);
    assert.deepEqual([tools, diagnostics.map((one) => one.code)], [[], ['wasm-blocked']]);
    assert.match(diagnostics[0].message, /'wasm-unsafe-eval'.*script-src/);
    assert.match(diagnostics[0].message, /toolmark\.nowasm\.js/);
    assert.equal(page.warnings.filter((text) => text.includes('[toolmark]')).length, 1);
    const answer = await page.evaluate(async () => {
      window.toolmark.defineTool({ name: 'mine', description: 'Mine.', execute: () => ({ fine: true }) });
      await (await window.toolmark.ready).refresh();
      const [tool] = await document.modelContext.getTools();
      return document.modelContext.executeTool(tool, {});
    });
    assert.match(answer, /"fine":true/);
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

test("native: Permissions-Policy: tools=() is told with the way out", async () => {
  const page = await open({ surface: 'native', page: body, headers: { 'permissions-policy': 'tools=()' } });
  const { listed, diagnostics, tools } = await page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    return { listed: [], diagnostics: handle.diagnostics(), tools: handle.tools().map((tool) => tool.name) };
  });
  assert.deepEqual([listed, tools], [[], ['get_product']]);
  assert.deepEqual(diagnostics.map((one) => one.code), ['register-failed']);
  assert.match(diagnostics[0].message, /tools=\(self\)/);
  assert.deepEqual(page.errors, []);
  await page.done();
});

test('native: Origin-Agent-Cluster: ?0 is told with the way out', async () => {
  const page = await open({ surface: 'native', page: body, headers: { 'origin-agent-cluster': '?0' } });
  const { codes, errors } = await page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    return { codes: handle.diagnostics() };
  }).then(({ codes }) => ({ codes, errors: page.errors }));
  assert.deepEqual(codes.map((one) => one.code), ['register-failed']);
  assert.match(codes[0].message, /Origin-Agent-Cluster/);
  assert.deepEqual(errors, []);
  await page.done();
});

test('an insecure context gets no polyfill, and a word why', async () => {
  const page = await open({ page: body, origin: 'http://shop.example' });
  const found = await page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    return { codes: handle.diagnostics().map((one) => one.code), tools: handle.tools().length, context: 'modelContext' in document };
  });
  assert.deepEqual(found, { codes: ['no-webmcp-surface'], tools: 1, context: false });
  await page.done();
});

test('a sandboxed frame of opaque origin works in itself', async () => {
  const page = await open({ page: html('<iframe sandbox="allow-scripts" src="/inner"></iframe>'), routes: { '/inner': { body } } });
  const frame = page.frames().find((one) => one.url().endsWith('/inner'));
  const names = await frame.evaluate(async () => (await window.toolmark.ready).tools().map((tool) => tool.name));
  assert.deepEqual(names, ['get_product']);
  assert.deepEqual(page.errors, []);
  await page.done();
});
