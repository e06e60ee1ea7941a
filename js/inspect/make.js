// Elements, made without markup: whatever a page says ends up as text.

/**
 * @param {Document} document
 * @returns {(name: string, attributes?: object, ...children: (Node | string | undefined)[]) => HTMLElement} attributes that
 *   are undefined or false are left out, functions are listeners
 */
export function maker(document) {
  return (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === undefined || value === false) continue;
      if (typeof value === 'function') element.addEventListener(key, value);
      else element.setAttribute(key, value === true ? '' : value);
    }
    element.append(...children.filter((child) => child !== undefined));
    return element;
  };
}

/** A number of things in words. */
export const count = (number, one, many = `${one}s`) => `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** A number with what it counts, rounded to a tenth below ten. */
export const milliseconds = (ms) => `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;

/** About how many tokens a model takes for a text; as `tokens` in src/read/outline.rs. */
export function tokens(text) {
  let weight = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if ((code | 32) >= 97 && (code | 32) <= 122 || code === 32 || code === 10) weight += 13;
    else if (code < 128) weight += 24;
    // Of a pair of surrogates the second one counts nothing.
    else if (code < 0x250) weight += 30;
    else if (code < 0xdc00 || code > 0xdfff) weight += UNSPACED.some(([from, to]) => code >= from && code <= to) ? 46 : 20;
  }
  return Math.ceil(weight / 60);
}
/** Scripts without spaces: Thai and Lao, Burmese, Khmer, kana, Han, Hangul. */
const UNSPACED = [[0xe00, 0xeff], [0x1000, 0x109f], [0x1780, 0x17ff], [0x3005, 0x30ff], [0x31f0, 0x31ff], [0x3400, 0x9fff], [0xac00, 0xd7af], [0xf900, 0xfaff]];

/** Children that come a hundred at a time: a page may have thousands. */
export function paged(make, list, items, render) {
  const PAGE = 100;
  let at = 0;
  const more = make('button', { type: 'button', class: 'more', click: () => next(true) });
  function next(pressed) {
    const fresh = items.slice(at, at + PAGE).map(render);
    at += fresh.length;
    list.append(...fresh);
    more.hidden = at >= items.length;
    more.textContent = `Show more (${(items.length - at).toLocaleString('en')} left)`;
    // The button may be gone; who pressed it goes on reading where it was.
    if (pressed) fresh[0]?.querySelector('summary, button, a')?.focus();
  }
  next();
  return [list, more];
}
