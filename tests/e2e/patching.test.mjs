// A snapshot in which only what changed was read again must hold what a new one holds.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { open } from './support.mjs';

const entry = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'js', 'snapshot.js');
const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: 'iife', globalName: 'snapshot' });

const ITEM = '<article itemscope itemtype="https://schema.org/Product"><h2 itemprop="name">Bag</h2><p itemprop="description">Old &amp; <b>bold</b></p><meta itemprop="sku" content="1"></article>';
const PAGE = `<!doctype html><title>Shop</title><h1>Shop</h1><main>${ITEM.repeat(20)}<div vocab="https://schema.org/" typeof="Event"><span property="name">Fair</span></div></main>
<script type="application/ld+json">{"@type":"Organization","name":"A"}</script><p id="outside">Words.</p>`;

/** In the page: changes it at random and compares. */
function compare(rounds) {
  const { prepare, taking } = window.snapshot;
  const rules = [
    ['', 'title,script[type*="ld+json" i]', 'title,script[type*="ld+json" i]'],
    ['[itemscope]', '[itemscope],[itemprop]', '[itemscope]'],
    ['[typeof]', '[typeof],[vocab],[property]', '[typeof]'],
    ['form[data-test]', 'form', 'form'],
  ].flat().join('\n');
  const plan = () => prepare(rules, 'content href itemscope itemprop itemtype itemref typeof property vocab id type', '[itemref]', '', true, false, '');
  const drained = (steps) => {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  };
  const read = ({ text, shape, next }) => {
    let at = 0;
    let place = 0;
    const cut = (length) => text.slice(place, (place += length));
    const out = [cut(shape[at++]), cut(shape[at++])];
    const lengths = [...shape.slice(at + 1, at + 1 + shape[at])];
    at += 1 + lengths.length;
    const names = lengths.map(cut);
    while (at < shape.length) {
      const entry = shape[at++];
      const kind = entry & 3;
      if (kind === 0) out.push(['/', entry >>> 2]);
      else if (kind === 3) out.push(cut(entry >>> 2));
      else {
        const attributes = [];
        for (let count = shape[at++]; count > 0; count -= 1) attributes.push([names[shape[at++]], cut(shape[at++])]);
        out.push([names[entry >>> 2], kind, attributes]);
      }
    }
    return next ? [out, read(next)] : [out];
  };
  let seed = 7;
  const random = (n) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
  const any = (selector) => {
    const all = document.querySelectorAll(selector);
    return all[random(all.length)];
  };
  const made = (html) => document.createRange().createContextualFragment(html);
  const changes = [
    () => (any('[itemprop=name]').textContent = `Bag ${random(99)}`),
    () => (any('[itemprop=name]').firstChild.data += ' é\u{1f392}'),
    () => any('[itemprop=sku]').setAttribute('content', String(random(99))),
    () => any('[itemprop=description]').append(made('<i>more</i> words')),
    () => any('article').append(made('<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><b itemprop="price">3</b></div>')),
    () => any('article b, article i')?.remove(),
    () => (any('[property=name]').textContent = `Fair ${random(99)}`),
    () => (any('script').textContent = `{"@type":"Organization","name":"${random(99)}"}`),
    () => (any('#outside').textContent = `Words ${random(99)}`),
    () => (document.title = `Shop ${random(99)}`),
    // What takes a new snapshot.
    () => any('main').append(any('article').cloneNode(true)),
    () => document.querySelectorAll('article').length > 5 && any('article').remove(),
    () => any('main').prepend(any('article')),
    () => any('article').toggleAttribute('itemscope'),
    () => any('article p').toggleAttribute('typeof'),
    () => any('article').append(made('<iframe srcdoc="<p itemscope itemtype=https://schema.org/Thing>x"></iframe>')),
    () => any('iframe')?.remove(),
    () => any('article').append(made('<form data-test><input></form>')),
    () => any('form')?.remove(),
    () => any('article').setAttribute('itemref', 'outside'),
    () => any('[itemref]')?.removeAttribute('itemref'),
    () => any('article').append(made('<p><span></span></p>')),
    () => any('article span')?.attachShadow && !any('article span').shadowRoot && any('article').append((() => { const host = document.createElement('div'); host.attachShadow({ mode: 'open' }).innerHTML = '<p itemscope>in</p>'; return host; })()),
    () => [...document.querySelectorAll('article div')].filter((host) => host.shadowRoot).forEach((host) => host.remove()),
    () => history.replaceState(null, '', `?${random(99)}`),
  ];
  const kept = plan();
  let last = drained(taking(document, kept, '', undefined));
  const observer = new MutationObserver(() => {});
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  const marked = 'title,script,[itemprop],[property],[itemscope],[typeof],[itemref],#outside,iframe,form';
  let patched = 0;
  for (let round = 0; round < rounds; round += 1) {
    if (round % 10 === 0) {
      document.querySelectorAll('iframe,form').forEach((element) => element.remove());
      document.querySelectorAll('[itemref]').forEach((element) => element.removeAttribute('itemref'));
    }
    for (let count = 1 + random(3); count > 0; count -= 1) changes[round % 3 ? random(10) : random(changes.length)]();
    // As js/watch.js does it: what is far from all markup is not told.
    const records = observer.takeRecords().filter(({ target, attributeName, addedNodes, removedNodes }) =>
      /^item|typeof/.test(attributeName) || (target.closest ? target : target.parentElement)?.closest(marked) || [...addedNodes, ...removedNodes].some((node) => node.shadowRoot || node.matches?.(marked) || node.querySelector?.(marked)));
    const { parts } = kept;
    const now = drained(taking(document, kept, '', records));
    patched += !!parts && kept.parts === parts;
    last = now ?? last;
    const fresh = drained(taking(document, plan(), '', undefined));
    const [mine, right] = [last, fresh].map((packed) => JSON.stringify(read(packed)));
    if (mine !== right) {
      let at = 0;
      while (mine[at] === right[at]) at += 1;
      return { round, mine: mine.slice(Math.max(0, at - 200), at + 100), right: right.slice(Math.max(0, at - 200), at + 100) };
    }
  }
  return { patched };
}

test('what changed, read again, gives what a new snapshot gives', async () => {
  const page = await open({ page: PAGE, init: outputFiles[0].text.replace(/^(var|let|const) snapshot/m, 'window.snapshot') });
  const { patched, ...wrong } = await page.evaluate(`(${compare})(500)`);
  assert.deepEqual(wrong, {});
  assert.ok(patched > 80, `only ${patched} rounds were patched`);
  await page.done();
});
