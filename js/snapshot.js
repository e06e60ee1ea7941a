// The live page, read in one pass and packed for Rust: every text in one string, its shape in numbers
// (see `Document::from_packed` in src/dom.rs). What is worth reading is decided there; here it is only fetched.

const HTML = 'http://www.w3.org/1999/xhtml';
/** Their content is data or code, never text of the page; Rust asks for the scripts it reads by name. */
const CLOSED = new Set(['script', 'style', 'template', 'noscript']);

/**
 * What a snapshot must hold.
 * @param {string} rules lines by three: a selector without a match for which the rule does not count (may be
 *   empty), the elements to keep, those of them whose whole subtree to keep (may be empty)
 * @param {string} attributes names of the attributes to keep, separated by spaces; `xmlns:` ones are kept always
 * @param {string} references elements whose `itemref` names others to keep
 */
export function prepare(rules, attributes, references) {
  const lines = rules.split('\n');
  const plan = { rules: [], attributes: attributes.split(' '), references, wanted: new Set(attributes.split(' ')) };
  for (let i = 0; i + 2 < lines.length; i += 3) {
    plan.rules.push({ test: lines[i], elements: lines[i + 1], text: lines[i + 2] });
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
 * A sparse snapshot of a document, shadow root or element, or nothing if it is equal to `previous`.
 * @returns {{text: string, shape: number[]} | undefined}
 */
export function take(root, plan, base, previous) {
  const rules = plan.rules.filter((rule) => !rule.test || matches(root, rule.test));
  let selector = rules.map((rule) => rule.elements).join();
  const text = rules.map((rule) => rule.text).filter(Boolean).join();
  if (plan.references) selector += referenced(root, plan.references);
  const packed = new Packer(root, plan.wanted, base).sparse(select(root, selector), select(root, text)).finish();
  return previous && same(previous, packed) ? undefined : packed;
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

function same(a, b) {
  if (a.text !== b.text || a.shape.length !== b.shape.length) return false;
  for (let i = 0; i < a.shape.length; i += 1) if (a.shape[i] !== b.shape[i]) return false;
  return true;
}

/** Builds what `Document::from_packed` reads. */
class Packer {
  constructor(root, wanted, base) {
    const document = root.ownerDocument ?? root;
    this.url = document.URL;
    this.base = base || document.baseURI;
    this.wanted = wanted;
    this.names = new Map();
    this.pieces = [];
    this.tree = [];
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
    this.pieces.push(data);
    this.tree.push((data.length << 2) | 3);
  }

  close(count) {
    if (count) this.tree.push(count << 2);
  }

  /** Elements in document order; where an element is in `texts` too, all that is in it. */
  sparse(elements, texts) {
    const open = [];
    let next = 0;
    let done = null;
    for (let i = 0; i < elements.length; i += 1) {
      const element = elements[i];
      const whole = element === texts[next];
      if (whole) next += 1;
      if (done) {
        if (done.contains(element)) continue;
        done = null;
      }
      let closed = 0;
      while (open.length && !open[open.length - 1].contains(element)) {
        open.pop();
        closed += 1;
      }
      this.close(closed);
      if (whole) {
        this.whole(element);
        done = element;
      } else {
        this.open(element);
        open.push(element);
      }
    }
    this.close(open.length);
    return this;
  }

  /** An element and all that is in it. Not recursive: pages nest as deep as they like. */
  whole(root) {
    this.open(root);
    let node = root.firstChild;
    let depth = 1;
    while (node) {
      let child = null;
      if (node.nodeType === 3 || node.nodeType === 4) {
        this.text(node.data);
      } else if (node.nodeType === 1) {
        this.open(node);
        depth += 1;
        child = CLOSED.has(node.localName) ? null : node.firstChild;
        if (!child) {
          this.close(1);
          depth -= 1;
        }
      }
      if (child) {
        node = child;
        continue;
      }
      let closed = 0;
      while (node !== root && !node.nextSibling) {
        node = node.parentNode;
        closed += 1;
      }
      this.close(closed);
      depth -= closed;
      if (node === root) return;
      node = node.nextSibling;
    }
    this.close(depth);
  }

  finish() {
    const names = [...this.names.keys()];
    const { url, base } = this;
    return {
      text: url + base + names.join('') + this.pieces.join(''),
      shape: [url.length, base.length, names.length, ...names.map((name) => name.length)].concat(this.tree),
    };
  }
}
