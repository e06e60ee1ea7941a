// Calls that act: one at a time, each once per request id, each within its time.

import { quiet } from './quiet.js';

/** Milliseconds that a call may take unless it says otherwise. */
const TIMEOUT_MS = 30_000;
/** Calls that may wait; an agent that asks faster is told so. */
const MAX_WAITING = 20;
/** Results that are kept for a repeated call, and the milliseconds they are kept. */
const MAX_KEPT = 200;
const KEEP_MS = 600_000;

/** An error result (see the codes in README). */
export const failure = (code, message, hint, more) => ({ error: { code, message, ...(hint && { hint }), ...more } });

const keyOf = (tool, requestId) => JSON.stringify([tool, requestId]);

const broken = (error, { begun }) => failure('internal', `The tool failed: ${error?.message ?? error}`, undefined, { begun });

/** What the caller is told when a call ends before its work does. */
const ended = (code, message, begun) =>
  failure(code, `${message} ${begun ? 'The action was begun and may still take effect.' : 'Nothing was done.'}`, begun ? 'Look at the page before you try again.' : undefined, { begun });

/**
 * A job is done like this: `prepare` (may ask the person; takes as long as that takes; a result with `error` ends the
 * call), then `act` within `timeout`. `act` is given `{signal, begin, release}`: it calls `begin` before it touches
 * anything, stops where it stands when the signal aborts, and calls `release` if it only waits from then on.
 */
export function createSerial({ now = () => Date.now(), setTimer = (f, ms) => setTimeout(f, ms), clearTimer = (t) => clearTimeout(t) } = {}) {
  /** `tool request_id` → {input, result, at} */
  const kept = new Map();
  const stopper = new AbortController();
  let tail = Promise.resolve();
  let waiting = 0;

  /** The first result for this request id, or why there can be none. */
  function known(tool, requestId, input) {
    for (const [other, { at, done }] of kept) {
      if (done && at + KEEP_MS <= now()) kept.delete(other);
    }
    const entry = kept.get(keyOf(tool, requestId));
    if (entry && entry.input !== input) {
      return Promise.resolve(failure('invalid_parameter', "This 'request_id' was used before with other input.", 'Use a new one for a new action.'));
    }
    return entry?.result;
  }

  /**
   * Runs a job.
   * @param {object} job
   * @param {string} job.tool its name
   * @param {string} [job.requestId]
   * @param {string} [job.input] as text, to tell a repeated call from another one
   * @param {boolean} [job.parallel] it only reads: it neither waits nor is waited for
   * @param {() => Promise<object | undefined>} [job.prepare]
   * @param {(o: {signal: AbortSignal, begin: () => void, release: () => void}) => Promise<object>} job.act
   * @param {number | (() => number)} [job.timeout] milliseconds
   * @param {AbortSignal} [signal] the caller's
   * @returns {Promise<object>} the answer or an error result; never rejects
   */
  function run(job, signal) {
    const { tool, requestId, input = '' } = job;
    const key = requestId === undefined ? undefined : keyOf(tool, requestId);
    const first = key && known(tool, requestId, input);
    if (first) return first;
    if (!job.parallel && waiting >= MAX_WAITING) {
      return Promise.resolve(failure('busy', `${MAX_WAITING} calls are waiting for this page already.`, 'Wait for their answers, then ask again.'));
    }
    const progress = { begun: false };
    const result = job.parallel ? work(job, signal, progress) : inTurn(job, signal, progress);
    if (key) {
      const entry = { input, result, at: now(), done: false };
      kept.set(key, entry);
      void result.then((answer) => {
        entry.done = true;
        entry.at = now();
        // What was refused before anything happened may be tried again; what the person refused may not.
        const again = answer.error && !progress.begun && answer.error.code !== 'confirmation_declined';
        if (again && kept.get(key) === entry) kept.delete(key);
      });
      for (const [other, { done }] of kept) {
        if (kept.size <= MAX_KEPT) break;
        if (done) kept.delete(other);
      }
    }
    return result;
  }

  /** Waits for its turn, but not longer than a call may take. */
  function inTurn(job, signal, progress) {
    waiting += 1;
    const before = tail;
    let left = false;
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const done = limited(() => before, { limit: TIMEOUT_MS, signal, progress }).catch((error) => broken(error, progress)).then((early) => {
      waiting -= 1;
      left = early !== undefined;
      return left ? early : work(job, signal, progress, release);
    });
    // Who gave up waiting must not let the next one pass those still before it.
    tail = Promise.race([done, released]).then(() => (left ? before : undefined));
    return done;
  }

  async function work(job, signal, progress, release = () => {}) {
    let controller;
    const { timeout } = job;
    try {
      if (stopper.signal.aborted) return ended('cancelled', 'This page no longer offers tools.', false);
      controller = new AbortController();
      const early = await limited(async () => job.prepare?.({ signal: controller.signal }), { signal, controller, progress });
      if (early) return early;
      const begin = () => {
        progress.begun = true;
      };
      const limit = (typeof timeout === 'function' ? timeout() : timeout) || TIMEOUT_MS;
      return await limited(() => job.act({ signal: controller.signal, begin, release }), { limit, signal, controller, progress });
    } catch (error) {
      return broken(error, progress);
    } finally {
      quiet(() => controller.abort())();
    }
  }

  /** What `run` comes to, unless the time is up or somebody calls it off before. */
  function limited(run, { limit, signal, controller, progress }) {
    return new Promise((resolve, reject) => {
      let timer;
      const finish = quiet((settle, value) => {
        settle(value);
        clearTimer(timer);
        signal?.removeEventListener('abort', cancel);
        stopper.signal.removeEventListener('abort', cancel);
      });
      const end = quiet((code, message) => {
        finish(resolve, ended(code, message, progress.begun));
        controller?.abort();
      });
      const cancel = () => end('cancelled', 'The call was cancelled.');
      if (signal?.aborted || stopper.signal.aborted) {
        cancel();
        return;
      }
      if (limit) timer = setTimer(() => end('timeout', `The call took longer than ${limit / 1000} seconds.`), limit);
      signal?.addEventListener('abort', cancel, { once: true });
      stopper.signal.addEventListener('abort', cancel, { once: true });
      Promise.resolve().then(run).then((value) => finish(resolve, value), (error) => finish(reject, error));
    });
  }

  return {
    run,
    known,
    /** Calls everything off. */
    stop() {
      stopper.abort();
      kept.clear();
    },
  };
}
