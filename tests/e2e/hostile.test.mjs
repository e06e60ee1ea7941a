// Texts that only a live DOM can hold (lone surrogates) or that hide in one (tag characters, bidirectional overrides,
// terminal commands): nothing of them in a definition, and answers are clean and well formed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { html, open, run, SURFACES, tag } from './support.mjs';

const HIDDEN = ['\ud800', '\udfff', '\udc00\ud800', '\u{e0041}\u{e0042}', '\u202e', '\u2066', '\u200b', '\u001b[31m', '\u0000', '\u0085', '\ufeff', '\ufff9'];

/** Writes the texts where a page may write, as scripts do. */
function write(hidden) {
  const say = (word) => hidden.map((one) => `${one}${word}zq`).join(' ') + hidden.join('');
  const make = (name, more = {}, words = undefined) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(more)) element.setAttribute(key, value);
    if (words !== undefined) element.append(words);
    return element;
  };
  document.title = say('title');
  const block = make('script', { type: 'application/ld+json' });
  // Raw characters in the text of the block, not escapes.
  block.textContent = `{"@context":"https://schema.org","@type":"Product","name":"${say('name').replace(/[\0-\x1f]/g, '')}","description":"${hidden.map((one) => JSON.stringify(one).slice(1, -1)).join('x')} told","sku":"K1"}`;
  document.head.append(block, make('meta', { name: 'description', content: say('meta') }));
  const item = make('div', { itemscope: '', itemtype: 'https://schema.org/Event' });
  item.append(make('b', { itemprop: 'name' }, say('event')), make('meta', { itemprop: 'description', content: say('about') }));
  const form = make('form', { role: 'search', action: '/s', 'aria-label': say('form') });
  form.append(make('label', { for: 'q' }, say('label')), make('input', { type: 'search', name: 'q', id: 'q', placeholder: say('hint') }));
  const button = make('button', { 'data-tool': 'add', 'data-tool-description': 'Adds it.' }, say('button'));
  document.body.append(make('h1', { id: say('id').replace(/\s/g, '') }, say('heading')), make('p', {}, `${say('text')} A long enough sentence for a page to be worth reading.`), item, form, button);
}

for (const surface of SURFACES) {
  test(`${surface}: texts that nobody sees`, async () => {
    const page = await open({ surface, page: html(`<script>(${write})(${JSON.stringify(HIDDEN).replace(/</g, '\\u003c')})</script>${tag()}`), routes: { '/s': { body: html('<p>One</p>') } } });
    const { tools, listed, heading } = await page.evaluate(async () => {
      const handle = await window.toolmark.ready;
      return {
        tools: JSON.stringify(handle.tools()),
        listed: (await document.modelContext.getTools()).map(({ name, inputSchema }) => [name, !/"required":\[[^\]]/.test(typeof inputSchema === 'string' ? inputSchema : JSON.stringify(inputSchema))]),
        heading: document.querySelector('h1').textContent,
      };
    });
    assert.equal(heading.isWellFormed?.() ?? false, false, 'the page holds what this is about');
    assert.match(tools, /^[\x20-\x7e…]*$/);
    assert.doesNotMatch(tools, /zq/);
    assert.ok(listed.length >= 6, JSON.stringify(listed));
    for (const [name] of listed.filter(([name, free]) => free && name !== 'press_add')) {
      const text = JSON.stringify(await run(page, name));
      // JSON.stringify writes a lone surrogate as an escape.
      assert.doesNotMatch(text, /\\ud[89a-f][0-9a-f]{2}/i, `${name}: ${text}`);
      assert.doesNotMatch(text.replace(/\\n/g, ''), /\\u00[01]|[\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\u{e0041}/u, `${name}: ${text}`);
    }
    const asked = await run(page, listed.find(([name]) => name.startsWith('search_') && name !== 'search_page')[0], { q: 'a\ud800b' });
    assert.ok(!asked.error || asked.error.code === 'invalid_parameter', JSON.stringify(asked));
    for (const address of page.requests) assert.doesNotMatch(address, /%ED%[AB]/i);
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}
