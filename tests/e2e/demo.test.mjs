// The demo site: every page that the index names is there and offers its tools.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import test, { after } from 'node:test';
import { serve } from '../../www/serve.mjs';
import { browser } from './support.mjs';

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const server = await serve();
after(() => server.close());

async function open(pathname) {
  const page = await (await browser('native')).newPage();
  page.errors = [];
  page.on('pageerror', (error) => page.errors.push(error.message));
  const response = await page.goto(server.origin + pathname);
  assert.equal(response.status(), 200, pathname);
  return page;
}
const axe = async (page) => {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.flat().join(' ')).join(', ')}`);
};

/** page → a tool, a word of its answer */
const SHOP = {
  '/shop/': ['list_products', '189.50'],
  '/shop/trail-pack-28.html': ['get_product', '129.90'],
  '/shop/journal.html': ['get_article', 'Ida Moor'],
  '/shop/event.html': ['get_event', 'Moot Hall'],
  '/shop/help.html': ['get_faq', '30 days'],
  '/shop/router.html': ['get_product', '129.90'],
};

test('the index names every page of the shop and the playground, and what it names is there', async () => {
  const page = await open('/');
  assert.deepEqual(await axe(page), []);
  const links = await page.evaluate(() => [...document.links].map((link) => link.pathname));
  for (const needed of [...Object.keys(SHOP), '/playground.html']) assert.ok(links.includes(needed), `${needed} is not linked`);
  for (const link of new Set(links)) assert.equal((await page.request.get(server.origin + link)).status(), 200, link);
  await page.close();
});

test('every product of the category has a page that offers it, one that is none has not', async () => {
  const page = await open('/shop/');
  const links = await page.evaluate(() => [...document.querySelectorAll('.products a')].map((link) => [link.getAttribute('href'), link.textContent]));
  assert.equal(links.length, 6);
  for (const [link, name] of links) {
    await page.goto(server.origin + link);
    const answer = await page.evaluate(async () => JSON.stringify(await (await window.toolmark.ready).tools().find((one) => one.name === 'get_product').execute({})));
    assert.ok(answer.includes(`"name":"${name}"`), answer);
    assert.deepEqual(await axe(page), [], link);
  }
  assert.equal((await page.request.get(`${server.origin}/shop/no-such-product.html`)).status(), 404);
  await page.close();
});

for (const [pathname, [tool, word]] of Object.entries(SHOP)) {
  test(`${pathname} offers ${tool}; axe finds no violation`, async () => {
    const page = await open(pathname);
    const seen = await page.evaluate(async (name) => {
      const handle = await window.toolmark.ready;
      await handle.refresh();
      const tool = handle.tools().find((one) => one.name === name);
      return { names: handle.tools().map((one) => one.name), answer: JSON.stringify(await tool?.execute({})), problems: handle.diagnostics().filter((one) => one.level !== 'info') };
    }, tool);
    assert.ok(seen.names.includes(tool), seen.names.join());
    assert.ok(seen.answer.includes(word), seen.answer);
    assert.deepEqual(seen.problems, []);
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(page.errors, []);
    await page.close();
  });
}
