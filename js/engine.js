// The compiled half behind one asynchronous function. It runs in a worker where the page lets it have one, so that the
// page's own thread only looks at the page and registers tools; else, and if that worker ends, in this thread.
import { adopt, bring, forbidden, held, hold, inlined, instance, load, module, renew, whole } from './load.js';
import { quiet } from './quiet.js';

/** A worker that does not answer within these milliseconds is given up: the same work is done here. */
const WORKER_MS = 5000;
/** One that leaves a message without an answer for so long has ended; the largest pages take seconds, and so do networks. */
const ANSWER_MS = 60_000;

/** The page's own file under our name: it may be fetched once more as a worker, where another one would run as such. */
const OURS = /\/toolmark(\.all)?([.-][\da-f.]+|\.min)*\.js$/;

/** Does what it is asked with one adapter: `open` makes it, all else are its methods. */
function createHost() {
  let adapter;
  let home;
  return async (method, ...input) => {
    // Are you there?
    if (__BESIDE__ && !method) return undefined;
    if (method !== 'open') {
      if (home !== instance) throw new Error('it is gone');
      return adapter[method](...input);
    }
    const [options, { wasm, tag, broken, code, encoding } = {}, blocked] = input;
    if (__SCRIPT__) hold(code, encoding);
    const rust = await load(wasm, tag, blocked);
    // After a trap nothing in the old instance can be trusted; another document may have seen to that.
    if (broken === instance) renew();
    home = instance;
    adapter = new rust.Adapter(options);
    return { plan: adapter.plan(), slow: rust.slow, version: __BESIDE__ ? __BUILD__ : __VERSION__, home };
  };
}

/** Sends an answer; with the first one, the compiled code, so that the page's thread has it for what it is asked at once. */
function post(reply, first) {
  try {
    globalThis.postMessage(first ? [...reply, undefined, module] : reply);
  } catch {
    // A browser that lets no code go to another thread.
    globalThis.postMessage(reply);
  }
}

/** The worker's side: answers each message `[id, method, …]` with `[id, result, error]`, in their order. */
export function serve() {
  const host = createHost();
  globalThis.onmessage = async ({ data: [id, ...message] }) => {
    let reply;
    try {
      reply = [id, await host(...message)];
    } catch ({ code, message: text }) {
      reply = [id, undefined, { code, message: text }];
    }
    if (__BESIDE__) post(reply, message[0] === 'open' && reply.length < 3);
    else globalThis.postMessage(reply);
  };
}

/**
 * An adapter for a page.
 * @param {string} options as src/options.rs reads them
 * @param {object} o
 * @param {string | URL} [o.wasm] where the wasm is, for builds that fetch it
 * @param {import('./neighbour.js').Tag} [o.tag] this script's
 * @param {boolean} [o.worker] a worker may be asked for
 * @param {number} [o.broken] the instance that broke, if it was one of this thread
 * @returns {Promise<{plan: object, slow?: string, remote?: boolean, ask: (method: string, ...input: unknown[]) => Promise<unknown>, close: () => void}>}
 *   `ask` calls a method of the adapter, one after the other; it rejects where that fails, and then nothing of this
 *   engine can be used any more. Rejects with a LoadError
 */
export async function connect(options, o) {
  let blocked;
  if (__SCRIPT__ && o.worker && typeof WebAssembly === 'object') {
    try {
      // A worker of the page's own origin may have another policy; what the page says holds. Each try is a line in the console.
      blocked = forbidden();
      if (!blocked) {
        // A worker loads it without the page's thread, and cannot check that it is what the tag's author meant.
        if (__BESIDE__ && o.tag.integrity && !o.wasm) await bring(o.tag);
        return await remote(options, o);
      }
    } catch (error) {
      if (error?.code === 'wasm-blocked') blocked = error;
    }
  }
  const ask = createHost();
  return { ...(await ask('open', options, o, blocked)), ask, close: () => void ask('free').catch(() => {}) };
}

function remote(options, { wasm, tag: { src } }) {
  return new Promise((resolve, reject) => {
    // A page's policy that lets the script in lets it in as a worker too; one of text of our own it may forbid. A page
    // that is isolated wants headers of both.
    const fetched = !globalThis.crossOriginIsolated && src && OURS.test(new URL(src).pathname) && new URL(src).origin === globalThis.origin;
    const worker = fetched ? new Worker(src) : spawn();
    const waiting = {};
    let count = 0;
    let ended;
    const ask = (...message) => new Promise((answer, refuse) => {
      if (ended) throw ended;
      count += 1;
      waiting[count] = [answer, refuse, setTimeout(close, message[0] === (__BESIDE__ ? undefined : 'open') ? WORKER_MS : ANSWER_MS)];
      worker.postMessage([count, ...message]);
    });
    const forget = quiet((timer) => clearTimeout(timer));
    const close = quiet((error = new Error('it ended')) => {
      ended = error;
      reject(error);
      for (const [, refuse, timer] of Object.values(waiting)) {
        forget(timer);
        refuse(error);
      }
      worker.terminate();
    });
    worker.onmessage = quiet(({ data: [id, result, error, compiled] }) => {
      if (__BESIDE__) adopt(compiled);
      const [answer, refuse, timer] = waiting[id];
      forget(timer);
      delete waiting[id];
      if (error) refuse(Object.assign(new Error(error.message), error));
      else answer(result);
    });
    worker.onerror = quiet((event) => {
      close();
      event.preventDefault();
    });
    // What it loads may take longer than a worker takes to be there.
    if (__BESIDE__) ask().catch(close);
    ask('open', options, { ...(__BESIDE__ && { wasm: wasm && new URL(wasm, document.baseURI).href, tag: { src } }), code: held() && !(fetched && whole) ? `${inlined}` : '', encoding: globalThis.document?.characterSet }).then((first) => {
      if (first.version === (__BESIDE__ ? __BUILD__ : __VERSION__)) resolve({ ...first, home: undefined, remote: true, ask, close });
      else close();
    }, close);
  });
}

/** A worker that runs this very script, all but the wasm: a text so long is not made twice in the page's thread. */
function spawn() {
  const url = URL.createObjectURL(new Blob([`"use strict";(${TOOLMARK})()`], { type: 'text/javascript' }));
  try {
    return new Worker(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}
