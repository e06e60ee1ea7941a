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
  for (const character of text) {
    if (/[a-zA-Z \n]/.test(character)) weight += 13;
    else if (character <= '\x7f') weight += 24;
    else if (UNSPACED.test(character)) weight += 46;
    else weight += character <= '\u024f' ? 30 : 20;
  }
  return Math.ceil(weight / 60);
}
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

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
