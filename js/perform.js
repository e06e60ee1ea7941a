// Makes the requests that calls of actions come to, and hands what comes back to Rust to be read.
// Nothing here knows markup: a page is parsed inert and passed on.

import { failure } from './serial.js';

/** Milliseconds a site may take for a whole answer; past this an agent has given up. */
const TIMEOUT_MS = 10_000;
/** Bytes of an answer that are read: the largest search pages have two or three million. */
const MAX_BYTES = 5_000_000;
/** The same request again within these milliseconds is answered from the first one. */
const SHARE_MS = 10_000;
/** Answers kept for that; each may be as large as MAX_BYTES. */
const MAX_KEPT = 4;
/** Requests under way at once on a page: a browser opens six connections to a host and the page needs some. */
const MAX_RUNNING = 4;
/** Calls that may wait; an agent that asks faster is told so. */
const MAX_WAITING = 20;

const CANCELLED = failure('cancelled', 'The call was cancelled.');

/**
 * @param {object} o
 * @param {{readHtml(document: Document, url: string, base: string, offset: number, limit: number): string,
 *          readText(kind: 'json' | 'text', text: string, url: string, offset: number, limit: number): string}} o.adapter
 *   reads what came back from `url`; both give JSON text, or a promise of it.
 * @param {{fetchImpl?: typeof fetch, timeoutMs?: number, origin?: string}} [o.options]
 */
export function createPerformer({ adapter, options = {} }) {
  const send = options.fetchImpl ?? ((url, init) => globalThis.fetch(url, init));
  const timeoutMs = options.timeoutMs > 0 ? options.timeoutMs : TIMEOUT_MS;
  const own = options.origin ?? globalThis.location?.origin;
  /** Requests by address: waiting, under way, or answered lately. */
  const jobs = new Map();
  const waiting = [];
  const running = new Set();

  /**
   * Does what a call came to.
   * @param {string} tool its name: one request at a time for each
   * @param {{fetch: {url: string, offset?: number, limit?: number}}} outcome
   * @param {AbortSignal} [signal] the caller's
   * @returns {Promise<object>} the answer or an error result; never rejects
   */
  async function run(tool, outcome, signal) {
    const request = outcome.fetch;
    if (signal?.aborted) return CANCELLED;
    const job = join(tool, request.url);
    if (!job) {
      return failure('busy', `${MAX_WAITING} calls are waiting for this site already.`, 'Wait for their answers, then ask again.');
    }
    job.users += 1;
    let leave;
    const left = new Promise((resolve) => {
      leave = () => resolve(CANCELLED);
      signal?.addEventListener('abort', leave, { once: true });
    });
    const answer = await Promise.race([job.answer, left]);
    signal?.removeEventListener('abort', leave);
    job.users -= 1;
    // A request that nobody waits for any more is not worth making.
    if (answer === CANCELLED && job.users === 0) cancel(job);
    if (answer.error) return answer;
    try {
      return JSON.parse(await read(answer, request.offset ?? 0, request.limit ?? 0));
    } catch {
      return failure('internal', 'The answer of the site could not be read.', 'Report this page to the makers of Toolmark.');
    }
  }

  /** The request for this address that was made already, or a new one in the queue; nothing if that is full. */
  function join(tool, url) {
    const now = Date.now();
    for (const [address, { until }] of jobs) if (until <= now) jobs.delete(address);
    const known = jobs.get(url);
    if (known) return known;
    if (waiting.length >= MAX_WAITING) return undefined;
    const job = { tool, url, users: 0, until: Infinity, controller: new AbortController() };
    job.answer = new Promise((resolve) => (job.settle = resolve));
    jobs.set(url, job);
    waiting.push(job);
    next();
    return job;
  }

  /** Starts what may start, in order. */
  function next() {
    const tools = new Set([...running].map((job) => job.tool));
    for (let at = 0; at < waiting.length && running.size < MAX_RUNNING; ) {
      const job = waiting[at];
      if (tools.has(job.tool)) at += 1;
      else {
        waiting.splice(at, 1);
        tools.add(job.tool);
        running.add(job);
        // All that can fail by now is the browser's timer.
        perform(job).catch(() => {});
      }
    }
  }

  async function perform(job) {
    let late = false;
    let timer;
    let answer;
    try {
      timer = setTimeout(() => {
        late = true;
        job.controller.abort();
      }, timeoutMs);
      answer = await request(job.url, job.controller.signal);
    } catch (error) {
      answer = late
        ? failure('timeout', `The site did not answer within ${timeoutMs} ms.`, 'Try again later, or ask for something smaller.')
        : job.controller.signal.aborted
          ? CANCELLED
          : failure('http_error', `The request failed: ${error?.message ?? error}.`, 'The site may be unreachable, or its Content-Security-Policy may forbid the address.');
    }
    running.delete(job);
    finish(job, answer);
    next();
    clearTimeout(timer);
  }

  function finish(job, answer) {
    if (jobs.get(job.url) === job) {
      // Only what can be read is worth keeping: what failed may work the next time.
      if (answer.error) jobs.delete(job.url);
      else {
        job.until = Date.now() + SHARE_MS;
        const kept = [...jobs.values()].filter(({ until }) => until !== Infinity);
        for (const old of kept.slice(0, Math.max(0, kept.length - MAX_KEPT))) jobs.delete(old.url);
      }
    }
    job.settle(answer);
  }

  function cancel(job) {
    if (job.until !== Infinity) return;
    if (jobs.get(job.url) === job) jobs.delete(job.url);
    const at = waiting.indexOf(job);
    if (at >= 0) {
      waiting.splice(at, 1);
      job.settle(CANCELLED);
    } else job.controller.abort();
  }

  async function request(url, signal) {
    // Within the page's own origin redirects are followed, and nothing but that origin ever sees the request;
    // a host that the tag allows gets no second hop, because nobody can look at its target first.
    const inside = new URL(url).origin === own;
    const init = {
      method: 'GET',
      credentials: 'same-origin',
      mode: inside ? 'same-origin' : 'cors',
      redirect: inside ? 'follow' : 'error',
      headers: { accept: 'text/html, application/json;q=0.9, text/*;q=0.8' },
      signal,
    };
    let response;
    try {
      response = await send(url, init);
    } catch (error) {
      if (!signal.aborted && (await redirects(url, init))) return refused();
      throw error;
    }
    if (response.redirected && inside && response.url && new URL(response.url).origin !== own) {
      await response.body?.cancel();
      return refused();
    }
    const { status } = response;
    if (status >= 400) {
      await response.body?.cancel();
      return failure('http_error', `The site answered with status ${status}.`, hintFor(status), { status });
    }
    const [type, charset] = contentType(response.headers.get('content-type'));
    if (type && !READABLE.test(type)) {
      await response.body?.cancel();
      return failure('http_error', `The site answered with ${type}, which is no text.`, 'Nothing to read there; try other words.', { status });
    }
    const bytes = await readBody(response);
    if (!bytes) {
      return failure('too_large', `The site's answer is larger than ${MAX_BYTES} bytes.`, 'Ask for something more specific.', { status });
    }
    const text = decode(bytes, charset);
    if (!text.trim()) return failure('http_error', `The site answered with nothing (status ${status}).`, 'Try other words.', { status });
    if (text.slice(0, 1000).includes('\0')) {
      return failure('http_error', `The site answered with binary data under the name ${type || 'of nothing'}.`, 'Nothing to read there; try other words.', { status });
    }
    return { url: response.url || url, kind: kindOf(type, text), text };
  }

  /** Why a request failed is not told; asked without following, a redirect shows itself. */
  async function redirects(url, init) {
    try {
      const response = await send(url, { ...init, redirect: 'manual' });
      return response.type === 'opaqueredirect';
    } catch {
      return false;
    }
  }

  function read({ kind, text, url }, offset, limit) {
    const parsed = kind === 'html' && parse(text);
    if (parsed) return adapter.readHtml(parsed, url, baseOf(parsed, url), offset, limit);
    return adapter.readText(kind === 'json' ? kind : 'text', kind === 'html' ? withoutTags(text) : text, url, offset, limit);
  }

  return {
    run,
    /** Cancels everything; nothing is kept. */
    stop() {
      for (const job of [...jobs.values()]) cancel(job);
      jobs.clear();
    },
  };
}

const refused = () =>
  failure('destination_refused', 'The site sent the request on to another origin, which this tool does not follow.', 'Use the site itself for this.');

const READABLE = /^text\/|[/+](json|xml)$|^application\/(x-)?(javascript|ndjson|jsonlines|csv)$/;

function hintFor(status) {
  if (status === 401 || status === 403) return 'The site does not let this page do that; the person may have to sign in first.';
  if (status === 404 || status === 410) return 'Nothing is there; try other words.';
  if (status === 429 || status === 503) return 'The site asks for patience; try again later.';
  return status >= 500 ? 'The site failed; try again later.' : 'Try other values.';
}

/** Type and charset of a Content-Type. */
function contentType(header) {
  const [type, ...parameters] = (header ?? '').split(';');
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(parameter)?.[1]).find(Boolean);
  return [type.trim().toLowerCase(), charset];
}

/** What a text is: what its type says, unless it is plainly the other. */
function kindOf(type, text) {
  const start = /\S/.exec(text)?.[0];
  if (start === '{' || start === '[') {
    if (/json/.test(type)) return 'json';
    try {
      JSON.parse(text);
      return 'json';
    } catch {
      // A text that begins with a bracket.
    }
  }
  if (start === '<' && (!type || /html|json/.test(type))) return 'html';
  return /html/.test(type) ? 'html' : 'text';
}

/** The body's bytes, or nothing if they are too many; what is too much is not even received. */
async function readBody(response) {
  if (Number(response.headers.get('content-length')) > MAX_BYTES) {
    await response.body?.cancel();
    return undefined;
  }
  const parts = [];
  let size = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_BYTES) {
      await reader.cancel();
      return undefined;
    }
    parts.push(value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Text in the charset that the bytes, the header or the document name, in this order (WHATWG HTML), else UTF-8. */
function decode(bytes, charset) {
  const mark = bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined;
  let label = mark ?? charset;
  if (!label) {
    const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024));
    label = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1] ?? /^<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i.exec(head)?.[1];
    // A document that calls itself UTF-16 in single bytes is not.
    if (/^utf-?16/i.test(label ?? '')) label = 'utf-8';
  }
  try {
    return new TextDecoder(label || 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

let policy;

/** An inert document: no script runs, nothing is loaded. Nothing where the page's Trusted Types forbid parsing. */
function parse(text) {
  try {
    policy ??= globalThis.trustedTypes?.createPolicy('toolmark-results', { createHTML: (html) => html }) ?? { createHTML: (html) => html };
    return new DOMParser().parseFromString(policy.createHTML(text), 'text/html');
  } catch {
    return undefined;
  }
}

/** What the document's relative addresses are relative to: inert documents do not know their own address. */
function baseOf(parsed, url) {
  try {
    return new URL(parsed.querySelector('base[href]')?.getAttribute('href') ?? '', url).href;
  } catch {
    return url;
  }
}

/** The words of a page that may not be parsed. */
function withoutTags(html) {
  return html
    .replace(/<(script|style|template|noscript)\b[^]*?<\/\1\s*>|<!--[^]*?-->/gi, ' ')
    .replace(/<\/?(p|div|li|tr|h[1-6]|br|article|section|ul|ol|table)\b[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, '');
}
