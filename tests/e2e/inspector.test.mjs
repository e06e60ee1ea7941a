// The inspector, as a person with a mouse, a keyboard or a screen reader meets it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { html, ld, open, product, SURFACES, tag, until } from './support.mjs';

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The panel's root is closed to the page; the tests keep it. */
const keep = () => {
  const own = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attach(init) {
    const root = own.call(this, window.openRoots ? { ...init, mode: 'open' } : init);
    if (this.hasAttribute('data-toolmark-inspector')) window.panel = root;
    return root;
  };
};
const open_ = (page, o = {}) => open({ page, init: keep, ...o });
const shown = (page) => until(page, () => window.panel?.querySelector('[role=tabpanel]:not([hidden])')?.textContent.length > 0);
const text = (page, selector) => page.evaluate((selector) => window.panel.querySelector(selector)?.textContent, selector);
/** Presses a tab, a summary or a button by its words. */
const press = (page, words) =>
  page.evaluate((words) => {
    const all = [...window.panel.querySelectorAll('button, summary')].filter((one) => one.checkVisibility());
    const found = all.find((one) => one.textContent.trim() === words) ?? all.find((one) => one.textContent.includes(words));
    if (!found) throw new Error(`nothing says '${words}': ${all.map((one) => one.textContent).join(' | ')}`);
    found.click();
  }, words);
const shop = (options = 'data-inspect', more = '') => html(
  `<h1>Bags</h1><p>Two of them.</p><div id="fair" itemscope itemtype="https://schema.org/Event"><b itemprop="name">Fair</b><time itemprop="startDate">2027-01-01</time></div>${more}${ld(product())}${tag(options)}`);

for (const surface of SURFACES) {
  test(`${surface}: shows tools, runs one, and lists the call`, async () => {
    const page = await open_(shop(), { surface });
    await shown(page);
    assert.match(await text(page, '[role=tabpanel]:not([hidden])'), /^\d tools\. Listing them costs an agent about \d+ tokens\.get_product/);
    await press(page, 'get_product');
    await press(page, 'Run');
    await until(page, () => window.panel.querySelector('pre')?.textContent.includes('10.00'));
    assert.equal(await text(page, 'pre'), JSON.stringify(await page.evaluate(async () => (await window.toolmark.ready).tools()[0].execute({}))));
    assert.match(await text(page, '[role=status]'), /Answered in .* characters, about \d+ tokens/);
    await press(page, 'Calls');
    await until(page, () => window.panel.querySelectorAll('tbody tr').length === 2);
    await press(page, 'About');
    await until(page, () => window.panel.querySelector('dl')?.textContent.includes('toolmark.js'));
    assert.match(await text(page, 'dl'), surface === 'native' ? /The browser's own WebMCP/ : /Toolmark's own/);
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

test('is not in toolmark.js, and not loaded unless it is asked for', async () => {
  const page = await open_(shop(''));
  await page.evaluate(async () => void (await window.toolmark.ready));
  const loaded = () => page.requests.filter((url) => url.endsWith('/dist/toolmark.inspect.js')).length;
  assert.equal(loaded(), 0);
  await page.evaluate(() => window.toolmark.inspect());
  await shown(page);
  assert.equal(loaded(), 1);
  await page.done();
});

for (const [origin, url, there] of [
  ['http://localhost:4321', '/page?toolmark=inspect', true],
  ['http://localhost:4321', '/page', false],
  ['https://shop.example', '/page?toolmark=inspect', false],
]) {
  test(`${origin}${url}: ${there ? 'opens' : 'does not open'}`, async () => {
    const page = await open_(shop(''), { origin, url });
    await page.evaluate(async () => void (await window.toolmark.ready));
    if (there) await shown(page);
    assert.equal(page.requests.some((one) => one.includes('toolmark.inspect.js')), there);
    await page.done();
  });
}

test('a missing file is a diagnostic', async () => {
  const page = await open_(shop(), { routes: { '/dist/toolmark.inspect.js': { status: 404, body: '' } } });
  await until(page, async () => (await window.toolmark.ready).diagnostics().some((one) => one.code === 'inspector-missing'));
  assert.deepEqual(page.errors, []);
  await page.done();
});

test('says where things were written, and marks them', async () => {
  const page = await open_(shop());
  await shown(page);
  await press(page, 'Entities');
  await press(page, 'Event');
  await press(page, 'Show where');
  assert.match(await text(page, '.source'), /It stands in div#fair/);
  const [mark, place] = await page.evaluate(() => [window.panel.querySelector('.mark'), document.querySelector('#fair')].map((one) => Math.round(one.getBoundingClientRect().width)));
  assert.ok(Math.abs(mark - place) <= 1 && mark > 0, `${mark} over ${place}`);
  await press(page, 'Event');
  await press(page, 'Product');
  await press(page, 'Show where');
  assert.match(await page.evaluate(() => [...window.panel.querySelectorAll('.source')].map((one) => one.textContent).join()), /script 1 of 1 with JSON-LD, in the body.*"price":"10\.00"/);
  await page.done();
});

test('by keyboard: tabs, a tool, a form, Escape and back', async () => {
  const page = await open_(shop());
  await shown(page);
  await page.evaluate(() => window.panel.querySelector('[role=tab]').focus());
  const focused = () => page.evaluate(() => window.panel.activeElement?.textContent);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await focused(), 'About');
  await page.keyboard.press('ArrowRight');
  assert.match(await focused(), /^Tools/);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.match(await focused(), /^get_product/);
  await page.keyboard.press('Enter');
  await until(page, () => !!window.panel.querySelector('form button'));
  await page.evaluate(() => window.panel.querySelector('form button').focus());
  await page.keyboard.press('Enter');
  await until(page, () => window.panel.querySelector('pre')?.textContent.includes('10.00'));
  await page.keyboard.press('Escape');
  assert.match(await focused(), /^Toolmark: \d tools/);
  await page.keyboard.press('Enter');
  assert.match(await focused(), /^Tools/);
  await page.done();
});

test("keys typed in it are not the page's", async () => {
  const page = await open_(shop('data-inspect', '<script>document.addEventListener("keydown", (e) => { window.heard = (window.heard || "") + e.key; })</script>'));
  await shown(page);
  await press(page, 'search_page');
  await page.evaluate(() => window.panel.querySelector('input[type=text]').focus());
  await page.keyboard.type('bag');
  assert.equal(await page.evaluate(() => window.heard), undefined);
  assert.equal(await page.evaluate(() => window.panel.querySelector('input[type=text]').value), 'bag');
  await page.done();
});

test('stop() removes it, and what was opened later comes back anew', async () => {
  const page = await open_(shop());
  await shown(page);
  const there = () => page.evaluate(() => document.querySelectorAll('[data-toolmark-inspector]').length);
  assert.equal(await there(), 1);
  await page.evaluate(async () => (await window.toolmark.ready).stop());
  assert.equal(await there(), 0);
  await page.evaluate(async () => {
    await window.toolmark.start();
    await window.toolmark.inspect();
  });
  assert.equal(await there(), 1);
  await page.done();
});

test('what the page says is text in it, whatever it looks like', async () => {
  const evil = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>';
  const page = await open_(html(ld(product({ name: evil, description: evil, [evil]: evil })).replace(/<\/script>(?=.*<\/script>)/g, '<\\/script>') + `<h1>x</h1>${tag('data-inspect')}`));
  await shown(page);
  for (const words of ['get_product', 'Run', 'Entities', 'Product', 'Diagnostics', 'Calls', 'About']) await press(page, words);
  await page.waitForTimeout(100);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.deepEqual(await page.evaluate(() => [...window.panel.querySelectorAll('img, script, iframe')].length), 0);
  await page.done();
});

test('five hundred things are listed a hundred at a time', async () => {
  const things = Array.from({ length: 500 }, (_, i) => ({ '@type': i % 2 ? 'Product' : 'Event', name: `Thing ${i}`, sku: `S${i}` }));
  const page = await open_(html(ld({ '@context': 'https://schema.org', '@graph': things }) + tag('data-inspect data-max-tools="500"')));
  await shown(page);
  await press(page, 'Entities');
  const count = () => page.evaluate(() => window.panel.querySelectorAll('.tree > li').length);
  assert.equal(await count(), 100);
  await press(page, 'Show more (400 left)');
  assert.equal(await count(), 200);
  assert.match(await page.evaluate(() => window.panel.activeElement.textContent), /Thing 100/);
  await page.done();
});

const box = (page) => page.evaluate(() => {
  const panel = window.panel.querySelector('.panel');
  const { left, right, top, bottom, width, height } = panel.getBoundingClientRect();
  const style = getComputedStyle(panel);
  return { left, right, top, bottom, width, height, position: style.position, size: style.fontSize, wide: innerWidth, high: innerHeight, wider: document.documentElement.scrollWidth > innerWidth };
});

test('looks the same under rules against everything and a policy against inline style', async () => {
  const plain = await open_(shop());
  await shown(plain);
  const expected = await box(plain);
  await plain.done();
  const page = await open_(html(`<style nonce="n">* { all: unset !important } div { display: none !important; position: static !important; opacity: 0 !important }</style><p>Text</p>${ld(product())}${tag('data-inspect nonce="n"')}`), {
    headers: { 'content-security-policy': "default-src 'self'; script-src 'nonce-n' 'strict-dynamic' 'wasm-unsafe-eval'; style-src 'nonce-n'; require-trusted-types-for 'script'; trusted-types 'none'" },
  });
  await shown(page);
  assert.deepEqual({ ...(await box(page)), wider: false }, expected);
  assert.deepEqual(page.warnings, []);
  await page.done();
});

test('fits a phone, and keeps to the other side where the page reads from right to left', async () => {
  const page = await open_(shop().replace('lang="en"', 'lang="ar" dir="rtl"'));
  await shown(page);
  const wide = await box(page);
  assert.ok(wide.left < 20 && wide.right < wide.wide / 2);
  await page.setViewportSize({ width: 360, height: 640 });
  const phone = await box(page);
  assert.deepEqual([phone.left, phone.right, phone.wider], [0, 360, false]);
  assert.ok(phone.top > 200);
  await page.done();
});

test('works in a frame', async () => {
  const page = await open_(html('<iframe src="/inner" width="700" height="600"></iframe>'), { routes: { '/inner': { body: shop() } } });
  const frame = page.frames().at(-1);
  await frame.waitForFunction(() => window.panel?.textContent.includes('get_product'));
  assert.equal(await page.evaluate(() => document.querySelectorAll('[data-toolmark-inspector]').length), 0);
  await page.done();
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds no violation, ${colorScheme}`, async () => {
    // For axe the root is open; then Toolmark must not read it as part of the page.
    const page = await open_(shop('data-inspect data-shadow="off"', '<main><button data-tool="send_order" data-tool-description="Sends the order." data-tool-danger>Send</button></main>'), { init: `window.openRoots = true; (${keep})()` });
    await page.emulateMedia({ colorScheme });
    await shown(page);
    await page.evaluate(AXE);
    const check = async (what) => {
      const { violations, passes } = await page.evaluate(() => window.axe.run({ include: [['[data-toolmark-inspector]']] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map((node) => node.target.flat().join(' ')).join(', ')}`), []);
      assert.ok(passes.length > (what === 'minimised' ? 2 : 10), `${what}: ${passes.length} rules`);
    };
    await press(page, 'get_product');
    await press(page, 'Run');
    await press(page, 'search_page');
    await check('tools');
    for (const words of ['Diagnostics', 'Entities', 'Calls', 'About']) {
      await press(page, words);
      if (words === 'Entities') {
        await press(page, 'Product');
        await press(page, 'Show where');
      }
      await check(words);
    }
    await press(page, 'Minimise');
    await check('minimised');
    await page.done();
  });
}
