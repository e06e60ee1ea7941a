// Asks the person before something that matters: a dialog of ours, out of the page's reach as far as a page allows.

import { now, quiet } from './quiet.js';

/** Milliseconds without an answer that mean no. */
const PATIENCE_MS = 60_000;
/** Presses this soon after the dialog appeared were meant for something else. */
const HASTE_MS = 400;

const STYLE = {
  dialog: 'all:initial;display:block;position:fixed;inset:0;margin:auto;box-sizing:border-box;width:min(28rem,calc(100vw - 2rem));height:fit-content;max-height:calc(100vh - 2rem);overflow:auto;padding:1.25rem;border:1px solid #767676;border-radius:12px;background:#fff;color:#1a1a1a;font:16px/1.45 system-ui,sans-serif;box-shadow:0 12px 48px #0006;color-scheme:light',
  heading: 'all:initial;display:block;font:600 18px/1.3 system-ui,sans-serif;color:#1a1a1a;margin:0 0 .5rem',
  text: 'all:initial;display:block;font:inherit;color:inherit;margin:0 0 .75rem;white-space:pre-line;overflow-wrap:anywhere',
  small: 'all:initial;display:block;font:14px/1.4 system-ui,sans-serif;color:#555;margin:0 0 .75rem;overflow-wrap:anywhere',
  danger: 'all:initial;display:block;font:600 14px/1.4 system-ui,sans-serif;color:#a4000f;margin:0 0 .75rem',
  list: 'all:initial;display:grid;grid-template-columns:auto 1fr;gap:.25rem .75rem;font:14px/1.4 system-ui,sans-serif;color:#1a1a1a;margin:0 0 1rem;padding:.75rem;background:#f3f3f3;border-radius:8px;overflow-wrap:anywhere',
  name: 'all:initial;font:inherit;color:#555',
  value: 'all:initial;font:inherit;color:inherit;font-weight:600;margin:0;white-space:pre-line;overflow-wrap:anywhere',
  buttons: 'all:initial;display:flex;gap:.5rem;justify-content:flex-end',
  button: 'all:revert;font:600 16px/1 system-ui,sans-serif;padding:.7rem 1.1rem;border-radius:8px;border:1px solid #767676;background:#fff;color:#1a1a1a;cursor:pointer',
  yes: 'background:#1a1a1a;color:#fff;border-color:#1a1a1a',
};

/**
 * Asks the person.
 * @param {Document} document
 * @param {object} o
 * @param {string} o.title what will be done, in a few words
 * @param {string} [o.text] the site's own question
 * @param {boolean} [o.danger]
 * @param {[string, string][]} [o.values] names and values of what the agent passes
 * @param {AbortSignal} [o.signal] the call was given up
 * @returns {Promise<boolean>} the person said yes: by a trusted press or key, nothing else; Escape, a minute's silence
 *   and a page that takes the dialog away are a no
 */
export function confirm(document, { title, text, danger, values = [], signal }) {
  const view = document.defaultView;
  const host = document.createElement('div');
  host.style.cssText = 'all:initial';
  host.setAttribute('data-toolmark-dialog', '');
  const shadow = host.attachShadow({ mode: 'closed' });
  const make = (name, style, words) => {
    const element = document.createElement(name);
    element.style.cssText = STYLE[style] ?? style;
    if (words !== undefined) element.textContent = words;
    return element;
  };
  const dialog = make('dialog', 'dialog');
  const heading = make('h2', 'heading', 'An agent asks for your consent');
  heading.id = 'heading';
  const question = make('p', 'text', text || `Let it do this: ${title}?`);
  question.id = 'question';
  dialog.setAttribute('aria-labelledby', 'heading');
  dialog.setAttribute('aria-describedby', 'question');
  dialog.lang = 'en';
  dialog.append(heading, question);
  if (danger) dialog.append(make('p', 'danger', 'This may cost something or cannot be undone.'));
  dialog.append(make('p', 'small', `Tool: ${title}. Page: ${view.location.host || 'this file'}.`));
  if (values.length) {
    const list = make('dl', 'list');
    for (const [name, value] of values) list.append(make('dt', 'name', name), make('dd', 'value', value));
    dialog.append(list);
  }
  const no = make('button', 'button', 'Do not allow');
  const yes = make('button', `${STYLE.button};${STYLE.yes}`, 'Allow');
  no.type = 'button';
  yes.type = 'button';
  const buttons = make('div', 'buttons');
  buttons.append(no, yes);
  dialog.append(buttons);
  shadow.append(dialog);
  (document.body ?? document.documentElement).append(host);
  const focused = document.activeElement;

  return new Promise((resolve) => {
    const opened = now();
    let timer;
    let guard;
    let over = false;
    const done = quiet((answer) => {
      if (over) return;
      over = true;
      resolve(answer);
      view.clearTimeout(timer);
      view.clearInterval(guard);
      signal?.removeEventListener('abort', decline);
      if (dialog.open) dialog.close();
      host.remove();
      focused?.focus?.({ preventScroll: true });
    });
    const decline = () => done(false);
    yes.addEventListener('click', (event) => {
      if (event.isTrusted && now() - opened >= HASTE_MS) done(true);
    });
    // Declining needs no proof: whoever closes the dialog, nothing happens.
    no.addEventListener('click', decline);
    dialog.addEventListener('cancel', decline);
    dialog.addEventListener('close', decline);
    // What happens in the dialog is not the page's business.
    for (const type of ['click', 'keydown', 'keyup', 'keypress', 'pointerdown', 'mousedown']) dialog.addEventListener(type, (event) => event.stopPropagation());
    signal?.addEventListener('abort', decline, { once: true });
    timer = view.setTimeout(decline, PATIENCE_MS);
    guard = view.setInterval(quiet(() => {
      if (!host.isConnected || !dialog.open) decline();
    }, decline), 250);
    try {
      dialog.showModal();
      no.focus();
    } catch {
      decline();
    }
    if (signal?.aborted) decline();
  });
}
