import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { HOME, run, shop, site } from './support.mjs';

test('inspect shows tools, answers, diagnostics and costs', async () => {
  const { origin } = await site((url, _, origin) => ({ body: shop(origin) }));
  const { code, stdout } = await run(['inspect', `${origin}/`, '--json', '--allow-private']);
  assert.equal(code, 0);
  const report = JSON.parse(stdout);
  assert.ok(report.tools.some((tool) => tool.name === 'get_product'));
  assert.equal(report.answers.get_product.name, 'Rain jacket');
  assert.ok(report.tokens.definitions > 0 && report.tokens.answers > 0 && report.tokens.text > 0);
  const words = await run(['inspect', `${origin}/`, '--allow-private']);
  assert.match(words.stdout, /get_product\(.*\)/);
});

test('inspect reads saved pages and says what it cannot read', async () => {
  const file = path.join(HOME, 'page.html');
  fs.writeFileSync(file, shop('https://shop.example'));
  const good = await run(['inspect', file, '--json']);
  assert.equal(JSON.parse(good.stdout).answers.get_product.sku, 'J1');
  const bad = await run(['inspect', path.join(HOME, 'none.html')]);
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /cannot be read/);
});

test('inspect says where a browser would see more', async () => {
  const file = path.join(HOME, 'shell.html');
  fs.writeFileSync(file, '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>');
  const { stdout } = await run(['inspect', file, '--json']);
  assert.ok(JSON.parse(stdout).diagnostics.some((found) => found.code === 'needs-browser'));
});

test('doctor tells a search that works from one that does not', async () => {
  const results = (word) => `<!doctype html><title>Results</title><main><ul><li><a href="/1">${word} one</a></li><li><a href="/2">${word} two</a></li><li><a href="/3">${word} three</a></li></ul></main>`;
  for (const [answer, state] of [
    [(url) => ({ body: results(url.searchParams.get('q')) }), 'confirmed'],
    [() => ({ status: 404 }), 'failed'],
    [() => ({ body: '<!doctype html><title>Home</title><main><p>Welcome to our home page.</p></main>' }), 'failed'],
  ]) {
    const { origin } = await site((url, _, origin) => (url.pathname === '/search' ? answer(url) : { body: shop(origin) }));
    const { code, stdout } = await run(['doctor', `${origin}/`, '--json', '--allow-private']);
    const { tools } = JSON.parse(stdout);
    const search = tools.find((tool) => tool.tool.startsWith('search_') && tool.tool !== 'search_page');
    assert.equal(search.state, state, JSON.stringify(search));
    assert.equal(tools.find((tool) => tool.tool === 'get_product').state, 'confirmed');
    assert.equal(code, state === 'confirmed' ? 0 : 1);
  }
});
