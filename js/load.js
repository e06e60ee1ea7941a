// Where the compiled half comes from: a script beside this one, inside this one (toolmark.all.js), or `data-wasm`; and
// where a page's policy forbids WebAssembly, the same as JavaScript, from toolmark.nowasm.js.
import { Adapter, initSync, read, reset } from 'toolmark:glue';
import beside from 'toolmark:beside';
import { left, neighbour, textNow } from './neighbour.js';
import { unpack } from './packing/unpack.js';
import wasmOfScript from 'toolmark:wasm';

/** Why there is no Rust in this page, with what to do about it. */
export class LoadError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Where toolmark.nowasm.js leaves what it holds. */
const NOWASM = Symbol.for('toolmark.nowasm');

let loading;
/** The compiled code; another thread may have compiled it (`adopt`). */
export let module;
/** There is an instance of it in this thread. */
let begun = false;

/** This script holds the wasm itself. */
export const whole = !!wasmOfScript;

/** Gives the wasm as text (see `bytes`), once this thread has it. A worker made of this script's text is told it. */
export let inlined = wasmOfScript;

const ESCAPES = { 0: '\0', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** What the page's scripts are read as where nobody says otherwise. */
let encoding = globalThis.document?.characterSet;

/**
 * For a worker that was made of this script's text: what that text lacks.
 * @param {string} [source] the text of that function, as another thread has it: there nobody needs to run it. A site's own
 *   minifier may have written the literal in another way
 * @param {string} [characterSet] the encoding of the document there
 */
export function hold(source, characterSet) {
  encoding ??= characterSet;
  const quote = source?.match(/["'`]/)?.[0];
  const text = () => source.slice(source.indexOf(quote) + 1, source.lastIndexOf(quote));
  const meant = (_, x, u, code) => (code ? ESCAPES[code] ?? code : String.fromCharCode(parseInt(x ?? u, 16)));
  if (quote) inlined ??= () => text().replace(/\\(?:x(..)|u(....)|([^]))/g, meant);
}

/** Code that another thread has compiled, for `loadNow`. */
export const adopt = (compiled) => {
  module ??= compiled;
};

/**
 * The text of the wasm, from toolmark.wasm.js beside this script, if this script does not hold it.
 * @param {import('./neighbour.js').Tag} [tag] where this script came from
 * @returns {Promise<void>} rejects with a LoadError
 */
export async function bring(tag) {
  if (__BESIDE__ && !held()) {
    try {
      ({ text: inlined } = await neighbour('wasm', tag));
    } catch (error) {
      throw Object.assign(new LoadError('wasm-missing', error.message), { build: error.build });
    }
  }
}

/** The text is here. */
export const held = () => (inlined ??= __BESIDE__ ? left('wasm')?.text : undefined);

/**
 * The compiled half, ready.
 * @param {string | URL} [wasm] where it is, for builds that fetch it
 * @param {import('./neighbour.js').Tag} [tag] this script's
 * @param {LoadError} [blocked] what is known already to forbid WebAssembly
 * @returns {Promise<{Adapter: typeof Adapter, read: typeof read}>} rejects with a LoadError
 */
export function load(wasm, tag, blocked) {
  loading ??= (blocked ? Promise.reject(blocked) : instantiate(wasm, tag))
    .then(() => ({ Adapter, read }))
    .catch((error) => (error.code === 'wasm-blocked' && (!__SCRIPT__ || globalThis.document) ? translated(error, tag) : Promise.reject(error)));
  loading.catch(() => (loading = undefined));
  return loading;
}

/** Why the page's policy lets no WebAssembly run, if it does not; asked with the smallest module there is. */
export function forbidden() {
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  } catch {
    return new LoadError('wasm-blocked', "The page's Content-Security-Policy forbids WebAssembly. Add 'wasm-unsafe-eval' to its script-src (or default-src, if that allows scripts).");
  }
  return undefined;
}

/**
 * The compiled half at once: it is there already, lies in this script, or is waited for.
 * @param {import('./neighbour.js').Tag} [tag] this script's
 * @returns {{Adapter: typeof Adapter, read: typeof read}} throws a LoadError
 */
export function loadNow(tag) {
  if (begun) return { Adapter, read };
  const other = inPlace();
  if (other) return other;
  if (__SCRIPT__) {
    const blocked = forbidden();
    if (blocked) throw blocked;
    if (__BESIDE__ && !module && !held()) hold(textNow('wasm', tag));
    if (module || inlined) {
      begin(module ?? new WebAssembly.Module(bytes()));
      return { Adapter, read };
    }
  }
  throw new LoadError('not-ready', `Toolmark is not loaded yet: await ${__SCRIPT__ ? 'toolmark.ready' : 'start()'} first.`);
}

function begin(compiled) {
  initSync({ module: compiled });
  module = compiled;
  begun = true;
}

/** Which instance of the code this is. */
export let instance = 0;

/** A new instance of the same code: after a trap nothing in the old one can be trusted. */
export function renew() {
  instance += 1;
  if (begun) reset(module);
  else inPlace()?.reset();
}

/** What toolmark.nowasm.js holds, once it ran; one of another version is none. */
function inPlace() {
  const found = globalThis[NOWASM];
  return found?.version === __VERSION__ ? found : undefined;
}

/** The same code as JavaScript, for pages that forbid WebAssembly. */
async function translated(blocked, tag) {
  let why = '';
  if (!inPlace()) {
    try {
      await beside('nowasm', tag?.src);
    } catch (error) {
      why = ` It could not be loaded now: ${error?.message ?? error}.`;
    }
  }
  const found = inPlace();
  if (found) return { ...found, slow: blocked.message };
  throw new LoadError(blocked.code, `${blocked.message} Or put toolmark.nowasm.js of version ${__VERSION__} beside the script: slower, but it needs no WebAssembly.${why}`);
}

async function instantiate(wasm, tag) {
  if (typeof WebAssembly !== 'object') {
    throw new LoadError('wasm-blocked', 'This browser has no WebAssembly (it may be in a lockdown mode), so this page has no tools.');
  }
  const blocked = forbidden();
  if (blocked) throw blocked;
  try {
    if (__BESIDE__ && !wasm) await bring(tag);
    const source = __SCRIPT__ && !wasm ? bytes() : await fetched(wasm || new URL('toolmark_bg.wasm', import.meta.url));
    const compiled = await WebAssembly.compile(source);
    if (!begun) begin(compiled);
  } catch (error) {
    throw error instanceof LoadError ? error : new LoadError('wasm-failed', `The compiled half of Toolmark could not be started: ${error.message ?? error}.`);
  }
}

async function fetched(url) {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await response.arrayBuffer();
  } catch (error) {
    throw new LoadError('wasm-failed', `${url} could not be fetched (${error.message ?? error}). Serve toolmark_bg.wasm beside the script or name it in data-wasm; from another origin it needs Access-Control-Allow-Origin, and connect-src must allow it.`);
  }
}

/** The code of the text. Its first character shows how the script was decoded. */
function bytes() {
  const text = inlined();
  return unpack((text.charCodeAt(0) === 0xff ? text : repaired(text)).slice(1));
}

/** The script was read in the page's own single-byte encoding: back to bytes, and read as what it is. */
function repaired(text) {
  const table = new Map();
  const all = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, i) => i));
  for (let i = 0; i < 256; i += 1) table.set(all.charCodeAt(i), i);
  const raw = new Uint8Array(text.length);
  for (let i = 0; i < raw.length; i += 1) raw[i] = table.get(text.charCodeAt(i)) ?? 0x3f;
  const back = new TextDecoder().decode(raw);
  if (back.charCodeAt(0) !== 0xff || text.includes('\ufffd')) {
    throw new LoadError('wasm-failed', `The script was read as ${encoding}. Add charset="utf-8" to the script tag, or send it as text/javascript; charset=utf-8.`);
  }
  return back;
}
