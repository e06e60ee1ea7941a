// What a page's headers may forbid: each works, or says what to do.
import assert from 'node:assert/strict';
import test from 'node:test';
import { html, ld, look, open, product, SURFACES, tag } from './support.mjs';

const body = html(ld(product()) + tag('data-page="off"'));
const withNonce = html(ld(product()) + tag('data-page="off" nonce="n1"'));
const csp = (policy) => ({ 'content-security-policy': policy });

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

for (const policy of ["script-src 'self'", "default-src 'self'"]) {
  test(`WebAssembly forbidden by ${policy}: told once, with the directive; the site's own tools work`, async () => {
    const page = await open({ page: body, headers: csp(policy) });
    const { tools, diagnostics } = await look(page);
    assert.deepEqual([tools, diagnostics.map((one) => one.code)], [[], ['wasm-blocked']]);
    assert.match(diagnostics[0].message, /'wasm-unsafe-eval'.*script-src/);
    assert.equal(page.warnings.filter((text) => text.includes('[toolmark]')).length, 1);
    const answer = await page.evaluate(async () => {
      window.toolmark.defineTool({ name: 'mine', description: 'Mine.', execute: () => ({ fine: true }) });
      await new Promise((resolve) => setTimeout(resolve, 100));
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
  await page.waitForTimeout(700);
  const frame = page.frames().find((one) => one.url().endsWith('/inner'));
  const names = await frame.evaluate(async () => (await window.toolmark.ready).tools().map((tool) => tool.name));
  assert.deepEqual(names, ['get_product']);
  assert.deepEqual(page.errors, []);
  await page.done();
});
