// What lies in scripts of its own beside this one (toolmark.wasm.js, toolmark.calls.js), so that a page loads it only when it
// is needed. Each leaves `{id, …}` under a symbol of its name, and is a classic script: one of another origin needs no
// leave of that origin then, as the tag itself needs none.

import { parsed } from './parsed.js';

/**
 * Where a script came from, and how.
 * @typedef {{src?: string, nonce?: string, integrity?: string, crossOrigin?: string | null, element?: Element}} Tag
 */

const any = (name) => globalThis[Symbol.for(`toolmark.${name}`)];

/** Scripts on their way: calls that come at once share one. */
const coming = {};

/** What such a script has left here, if it is of this very build; a page may have loaded it itself. */
export function left(name) {
  const found = any(name);
  return found?.id === __BUILD__ ? found : undefined;
}

/** The address of a script beside the tag's, of one build: a cache may have kept another. */
function addressOf(file, tag, build = __BUILD__) {
  const url = new URL(file, tag.src);
  url.search = build;
  return url.href;
}

/**
 * Loads such a script, once.
 * @param {'wasm' | 'calls'} name
 * @param {Tag} [tag]
 * @returns {Promise<object>} what it left; rejects with an Error that says what to do, with `build` if it is of that one
 */
export async function neighbour(name, tag) {
  const file = `toolmark.${name}.js`;
  const way = 'or use toolmark.all.js, which needs no other file.';
  if (!left(name)) {
    try {
      const src = addressOf(file, tag);
      // A worker needs neither the page's document nor leave to connect.
      if (globalThis.document) await (coming[name] ??= ran(name, src, tag).finally(() => delete coming[name]));
      else globalThis.importScripts(src);
      if (!any(name)) throw new Error('another file came in its place');
    } catch (error) {
      const why = tag?.src ? error?.message ?? error : 'this script does not know its own address';
      throw new Error(`${file} could not be loaded: ${why}. Serve it beside toolmark.js, from where the page's script-src lets scripts come, ${way}`);
    }
  }
  const found = left(name);
  if (!found) {
    const error = new Error(`${file} is not of the same build as toolmark.js. Replace both at once, ${way}`);
    throw Object.assign(error, { build: any(name)?.id });
  }
  return found;
}

/** Runs such a script in a page. */
async function ran(name, src, tag) {
  if (tag.integrity) return inserted(src, { ...tag, integrity: __INTEGRITY__[name] });
  const own = src.startsWith(`${globalThis.origin}/`);
  const element = async () => {
    // Servers send a page for what they lack: run as a script it would be an error of this page's.
    const kind = own ? await fetch(src).then(({ headers }) => headers.get('content-type'), () => '') : '';
    if (/html/.test(kind)) throw new Error('another file came in its place');
    await inserted(src, tag);
  };
  // Many browsers take no import map after an import.
  await parsed(document);
  // Another origin may give no leave to import, and Trusted Types take no text as an element's address.
  const ways = [() => import(src), element];
  if (!own && !tag.crossOrigin) ways.reverse();
  return ways[0]().catch(ways[1]);
}

/** The same by an element like the tag, of which the page keeps no trace. */
async function inserted(src, { nonce, integrity, crossOrigin }, data) {
  const script = document.createElement('script');
  for (const [key, value] of Object.entries({ charset: 'utf-8', nonce, integrity, crossOrigin, src })) if (value) script[key] = value;
  Object.assign(script.dataset, data);
  await new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error('the console says why'));
    (document.head ?? document.documentElement).append(script);
  }).finally(() => script.remove());
}

/** Runs the tag's script once more, as it is in another build; nothing where that is what ran, or may not. */
export function another(build, { element, integrity, src, ...tag }) {
  // Not a clone: one of a script that ran does not run. Nor what the page does when it is there.
  return !element || integrity || /\?\w{16}$/.test(src) ? undefined : inserted(addressOf(src, { src }, build), tag, element.dataset);
}

/** The source of `text` of such a script, which the page's thread waits for; nothing where it cannot be had. */
export function textNow(name, tag) {
  try {
    const request = new XMLHttpRequest();
    request.open('GET', addressOf(`toolmark.${name}.js`, tag), false);
    request.overrideMimeType('text/javascript; charset=utf-8');
    request.send();
    const source = request.responseText;
    return source.includes(__BUILD__) ? source.slice(source.indexOf('text')) : undefined;
  } catch {
    return undefined;
  }
}
