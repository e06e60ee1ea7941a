// Carries out a plan (src/tools/controls.rs) on the live page, as a person would: looks whether it can be done,
// scrolls there, sends the events that a person's doing sends, and reports what came of it. What a page answers with
// is raw here; Rust makes it fit to be read.
import { now as clock, quiet } from './quiet.js';
import { failure } from './serial.js';

/** Milliseconds that an element may take to become usable (it fades in, it moves). */
const READY_MS = 600;
/** Milliseconds of quiet after which a page has done what it does. */
const QUIET_MS = 150;
/** Milliseconds that a page is given in any case: filters wait until nobody types any more. */
const LEAST_MS = 350;
/** Milliseconds that a page may take to begin to change, to end changing, and to end being busy. */
const FIRST_MS = 800;
const SETTLE_MS = 2500;
const BUSY_MS = 8000;
/** Milliseconds that a control which became disabled is thought to be at work. */
const DISABLED_MS = 1000;
const STEP_MS = 25;
/** Characters of a text and number of messages that are reported. */
const MAX_TEXT = 200;
const MAX_MESSAGES = 5;
/** Elements whose text is read for messages; a page has a handful. */
const MAX_REGIONS = 50;
/** Where pages tell people what came of something. */
const REGIONS = '[role=status],[role=alert],output,[aria-live=polite],[aria-live=assertive]';

class Refusal extends Error {
  constructor(code, message, more) {
    super(message);
    this.code = code;
    this.more = more;
  }
}

const pause = (view, ms) => new Promise((resolve) => view.setTimeout(resolve, ms));
const short = (text) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT);
const viewOf = (element) => element.ownerDocument.defaultView;
const isField = (element) => /^(input|select|textarea)$/.test(element.localName);
const isBox = (element) => element.localName === 'input' && /^(checkbox|radio)$/.test(element.type);
const aria = (element, name) => ({ true: true, false: false, mixed: 'mixed' })[element.getAttribute(`aria-${name}`)];
const isEnabled = (element) => !element.matches(':disabled') && !element.closest('[aria-disabled=true]');

/** Password fields that were seen as such: a page may turn them into text fields to show what was typed. */
let passwords = new WeakSet();
/** Those that are seen before anybody acts. */
export const beware = (seen) => {
  passwords = seen;
};
/** Fields that only the person fills and sees. */
function isSecret(element) {
  if (element.localName === 'input' && element.type === 'password') passwords.add(element);
  return passwords.has(element) || /^(hidden|file)$/.test(element.type) || /(^|\s)(cc-|one-time-code|\S+-password)/i.test(element.getAttribute('autocomplete') ?? '');
}

function isVisible(element) {
  const box = element.getBoundingClientRect();
  if (element.localName === 'area') return true;
  if (!(box.width > 0 && box.height > 0)) return false;
  return element.checkVisibility?.({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: false }) ?? viewOf(element).getComputedStyle(element).visibility === 'visible';
}

/** Where a person presses: a box that is drawn by its label is pressed there. */
function pressed(element) {
  if (element.localName === 'details') return [...element.children].find((child) => child.localName === 'summary') ?? element;
  if (isBox(element) && !isVisible(element)) return [...(element.labels ?? [])].find(isVisible) ?? element;
  return element;
}

/** What an agent is told of an element. */
export function stateOf(element) {
  if (!element?.isConnected) return { gone: true };
  const state = { visible: isVisible(pressed(element)), enabled: isEnabled(element) };
  if (element.localName === 'form') return state;
  if (isSecret(element)) return state;
  if (isBox(element)) state.checked = element.checked;
  else if (element.localName === 'select') state.value = [...element.selectedOptions].map((option) => short(option.label)).join(', ');
  else if (element.localName === 'input' && /^(submit|button|reset)$/.test(element.type)) state.text = short(element.value);
  else if (isField(element)) state.value = short(element.value);
  else state.text = short(pressed(element).innerText ?? element.textContent) || short(element.getAttribute('aria-label'));
  const checked = aria(element, 'checked') ?? aria(element, 'pressed') ?? aria(element, 'selected');
  if (checked !== undefined) state.checked = checked;
  const expanded = element.localName === 'details' ? element.open : aria(element, 'expanded');
  if (expanded !== undefined) state.expanded = expanded;
  return state;
}

/** A name for an element that a developer knows it by. */
function nameOf(element) {
  const id = element.getAttribute('id');
  return `<${element.localName}${id ? ` id="${id}"` : ''}>`;
}

/** A form's controls; a control named "elements" hides the property. */
const controlsOf = (form) => [...Object.getOwnPropertyDescriptor(viewOf(form).HTMLFormElement.prototype, 'elements').get.call(form)];

/** The element that lies over `target` everywhere, or the point where it can be pressed. */
function reach(target) {
  const root = target.getRootNode();
  const view = viewOf(target);
  // A link that runs over two lines has its middle where it is not.
  const boxes = [target.getClientRects()[0], target.getBoundingClientRect()].filter(Boolean);
  let over;
  for (const box of boxes) {
    for (const [dx, dy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]]) {
      const x = box.left + box.width * dx;
      const y = box.top + box.height * dy;
      if (x < 0 || y < 0 || x >= view.innerWidth || y >= view.innerHeight) continue;
      const hit = root.elementFromPoint(x, y);
      if (hit && target.contains(hit)) return { x, y };
      over ??= hit;
    }
  }
  return { over: over ?? view.document.documentElement };
}

/**
 * Waits a little until `find` gives an element that a person could use, and scrolls to it.
 * @returns {Promise<{element: Element, target: Element, x: number, y: number}>}
 * @throws {Refusal}
 */
async function ready(find, page, what = 'The control') {
  const { view, signal } = page;
  for (let waited = 0; ; waited += STEP_MS) {
    const element = await find();
    const last = waited >= READY_MS;
    let problem;
    if (!element?.isConnected) problem = ['gone', 'is not on the page any more'];
    else if (!isEnabled(element)) problem = ['not_allowed', 'is disabled'];
    else {
      const target = pressed(element);
      if (!isVisible(target)) problem = ['not_allowed', 'is not visible'];
      else {
        if (waited === 0 || last) target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
        const { x, y, over } = target.localName === 'area' ? { x: 0, y: 0 } : reach(target);
        if (!over) return { element, target, x, y };
        problem = ['not_allowed', `is covered by ${nameOf(over)}`];
      }
    }
    if (last || signal.aborted) throw new Refusal(problem[0], `${what} ${problem[1]}.`, { control: stateOf(element), hint: 'Call get_page_controls to see what can be used now.' });
    await pause(view, STEP_MS);
  }
}

function focus(element) {
  const { activeElement } = element.ownerDocument;
  if (activeElement === element) return;
  element.focus({ preventScroll: true });
  unseen(element, ['focus', 'focusin']);
}

function blur(element) {
  element.blur();
  unseen(element, ['blur', 'focusout']);
}

/** A page in the background gets no focus events from the browser; forms wait for them. */
function unseen(element, types) {
  const view = viewOf(element);
  if (element.ownerDocument.hasFocus()) return;
  for (const type of types) element.dispatchEvent(new view.FocusEvent(type, { bubbles: type.startsWith('focus') && type.length > 5, composed: true }));
}

/** Runs what lets the page's own code run, and notes what that says: its alerts, its errors. */
function listening(page, run) {
  const { view, notes } = page;
  const onError = (event) => {
    notes.error ??= short(event.message ?? event.error?.message);
  };
  const names = ['alert', 'confirm', 'prompt'];
  const before = names.map((name) => view[name]);
  view.addEventListener('error', onError);
  const ours = names.map((name, i) => function (...input) {
    notes.messages.add(short(String(input[0] ?? '')));
    return before[i].apply(view, input);
  });
  const put = (functions) => names.forEach((name, i) => {
    try {
      view[name] = functions[i];
    } catch {
      // A page may have locked it; then its words are not heard.
    }
  });
  put(ours);
  try {
    return run();
  } finally {
    view.removeEventListener('error', onError);
    put(before.map((original, i) => (view[names[i]] === ours[i] ? original : view[names[i]])));
  }
}

/** Presses: the events of a pointer, in order, then the click that does it. */
function press({ element, target, x, y }, page) {
  listening(page, () => {
    const view = viewOf(target);
    const common = { bubbles: true, cancelable: true, composed: true, view, clientX: x, clientY: y, button: 0, detail: 1 };
    const pointer = { ...common, pointerId: 1, pointerType: 'mouse', isPrimary: true };
    const send = (type, o = {}) => target.dispatchEvent(type.startsWith('pointer') || type === 'click'
      ? new view.PointerEvent(type, { ...pointer, ...o })
      : new view.MouseEvent(type, { ...common, ...o }));
    for (const kind of ['pointer', 'mouse']) {
      send(`${kind}over`);
      send(`${kind}enter`, { bubbles: false, cancelable: false });
      send(`${kind}move`);
    }
    page.begin();
    const mouse = send('pointerdown', { buttons: 1 });
    const focusing = mouse ? send('mousedown', { buttons: 1 }) : true;
    if (focusing && target.isConnected) {
      const focusable = target.closest('a[href],button,input,select,textarea,summary,[tabindex]');
      if (focusable) focus(focusable);
    }
    if (target.isConnected) {
      send('pointerup');
      if (mouse) send('mouseup');
    }
    const link = target.closest('a[href]');
    if (link?.target && link.target !== '_self' && target.isConnected) page.notes.leaves = { to: link.href, page: 'tab' };
    if (!target.isConnected) throw new Refusal('gone', 'The page removed the control while it was being pressed.');
    send('click');
  });
}

/** Gives a property its value the way the browser does, past what frameworks put in front of it. */
function set(element, property, value) {
  const view = viewOf(element);
  const type = { input: 'HTMLInputElement', textarea: 'HTMLTextAreaElement', select: 'HTMLSelectElement' }[element.localName];
  Object.getOwnPropertyDescriptor(view[type].prototype, property).set.call(element, value);
}

function tell(element, page, inputType, data) {
  const view = viewOf(element);
  listening(page, () => {
    element.dispatchEvent(new view.InputEvent('input', { bubbles: true, composed: true, inputType, data }));
    if (element.isConnected) element.dispatchEvent(new view.Event('change', { bubbles: true }));
  });
}

const FORMS = { date: '2026-05-31', time: '18:30', 'datetime-local': '2026-05-31T18:30', month: '2026-05', week: '2026-W22', color: '#3366ff', number: '12', range: '12' };

/** Does one step of a plan. */
async function fill(step, find, page) {
  const name = `'${step.name}'`;
  const current = await find();
  if (!current?.isConnected) throw new Refusal('gone', `The field ${name} is not on the page any more.`);
  if (isSecret(current)) throw new Refusal('not_allowed', `The field ${name} is for the person to fill.`);
  if (current.readOnly) throw new Refusal('not_allowed', `The field ${name} is read-only.`);
  if (step.do === 'check') {
    if (current.checked === step.value) return;
    const found = await ready(find, page, `The field ${name}`);
    press(found, page);
    if (found.element.isConnected && found.element.checked !== step.value) page.adjusted[step.name] = found.element.checked;
    return;
  }
  const { element } = await ready(find, page, `The field ${name}`);
  page.begin();
  focus(element);
  if (step.do === 'text') {
    set(element, 'value', step.value);
    const kept = element.value;
    if (step.value && !kept && FORMS[element.type]) {
      throw new Refusal('invalid_parameter', `${name} must be written like ${FORMS[element.type]}.`, { fields: { [step.name]: `must be written like ${FORMS[element.type]}` } });
    }
    tell(element, page, 'insertText', step.value);
  } else {
    choose(element, step, name);
    tell(element, page, 'insertReplacementText', null);
  }
  if (element.isConnected) {
    blur(element);
    if (step.do === 'text' && element.value !== step.value) page.adjusted[step.name] = short(element.value);
  }
}

/** Selects options: by value, or, where the list is too long to be told, by text. */
function choose(element, step, name) {
  const options = [...element.options];
  const usable = (option) => !option.disabled && !option.parentNode.disabled;
  const plain = (text) => text.replace(/\s+/g, ' ').trim().toLowerCase();
  let chosen;
  if (step.do === 'match') {
    const wanted = plain(step.value);
    const by = (test) => options.filter((option) => usable(option) && test(option));
    const exact = by((option) => plain(option.label) === wanted || plain(option.value) === wanted);
    const near = exact.length ? exact : by((option) => wanted && plain(option.label).includes(wanted));
    chosen = near.length > 1 && exact.length === 0 ? [] : near.slice(0, 1);
    if (!chosen.length) {
      const known = (near.length ? near : by((option) => option.value)).slice(0, 20).map((option) => short(option.label));
      throw new Refusal('invalid_parameter', `${name} has no option of that text.`, { hint: `Options: ${known.join(', ')}${near.length > 20 || !near.length ? ', …' : ''}.` });
    }
  } else {
    chosen = step.value.map((value) => options.find((option) => option.value === value && usable(option)));
    if (chosen.includes(undefined)) throw new Refusal('not_allowed', `${name} does not offer that option now.`, { hint: `Options: ${options.filter(usable).slice(0, 20).map((option) => short(option.label)).join(', ')}.` });
  }
  if (element.multiple) for (const option of options) option.selected = chosen.includes(option);
  else set(element, 'selectedIndex', options.indexOf(chosen[0]));
}

/** What the browser has against a form's fields, by parameter, and what only the person can put right. */
function problems(form, names, find) {
  const known = new Map(names.map(([name, at]) => [find(at), name]));
  const fields = {};
  const person = [];
  const controls = controlsOf(form);
  for (const element of controls) {
    if (!element.willValidate || element.validity.valid) continue;
    const group = isBox(element) && element.name ? controls.find((other) => known.has(other) && other.name === element.name) : undefined;
    const name = known.get(element) ?? known.get(group);
    if (name && !isSecret(element)) fields[name] ??= short(element.validationMessage);
    else person.push(short(element.labels?.[0]?.innerText ?? element.getAttribute('aria-label') ?? element.name) || element.type);
  }
  return { fields, person: [...new Set(person)] };
}

function submitter(form) {
  const buttons = [...form.getRootNode().querySelectorAll('button,input')].filter((button) => button.form === form && /^(submit|image)$/.test(button.type));
  return buttons.find((button) => button.hasAttribute('data-tool-submit')) ?? buttons.find((button) => !button.hasAttribute('data-tool')) ?? buttons[0];
}

/** An address as it may be told: what a form sends, secrets too, stands in its query. */
function told(url, element) {
  const { origin, pathname } = new URL(url, element.baseURI);
  return element.localName === 'form' || element.form ? origin + pathname : url;
}

/** Watches what a page does in answer. */
function notice(page, element) {
  const { document, view, notes } = page;
  const since = clock();
  const now = () => clock() - since;
  const href = view.location.href;
  let changed;
  const roots = [...new Set([document, element.getRootNode()])];
  const regions = () => roots.flatMap((root) => [...root.querySelectorAll(REGIONS)]).slice(0, MAX_REGIONS);
  const before = new Map(regions().map((region) => [region, short(region.textContent)]));
  const read = () => {
    for (const region of regions()) {
      const text = short(region.textContent);
      if (text && text !== before.get(region)) notes.messages.add(text);
      before.set(region, text);
    }
  };
  let last = 0;
  const observer = new view.MutationObserver(quiet(() => {
    changed = now();
    if (changed - last < STEP_MS) return;
    last = changed;
    read();
  }));
  for (const root of roots) observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  let leave;
  // The answer must be out before the page is gone.
  const left = new Promise((resolve) => (leave = resolve));
  const onNavigate = quiet((event) => {
    if (event.hashChange || event.destination?.sameDocument) return;
    const url = event.destination?.url;
    // Whether the page takes it over itself is known once all its listeners ran.
    view.setTimeout(() => {
      if (!event.defaultPrevented && !view.navigation.transition && event.downloadRequest == null) {
        notes.leaves = { to: url ? told(url, element) : '', page: 'new' };
        leave();
      }
    }, 0);
  });
  const onLeave = () => {
    notes.leaves ??= { page: 'new' };
    leave();
  };
  view.navigation?.addEventListener?.('navigate', onNavigate);
  view.addEventListener('pagehide', onLeave);
  if (!view.navigation) view.addEventListener('beforeunload', onLeave);
  const isBusy = (quiet) => element.isConnected && (element.closest('[aria-busy=true]') || (quiet < DISABLED_MS && element.localName !== 'form' && !isEnabled(element)));
  return {
    async settled() {
      for (;;) {
        await Promise.race([pause(view, STEP_MS), left]);
        if (notes.leaves || page.signal.aborted) break;
        const time = now();
        if (time < LEAST_MS || (time < BUSY_MS && isBusy(time - (changed ?? 0)))) continue;
        if (changed === undefined ? time >= FIRST_MS : time - changed >= QUIET_MS || time >= SETTLE_MS) break;
      }
      read();
      if (!notes.leaves && view.location.href !== href) notes.leaves = { to: told(view.location.href, element), page: 'same' };
    },
    stop() {
      observer.disconnect();
      view.navigation?.removeEventListener?.('navigate', onNavigate);
      view.removeEventListener('pagehide', onLeave);
      view.removeEventListener('beforeunload', onLeave);
    },
  };
}

/** What changed between two states. */
const difference = (before, after) => Object.keys({ ...before, ...after }).filter((key) => before[key] !== after[key]);

/**
 * Does what a plan says.
 * @param {object} plan
 * @param {object} o
 * @param {Document} o.document
 * @param {(at: [number, number]) => Element | undefined} o.find the live element of a place in the plan
 * @param {() => Promise<object | undefined>} o.again looks at the page anew: the plan as it is now, if there still is one
 * @param {AbortSignal} o.signal
 * @param {() => void} o.begin called before anything is touched
 * @param {() => void} o.release called when others may act although this is not over
 * @returns {Promise<object>} what came of it, or an error result; never rejects
 */
export async function act(plan, { document, find, again, signal, begin, release }) {
  const view = document.defaultView;
  const page = { document, view, signal, notes: { messages: new Set() }, adjusted: {}, begun: false, release };
  page.begin = () => {
    if (signal.aborted) throw new Refusal('cancelled', 'The call was given up.');
    page.begun = true;
    begin();
  };
  let current = plan;
  let looked = false;
  /** The live element of a place: looked for once more if the page put another one there. */
  const live = async (place) => {
    const element = find(place(current));
    if (element?.isConnected || looked) return element;
    looked = true;
    current = (await again()) ?? current;
    return find(place(current));
  };
  let watched;
  try {
    const control = await live((now) => now.at);
    if (!control?.isConnected) throw new Refusal('gone', 'The control is not on the page any more.', { hint: 'Call get_page_controls.' });
    const before = stateOf(control);
    watched = notice(page, control);
    const done = await DOING[plan.kind](page, { plan, live, find, control });
    if (done?.answer !== undefined) return done.answer;
    if (!done?.still) await watched.settled();
    const after = stateOf(control.isConnected ? control : find(current.at));
    return report(done?.did ?? 'done', page, { control: after, changed: difference(before, after) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return failure(error.code, error.message, undefined, { ...error.more, ...(page.begun && { begun: true }), ...(page.notes.messages.size && { messages: [...page.notes.messages] }) });
  } finally {
    watched?.stop();
  }
}

function report(did, { notes, adjusted }, { control, changed }) {
  const messages = [...notes.messages].slice(-MAX_MESSAGES);
  return {
    did,
    ...(notes.leaves && { navigation: notes.leaves }),
    ...(messages.length && { messages }),
    ...(notes.error && { page_error: notes.error }),
    ...(Object.keys(adjusted).length && { adjusted }),
    control,
    ...(changed.length && { changed }),
  };
}

const DOING = {
  async press(page, { live }) {
    press(await ready(() => live((now) => now.at), page), page);
    return { did: 'pressed' };
  },

  async open(page, { plan, live, control }) {
    if (plan.open === control.open) return { did: 'nothing', still: true };
    const found = await ready(() => live((now) => now.at), page);
    if (found.target === found.element) {
      // Its handle is the browser's own.
      page.begin();
      found.element.open = !found.element.open;
    } else {
      press(found, page);
    }
    return { did: found.element.open ? 'opened' : 'closed' };
  },

  async set(page, context) {
    await steps(page, context);
    const { control } = context;
    if (control.isConnected && control.willValidate && !control.validity.valid) {
      throw new Refusal('invalid_parameter', short(control.validationMessage), { control: stateOf(control) });
    }
    return { did: 'filled' };
  },

  async fill(page, context) {
    const { plan, live } = context;
    await steps(page, context);
    const form = await validated(page, context);
    if (!plan.submit) return { did: 'filled' };
    const button = submitter(form);
    if (button) {
      press(await ready(async () => (button.isConnected ? button : submitter(await live((now) => now.at))), page, 'The form was filled, but its button'), page);
    } else {
      page.begin();
      listening(page, () => form.requestSubmit());
    }
    return { did: 'submitted' };
  },

  /** A form with `toolname`, where the browser does not know what to do with it. */
  async declared(page, context) {
    const { view, signal } = page;
    const form = context.control;
    await steps(page, context);
    let response;
    let submitted;
    let ended;
    const over = new Promise((resolve) => (ended = resolve));
    const onSubmit = quiet((event) => {
      if (event.target !== form) return;
      submitted = event;
      Object.defineProperties(event, {
        agentInvoked: { value: true, configurable: true },
        respondWith: { value: (answer) => (response = Promise.resolve(answer)), configurable: true },
      });
      // The page's own listeners come first.
      view.setTimeout(ended, 0);
    });
    const onReset = (event) => event.target === form && ended('reset');
    view.addEventListener('submit', onSubmit, true);
    view.addEventListener('reset', onReset, true);
    signal.addEventListener('abort', () => ended('aborted'), { once: true });
    try {
      if (context.plan.submit) await validated(page, context);
      const button = submitter(form);
      if (!context.plan.submit) {
        button?.focus();
        // It may be long until the person looks.
        page.release();
      } else if (button) press(await ready(async () => button, page), page);
      else listening(page, () => form.requestSubmit());
      if (context.plan.submit) view.setTimeout(ended, FIRST_MS);
      if ((await over) === 'reset') throw new Refusal('cancelled', 'The person emptied the form instead of submitting it.');
      if (response && submitted?.defaultPrevented) return { answer: (await response) ?? null };
      return { did: submitted ? 'submitted' : 'filled' };
    } finally {
      view.removeEventListener('submit', onSubmit, true);
      view.removeEventListener('reset', onReset, true);
    }
  },
};

/** Fills the fields, in order; a page may put new ones in the place of old ones meanwhile. */
async function steps(page, { plan, live }) {
  for (const [index, step] of plan.fields.entries()) {
    if (page.signal.aborted) throw new Refusal('cancelled', 'The call was given up.');
    const find = () => live((now) => now.fields[index]?.at);
    await fill(step, find, page);
    await pause(page.view, 0);
  }
}

/** The form, if the browser would let it be submitted. */
async function validated(page, { plan, live, find }) {
  const form = await live((now) => now.at);
  if (!form?.isConnected) throw new Refusal('gone', 'The form is not on the page any more.');
  if (form.noValidate || !plan.submit || submitter(form)?.formNoValidate) return form;
  const { fields, person } = problems(form, plan.known ?? [], find);
  if (Object.keys(fields).length) throw new Refusal('invalid_parameter', 'The form was not submitted: some fields are not right.', { fields, ...(person.length && { person_must_fill: person }) });
  if (person.length) throw new Refusal('not_allowed', 'The form was not submitted: it has fields that only the person can fill.', { person_must_fill: person });
  return form;
}

/** What all controls look like now, and what each still needs. */
export function look(plan, { find }) {
  const controls = plan.controls.map(({ tool, item, at, fields }) => {
    const element = find(at);
    const state = { tool, ...(item && { item }), ...stateOf(element) };
    const missing = [];
    if (state.gone) missing.push('It is not on the page any more.');
    else if (!state.enabled) missing.push('It is disabled.');
    else if (!state.visible) missing.push('It is not visible.');
    if (fields && !state.gone) {
      const values = {};
      for (const field of fields) {
        const control = find(field.at);
        if (!control?.isConnected || isSecret(control)) continue;
        if (field.of) {
          const checked = field.of.filter(([, place]) => find(place)?.checked).map(([label]) => label);
          if (checked.length) values[field.name] = control.type === 'radio' ? checked[0] : checked;
        } else {
          const { value, checked } = stateOf(control);
          const shown = checked ?? value;
          if (shown !== '' && shown !== undefined) values[field.name] = shown;
        }
      }
      if (Object.keys(values).length) state.values = values;
      if (element.localName === 'form' && !element.noValidate) {
        const { fields: wrong, person } = problems(element, fields.map(({ name, at: place }) => [name, place]), find);
        for (const [name, message] of Object.entries(wrong)) missing.push(`${name}: ${message}`);
        for (const name of person) missing.push(`${name}: only the person can fill this.`);
      }
    }
    return { ...state, ...(missing.length && { missing }) };
  });
  return { controls };
}
