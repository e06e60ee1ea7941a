// The live page, read in one pass and packed for Rust: every text in one string, its shape in numbers
// (see `Document::from_packed` in src/dom.rs). What is worth reading is decided there; here it is only fetched.

const HTML = 'http://www.w3.org/1999/xhtml';
/** Elements that a call may fill or submit. */
const FIELDS = new Set(['form', 'input', 'select', 'textarea', 'option']);
/** Their content is data or code, never text of the page; Rust asks for the scripts it reads by name. */
const CLOSED = new Set(['script', 'style', 'template', 'noscript']);
/** In a document where scripts do not run, their data is wanted too. */
const INERT = new Set(['style', 'template']);
/** Nobody reads their content, or it is the person's own. */
const UNSEEN = new Set([...CLOSED, 'svg', 'textarea']);
/** What makes the content of a `noscript` worth a look. */
const MARKUP = /itemscope|typeof=|application\/ld\+json/i;
/** Documents and shadow roots that are read; a page of more components than this repeats itself. */
export const MAX_ROOTS = 500;
/** Milliseconds that the page's thread is held at once: a task of fifty is felt, and what begins one takes time too. */
const SLICE_MS = 20;
/** Nodes between two looks at the clock. */
const STRIDE = 256;
/** What makes new elements more than the text of the markup around them. */
const INVOLVED = 'iframe,frame,noscript,[itemref]';

/**
 * What a snapshot must hold.
 * @param {string} rules lines by three: a selector without a match for which the rule does not count (may be
 *   empty), the elements to keep, those of them whose whole subtree to keep (may be empty)
 * @param {string} attributes names of the attributes to keep, separated by spaces; `xmlns:` ones are kept always
 * @param {string} references elements whose `itemref` names others to keep
 * @param {string} controls a rule for marked controls, as above, and a fourth line: attributes to keep where it
 *   counts; may be empty
 * @param {boolean} shadow look into open shadow roots
 * @param {boolean} frames look into frames of the same origin; those written in the page itself (`srcdoc`) are part
 *   of it always
 * @param {string} seen names of further attributes to keep in full snapshots
 * @returns {object} the plan; its `roots` are the documents and shadow roots that the last snapshot held, `cost` the milliseconds that it took, `live` for each of them
 *   the elements that calls may act on, by their number, `counted` the rules that counted, `crowded`: there were more
 */
export function prepare(rules, attributes, references, controls, shadow, frames, seen) {
  const lines = rules.split('\n');
  const plan = { rules: [], attributes: attributes.split(' '), wanted: new Set(attributes.split(' ')), references, shadow, frames, seen, whole: `${attributes} ${seen}`, roots: [] };
  for (let i = 0; i + 2 < lines.length; i += 3) {
    plan.rules.push({ test: lines[i], elements: lines[i + 1], text: lines[i + 2] });
  }
  if (controls) {
    const [test, elements, text, names] = controls.split('\n');
    const rule = { test, elements, text };
    plan.controls = { rule, wanted: new Set([...plan.attributes, ...names.split(' ')]) };
    plan.rules.push(rule);
    plan.attributes = [...plan.controls.wanted];
  }
  return plan;
}

/** An absolute URL for `reference`, or nothing. */
export function resolve(reference, base) {
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}

/**
 * Sparse snapshots of a document, shadow root or element, and of the shadow roots and frames in it, or nothing if they
 * are equal to the plan's last ones. In place of what is read, here and below, may stand a snapshot of it that was taken
 * in another thread.
 * @returns {{text: string, shape: Uint32Array, next?: object} | undefined} the first of them
 */
export function take(root, plan, base) {
  return root.nodeType ? drained(taking(root, plan, base)) : root;
}

/** Does all at once what could be done in slices. */
function drained(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Whether the page's thread was held long enough. */
function slices() {
  let until = 0;
  let count = 0;
  return () => {
    count += 1;
    if (count % STRIDE) return false;
    const now = performance.now();
    until ||= now + SLICE_MS;
    if (now < until) return false;
    until = 0;
    return true;
  };
}

/**
 * The same in slices: yields where the page may have its thread, and gives what `take` does in the end.
 * @param {MutationRecord[]} [records] all that has changed since the last snapshot and may matter
 */
export function* taking(root, plan, base, records) {
  const before = performance.now();
  const patched = records && patch(root, plan, base, records);
  if (patched) return same(plan.last, (plan.last = patched)) ? undefined : patched;
  plan.parts = undefined;
  plan.roots = isElement(root) ? [root] : inner(root, plan);
  if (performance.now() - before > SLICE_MS / 4) yield;
  plan.counted = new Set();
  const live = [];
  const packers = [];
  for (const each of plan.roots) {
    const packer = yield* sparse(each, plan, base);
    packers.push(packer);
    live.push(packer.live);
  }
  plan.live = live;
  if (packers.length === 1 && !packers[0].live && packers[0].segments.size) [plan.parts] = packers;
  const first = packers.map((packer) => packer.finish()).reduceRight((next, one) => ({ ...one, next }), undefined);
  const equal = same(plan.last, first);
  plan.last = first;
  plan.cost = performance.now() - before;
  return equal ? undefined : first;
}

/** The last snapshot with what changed in it, where that is text and attributes inside of markup; else nothing. */
function patch(root, plan, base, records) {
  const { parts } = plan;
  if (!parts || parts.root !== root) return undefined;
  const changed = new Set();
  for (const { type, target, addedNodes } of records) {
    let at = target;
    while (at && !parts.segments.has(at)) at = at.parentNode;
    if (!at || (type === 'attributes' && (at === target || target.matches(parts.involved)))) return undefined;
    for (const node of addedNodes) {
      if (node.nodeType !== 1) continue;
      const all = [node, ...node.getElementsByTagName('*')];
      if (all.some((element) => element.matches(parts.involved) || (plan.shadow && element.shadowRoot))) return undefined;
    }
    changed.add(at);
  }
  return parts.patch(changed, base);
}

function* sparse(root, plan, base, all) {
  // Nobody can act on what is not in the page.
  const wanted = (rule) => rule !== plan.controls?.rule || !bases.has(root);
  const rules = plan.rules.filter((rule) => wanted(rule) && (!rule.test || matches(root, rule.test)));
  for (const rule of rules) plan.counted.add(rule);
  let selector = rules.map((rule) => rule.elements).join();
  const text = rules.map((rule) => rule.text).filter(Boolean).join();
  if (plan.references) selector += referenced(root, plan.references);
  const controls = rules.includes(plan.controls?.rule) ? plan.controls : undefined;
  const packer = new Packer(root, (controls ?? plan).wanted, base);
  packer.all = all;
  if (controls) {
    packer.live = new Map();
    // What is around marked elements is kept too.
    selector += `,:has(${controls.rule.test})`;
  }
  let elements = select(root, selector);
  if (rules.some((rule) => rule.elements.includes('[typeof]'))) elements = withPrefixes(root, selector, elements);
  const texts = select(root, text);
  // On a large page finding them is a slice of its own, and so is putting it all together.
  const large = elements.length > STRIDE;
  if (large) yield;
  yield* packer.sparse(elements, texts);
  if (large) yield;
  // What would make another rule count, or is a part of the page by reference, is not patched.
  packer.involved = [INVOLVED, ...plan.rules.filter((rule) => !rules.includes(rule)).map((rule) => rule.test)].join();
  if (plan.references && matches(root, plan.references)) packer.segments.clear();
  return packer;
}

/**
 * The elements of one root by their number in a snapshot of it, as the page is now.
 * @returns {Element[]} with gaps where texts are
 */
export function elements(plan, root) {
  const all = [];
  if (plan.roots[root]) drained(sparse(plan.roots[root], { ...plan, counted: new Set() }, '', all));
  return all;
}

/** The same elements and those that declare prefixes by `xmlns:`, in document order; no selector finds these. */
function withPrefixes(root, selector, elements) {
  // A shadow root is nothing that XPath knows.
  if (root.nodeType === 11) return elements;
  const found = (root.ownerDocument ?? root).evaluate('.//*[@*[starts-with(name(), "xmlns:")]]', root, null, 7);
  const more = [];
  for (let i = 0; i < found.snapshotLength; i += 1) if (!found.snapshotItem(i).matches(selector)) more.push(found.snapshotItem(i));
  return more.length ? [...elements, ...more].sort((a, b) => (a.compareDocumentPosition(b) & 4 ? -1 : 1)) : elements;
}

/** Base URLs of documents that were made of a `noscript`. */
const bases = new WeakMap();
const made = new WeakMap();

/**
 * The content of a `noscript` as a document, if it may hold markup. Where scripts run it is a text for the page, but
 * some sites write there, for those who look at their markup, what their scripts show.
 */
function contentWithoutScripts(noscript) {
  const text = noscript.firstElementChild ? '' : noscript.textContent;
  if (!MARKUP.test(text)) return undefined;
  const known = made.get(noscript);
  if (known?.text === text) return known.document;
  let document;
  try {
    document = new DOMParser().parseFromString(text, 'text/html');
    bases.set(document, noscript.baseURI);
  } catch {
    // The page's Trusted Types forbid parsing.
  }
  made.set(noscript, { text, document });
  return document;
}

/** A root, and the roots in it that are read as parts of it. */
function inner(root, plan) {
  const { shadow, frames } = plan;
  const found = [root];
  for (let at = 0; at < found.length && found.length < MAX_ROOTS; at += 1) {
    const each = found[at];
    if (shadow) {
      const all = each.querySelectorAll('*');
      for (let i = 0; i < all.length; i += 1) {
        const { shadowRoot } = all[i];
        if (shadowRoot) found.push(shadowRoot);
      }
    }
    for (const frame of each.querySelectorAll(frames ? 'iframe,frame' : 'iframe[srcdoc]')) {
      const document = contentOf(frame);
      if (document) found.push(document);
    }
    for (const noscript of each.querySelectorAll('noscript')) {
      const document = contentWithoutScripts(noscript);
      if (document) found.push(document);
    }
  }
  plan.crowded = found.length > MAX_ROOTS;
  return found.slice(0, MAX_ROOTS);
}

/** A frame's document, if its origin is the page's. */
function contentOf(frame) {
  try {
    return frame.contentDocument;
  } catch {
    return null;
  }
}

/**
 * A full snapshot of a document that is not rendered.
 * @param {Document} document
 * @param {object} plan
 * @param {string} base where it came from
 */
export function whole(document, plan, base) {
  if (!document.nodeType) return document;
  const packer = new Packer(document, new Set(plan.whole.split(' ')), base);
  packer.url = base;
  if (document.documentElement) drained(packer.whole(document.documentElement, INERT));
  return packer.finish();
}

/** Events that may change what a person sees while the tree stays as it is. */
const SIGHTS = ['load', 'change', 'toggle', 'transitionend', 'animationend', 'resize', 'hashchange', 'popstate'];
/** Boxes that end this far left of what they are placed in are parked there. */
const PARKED = -500;

/**
 * A full snapshot of what a person can see (see src/read/outline.rs), or nothing where nothing has happened since the
 * last one.
 * @param {Document} document
 * @param {object} plan `forget` is put there: undoes the listening, which ends by itself with the first change
 * @param {boolean} kept the last one is still there
 */
export function visible(document, plan, kept) {
  return document?.nodeType ? drained(seeing(document, plan, kept)) : document;
}

/** The same in slices, as `taking` does it. */
export function* seeing(document, plan, kept) {
  // What changed in this very task was not told yet.
  if (plan.observer?.takeRecords().length) plan.forget();
  if (kept && plan.observer) return undefined;
  plan.forget?.();
  const { shadow, frames } = plan;
  const packer = new Packer(document, new Set(plan.seen.split(' ')), '');
  const view = document.defaultView;
  const flags = { visibilityProperty: true, opacityProperty: true };
  const roots = [document];
  const style = (element) => view.getComputedStyle(element);
  const hidden = (element, collapsed) => {
    // What a closed `details` holds is not rendered, but a person can open it.
    if (collapsed || !element.checkVisibility) {
      const { display, visibility } = style(element);
      return display === 'none' || visibility === 'hidden';
    }
    if (!element.checkVisibility(flags)) return true;
    // Parked outside the page, or clipped to a pixel: for screen readers, which have better words in the markup. It
    // takes a class or the like, and asking for boxes is what costs most here.
    if (!element.hasAttributes()) return false;
    const { offsetWidth: width, offsetLeft: left } = element;
    if (width <= 1) {
      const height = element.offsetHeight;
      if (height <= 1 && width + height > 0 && style(element).overflow !== 'visible') return true;
    }
    if (!(left + width < PARKED)) return false;
    // What only overflows there can be scrolled to.
    const { position, marginLeft } = style(element);
    return position !== 'static' || parseFloat(marginLeft) < PARKED;
  };
  const inside = (element) => {
    if (shadow && element.shadowRoot) {
      roots.push(element.shadowRoot);
      return element.shadowRoot.firstChild;
    }
    const { localName } = element;
    if (localName === 'slot' && element.assignedNodes?.().length) return element.assignedNodes();
    if (localName === 'iframe' && (frames || element.hasAttribute('srcdoc'))) {
      const body = contentOf(element)?.body;
      if (body) roots.push(body.ownerDocument);
      return body ? [body] : null;
    }
    return element.firstChild;
  };
  // Of each open element: what comes next in it, a node with siblings or a list, and if it is a closed `details`.
  const next = [];
  const closed = [];
  let collapsed = 0;
  const enter = (element) => {
    const { localName } = element;
    if (!(element === document.documentElement || element === document.body)) {
      if (UNSEEN.has(localName) || hidden(element, collapsed > 0)) return;
    }
    packer.open(element);
    const shut = localName === 'details' && !element.open;
    collapsed += shut;
    closed.push(shut);
    const first = inside(element);
    next.push(Array.isArray(first) ? [...first].reverse() : first);
  };
  const pause = slices();
  attend(view, plan, roots);
  if (document.documentElement) enter(document.documentElement);
  while (next.length) {
    if (pause()) yield;
    const top = next.length - 1;
    let node = next[top];
    if (Array.isArray(node)) node = node.pop();
    else if (node) next[top] = node.nextSibling;
    if (!node) {
      next.pop();
      collapsed -= closed.pop();
      packer.close(1);
    } else if (node.nodeType === 1) enter(node);
    else if (node.nodeType === 3 || node.nodeType === 4) packer.text(node.data);
  }
  // With the roots that were found on the way.
  plan.forget?.();
  attend(view, plan, roots);
  return packer.finish();
}

/** Listens for the first thing that may change what a person sees. */
function attend(view, plan, roots) {
  if (!view) return;
  // Window and documents: a `load` inside a document is told to nobody above.
  const heard = [view, ...roots];
  const each = (act) => heard.forEach((target) => SIGHTS.forEach((sight) => target[act](sight, forget, true)));
  const forget = () => {
    const { observer } = plan;
    plan.observer = plan.forget = undefined;
    try {
      observer?.disconnect();
      each('removeEventListener');
    } catch {
      // What is broken in this browser is told where it is asked, not to the page.
    }
  };
  plan.forget = forget;
  plan.observer = new view.MutationObserver(forget);
  for (const root of roots) plan.observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  each('addEventListener');
}

const isElement = (node) => node.nodeType === 1;
const matches = (root, selector) => !!root.querySelector(selector) || (isElement(root) && root.matches(selector));

function select(root, selector) {
  if (!selector) return [];
  const found = root.querySelectorAll(selector);
  return isElement(root) && root.matches(selector) ? [root, ...found] : found;
}

/** Selectors for the elements that `itemref` names. */
function referenced(root, selector) {
  let ids = '';
  for (const element of select(root, selector)) {
    for (const id of element.getAttribute('itemref').split(/[\t\n\f\r ]+/)) if (id) ids += `,#${CSS.escape(id)}`;
  }
  return ids;
}

/** An element is inside another one; mostly it is its child. */
const holds = (outer, inner) => inner.parentNode === outer || outer.contains(inner);

function same(a, b) {
  if (!a || !b) return a === b;
  if (!same(a.next, b.next) || a.text !== b.text || a.shape.length !== b.shape.length) return false;
  for (let i = 0; i < a.shape.length; i += 1) if (a.shape[i] !== b.shape[i]) return false;
  return true;
}

/** Builds what `Document::from_packed` reads. */
class Packer {
  constructor(root, wanted, base) {
    const document = root.ownerDocument ?? root;
    this.root = root;
    this.url = document.URL === 'about:srcdoc' ? document.defaultView?.parent.location.href ?? '' : document.URL;
    this.base = base || (bases.get(document) ?? document.baseURI);
    this.wanted = wanted;
    this.names = new Map();
    this.pieces = [];
    this.tree = [];
    /** Elements and texts so far: the number of the next one in Rust. */
    this.count = 0;
    /** Elements that are kept with all that is in them: where in the tree, and where in the text. */
    this.segments = new Map();
    /** Elements that a call may have to find again, by their number; only where controls are marked. */
    this.live = undefined;
    /** Every element by its number, where somebody asks for them. */
    this.all = undefined;
  }

  name(name) {
    let index = this.names.get(name);
    if (index === undefined) this.names.set(name, (index = this.names.size));
    return index;
  }

  open(element) {
    const { tree, pieces, wanted } = this;
    tree.push((this.name(element.localName) << 2) | (element.namespaceURI === HTML ? 1 : 2), 0);
    const at = tree.length - 1;
    if (this.live && (FIELDS.has(element.localName) || element.hasAttribute('data-tool'))) this.live.set(this.count, new WeakRef(element));
    if (this.all) this.all[this.count] = element;
    this.count += 1;
    let count = 0;
    if (element.hasAttributes()) {
      for (const name of element.getAttributeNames()) {
        if (!wanted.has(name) && !name.startsWith('xmlns:')) continue;
        const value = element.getAttribute(name);
        tree.push(this.name(name), value.length);
        if (value) pieces.push(value);
        count += 1;
      }
      tree[at] = count;
    }
  }

  text(data) {
    if (!data) return;
    this.count += 1;
    this.pieces.push(data);
    this.tree.push((data.length << 2) | 3);
  }

  close(count) {
    if (count) this.tree.push(count << 2);
  }

  /** Elements in document order; where an element is in `texts` too, all that is in it. */
  *sparse(elements, texts) {
    const pause = slices();
    const open = [];
    let text = 0;
    for (let i = 0; i < elements.length; i += 1) {
      if (pause()) yield;
      const element = elements[i];
      let ended = 0;
      while (open.length && !holds(open[open.length - 1], element)) {
        open.pop();
        ended += 1;
      }
      this.close(ended);
      if (element !== texts[text]) {
        this.open(element);
        open.push(element);
        continue;
      }
      text += 1;
      const from = [this.tree.length, this.pieces.length];
      // What is inside comes with it; the lists go on behind it.
      i = (yield* this.whole(element, CLOSED, elements, i + 1, pause)) - 1;
      this.segments.set(element, [...from, this.tree.length, this.pieces.length]);
      while (text < texts.length && holds(element, texts[text])) text += 1;
    }
    this.close(open.length);
  }

  /**
   * An element and all that is in it; `list` is counted on from `next` by those of its elements that come by.
   * Not recursive: pages nest as deep as they like.
   */
  *whole(root, closed, list = [], next = 0, pause = slices()) {
    this.open(root);
    let node = root.firstChild;
    let depth = 1;
    while (node) {
      if (pause()) yield;
      let child = null;
      if (node.nodeType === 3 || node.nodeType === 4) {
        this.text(node.data);
      } else if (node.nodeType === 1) {
        this.open(node);
        if (node === list[next]) next += 1;
        depth += 1;
        child = closed.has(node.localName) ? null : node.firstChild;
        if (!child) {
          this.close(1);
          depth -= 1;
        }
      }
      if (child) {
        node = child;
        continue;
      }
      let ended = 0;
      while (node !== root && !node.nextSibling) {
        node = node.parentNode;
        ended += 1;
      }
      this.close(ended);
      depth -= ended;
      if (node === root) return next;
      node = node.nextSibling;
    }
    this.close(depth);
    return next;
  }

  finish() {
    const { pieces } = this;
    let at = 0;
    let length = 0;
    // From here on places in the text count.
    const place = (piece) => {
      while (at < piece) length += pieces[at++].length;
      return length;
    };
    for (const segment of this.segments.values()) for (const i of [1, 3]) segment[i] = place(segment[i]);
    this.body = pieces.join('');
    this.tree = Uint32Array.from(this.tree);
    this.pieces = undefined;
    return this.packed();
  }

  packed() {
    const { url, base, body, tree } = this;
    const names = [...this.names.keys()];
    const head = [url.length, base.length, names.length, ...names.map((name) => name.length)];
    const shape = new Uint32Array(head.length + tree.length);
    shape.set(head);
    shape.set(tree, head.length);
    return { text: url + base + names.join('') + body, shape };
  }

  /** The same with some of its segments read again. */
  patch(changed, base) {
    const { url, base: now } = new Packer(this.root, this.wanted, base);
    const trees = [];
    const texts = [];
    let [tree, text, grown, longer] = [0, 0, 0, 0];
    for (const [element, segment] of this.segments) {
      const [a, b, c, d] = segment;
      segment[0] += grown;
      segment[1] += longer;
      if (changed.has(element)) {
        const fresh = new Packer(this.root, this.wanted, base);
        fresh.names = this.names;
        drained(fresh.whole(element, CLOSED));
        const words = fresh.pieces.join('');
        trees.push(this.tree.subarray(tree, a), fresh.tree);
        texts.push(this.body.slice(text, b), words);
        [tree, text] = [c, d];
        grown += fresh.tree.length - (c - a);
        longer += words.length - (d - b);
      }
      segment[2] = c + grown;
      segment[3] = d + longer;
    }
    trees.push(this.tree.subarray(tree));
    const all = new Uint32Array(this.tree.length + grown);
    let at = 0;
    for (const part of trees) {
      all.set(part, at);
      at += part.length;
    }
    texts.push(this.body.slice(text));
    Object.assign(this, { url, base: now, tree: all, body: texts.join('') });
    return this.packed();
  }
}
