// The inspector: what an agent can do with this page, and why not more. Loaded on demand; all that it shows is text.
import { aboutView, callsView, diagnosticsView } from './reports.js';
import { count, maker } from './make.js';
import { STYLE } from './style.js';
import { marker, thingsView } from './things.js';
import { toolsView } from './tools.js';

/** Milliseconds in which changes of a busy page are shown together. */
const QUIET_MS = 100;

/**
 * @param {object} session what runs in the document: its `handle`, and how that works here (js/start.js)
 * @param {object} [o]
 * @param {HTMLElement} [o.place] shown in here and not above the page
 * @param {boolean} [o.answers] tools that change nothing are run at once
 * @param {(element: Element) => void} [o.locate] shows where an element stands, instead of marking it on the page
 * @returns {{show: () => void, close: () => void, use: (session: object) => void}}
 */
export function open(session, { place, answers, locate } = {}) {
  const document = place?.ownerDocument ?? session.document;
  const view = document.defaultView;
  const make = maker(document);
  const host = make('div', { 'data-toolmark-inspector': true, class: place ? 'placed' : undefined });
  // Closed: the page's scripts have no business in it, and readers of the page do not read it.
  const shadow = host.attachShadow({ mode: 'closed' });
  // Policies forbid style elements and attributes; made sheets they do not.
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(STYLE);
  shadow.adoptedStyleSheets = [sheet];

  const status = make('p', { class: 'unseen', role: 'status' });
  const say = (words) => {
    status.textContent = words;
  };
  const mark = marker(make, view);
  const views = [
    ['Tools', toolsView({ make, say, answers })],
    ['Diagnostics', diagnosticsView({ make })],
    ['Entities', thingsView({ make, say, elements: (root) => session.elements(root), locate, mark })],
    ['Calls', callsView({ make })],
    ['About', aboutView({ make, view, session: () => session })],
  ];
  const tabs = views.map(([name], at) => make('button', { type: 'button', role: 'tab', id: `tab-${at}`, 'aria-controls': `panel-${at}`, click: () => choose(at) }, name));
  const panels = views.map(([, { element }], at) => make('div', { role: 'tabpanel', id: `panel-${at}`, 'aria-labelledby': `tab-${at}`, tabindex: '0' }, element));
  const tablist = make('div', { role: 'tablist', 'aria-label': 'Inspector', keydown: (event) => {
    const to = { ArrowRight: chosen + 1, ArrowLeft: chosen - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose((to + tabs.length) % tabs.length);
    tabs[chosen].focus();
  } }, ...tabs);
  const heading = make('h2', { id: 'heading' }, 'Toolmark');
  const panel = make('section', { class: 'panel', 'aria-label': 'Toolmark inspector', lang: 'en', dir: 'ltr' },
    make('header', {}, heading, ...(place ? [] : [
      make('button', { type: 'button', click: () => fold(true) }, 'Minimise'),
      make('button', { type: 'button', click: () => close() }, 'Close'),
    ])), tablist, ...panels, status);
  const pill = make('button', { type: 'button', class: 'pill', hidden: true, lang: 'en', dir: 'ltr', click: () => fold(false) });
  const all = make('div', { class: place ? 'all placed' : 'all' }, mark.element, panel, ...(place ? [] : [pill]));
  shadow.append(all);
  let chosen = 0;
  let timer;
  let closed = false;

  function choose(at) {
    chosen = at;
    tabs.forEach((tab, i) => {
      tab.setAttribute('aria-selected', String(i === at));
      tab.tabIndex = i === at ? 0 : -1;
      panels[i].hidden = i !== at;
    });
    render();
  }

  function render() {
    clearTimeout(timer);
    timer = undefined;
    if (closed) return;
    // Where the page reads from right to left its content begins at the right; the panel keeps to the other side.
    all.classList.toggle('start', !place && view.getComputedStyle(document.documentElement).direction === 'rtl');
    const { handle } = session;
    const problems = handle.diagnostics().filter((one) => one.level !== 'info').length;
    const tools = handle.tools().length;
    tabs[0].textContent = `Tools (${tools})`;
    tabs[1].textContent = problems ? `Diagnostics (${problems})` : 'Diagnostics';
    pill.textContent = `Toolmark: ${count(tools, 'tool')}${problems ? `, ${count(problems, 'problem')}` : ''}`;
    if (panel.hidden) return;
    const held = shadow.activeElement;
    views[chosen][1].show(handle);
    // What was moved lost the focus, and what is gone takes it along: who works by keyboard stays in the panel.
    if (held && !shadow.activeElement) (held.isConnected ? held : tabs[chosen]).focus({ preventScroll: true });
  }
  const soon = () => {
    timer ??= setTimeout(render, QUIET_MS);
  };

  function fold(away) {
    panel.hidden = away;
    pill.hidden = !away;
    if (!away) render();
    (away ? pill : tabs[chosen]).focus();
  }

  // The page's own keys are not meant when a person types in here.
  const keys = ['keydown', 'keyup', 'keypress'];
  const inside = (event) => {
    if (event.type === 'keydown' && event.key === 'Escape' && !place && !panel.hidden) fold(true);
    event.stopPropagation();
  };
  for (const type of keys) shadow.addEventListener(type, inside);
  const events = ['toolmark:change', 'toolmark:call'];
  const listen = (on) => {
    for (const type of events) session.document[on ? 'addEventListener' : 'removeEventListener'](type, soon);
  };
  listen(true);

  function show() {
    if (closed) return;
    panel.hidden = false;
    pill.hidden = true;
    if (!host.isConnected) (place ?? document.documentElement).append(host);
    render();
  }
  /** Gone from the page; show() brings it back. */
  function close() {
    mark.stop();
    host.remove();
  }
  choose(0);
  show();
  return {
    show,
    /** Gone for good. */
    close() {
      closed = true;
      listen(false);
      clearTimeout(timer);
      close();
    },
    /** Shows another page. */
    use(other) {
      listen(false);
      session = other;
      listen(true);
      render();
    },
  };
}

// For the playground (www/playground.js).
export { tokens } from './make.js';
export { isQuiet, told } from './tools.js';
