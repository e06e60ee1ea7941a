// Markup that is not in plain sight: shadow roots, frames, noscript, template, hidden, prefixes far outside.
import assert from 'node:assert/strict';
import test from 'node:test';
import { html, ld, look, open, product, tag } from './support.mjs';

const item = (name, more = '') => `<div itemscope itemtype="https://schema.org/Thing" ${more}><b itemprop="name">${name}</b></div>`;
const names = (page, options) =>
  page.evaluate((options) => window.toolmark.read(document, options).items.map((item) => item.props.name?.[0]).sort(), options);

test('what is read of shadow roots and frames, as options say', async () => {
  const page = await open({
    page: html(
      `${item('plain')}${item('hidden', 'hidden')}<template>${item('template')}</template>
      <div><template shadowrootmode="open">${item('declared')}<p><template shadowrootmode="open">${item('inner')}</template></p></template></div>
      <div><template shadowrootmode="closed">${item('closed')}</template></div>
      <iframe src="/inside"></iframe><iframe srcdoc='${item('srcdoc')}'></iframe>`,
      tag(),
    ),
    routes: { '/inside': { body: html(`${item('frame')}<div><template shadowrootmode="open">${item('in frame')}</template></div>`) } },
  });
  await page.evaluate(() => window.toolmark.ready);
  assert.deepEqual(await names(page, {}), ['declared', 'hidden', 'inner', 'plain', 'srcdoc']);
  assert.deepEqual(await names(page, { shadow: false }), ['hidden', 'plain', 'srcdoc']);
  assert.deepEqual(await names(page, { frames: true }), ['declared', 'frame', 'hidden', 'in frame', 'inner', 'plain', 'srcdoc']);
  assert.deepEqual(page.errors, []);
  await page.done();
});

test('the markup in a noscript is read, and nothing of it runs or loads', async () => {
  const inside = `<div itemscope itemtype="https://schema.org/Thing"><b itemprop="name">noscript</b><img itemprop="image" src="/noscript.png" onerror="window.ran = 1"></div><script>window.ran = 2</script><button data-tool="x">X</button>`;
  const page = await open({ page: html(`<noscript>${inside}</noscript><noscript>plain words</noscript>`, `<base href="/b/">${tag()}`) });
  const read = await page.evaluate(async () => {
    await window.toolmark.ready;
    return { items: window.toolmark.read().items, tools: (await window.toolmark.ready).tools().map((tool) => tool.name) };
  });
  assert.deepEqual(read.items, [{ type: ['Thing'], props: { name: ['noscript'], image: ['https://shop.example/noscript.png'] }, format: 'microdata' }]);
  assert.ok(!read.tools.some((name) => name.startsWith('press_')), read.tools.join());
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.ok(!page.requests.some((address) => address.includes('noscript.png')));
  await page.done();
});

test('an ancestor may declare prefixes and nothing else', async () => {
  const page = await open({
    page: html(`<section xmlns:s="https://schema.org/"><div><div xmlns:t="http://t.example/"><p typeof="s:Thing t:T"><b property="s:name">N</b></p></div></div></section>`, tag()),
  });
  await page.evaluate(() => window.toolmark.ready);
  assert.deepEqual(await page.evaluate(() => window.toolmark.read().items), [{ type: ['Thing', 'http://t.example/T'], props: { name: ['N'] }, format: 'rdfa' }]);
  await page.done();
});

test('a page of more shadow roots than are read says so, and what was read is offered', async () => {
  const page = await open({ page: html(ld(product()) + '<script>for (let i = 0; i < 600; i += 1) document.body.append(Object.assign(document.createElement("x-part"), { hidden: true })); for (const part of document.querySelectorAll("x-part")) part.attachShadow({ mode: "open" }).innerHTML = "<p>part</p>";</script>' + tag('data-page="off"')) });
  const { listed, diagnostics } = await look(page);
  assert.ok(listed.includes('get_product'));
  const found = diagnostics.filter((one) => one.code === 'roots-limit');
  assert.equal(found.length, 1);
  assert.match(found[0].message, /500/);
  assert.deepEqual(page.warnings.filter((text) => text.includes('[toolmark]')), []);
  await page.done();
});
