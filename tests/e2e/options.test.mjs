import assert from 'node:assert/strict';
import test from 'node:test';
import { html, ld, look, open, product, tag } from './support.mjs';

const names = async (attributes, body = ld(product())) => {
  const page = await open({ page: html(body + tag(attributes)) });
  const found = await look(page);
  await page.done();
  return { ...found, page };
};

test('page tools are on by default and off on request', async () => {
  assert.equal((await names('')).listed.length, 4);
  assert.deepEqual((await names('data-page="off"')).listed, ['get_product']);
});

test('bad values and mistyped names are told, with what is allowed', async () => {
  const { diagnostics } = await names('data-page="off" data-max-tools="2.5" data-watch="no" data-acton="off" data-cfasync="false"');
  assert.deepEqual(diagnostics.map((one) => one.code).sort(), ['option-invalid', 'option-invalid', 'option-unknown']);
  for (const { message } of diagnostics) assert.match(message, /Allowed (is|are) /);
});

test('data-max-tools and data-prefix', async () => {
  const { listed, codes } = await names('data-max-tools="2" data-prefix="shop"');
  assert.equal(listed.length, 2);
  assert.ok(listed.every((name) => name.startsWith('shop_')), String(listed));
  assert.ok(codes.includes('tool-limit'));
});

/** Ways in which sites load a script. */
const LOADING = {
  'sync in head': html(ld(product()), tag('data-page="off"')),
  async: html(ld(product()), tag('data-page="off" async')),
  defer: html(ld(product()), tag('data-page="off" defer')),
  'sync in head, data-watch="off"': html(ld(product()), tag('data-page="off" data-watch="off"')),
  'type="module" with a mark': html(ld(product()), tag('data-page="off" type="module" data-toolmark')),
  'document.write': html(`${ld(product())}<script>document.write('<script src="/dist/toolmark.js" data-page="off"><\\/script>')</script>`),
  'tag manager': html(`${ld(product())}<script>const s=document.createElement('script');s.async=true;s.src='/dist/toolmark.js';s.dataset.page='off';document.head.append(s)</script>`),
  'tag manager, removed at once': html(`${ld(product())}<script>const s=document.createElement('script');s.src='/dist/toolmark.js';s.dataset.page='off';document.head.append(s);s.remove()</script>`),
  'a page in windows-1252': [html(ld(product()) + tag('data-page="off"')).replace('<meta charset="utf-8">', ''), 'text/html; charset=windows-1252'],
  XHTML: [`<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>T</title><script src="/dist/toolmark.js" data-page="off"></script></head><body><div itemscope="" itemtype="https://schema.org/Product"><b itemprop="name">Bag</b></div></body></html>`, 'application/xhtml+xml'],
};
for (const [how, body] of Object.entries(LOADING)) {
  test(`loaded: ${how}`, async () => {
    const [text, type] = Array.isArray(body) ? body : [body];
    const page = await open({ page: text, type });
    await page.waitForFunction(() => window.toolmark);
    const { listed, codes } = await look(page);
    assert.deepEqual(listed, ['get_product']);
    assert.deepEqual(codes, []);
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

test('inserted again per route: one handle, one warning', async () => {
  const page = await open({ page: html(ld(product()) + tag('data-page="off"')) });
  await look(page);
  for (let i = 0; i < 3; i += 1) {
    await page.evaluate(() => new Promise((resolve) => {
      const script = document.createElement('script');
      script.src = '/dist/toolmark.js';
      script.onload = resolve;
      document.head.append(script);
    }));
  }
  const { listed, codes } = await look(page);
  assert.deepEqual([listed, codes], [['get_product'], ['started-twice']]);
  await page.done();
});

test('a module takes its wasm from beside it, or from where it is told', async () => {
  for (const options of ['{page:false}', "{page:false,wasm:'/elsewhere.wasm'}"]) {
    const page = await open({ page: html(`${ld(product())}<script type="module">import {start} from '/dist/toolmark.mjs';window.handle=await start(${options});window.names=window.handle.tools().map(t=>t.name);window.codes=window.handle.diagnostics().map(d=>d.code)</script>`) });
    await page.waitForFunction(() => window.names);
    const [found, codes] = await page.evaluate(() => [window.names, window.codes]);
    if (options.includes('elsewhere')) assert.deepEqual([found, codes], [[], ['wasm-failed']]);
    else assert.deepEqual([found, codes], [['get_product'], []]);
    await page.done();
  }
});

test('read() gives items at once; ready never rejects', async () => {
  const page = await open({ page: html(ld(product()) + tag()) });
  const found = await page.evaluate(() => window.toolmark.read());
  assert.deepEqual(found.items[0].type, ['Product']);
  await page.done();
});

/** Pages that have next to nothing, or the wrong things. */
const PAGES = {
  'no markup': '<p>hello</p>',
  'broken JSON-LD': ld('{"@context":"https://schema.org","@type":'),
  'names of Object.prototype': ld({ '@context': 'https://schema.org', '@type': ['constructor', '__proto__'], name: 'x', toString: 'y', __proto__: null, constructor: 'z' }),
  'an empty page': '',
};
for (const [what, body] of Object.entries(PAGES)) {
  test(`resolved, without an exception: ${what}`, async () => {
    const { page } = await names('data-page="off"', body);
    assert.deepEqual(page.errors, []);
  });
}
