// Following the page: when its markup may have changed, the page is looked at again. Looking costs little (the
// snapshot is compared before anything is mapped), so that doubt is answered by looking, and a page that changes
// all the time is not listened to meanwhile.
import { now, quiet } from './quiet.js';

/** Milliseconds of quiet before the page is looked at. */
const DEBOUNCE_MS = 250;
/** A page that never is quiet is looked at after this many. */
const MAX_WAIT_MS = 900;
/** Of a busy page's time at most one part in this many goes into looking at it. */
const SHARE = 20;
/** Even a page that takes seconds to read is looked at this often. */
const MAX_REST_MS = 5000;
/** Records that are looked at one by one between two looks, even where a look is nearly free. */
const MIN_RECORDS = 100;
/** As many records cost as much as a millisecond of looking, and being called costs as much as so many records. */
const RECORDS_PER_MS = 500;
const RECORDS_PER_CALL = 4;
/** Changes that are remembered one by one; after more the whole page is read again. */
const MAX_CHANGES = 50;
/** Names of custom elements that are waited for. */
const MAX_AWAITED = 200;
/** The browser's idle time is waited for this long. */
const IDLE_MS = 100;

/**
 * @param {Document} document
 * @param {object} plan what a snapshot holds (js/snapshot.js)
 * @param {object} o
 * @param {boolean} o.follow look by oneself when something changed; else only remember that it did
 * @param {number} [o.debounceMs]
 * @param {() => void} o.look the page should be looked at
 * @param {(error: unknown) => void} o.failed following ended: from now on each call looks for itself
 */
export function watch(document, plan, { follow, debounceMs = DEBOUNCE_MS, look, failed }) {
  const view = document.defaultView ?? globalThis;
  const Observer = view.MutationObserver ?? globalThis.MutationObserver;
  let elements;
  let texts;
  /** Attributes that make an element one of those: a change of them always matters. */
  let marks;
  let attended;
  /** Of a rule that does not count on this page only what would make it count matters. */
  function attend() {
    // Set anew whenever the whole page was read.
    if (marks && attended === plan.counted) return;
    attended = plan.counted;
    const counts = (rule) => !plan.counted || plan.counted.has(rule);
    elements = plan.rules.map((rule) => (counts(rule) ? rule.elements : rule.test)).join();
    texts = plan.rules.filter(counts).map((rule) => rule.text).filter(Boolean).join();
    marks = new Set(plan.attributes.filter((name) => elements.includes(`[${name}`)));
    // Frames and shadow roots that came since; twice is once.
    if (armed) for (const root of plan.roots) observer.observe(root, options);
  }
  const options = { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: plan.attributes };
  const maxWait = Math.max(MAX_WAIT_MS, debounceMs);

  let dirty = true;
  let stopped = false;
  let armed = false;
  let seen = 0;
  let cost = 0;
  let rested = 0;
  let first = 0;
  let last = 0;
  let timer;
  let idle;
  let observer;
  /** What changed since the last look and may matter; nothing where that is not known. */
  let changes;
  /** The target and the type of the last record that was of no matter. */
  let place;
  let kind;
  const safe = (run) => quiet(run, (error) => {
    trusted = false;
    failed(error);
  });
  attend();

  function hear(records) {
    if (stopped) return;
    if (!follow) {
      touch(records);
      if (changes) return;
      observer.disconnect();
      armed = false;
      return;
    }
    const most = Math.max(MIN_RECORDS, (plan.cost ?? 0) * RECORDS_PER_MS);
    seen += RECORDS_PER_CALL;
    let few = seen + records.length <= most;
    for (let i = 0; few && i < records.length; i += 1) {
      seen += 1;
      if (matters(records[i])) {
        touch(records.slice(i));
        return;
      }
      few = seen <= most;
    }
    if (few) return;
    // So much happens that listening costs more than looking.
    observer.disconnect();
    armed = false;
    touch();
  }

  function matters({ type, target, attributeName, addedNodes, removedNodes }) {
    if (type === 'attributes') {
      place = undefined;
      return marks.has(attributeName) || target.matches(elements) || within(target);
    }
    if (type === 'childList' && (some(addedNodes) || some(removedNodes))) return true;
    // Mostly the same place changes again and again, and it was no place of markup a moment ago: only another kind of
    // change could have made it one.
    if (target === place && type === kind) return false;
    const matters = within(type === 'childList' ? target : target.parentNode);
    place = matters ? undefined : target;
    kind = type;
    return matters;
  }

  /** Some of these nodes is an element of the snapshot, or holds one. */
  function some(nodes) {
    for (let i = 0; i < nodes.length; i += 1) {
      const node = nodes[i];
      if (node.nodeType !== 1) continue;
      seen += 1;
      if (node.matches(elements) || isHost(node)) return true;
      if (node.firstElementChild && (node.querySelector(elements) || (plan.shadow && [...node.getElementsByTagName('*')].some(isHost)))) return true;
    }
    return false;
  }

  const isHost = (element) => plan.shadow && !!element.shadowRoot;

  const within = (node) => texts && node?.nodeType === 1 && !!node.closest(texts);

  /** An element that becomes what it is meant to be may bring a shadow root, and nobody says so. */
  const awaited = new Set();
  function awaitDefinitions() {
    for (const { localName } of document.querySelectorAll(':not(:defined)')) {
      if (awaited.has(localName) || awaited.size >= MAX_AWAITED) continue;
      awaited.add(localName);
      // A name that cannot be one of a custom element is refused.
      view.customElements?.whenDefined(localName).then(() => stopped || touch()).catch(() => {});
    }
  }

  function arm() {
    seen = 0;
    place = undefined;
    if (follow && plan.shadow) awaitDefinitions();
    if (armed || stopped || !observer) return;
    // Frames and shadow roots that were in the last snapshot; the page itself, before the first.
    for (const root of plan.roots.length ? plan.roots : [document]) observer.observe(root, options);
    armed = true;
  }

  /** Something that may matter has changed: these, or who knows what. */
  const touch = safe((records) => {
    dirty = true;
    // Asked now: what was taken out of the page may be emptied before the page is looked at.
    changes = records && changes && records.length + changes.length <= MAX_CHANGES ? changes.concat(records.filter(matters)) : undefined;
    last = now();
    if (!follow || timer || idle) return;
    first = last;
    timer = view.setTimeout(due, Math.max(debounceMs, rested - last));
  });

  const due = safe(() => {
    timer = undefined;
    const time = now();
    const rest = last + debounceMs;
    if (armed && time < rest && time < first + maxWait) {
      timer = view.setTimeout(due, Math.min(rest, first + maxWait) - time);
      return;
    }
    const go = safe(() => {
      idle = undefined;
      if (!stopped && dirty) look();
    });
    if (view.requestIdleCallback) idle = view.requestIdleCallback(go, { timeout: IDLE_MS });
    else go();
  });

  /** The route may have changed: a snapshot holds the page's address. */
  const moved = () => touch();
  const undo = [];
  const listen = (target, type, listener = moved, o) => {
    target.addEventListener(type, listener, o);
    undo.push(() => target.removeEventListener(type, listener, o));
  };

  /** An observer that somebody put in the browser's place may hear nothing: each call looks for itself then. */
  let trusted = false;
  try {
    observer = new Observer(safe(hear));
    trusted = [Observer, observer.observe].every((one) => /\[native code\]/.test(one));
  } catch {
    observer = undefined;
  }
  safe(() => {
    if (!follow) return;
    if (view.navigation?.addEventListener) listen(view.navigation, 'currententrychange');
    else undo.push(hookHistory(view, moved));
    for (const type of ['popstate', 'hashchange', 'pageshow']) listen(view, type);
    listen(document, 'readystatechange');
    // A frame's document arrives without a change of the page.
    listen(document, 'load', safe((event) => event.target.localName === 'iframe' && touch()), true);
    for (const type of ['prerenderingchange', 'resume']) listen(document, type);
  })();

  const take = safe(() => {
    if (!armed) return;
    const records = observer.takeRecords();
    if (records?.length) hear(records);
  });

  return {
    /** Something may have changed since the last look. */
    get dirty() {
      take();
      return dirty || !observer || !trusted;
    },
    /** The page is about to be looked at: what changed since the last time, if that is known. */
    looking: safe(() => {
      take();
      const known = armed && trusted ? changes : undefined;
      dirty = false;
      view.clearTimeout(timer);
      timer = undefined;
      if (idle) view.cancelIdleCallback(idle);
      idle = undefined;
      arm();
      changes = [];
      return known;
    }),
    /** It was; what it holds matters from now on. */
    attend: safe(attend),
    /** Looking took so many milliseconds. */
    looked: safe((ms) => {
      // The smaller of two: a first run, or a busy moment, says little of the next.
      const usual = Math.min(ms, cost);
      cost = ms;
      rested = now() + Math.min(MAX_REST_MS, usual * SHARE);
    }),
    touch,
    stop() {
      stopped = true;
      undo.push(() => observer?.disconnect(), () => view.clearTimeout(timer), () => idle && view.cancelIdleCallback(idle));
      for (const step of undo.splice(0)) quiet(step)();
    },
  };
}

/** Hears pushState and replaceState where there is no Navigation API. Later wrappers of others stay as they are. */
function hookHistory(view, moved) {
  const { history } = view;
  const undo = ['pushState', 'replaceState'].filter((name) => history[name]).map((name) => {
    const original = history[name];
    const own = Object.getOwnPropertyDescriptor(history, name);
    let live = true;
    const hook = function (...input) {
      const result = original.apply(this, input);
      if (live) moved();
      return result;
    };
    try {
      Object.defineProperty(history, name, { value: hook, writable: true, configurable: true, enumerable: own?.enumerable ?? true });
    } catch {
      // Read-only: popstate and the observer remain.
    }
    return () => {
      live = false;
      // Somebody's wrapper around ours keeps working: ours is only a pass-through from now on.
      if (history[name] !== hook) return;
      if (own) Object.defineProperty(history, name, own);
      else delete history[name];
    };
  });
  return () => undo.forEach((step) => step());
}
