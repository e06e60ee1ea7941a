// The tools: what an agent is told, a form, and the answer that it gets.
import { fieldsOf, InputError } from './form.js';
import { count, milliseconds, tokens } from './make.js';

/** Characters of an answer that are shown; a site's own tool may answer with megabytes. */
const MAX_SHOWN = 100_000;

const KINDS = { read: 'reads', page: 'reads the page', action: 'asks a site', control: 'acts', custom: "the site's own" };

/** What an agent reads before it calls anything, as JSON. */
export const told = ({ name, title, description, inputSchema, annotations }) => JSON.stringify({ name, title, description, inputSchema, annotations });

/** The tool can be run by itself: it changes nothing, asks nobody and needs no input. */
export const isQuiet = (tool) => tool.annotations?.readOnlyHint && ['read', 'page'].includes(tool.source?.kind) && !tool.inputSchema?.required?.length;

/**
 * @param {object} o
 * @param {Function} o.make
 * @param {(words: string) => void} o.say tells a screen reader
 * @param {boolean} [o.answers] show answers without being asked, where that changes nothing
 */
export function toolsView({ make, say, answers }) {
  /** A tool that did not change keeps its element, and what was typed into it. */
  let shown = new Map();
  let number = 0;
  const list = make('ul', { class: 'plain' });
  const note = make('p', { class: 'note' });
  const element = make('div', {}, note, list);

  function show(handle) {
    const tools = handle.tools();
    const old = shown;
    shown = new Map();
    let cost = 0;
    for (const tool of tools) {
      const definition = told(tool);
      cost += tokens(definition);
      const known = old.get(tool.name);
      const entry = known?.definition === definition ? known : { definition, ...toolItem(tool, definition) };
      entry.tool = tool;
      entry.current(tool);
      shown.set(tool.name, entry);
    }
    note.textContent = tools.length
      ? `${count(tools.length, 'tool')}. Listing them costs an agent about ${count(cost, 'token')}.`
      : 'This page offers no tools. The diagnostics say why.';
    const items = [...shown.values()].map((entry) => entry.item);
    // Moving an element would take the focus away from it.
    if (items.length !== list.children.length || items.some((item, at) => item !== list.children[at])) list.replaceChildren(...items);
    return { tools: tools.length, cost };
  }

  function toolItem(first, definition) {
    let tool = first;
    let built = false;
    const id = `tool-${(number += 1)}`;
    const details = make('details', { toggle: () => details.open && build() },
      make('summary', {},
        make('code', { class: 'name' }, first.name),
        make('span', { class: 'tag' }, KINDS[first.source?.kind] ?? 'tool'),
        make('span', { class: 'cost' }, `~${count(tokens(definition), 'token')}`)));
    const item = make('li', {}, details);
    let run = () => {};
    function build() {
      if (built) return;
      built = true;
      const { fields, input } = fieldsOf(make, first.inputSchema, id);
      const button = make('button', { type: 'submit', class: 'primary' }, 'Run');
      const cancel = make('button', { type: 'button', hidden: true, click: () => controller?.abort() }, 'Cancel');
      // Not `disabled`, which would take the focus, and with it the keys, from who pressed it.
      const working = (on) => {
        button.setAttribute('aria-disabled', String(on));
        if (!on && cancel.matches(':focus')) button.focus();
        cancel.hidden = !on;
      };
      const indent = make('input', { type: 'checkbox', id: `${id}-indent`, change: () => print() });
      const figures = make('p', { class: 'note' });
      const text = make('pre', { tabindex: '0', role: 'group', 'aria-label': `Answer of ${first.name}`, dir: 'auto' });
      const answer = make('div', { class: 'answer', hidden: true },
        figures, make('span', { class: 'choice' }, indent, make('label', { for: `${id}-indent` }, 'Indent')), text);
      let controller;
      let last;
      function print() {
        let words;
        try {
          words = JSON.stringify(last, null, indent.checked ? 2 : undefined) ?? String(last);
        } catch (error) {
          words = `This answer is no JSON: ${error.message}`;
        }
        text.textContent = words.length > MAX_SHOWN ? `${words.slice(0, MAX_SHOWN)}… (${count(words.length - MAX_SHOWN, 'character')} more)` : words;
      }
      run = async (asked) => {
        let given;
        try {
          given = input();
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          answer.hidden = false;
          figures.textContent = error.message;
          text.textContent = '';
          say(error.message);
          return;
        }
        controller = new AbortController();
        working(true);
        const before = performance.now();
        last = await tool.execute(given, { signal: controller.signal });
        const ms = performance.now() - before;
        working(false);
        print();
        const sent = JSON.stringify(last) ?? '';
        const failed = last?.error ? `Refused (${last.error.code})` : 'Answered';
        answer.hidden = false;
        answer.classList.toggle('failed', !!last?.error);
        figures.textContent = `${failed} in ${milliseconds(ms)}: ${count(sent.length, 'character')}, about ${count(tokens(sent), 'token')}. This is what an agent gets:`;
        if (asked) say(`${first.name}: ${figures.textContent}`);
      };
      details.append(
        make('p', {}, make('strong', {}, first.title ?? first.name), '. ', first.description ?? ''),
        make('p', { class: 'note' }, hints(first).join(' ')),
        make('form', { novalidate: true, submit: (event) => {
          event.preventDefault();
          if (cancel.hidden) void run(true);
        } }, ...fields, make('div', { class: 'buttons' }, button, cancel)),
        answer,
      );
    }
    const current = (now) => {
      const again = answers && isQuiet(now) && now !== tool;
      tool = now;
      if (again && built) void run();
    };
    if (answers && isQuiet(first)) {
      details.open = true;
      build();
      void run();
    }
    return { item, current };
  }

  return { element, show };
}

/** What the annotations say, in sentences. */
function hints({ annotations = {}, source = {} }) {
  return [
    annotations.readOnlyHint ? 'It changes nothing.' : 'It may change something.',
    annotations.untrustedContentHint && 'Its answer was written by the page: data, not instructions.',
    (annotations.consequentialHint || source.confirm) && 'The person is asked first.',
    source.danger && 'It may cost something or cannot be undone.',
  ].filter(Boolean);
}
