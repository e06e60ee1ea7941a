// The things that the page describes, as a tree, and where each was written.
import { count, paged } from './make.js';

/** Characters of one value, and of a script's text, that are shown. */
const MAX_VALUE = 300;
const MAX_SOURCE = 4000;
/** Milliseconds that a place stays marked. */
const MARK_MS = 4000;

const FORMATS = { 'json-ld': 'JSON-LD', microdata: 'microdata', rdfa: 'RDFa' };
const short = (text, most = MAX_VALUE) => (text.length > most ? `${text.slice(0, most)}…` : text);

/**
 * @param {object} o
 * @param {Function} o.make
 * @param {(words: string) => void} o.say tells a screen reader
 * @param {(root: number) => Element[]} o.elements the elements of a root by their numbers
 * @param {(element: Element) => void} [o.locate] shows a place in another way
 * @param {{over: (element: Element, ms: number) => void}} o.mark what is laid over a place
 */
export function thingsView({ make, say, elements, locate, mark }) {
  const note = make('p', { class: 'note' });
  const place = make('div', {});
  const element = make('div', {}, note, place);
  let last;
  let entities = new Map();
  let found = [];

  function show(handle) {
    const all = handle.entities();
    const text = JSON.stringify(all);
    found = [];
    if (text === last) return all.length;
    last = text;
    entities = new Map(all.map((entity) => [entity.id, entity]));
    const roots = topmost(all);
    note.textContent = all.length
      ? `The page describes ${count(all.length, 'thing')}; ${count(roots.length, 'thing stands', 'things stand')} at the top.`
      : 'No markup of Schema.org was found on this page. The tools that read the page work all the same.';
    place.replaceChildren(...paged(make, make('ul', { class: 'plain tree' }), roots, (entity) => make('li', {}, thing(entity))));
    return all.length;
  }

  /** Things that are no part of another one; of a ring, the first. */
  function topmost(all) {
    const parts = new Set();
    for (const entity of all) for (const value of values(entity)) if (value?.id !== entity.id) parts.add(value?.id);
    const roots = all.filter((entity) => !parts.has(entity.id));
    const seen = new Set();
    const visit = (entity) => {
      const open = [entity];
      while (open.length) {
        const next = open.pop();
        if (!next || seen.has(next.id)) continue;
        seen.add(next.id);
        for (const value of values(next)) open.push(entities.get(value?.id));
      }
    };
    roots.forEach(visit);
    for (const entity of all) {
      if (seen.has(entity.id)) continue;
      roots.push(entity);
      visit(entity);
    }
    return roots;
  }

  const values = (entity) => Object.values(entity.props).flat();
  const nameOf = (entity) => [entity.props.name, entity.props.headline, entity.props.text].flat().find((value) => typeof value === 'string');

  function thing(entity, property) {
    let built = false;
    const name = nameOf(entity);
    const details = make('details', { toggle: () => {
      if (!details.open || built) return;
      built = true;
      details.append(...inside(entity));
    } }, make('summary', {},
      property ? make('span', { class: 'property' }, `${property}: `) : undefined,
      make('span', { class: 'type' }, entity.types.map((type) => short(type, 60)).join(', ') || 'Thing'),
      name ? make('bdi', { class: 'label' }, ` ${short(name, 80)}`) : undefined));
    return details;
  }

  function inside(entity) {
    const source = make('div', { class: 'source' });
    const where = make('button', { type: 'button', click: () => showWhere(entity, source) }, 'Show where');
    const formats = entity.formats.map((format) => FORMATS[format] ?? format).join(' and ');
    const facts = Object.entries(entity.props).flatMap(([property, list]) => list.map((value) => [property, value]));
    const rows = make('ul', { class: 'plain' });
    const id = entity.id.startsWith('_:') ? undefined : make('p', { class: 'note', dir: 'auto' }, short(entity.id));
    return [make('p', { class: 'buttons' }, where, make('span', { class: 'note' }, `Written in ${formats}.`)), source, id,
      ...paged(make, rows, facts, ([property, value]) => fact(property, value))].filter(Boolean);
  }

  function fact(property, value) {
    if (value !== null && typeof value === 'object') {
      const entity = entities.get(value.id);
      if (entity) return make('li', {}, thing(entity, property));
      return make('li', {}, make('span', { class: 'property' }, `${property}: `), make('bdi', {}, short(value.id)));
    }
    return make('li', {}, make('span', { class: 'property' }, `${property}: `), make('bdi', {}, short(String(value))));
  }

  /** Marks the place on the page, or shows the text of a script. */
  function showWhere(entity, source) {
    const [root, number] = entity.element ?? [];
    const element = (found[root] ??= elements(root))[number];
    if (!element?.isConnected) {
      source.replaceChildren(make('p', { class: 'note' }, 'It is no longer on the page.'));
      say('It is no longer on the page.');
      return;
    }
    const words = `It stands in ${pathOf(element)}.`;
    source.replaceChildren(make('p', { class: 'note' }, words));
    say(words);
    if (locate) return void locate(element);
    if (element.localName === 'script') {
      source.append(make('pre', { tabindex: '0', role: 'group', 'aria-label': 'Text of the script', dir: 'auto' }, short(element.textContent.trim(), MAX_SOURCE)));
      return;
    }
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
    mark.over(element, MARK_MS);
  }

  return { element, show };
}

/** Where an element is, as a person would look for it in the source. */
function pathOf(element) {
  const steps = [];
  for (let at = element; at && steps.length < 4; at = at.parentElement) {
    let step = at.localName;
    if (at.id) step += `#${short(at.id, 40)}`;
    else if (at.classList.length) step += `.${short(at.classList[0], 40)}`;
    steps.unshift(step);
    if (at.id) break;
  }
  if (element.localName !== 'script') return steps.join(' > ');
  const scripts = [...element.getRootNode().querySelectorAll('script[type*="ld+json" i]')];
  return `script ${scripts.indexOf(element) + 1} of ${scripts.length} with JSON-LD, in ${element.closest('head') ? 'the head' : 'the body'}`;
}

/** The frame that is laid over a place of the page. */
export function marker(make, view) {
  const element = make('div', { class: 'mark', hidden: true, 'aria-hidden': 'true' });
  let until = 0;
  let target;
  function follow() {
    if (view.performance.now() > until || !target.isConnected) {
      element.hidden = true;
      return;
    }
    const box = target.getBoundingClientRect();
    for (const [side, value] of [['left', box.left], ['top', box.top], ['width', box.width], ['height', box.height]]) element.style.setProperty(side, `${value}px`);
    view.requestAnimationFrame(follow);
  }
  return { element, over(place, ms) {
    target = place;
    const running = !element.hidden;
    until = view.performance.now() + ms;
    element.hidden = false;
    if (!running) follow();
  }, stop() {
    until = 0;
  } };
}
