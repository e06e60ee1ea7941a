// The playground: everything pasted is read, nothing of it runs, nothing is sent.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import test, { after } from 'node:test';
import { serve } from '../../www/serve.mjs';
import { browser } from './support.mjs';
import { samples } from '../../www/samples.js';

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const server = await serve();
after(() => server.close());

async function open(fragment = '', init) {
  const context = await (await browser('polyfill')).newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.asked = [];
  page.errors = [];
  page.on('request', (request) => page.asked.push(request.url()));
  page.on('pageerror', (error) => page.errors.push(error.message));
  await page.addInitScript(() => {
    const own = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function attach() {
      return (window.panel = own.call(this, { mode: 'open' }));
    };
  });
  if (init) await page.addInitScript(init);
  await page.goto(`${server.origin}/playground.html${fragment}`);
  await read(page);
  page.done = () => context.close();
  return page;
}
const read = (page) => page.waitForFunction(() => /\d+ tools?, \d+ diag/.test(document.querySelector('#status').textContent), undefined, { timeout: 60_000, polling: 50 });
const names = (page) => page.evaluate(() => [...window.panel.querySelectorAll('.name')].map((one) => one.textContent));
const type = async (page, text) => {
  await page.evaluate((text) => {
    document.querySelector('#status').textContent = '';
    const source = document.querySelector('#source');
    source.value = text;
    source.dispatchEvent(new Event('input'));
  }, text);
  await read(page);
};

/** sample → a tool that it must give, and a word of the tool's answer */
const EXPECTED = {
  shop: ['get_product', '129.90'], recipe: ['get_recipe', 'red lentils'], article: ['get_article', 'Ida Moor'], event: ['get_event', 'Moot Hall'],
  hours: ['get_business', '17:30'], faq: ['get_faq', '30 days'], job: ['get_job', '28000'], results: ['list_product', '189.50'],
  broken: ['list_product', '24'], hostile: ['get_product', '10.00'],
};
test('there are ten samples', () => assert.deepEqual(samples.map(({ id }) => id), Object.keys(EXPECTED)));
for (const [id, [tool, word]] of Object.entries(EXPECTED)) {
  test(`sample ${id}: ${tool}, its answer, what it costs; no script runs, nothing is sent`, async () => {
    const page = await open(`#sample=${id}`);
    const found = await names(page);
    assert.ok(found.some((name) => name.startsWith(tool)), found.join());
    await page.waitForFunction((word) => [...window.panel.querySelectorAll('pre')].some((one) => one.textContent.includes(word)), word, { polling: 50 });
    const costs = await page.evaluate(() => [...document.querySelectorAll('#costs td')].map((one) => Number(one.textContent.replace(/,/g, ''))));
    assert.ok(costs.length === 4 && costs.every((cost) => cost > 0), costs.join());
    assert.equal(await page.title(), 'Toolmark: playground');
    assert.deepEqual(page.asked.filter((url) => !url.startsWith(server.origin)), []);
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

test('what is typed is read, as a page or as JSON-LD alone', async () => {
  const page = await open();
  await type(page, '{"@context": "https://schema.org", "@type": "Book", "name": "A </script><script>document.title=1</script> book"}');
  assert.ok((await names(page)).includes('get_book'));
  assert.match(await page.evaluate(() => window.panel.querySelector('pre').textContent), /"A .*book"/);
  await type(page, '<h1>Nothing</h1><p>but text</p>');
  assert.ok(!(await names(page)).includes('get_book'));
  assert.equal(await page.title(), 'Toolmark: playground');
  await page.done();
});

test('a link holds the page', async () => {
  const page = await open();
  const text = '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Movie","name":"Ünïcode 🎬"}</script>';
  await type(page, text);
  await page.click('#link');
  await page.waitForFunction(() => location.hash.startsWith('#page='));
  const fragment = new URL(page.url()).hash;
  await page.done();
  const other = await open(fragment);
  assert.equal(await other.inputValue('#source'), text);
  assert.ok((await names(other)).includes('get_movie'));
  await other.done();
  const broken = await open('#page=@@@');
  assert.ok((await names(broken)).includes('get_product'));
  await broken.done();
});

test('markup that tries to run script does not', async () => {
  const page = await open();
  const tries = [
    '<script>top.ran = 1</script>', '<img src=x onerror="top.ran = 1">', '<svg onload="top.ran = 1"></svg>', '<iframe srcdoc="<script>top.ran = 1</script>"></iframe>',
    '<meta http-equiv="refresh" content="0;url=javascript:top.ran=1">', '<object data="javascript:top.ran=1"></object>', '<body onload="top.ran = 1">', '<a id="go" href="javascript:top.ran = 1">x</a>',
    '<noscript><p title="</noscript><img src=x onerror=top.ran=1>">', '<math><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror=top.ran=1>">',
    '<form action="https://evil.example/"><button id="send">x</button></form>', '<link rel="stylesheet" href="https://evil.example/x.css">', '<video autoplay src="https://evil.example/x.mp4">',
    '<template shadowrootmode="open"><script>top.ran = 1</script></template>', '<script type="application/ld+json"></script ><script>top.ran=1</script>',
  ];
  await type(page, tries.join('\n'));
  const frame = page.frames().find((one) => one !== page.mainFrame());
  await frame.evaluate(() => {
    document.querySelector('#go')?.click();
    document.querySelector('#send')?.click();
  }).catch(() => {});
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.equal(await page.title(), 'Toolmark: playground');
  assert.deepEqual(page.asked.filter((url) => !url.startsWith(server.origin)), []);
  await page.done();
});

/** Presses a summary or a button of the panel by its words. */
const press = (page, words) => page.evaluate((words) => {
  const found = [...window.panel.querySelectorAll('button, summary')].find((one) => one.checkVisibility() && one.textContent.includes(words));
  if (!found) throw new Error(`nothing says '${words}'`);
  // What a summary opens is built when the browser tells of it, which is later.
  const told = found.localName === 'summary' && new Promise((resolve) => found.parentElement.addEventListener('toggle', () => resolve(), { once: true }));
  found.click();
  return told;
}, words);
const selected = (page) => page.evaluate(() => {
  const source = document.querySelector('#source');
  const frame = document.querySelector('#preview iframe').contentDocument;
  return {
    text: source.value.slice(source.selectionStart, source.selectionEnd),
    focused: document.activeElement === source,
    scrolled: source.scrollTop > 0,
    marked: [...frame.querySelectorAll('*')].filter((one) => one.getAnimations().length).map((one) => one.id),
  };
});

test('shows where a thing was written: its place is selected in the source and marked in the page', async () => {
  const page = await open();
  const block = '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Book", "name": "A <div itemscope> in a text"}</script>';
  const fair = `<div id="fair" title='a > b' itemscope itemtype="https://schema.org/Event">`;
  const cook = '<section id=cook vocab="https://schema.org/" typeof="Recipe">';
  const far = '<p>A line of the page.</p>\n'.repeat(200);
  const text = `<!-- <div itemscope itemtype="https://schema.org/Event"> --><title>Tags like <div> in a title</title><iframe></iframe><table><tr><td>Implied elements</table><p>One<p>Two
    ${block}${far}${fair}<b itemprop="name">Fair</b></div>${far}${cook}<b property="name">Soup</b></section>${far}`;
  await type(page, text);
  await press(page, 'Entities');
  for (const [type, tag, format] of [['Event', fair, 'microdata'], ['Recipe', cook, 'RDFa'], ['Book', block, 'JSON-LD']]) {
    await press(page, type);
    assert.ok((await page.evaluate(() => window.panel.querySelector('.tree details[open]').textContent)).includes(`Written in ${format}.`));
    await press(page, 'Show where');
    const seen = await selected(page);
    assert.equal(seen.text, tag);
    assert.ok(seen.focused && (seen.scrolled || type === 'Book'), JSON.stringify(seen));
    if (type !== 'Book') assert.ok(seen.marked.includes(tag.match(/id="?(\w+)/)[1]), seen.marked.join());
    await press(page, type);
  }
  // JSON-LD alone has no elements.
  const json = '{"@context": "https://schema.org", "@type": "Movie", "name": "<b>Film</b>"}';
  await type(page, json);
  await press(page, 'Movie');
  await press(page, 'Show where');
  assert.equal((await selected(page)).text, json);
  assert.deepEqual(page.errors, []);
  await page.done();
});

test('shows the host of what a shadow root holds, and no place for what is gone', async () => {
  const page = await open();
  const host = '<my-card id=card>';
  await type(page, `<p>Before</p>${host}<template shadowrootmode="open"><div itemscope itemtype="https://schema.org/Event"><b itemprop="name">Fair</b></div></template></my-card>`);
  await press(page, 'Entities');
  await press(page, 'Event');
  await press(page, 'Show where');
  assert.equal((await selected(page)).text, host);
  await page.evaluate(() => document.querySelector('#preview iframe').contentDocument.querySelector('#card').remove());
  await press(page, 'Tools');
  await press(page, 'Entities');
  await press(page, 'Show where');
  assert.match(await page.evaluate(() => window.panel.querySelector('.source').textContent), /no longer on the page/);
  assert.deepEqual(page.errors, []);
  await page.done();
});

const LONG = () => {
  const row = '<p>A paragraph of a long page, with some words that nobody reads, about packs and bottles and socks.</p>\n';
  return `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Book","name":"Long"}</script>${row.repeat(5_000_000 / row.length)}`;
};

test('five megabytes are read, in pieces between which the page answers', async () => {
  const page = await open();
  const text = await page.evaluate(LONG);
  await page.evaluate(() => {
    window.turns = 0;
    setInterval(() => {
      if (/Reading/.test(document.querySelector('#status').textContent)) window.turns += 1;
    }, 10);
  });
  const before = Date.now();
  await type(page, text);
  console.log(`# ${text.length} characters read in ${Date.now() - before} ms`);
  assert.ok((await names(page)).includes('get_book'));
  assert.ok((await page.evaluate(() => window.turns)) >= 3);
  assert.deepEqual(page.errors, []);
  await press(page, 'Entities');
  await press(page, 'Book');
  await press(page, 'Show where');
  assert.match((await selected(page)).text, /^<script type="application\/ld\+json">.*<\/script>$/);
  await page.evaluate(() => document.querySelector('#link').click());
  await page.waitForFunction(() => /link/i.test(document.querySelector('#status').textContent));
  await page.done();
});

test('what comes next does not wait for five megabytes, and is what stays', async () => {
  const page = await open();
  const text = await page.evaluate(LONG);
  await page.evaluate((text) => {
    const source = document.querySelector('#source');
    source.value = text;
    source.dispatchEvent(new Event('input'));
  }, text);
  await page.waitForFunction(() => /Reading/.test(document.querySelector('#status').textContent), undefined, { polling: 5 });
  await page.selectOption('#sample', 'recipe');
  await read(page);
  assert.ok((await names(page)).includes('get_recipe'));
  // Whatever is still being read of the long page changes nothing any more.
  await page.waitForFunction(() => document.querySelector('#preview iframe').contentDocument.readyState === 'complete');
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  assert.ok((await names(page)).includes('get_recipe') && !(await names(page)).includes('get_book'));
  assert.deepEqual(page.errors, []);
  await page.done();
});

test('what is chosen while another page is being read, at whatever moment, is what stays', async () => {
  const page = await open();
  await page.evaluate(async () => {
    const select = document.querySelector('#sample');
    for (let ms = 0; ms < 80; ms += 1) {
      select.value = ms % 2 ? 'recipe' : 'event';
      select.dispatchEvent(new Event('change'));
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  });
  await read(page);
  assert.ok((await names(page)).includes('get_recipe'));
  assert.deepEqual(page.errors, []);
  await page.done();
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds no violation, ${colorScheme}`, async () => {
    const page = await open();
    await page.emulateMedia({ colorScheme });
    await page.evaluate(AXE);
    const { violations, passes } = await page.evaluate(() => window.axe.run({ exclude: ['#preview iframe'] }));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.flat().join(' ')).join(', ')}`), []);
    assert.ok(passes.length > 15);
    await page.done();
  });
}
