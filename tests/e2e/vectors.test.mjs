// The vectors of the standards' suites and our own (see tests/vectors.rs), read from live documents: each case is
// served at its own address to a frame of a page of that origin, which holds the built module.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { browser, ROOT } from './support.mjs';

const folder = path.join(process.env.TOOLMARK_SHARED ?? path.join(ROOT, '..', 'shared'), 'vectors');
const json = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const notFollowed = json(path.join(ROOT, 'tests', 'vectors-not-followed.json'));
const recorded = json(path.join(ROOT, 'tests', 'vectors-recorded.json'));
const FORMATS = { jsonld: 'json-ld', microdata: 'microdata', rdfa: 'rdfa' };
/** Where the page that holds the module lives, and its files. */
const OWN = '/toolmark-vectors/';
/** Cases that one page reads; two pages read side by side. */
const PART = 150;

/** What one case must be, in the form that both kinds of suites are brought into. */
function* readings(name, cases) {
  for (const one of cases) {
    if (name !== 'schemaorg-examples') {
      const expected = [one.expected, ...(one.also_accepted ?? [])];
      const options = { order: one.order === true, dropUntypedUnreferenced: !one.suite.startsWith('own') };
      yield { ...one, suites: [name], accepted: one.expected === null ? null : expected, options };
      continue;
    }
    const agreed = new Set(Object.entries(one.pairs).flatMap(([pair, agreement]) => (agreement === 'exact' ? pair.split('=') : [])));
    for (const syntax of ['microdata', 'rdfa', 'jsonld']) {
      const html = one[`${syntax}_html`];
      if (typeof html !== 'string') continue;
      const reference = one.read_by_oracles?.[syntax] ?? one.expected;
      const suites = reference ? [`examples ${syntax} all`, ...(agreed.has(syntax) ? [`examples ${syntax} confirmed`] : [])] : [];
      const options = { dropUntypedUnreferenced: true };
      yield { ...one, html, formats: [syntax], syntax, suites, accepted: reference ? [reference] : null, options, example: one };
    }
  }
}

function grouped(list, key) {
  const groups = new Map();
  for (const one of list) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
}

/** Reads all cases of one origin in one page. */
async function readAll(context, origin, cases) {
  const page = await context.newPage();
  let next = 0;
  await page.route('**/*', (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    const own = pathname.startsWith(OWN) && pathname.slice(OWN.length);
    if (own === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Vectors</title>' });
    if (own) return route.fulfill({ contentType: own.endsWith('.wasm') ? 'application/wasm' : 'text/javascript', path: path.join(ROOT, 'dist', own) });
    if (request.resourceType() !== 'document') return route.abort();
    // Nothing else is loaded: the case is its markup.
    return route.fulfill({ contentType: 'text/html; charset=utf-8', headers: { 'content-security-policy': "default-src 'none'" }, body: cases[next++].html });
  });
  await page.goto(origin + OWN);
  const items = await page.evaluate(
    async ([module, inputs]) => {
      const { start, read } = await import(module);
      await start({ watch: false, page: false, actions: false, controls: false });
      const items = [];
      for (const { url, formats } of inputs) {
        const frame = document.createElement('iframe');
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
        frame.src = url;
        document.body.append(frame);
        await loaded;
        items.push(JSON.stringify(frame.contentDocument ? read(frame.contentDocument, { formats }).items : 'no document'));
        frame.remove();
      }
      return items;
    },
    [`${OWN}toolmark.mjs`, cases.map(({ base_url: url, formats }) => ({ url, formats: formats.map((format) => FORMATS[format]) }))],
  );
  await page.close();
  assert.equal(next, cases.length, `${origin}: a case was not asked for`);
  return items;
}

test('the vectors, read in Chromium', { skip: fs.existsSync(folder) ? false : `there is no ${folder}`, timeout: 300_000 }, async () => {
  const { same } = await import(pathToFileURL(path.join(folder, 'canon.mjs')).href);
  const all = [];
  for (const file of fs.readdirSync(folder).filter((file) => file.endsWith('.json')).sort()) {
    const name = path.basename(file, '.json');
    all.push(...readings(name, json(path.join(folder, file))));
  }
  const context = await (await browser('polyfill', ['--disable-features=HttpsUpgrades'])).newContext();
  const origins = grouped(all, (one) => new URL(one.base_url).origin);
  const parts = [];
  for (const [origin, cases] of origins) for (let at = 0; at < cases.length; at += PART) parts.push([origin, cases.slice(at, at + PART)]);
  const lane = async () => {
    for (let part = parts.pop(); part; part = parts.pop()) {
      const [origin, cases] = part;
      const items = await readAll(context, origin, cases);
      cases.forEach((one, i) => (one.items = JSON.parse(items[i])));
    }
  };
  await Promise.all([lane(), lane()]);
  const suites = new Map();
  const count = (suite, ok, id) => {
    if (!suites.has(suite)) suites.set(suite, { passed: 0, of: 0, failed: [] });
    const counts = suites.get(suite);
    counts.of += 1;
    if (ok) counts.passed += 1;
    else counts.failed.push(id);
  };
  for (const one of all) {
    assert.ok(Array.isArray(one.items), `${one.id}: ${one.items}`);
    const ok = one.accepted === null || one.accepted.some((expected) => same(expected, one.items, one.options).ok);
    for (const suite of one.suites) count(suite, ok, one.id);
  }
  for (const readings of grouped(all.filter((one) => one.example?.agreement === 'exact'), (one) => one.id).values()) {
    const [first, ...others] = readings.map((one) => one.items);
    count('examples agreement', first.length > 0 && others.every((other) => same(first, other, { dropUntypedUnreferenced: true }).ok), readings[0].id);
  }
  const wrong = [];
  for (const [suite, { passed, of, failed }] of suites) {
    const unlisted = failed.filter((id) => !notFollowed[id]);
    console.log(`${suite.padEnd(28)} ${passed} of ${of}   ${unlisted.join(' ')}`);
    const [before, cases] = recorded[suite] ?? [0, 0];
    if (of === cases) wrong.push(...unlisted.map((id) => `${id} fails (${suite})`));
    if (passed < before) wrong.push(`${suite}: ${passed} cases pass, ${before} did`);
  }
  assert.deepEqual(wrong, []);
});
