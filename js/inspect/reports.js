// Diagnostics, calls, and what the inspector knows of how all this works here.
import { count, milliseconds, tokens } from './make.js';
import { told } from './tools.js';

const LEVELS = { info: 'Note', warn: 'Warning', error: 'Error' };

export function diagnosticsView({ make }) {
  const element = make('div', {});
  return { element, show(handle) {
    const all = handle.diagnostics();
    if (!all.length) return void element.replaceChildren(make('p', {}, 'Nothing was lost, repaired or left out.'));
    element.replaceChildren(make('ul', { class: 'plain' }, ...all.map(({ level, code, message }) =>
      make('li', {}, make('span', { class: `level ${level}` }, `${LEVELS[level] ?? level}: `), make('bdi', {}, message), ' ', make('code', { class: 'note' }, code)))));
  } };
}

export function callsView({ make }) {
  const element = make('div', {});
  return { element, show(handle) {
    const calls = handle.calls().reverse();
    if (!calls.length) return void element.replaceChildren(make('p', {}, 'No tool was called yet. Run one, or let an agent do it.'));
    const head = ['Tool', 'At', 'Took', 'Result'].map((words) => make('th', { scope: 'col' }, words));
    const rows = calls.map(({ tool, at, ms, ok, bytes, error }) => make('tr', {},
      make('td', {}, make('code', {}, tool)), make('td', {}, new Date(at).toLocaleTimeString()), make('td', {}, milliseconds(ms)),
      make('td', {}, ok ? count(bytes, 'character') : make('span', { class: 'error' }, error))));
    element.replaceChildren(make('table', {}, make('caption', {}, 'Newest first. What was passed is not kept.'),
      make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows)));
  } };
}

/** What the surface means for the reader. */
function surfaceOf(session) {
  const context = session.surface();
  if (!context) return 'None: no agent can see the tools. The diagnostics say why.';
  if (session.polyfill) return "Toolmark's own, because this browser has no WebMCP (or has it switched off). A relay or an extension that reads the page's own scripts can see the tools; see docs/transport.md.";
  if (/\[native code\]/.test(Function.prototype.toString.call(context.registerTool))) return "The browser's own WebMCP: agents and extensions of this browser can see the tools.";
  return "Another script's: the page had a modelContext before Toolmark came.";
}

/** Signs of a relay or bridge in the page. */
function relayOf(document, relay) {
  const seen = [...document.querySelectorAll('script[src*="relay" i],iframe[src*="relay" i],script[src*="webmcp" i],iframe[src*="webmcp" i]')].map((one) => one.src);
  if (relay) seen.unshift(relay);
  return seen.length ? `Seen: ${seen[0]}` : 'None seen in this page. Extensions and companions are not visible from here.';
}

export function aboutView({ make, view, session }) {
  const list = make('dl', {});
  const element = make('div', {}, list);
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  /** What was loaded, as the browser counts it; of other origins it may not say. */
  const loaded = () => view.performance.getEntriesByType('resource')
    // The worker's copy came from the cache.
    .filter(({ name }, at, all) => /\/toolmark(_bg|\.inspect)?\.(m?js|wasm)(\?|$)/.test(name) && all.findIndex((other) => other.name === name) === at)
    .map(({ name, encodedBodySize, decodedBodySize, duration }) => {
      const size = decodedBodySize ? `${kilobytes(encodedBodySize)} on the wire, ${kilobytes(decodedBodySize)} unpacked, ` : '';
      return `${name.split('/').pop()}: ${size}${milliseconds(duration)}`;
    });
  return { element, show(handle) {
    const now = session();
    const tools = handle.tools();
    const rows = [
      ['Version', __VERSION__],
      ['Surface', surfaceOf(now)],
      ['Relay', relayOf(now.document, now.options.relay)],
      ['Tools', `${tools.length}, about ${count(tools.reduce((sum, tool) => sum + tokens(told(tool)), 0), 'token')} to list`],
      ['Entities', String(handle.entities().length)],
      ['Last look', now.ms === undefined ? 'not yet' : milliseconds(now.ms)],
      ['Loaded', loaded().join('; ') || 'nothing that the browser tells of'],
      ['Page', now.document.URL],
    ];
    list.replaceChildren(...rows.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, make('bdi', {}, value))]));
  } };
}
