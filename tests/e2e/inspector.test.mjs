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
    // What a summary opens is built when the browser tells of it, which is later.
    const told = found.localName === 'summary' && new Promise((resolve) => found.parentElement.addEventListener('toggle', () => resolve(), { once: true }));
    found.click();
    return told;
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

test('says of microdata and RDFa where each thing stands, and of JSON-LD in which block', async () => {
  const page = await open_(html(`<h1>Bags</h1>${ld({ '@context': 'https://schema.org', '@type': 'Recipe', name: 'Soup' })}
    <section class="fair big" itemscope itemtype="https://schema.org/Event"><b itemprop="name">Fair</b></section>
    <div id="job" vocab="https://schema.org/" typeof="JobPosting"><b property="title">Cook</b></div>${ld(product())}${tag('data-inspect')}`));
  await shown(page);
  await press(page, 'Entities');
  for (const [type, format, place, selector] of [
    ['Event', 'microdata', 'section.fair', 'section'],
    ['JobPosting', 'RDFa', 'div#job', '#job'],
    ['Recipe', 'JSON-LD', 'script 1 of 2 with JSON-LD, in the body'],
    ['Product', 'JSON-LD', 'script 2 of 2 with JSON-LD, in the body'],
  ]) {
    await press(page, type);
    await press(page, 'Show where');
    const seen = await page.evaluate(() => window.panel.querySelector('.tree details[open]').textContent);
    assert.ok(seen.includes(`Written in ${format}.`) && seen.includes(`It stands in ${place}.`.replace('in section', 'in html > body > section')), seen);
    assert.match(await text(page, '[role=status]'), /^It stands in /);
    if (selector) {
      await until(page, (selector) => {
        const [mark, place] = [window.panel.querySelector('.mark'), document.querySelector(selector)].map((one) => one.getBoundingClientRect());
        return Math.abs(mark.top - place.top) <= 1 && Math.abs(mark.width - place.width) <= 1 && mark.width > 0;
      }, selector);
    }
    await press(page, type);
  }
  assert.deepEqual(page.errors, []);
  await page.done();
});

test('diagnostics are sentences, each with its code', async () => {
  const page = await open_(shop('data-inspect data-max-tool="3"', ld('{"@type": "Event", "name" "a"}')));
  await shown(page);
  await press(page, 'Diagnostics');
  const [said, shownThere] = await page.evaluate(async () => {
    const all = (await window.toolmark.ready).diagnostics();
    return [all.map(({ message, code }) => `${message} ${code}`), [...window.panel.querySelectorAll('[role=tabpanel]:not([hidden]) li')].map((one) => one.textContent)];
  });
  assert.ok(said.some((one) => one.endsWith(' json-parse-error')) && said.some((one) => one.endsWith(' option-unknown')), said.join('\n'));
  assert.deepEqual(shownThere.map((one) => one.replace(/^(Note|Warning|Error): /, '')), said);
  assert.ok(shownThere.every((one) => /^(Note|Warning|Error): [A-Z'"].*[.:!?)] [a-z-]+$/.test(one)), shownThere.join('\n'));
  assert.match(await page.evaluate(() => window.panel.querySelectorAll('[role=tab]')[1].textContent), /^Diagnostics \(\d\)$/);
  await page.done();
});

/** Gives the field of a parameter a value, as a person would. */
const fill = (page, name, value) => page.evaluate(([name, value]) => {
  const label = [...window.panel.querySelectorAll('details[open] label')].find((one) => one.firstChild.textContent === name);
  const field = window.panel.getElementById(label.htmlFor);
  if (field.type === 'checkbox') field.checked = value;
  else if (field.localName === 'select') field.selectedIndex = [...field.options].findIndex((one) => one.textContent === value);
  else field.value = value;
}, [name, value]);
const answer = (page) => page.evaluate(() => JSON.parse(window.panel.querySelector('details[open] pre').textContent));

test("a form has a field for each parameter, and sends what an agent would", async () => {
  const page = await open_(shop());
  await page.evaluate(async () => {
    await window.toolmark.ready;
    window.toolmark.defineTool({
      name: 'echo', title: 'Echo', description: 'Gives back what it got.',
      inputSchema: { type: 'object', required: ['text'], properties: {
        text: { type: 'string', description: 'Some words.' }, kind: { type: 'string', enum: ['new', 'used'] }, level: { enum: [1, 2] }, sure: { type: 'boolean' },
        count: { type: 'integer', minimum: 1 }, ratio: { type: 'number' }, colors: { type: 'array', items: { enum: ['red', 'blue'] } }, more: { type: 'object' }, lines: { type: 'array', items: { type: 'string' } },
      } },
      execute: (input) => ({ got: input }),
    });
  });
  await shown(page);
  await until(page, () => window.panel.textContent.includes('echo'));
  await press(page, 'echo');
  assert.match(await page.evaluate(() => window.panel.querySelector('details[open]').textContent), /Echo\. Gives back what it got\..*text \(required\)Some words\./);
  await press(page, 'Run');
  await until(page, () => /missing_parameter/.test(window.panel.querySelector('details[open] pre')?.textContent));
  assert.match(await page.evaluate(() => window.panel.querySelector('details[open] .answer.failed').textContent), /^Refused \(missing_parameter\)/);
  await fill(page, 'more', '{"a": ');
  await press(page, 'Run');
  await until(page, () => /'more' is no JSON/.test(window.panel.querySelector('[role=status]').textContent));
  for (const [name, value] of [['text', 'some words'], ['kind', 'used'], ['level', '2'], ['sure', true], ['count', '3'], ['ratio', '0.5'], ['blue', true], ['more', '{"a": [1]}'], ['lines', '["x", "y"]']]) await fill(page, name, value);
  await press(page, 'Run');
  await until(page, () => /"got"/.test(window.panel.querySelector('details[open] pre').textContent));
  assert.deepEqual(await answer(page), { got: { text: 'some words', kind: 'used', level: 2, sure: true, count: 3, ratio: 0.5, colors: ['blue'], more: { a: [1] }, lines: ['x', 'y'] } });
  const lines = () => page.evaluate(() => window.panel.querySelector('details[open] pre').textContent.split('\n').length);
  assert.equal(await lines(), 1);
  await page.evaluate(() => [...window.panel.querySelectorAll('details[open] label')].find((one) => one.textContent === 'Indent').click());
  assert.ok((await lines()) > 10);
  assert.deepEqual(page.errors, []);
  await page.done();
});

test('a call that takes long can be cancelled', async () => {
  const page = await open_(shop());
  await page.evaluate(async () => {
    await window.toolmark.ready;
    window.toolmark.defineTool({ name: 'wait', description: 'Waits.', annotations: { readOnlyHint: true }, execute: (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))) });
  });
  await until(page, () => window.panel?.textContent.includes('wait'));
  await press(page, 'wait');
  await press(page, 'Run');
  await press(page, 'Cancel');
  await until(page, () => /"cancelled"/.test(window.panel.querySelector('details[open] pre').textContent));
  assert.equal(await page.evaluate(() => [...window.panel.querySelectorAll('details[open] button')].some((one) => one.textContent === 'Cancel' && one.checkVisibility())), false);
  await page.done();
});

test('follows the page, and keeps what was typed', async () => {
  const page = await open_(shop());
  await shown(page);
  await press(page, 'search_page');
  await fill(page, 'query', 'bags');
  await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<div itemscope itemtype="https://schema.org/Recipe"><b itemprop="name">Soup</b><p itemprop="recipeIngredient">Lentils</p></div>'));
  await until(page, () => window.panel.textContent.includes('get_recipe'));
  assert.equal(await page.evaluate(() => window.panel.querySelector('details[open] input').value), 'bags');
  await press(page, 'Entities');
  await until(page, () => window.panel.querySelector('.tree').textContent.includes('Recipe Soup'));
  await page.evaluate(() => document.querySelector('[itemtype$=Recipe]').remove());
  await until(page, () => !window.panel.querySelector('.tree').textContent.includes('Recipe Soup'));
  await page.done();
});

test('is not in the way: takes no focus, covers its own corner, gives way to print, closes', async () => {
  const page = await open_(shop('data-inspect', '<input id="own" autofocus><button id="corner" style="position: fixed; left: 0; top: 0" onclick="window.pressed = true">Press</button>'));
  await shown(page);
  // The browser follows `autofocus` when it first draws.
  await until(page, () => document.activeElement.id === 'own');
  await page.mouse.click(5, 5);
  assert.equal(await page.evaluate(() => window.pressed), true);
  const covered = () => page.evaluate(() => {
    let hits = 0;
    for (let x = 5; x < innerWidth; x += 20) for (let y = 5; y < innerHeight; y += 20) hits += document.elementFromPoint(x, y)?.hasAttribute('data-toolmark-inspector') ?? false;
    return hits / (Math.floor(innerWidth / 20) * Math.floor(innerHeight / 20));
  });
  assert.ok((await covered()) < 0.35, await covered());
  await press(page, 'Minimise');
  const pill = await covered();
  assert.ok(pill > 0 && pill < 0.02, pill);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await covered(), 0);
  await page.emulateMedia({ media: 'screen' });
  await press(page, 'Toolmark:');
  await press(page, 'Close');
  assert.equal(await page.evaluate(() => document.querySelectorAll('[data-toolmark-inspector]').length), 0);
  await page.evaluate(() => window.toolmark.inspect());
  await shown(page);
  await page.done();
});

test('says which surface is in use, whether a relay is seen, sizes and times', async () => {
  const other = '<script>Object.defineProperty(document, "modelContext", { value: { registerTool: async () => {} }, configurable: true })</script><script src="/webmcp-local-relay.js"></script>';
  const page = await open_(html(`${other}${ld(product())}${tag('data-inspect')}`), { routes: { '/webmcp-local-relay.js': { contentType: 'text/javascript', body: '' } } });
  await shown(page);
  await press(page, 'About');
  const about = await page.evaluate(() => Object.fromEntries([...window.panel.querySelectorAll('dt')].map((one) => [one.textContent, one.nextElementSibling.textContent])));
  assert.match(about.Surface, /^Another script's/);
  assert.match(about.Relay, /^Seen: .*webmcp-local-relay\.js/);
  assert.match(about.Tools, /^\d+, about \d+ tokens to list$/);
  assert.match(about['Last look'], /^[\d.]+ ms$/);
  assert.match(about.Loaded, /toolmark\.js: [\d.]+ kB on the wire, [\d.]+ kB unpacked, [\d.]+ ms; toolmark\.inspect\.js: /);
  assert.equal(about.Page, page.url());
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

test('by keyboard: the focus stays in the panel while a tool answers, is cancelled, or goes away', async () => {
  const slow = `window.toolmark.ready.then(() => window.toolmark.defineTool({ name: 'wait', description: 'Waits.', inputSchema: { type: 'object' }, execute: (_, { signal }) => new Promise((done, fail) => { window.calls = (window.calls || 0) + 1; signal.addEventListener('abort', () => fail(signal.reason)); }) }));`;
  const page = await open_(shop('data-inspect', `<script>addEventListener('load', () => { ${slow} })</script>`));
  await until(page, () => window.panel?.textContent.includes('wait'));
  const focused = () => page.evaluate(() => window.panel.activeElement?.textContent);
  // The browser takes the focus from what cannot hold it when it next draws.
  const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await press(page, 'wait');
  await until(page, () => !!window.panel.querySelector('details[open] form button'));
  await page.evaluate(() => window.panel.querySelector('details[open] form button').focus());
  await page.keyboard.press('Enter');
  await until(page, () => window.calls === 1);
  await drawn();
  assert.equal(await focused(), 'Run');
  await page.keyboard.press('Enter');
  await drawn();
  assert.equal(await page.evaluate(() => window.calls), 1, 'one call at a time');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Cancel');
  await page.keyboard.press('Enter');
  await until(page, () => /"cancelled"/.test(window.panel.querySelector('details[open] pre').textContent));
  await drawn();
  assert.equal(await focused(), 'Run');
  // A tool that comes before it moves it; one that goes takes the focus along.
  await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<div itemscope itemtype="https://schema.org/Recipe"><b itemprop="name">Soup</b><p itemprop="recipeIngredient">Lentils</p></div>'));
  await until(page, () => window.panel.textContent.includes('get_recipe'));
  assert.equal(await focused(), 'Run');
  await page.evaluate(() => [...window.panel.querySelectorAll('summary')].find((one) => one.textContent.includes('get_recipe')).focus());
  await page.evaluate(() => document.querySelector('[itemtype$=Recipe]').remove());
  await until(page, () => !window.panel.textContent.includes('get_recipe'));
  assert.match(await focused(), /^Tools/);
  await page.keyboard.press('Escape');
  assert.match(await focused(), /^Toolmark: \d tools/);
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

test('five hundred tools and as many diagnostics are there, and the last tool runs', async () => {
  const page = await open_(html(`${ld(product())}${Array.from({ length: 500 }, (_, i) => `<button data-tool="go_${i}">Go</button>`).join('')}${tag('data-inspect data-max-tools="600"')}`));
  await page.evaluate(async () => {
    await window.toolmark.ready;
    for (let i = 0; i < 500; i += 1) window.toolmark.defineTool({ name: `own_${i}`, description: 'Answers.', annotations: { readOnlyHint: true }, execute: () => ({ number: i }) });
  });
  await until(page, () => window.panel?.textContent.includes('own_499'));
  await press(page, 'own_499');
  await press(page, 'Run');
  await until(page, () => window.panel.querySelector('details[open] pre').textContent === '{"number":499}');
  await press(page, 'Diagnostics');
  const [listed, all] = await page.evaluate(async () => [window.panel.querySelectorAll('[role=tabpanel]:not([hidden]) li').length, (await window.toolmark.ready).diagnostics().length]);
  assert.equal(listed, all);
  assert.ok(all > 300, all);
  assert.deepEqual(page.errors, []);
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
  for (const words of ['get_product', 'Run']) await press(frame, words);
  await frame.waitForFunction(() => window.panel.querySelector('pre')?.textContent.includes('10.00'));
  const { left, right, top, bottom, wide, high } = await box(frame);
  assert.ok(left >= 0 && right <= wide && top >= 0 && bottom <= high);
  await page.done();
});

for (const [colorScheme, dir, width] of [['light', 'ltr', 1280], ['dark', 'ltr', 1280], ['light', 'rtl', 360], ['dark', 'rtl', 360]]) {
  test(`axe finds no violation, ${colorScheme}, ${dir}, ${width} pixels wide`, async () => {
    // For axe the root is open; then Toolmark must not read it as part of the page.
    const page = await open_(shop('data-inspect data-shadow="off"', '<main><button data-tool="send_order" data-tool-description="Sends the order." data-tool-danger>Send</button></main>'), { init: `window.openRoots = true; (${keep})()` });
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 720 });
    await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), dir);
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
