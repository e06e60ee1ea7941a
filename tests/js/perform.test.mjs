// js/perform.js against a fake fetch: what is asked, shared, queued, cancelled, refused and handed on.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createPerformer } from '../../js/perform.js';

const ORIGIN = 'https://shop.example';

/** A performer whose adapter gives back what it was handed. */
function performer(fetchImpl, options = {}) {
  const adapter = {
    readText: (kind, text, url, offset, limit) => JSON.stringify({ kind, text, url, offset, limit }),
    readHtml: () => assert.fail('Node has no DOMParser'),
  };
  return createPerformer({ adapter, options: { fetchImpl, origin: ORIGIN, ...options } });
}

const outcome = (path = '/q?s=a', more = {}) => ({ fetch: { url: new URL(path, ORIGIN).href, ...more } });

/** A response that knows its address, as fetch's do. */
function respond(body, { url = `${ORIGIN}/q?s=a`, redirected = false, type, ...init } = {}) {
  const response = new Response(body, init);
  Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
  if (type) Object.defineProperty(response, 'type', { value: type });
  return response;
}

const text = (body, type = 'text/plain') => respond(body, { headers: { 'content-type': type } });

/** A fetch that answers when told to, and can be aborted. */
function held() {
  const calls = [];
  const send = (url, init) =>
    new Promise((resolve, reject) => {
      init.signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
      calls.push({ url, init, answer: () => resolve(text(url)) });
    });
  return { calls, send };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

test('asks within the origin, follows redirects there, and hands on text, address and paging', async () => {
  let asked;
  const { run } = performer(async (url, init) => {
    asked = { url, ...init };
    return respond('a,b\n1,2\n', { url: `${ORIGIN}/q/`, redirected: true, headers: { 'content-type': 'text/csv' } });
  });
  const answer = await run('search', outcome('/q?s=a', { offset: 20, limit: 10 }));
  assert.deepEqual(answer, { kind: 'text', text: 'a,b\n1,2\n', url: `${ORIGIN}/q/`, offset: 20, limit: 10 });
  const { mode, redirect, credentials, method } = asked;
  assert.deepEqual({ mode, redirect, credentials, method }, { mode: 'same-origin', redirect: 'follow', credentials: 'same-origin', method: 'GET' });
});

test('does not follow an allowed host anywhere', async () => {
  let asked;
  const { run } = performer(async (url, init) => {
    asked = init;
    return text('x');
  });
  await run('search', { fetch: { url: 'https://api.example/q' } });
  assert.deepEqual([asked.mode, asked.redirect, asked.credentials], ['cors', 'error', 'same-origin']);
});

test('a redirect to another origin is refused by that name', async () => {
  const modes = [];
  const { run } = performer(async (url, { redirect }) => {
    modes.push(redirect);
    if (redirect !== 'manual') throw new TypeError('Failed to fetch');
    return respond(null, { type: 'opaqueredirect' });
  });
  const { error } = await run('search', outcome());
  assert.equal(error.code, 'destination_refused');
  assert.deepEqual(modes, ['follow', 'manual']);
});

test('an address that answers from elsewhere is refused', async () => {
  const { run } = performer(async () => respond('x', { url: 'https://evil.example/', redirected: true }));
  assert.equal((await run('search', outcome())).error.code, 'destination_refused');
});

for (const [title, response, error] of [
  ['404', () => respond('no', { status: 404 }), { code: 'http_error', message: 'The site answered with status 404.', hint: 'Nothing is there; try other words.', status: 404 }],
  ['500', () => respond('no', { status: 500 }), { code: 'http_error', message: 'The site answered with status 500.', hint: 'The site failed; try again later.', status: 500 }],
  ['204', () => respond(null, { status: 204 }), { code: 'http_error', message: 'The site answered with nothing (status 204).', hint: 'Try other words.', status: 204 }],
  ['an image', () => text('x', 'image/png'), { code: 'http_error', message: 'The site answered with image/png, which is no text.', hint: 'Nothing to read there; try other words.', status: 200 }],
  ['an archive that calls itself a page', () => text('PK\u0003\0\0', 'text/html'), { code: 'http_error', message: 'The site answered with binary data under the name text/html.', hint: 'Nothing to read there; try other words.', status: 200 }],
  ['too long by its own word', () => respond('x', { headers: { 'content-length': '50000000' } }), { code: 'too_large', message: "The site's answer is larger than 5000000 bytes.", hint: 'Ask for something more specific.', status: 200 }],
]) {
  test(`an error result for ${title}`, async () => {
    const { run } = performer(async () => response());
    assert.deepEqual(await run('search', outcome()), { error });
  });
}

test('what failed to arrive is an error result', async () => {
  const { run } = performer(async () => {
    throw new TypeError('Failed to fetch');
  });
  const { error } = await run('search', outcome());
  assert.deepEqual([error.code, error.message], ['http_error', 'The request failed: Failed to fetch.']);
});

test('stops receiving at the cap', async () => {
  let sent = 0;
  let cancelled = false;
  const body = new ReadableStream({
    pull(controller) {
      sent += 1_000_000;
      controller.enqueue(new Uint8Array(1_000_000).fill(97));
    },
    cancel() {
      cancelled = true;
    },
  });
  const { run } = performer(async () => respond(body, { headers: { 'content-type': 'text/plain' } }));
  assert.equal((await run('search', outcome())).error.code, 'too_large');
  assert.ok(cancelled && sent < 10_000_000, `${sent} bytes sent`);
});

test('respects charsets: header, byte order mark, the document itself, unknown names', async () => {
  const latin = Uint8Array.from([0x63, 0x61, 0x66, 0xe9]);
  const utf16 = Uint8Array.from([0xff, 0xfe, 0x63, 0, 0xe9, 0]);
  const meta = new Uint8Array([...new TextEncoder().encode('{"a":"<meta charset=iso-8859-1>'), 0xe9, ...new TextEncoder().encode('"}')]);
  for (const [bytes, type, expected] of [
    [latin, 'text/plain; charset=ISO-8859-1', 'café'],
    [latin, 'text/plain;Charset="latin1"', 'café'],
    [utf16, 'text/plain; charset=utf-8', 'cé'],
    [meta, 'application/json', '{"a":"<meta charset=iso-8859-1>é"}'],
    [new TextEncoder().encode('café'), 'text/plain; charset=klingon', 'café'],
    [new TextEncoder().encode('café'), 'text/plain', 'café'],
  ]) {
    const { run } = performer(async () => respond(bytes, { headers: { 'content-type': type } }));
    assert.equal((await run('search', outcome())).text, expected, type);
  }
});

test('takes JSON for JSON whatever its type says', async () => {
  for (const type of ['application/json', 'text/html', 'application/ld+json', 'text/plain']) {
    const { run } = performer(async () => text(' {"a":1}', type));
    assert.equal((await run('search', outcome())).kind, 'json', type);
  }
  const { run } = performer(async () => text('[note] no JSON', 'text/plain'));
  assert.equal((await run('search', outcome())).kind, 'text');
});

test('reads the words of a page where parsing is forbidden', async () => {
  const { run } = performer(async () => text('<p>first\nsecond</p><script>x()</script><p>third</p>', 'text/html'));
  assert.match((await run('search', outcome())).text, /first\nsecond\s+third/);
});

test('one request for identical calls, also shortly afterwards', async () => {
  const { calls, send } = held();
  const { run } = performer(send);
  const both = Promise.all([run('search', outcome()), run('search', outcome('/q?s=a', { offset: 20 }))]);
  await turn();
  assert.equal(calls.length, 1);
  calls[0].answer();
  assert.deepEqual((await both).map(({ offset }) => offset), [0, 20]);
  assert.equal((await run('search', outcome())).text, `${ORIGIN}/q?s=a`);
  assert.equal(calls.length, 1);
});

test('a failure is not kept', async () => {
  let count = 0;
  const { run } = performer(async () => {
    count += 1;
    return count === 1 ? respond('', { status: 500 }) : text('good');
  });
  assert.equal((await run('search', outcome())).error.status, 500);
  assert.equal((await run('search', outcome())).text, 'good');
});

test('one at a time per tool, four per page, busy past twenty that wait', async () => {
  const { calls, send } = held();
  const { run } = performer(send);
  const runs = [];
  for (const tool of ['a', 'a', 'b', 'c', 'd', 'e']) runs.push(run(tool, outcome(`/${tool}${runs.length}`)));
  await turn();
  const asked = () => calls.map(({ url }) => url.slice(ORIGIN.length));
  assert.deepEqual(asked(), ['/a0', '/b2', '/c3', '/d4']);
  calls[1].answer();
  await turn();
  assert.deepEqual(asked().slice(4), ['/e5'], "the second call of 'a' waits for the first");
  calls[0].answer();
  await turn();
  assert.deepEqual(asked().slice(5), ['/a1']);
  for (let index = 0; index < 20; index += 1) runs.push(run('a', outcome(`/more${index}`)));
  const { error } = await run('a', outcome('/one-too-many'));
  assert.equal(error.code, 'busy');
  for (let at = 2; at < calls.length; at += 1) {
    calls[at].answer();
    await turn();
  }
  const answers = await Promise.all(runs);
  assert.ok(answers.every(({ text }) => text));
  assert.equal(answers.length, calls.length);
});

test('the caller cancels: its own wait always, the request when nobody else waits', async () => {
  const { calls, send } = held();
  const { run } = performer(send);
  const [first, second] = [new AbortController(), new AbortController()];
  const a = run('search', outcome(), first.signal);
  const b = run('search', outcome(), second.signal);
  await turn();
  first.abort();
  assert.equal((await a).error.code, 'cancelled');
  assert.equal(calls[0].init.signal.aborted, false);
  second.abort();
  assert.equal((await b).error.code, 'cancelled');
  assert.equal(calls[0].init.signal.aborted, true);
  await turn();
  const again = run('search', outcome());
  await turn();
  calls[1].answer();
  assert.ok((await again).text);
  assert.equal((await run('search', outcome('/x'), AbortSignal.abort())).error.code, 'cancelled');
  assert.equal(calls.length, 2);
});

test('a call that waits can be cancelled without ever being made', async () => {
  const { calls, send } = held();
  const { run } = performer(send);
  const controller = new AbortController();
  const first = run('search', outcome('/a'));
  const second = run('search', outcome('/b'), controller.signal);
  await turn();
  controller.abort();
  assert.equal((await second).error.code, 'cancelled');
  calls[0].answer();
  await first;
  await turn();
  assert.equal(calls.length, 1);
});

test('gives up after the time-out, also in the middle of a body', async () => {
  const stalled = (url, { signal }) => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array([97]));
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return Promise.resolve(respond(body, { headers: { 'content-type': 'text/plain' } }));
  };
  const { run } = performer(stalled, { timeoutMs: 30 });
  const { error } = await run('search', outcome());
  assert.deepEqual([error.code, error.message], ['timeout', 'The site did not answer within 30 ms.']);
});

test('stop() cancels what runs and what waits', async () => {
  const { calls, send } = held();
  const { run, stop } = performer(send);
  const runs = [run('search', outcome('/a')), run('search', outcome('/b'))];
  await turn();
  stop();
  assert.deepEqual((await Promise.all(runs)).map(({ error }) => error.code), ['cancelled', 'cancelled']);
  assert.equal(calls.length, 1);
  assert.equal(calls[0].init.signal.aborted, true);
});
