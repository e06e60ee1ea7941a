// Actions end to end: a real server that redirects, stalls, fails, compresses, lies about its type and sends too much.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FEATURES = { native: '--enable-features=WebMCP', polyfill: '--disable-features=WebMCP,WebMCPTesting' };
const SURFACES = Object.keys(FEATURES);
const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
const browsers = {};
const browser = (surface) => (browsers[surface] ??= chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', FEATURES[surface]] }));

const tag = (attributes) => `<script src="/dist/toolmark.js" ${attributes}></script>`;
const ld = (value) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const html = (body, head = '') => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Test</title>${head}</head><body>${body}</body></html>`;

const results = '<main><h1>Results</h1><article><h2><a href="one">Bag one</a></h2><p>The first bag of all.</p></article><article><h2><a href="two">Bag two</a></h2><p>The second bag of all.</p></article></main>';
const read = { title: 'Bag one', url: '/shop/one', text: 'The first bag of all.' };

let other;
let server;
const log = [];
const held = new Set();

/** What the site answers, by path. */
const routes = {
  '/shop/search': (request, response) => response.end(html(results)),
  '/moved': (request, response) => response.writeHead(301, { location: `/shop/search${new URL(request.url, 'http://x').search}` }).end(),
  '/away': (request, response) => response.writeHead(302, { location: `${other.origin}/stolen` }).end(),
  '/based': (request, response) => response.end(`<base href="/shop/">${results}`),
  '/stall': (request, response) => {
    response.write('<p>first');
    held.add(response);
  },
  '/never': (request, response) => held.add(response),
  '/huge': (request, response) => {
    const block = Buffer.alloc(1_000_000, 'a');
    let sent = 0;
    const more = () => {
      while (sent < 50 && !response.destroyed) {
        sent += 1;
        log.huge = sent;
        if (!response.write(block)) return response.once('drain', more);
      }
      response.end();
    };
    more();
  },
  '/nothing': (request, response) => response.writeHead(204).end(),
  '/broken': (request, response) => response.writeHead(500).end('<h1>Sorry</h1>'),
  '/packed': (request, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync(html(results)));
  },
  '/latin': (request, response) => {
    response.setHeader('content-type', 'text/html; charset=iso-8859-1');
    response.end(Buffer.from('<p>Caf\xe9 cr\xe8me</p>', 'latin1'));
  },
  '/latin-meta': (request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(Buffer.from('<meta charset=windows-1252><p>Caf\xe9 \x80 5</p>', 'latin1'));
  },
  '/image': (request, response) => {
    response.setHeader('content-type', 'image/png');
    response.end(Buffer.from([137, 80, 78, 71]));
  },
  '/lie': (request, response) => response.end(Buffer.from([80, 75, 3, 4, 0, 0, 0, 0])),
  '/data-as-page': (request, response) => response.end('{"hits": [{"id": 1}, {"id": 2}]}'),
  '/page-as-data': (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(html(results));
  },
  '/csv': (request, response) => {
    response.setHeader('content-type', 'text/csv');
    response.end('name,price\nBag one,10\nBag two,20\n');
  },
  '/hostile': (request, response) => response.end('<p>words</p><img src="/loaded.png" onerror="window.ran=1"><script src="/loaded.js"></script><script>window.ran = 1</script><iframe src="/loaded.html"></iframe><form toolname="evil" tooldescription="x"></form>'),
  '/cookie': (request, response) => response.end(`<p>cookie: ${request.headers.cookie ?? 'none'}</p>`),
};

const listen = (handler) =>
  new Promise((resolve) => {
    const one = http.createServer(handler);
    one.listen(0, '127.0.0.1', () => resolve(Object.assign(one, { origin: `http://127.0.0.1:${one.address().port}` })));
  });

before(async () => {
  other = await listen((request, response) => {
    log.push(`OTHER ${request.url}`);
    response.setHeader('access-control-allow-origin', '*');
    response.end('<p>stolen</p>');
  });
  server = await listen((request, response) => {
    const { pathname } = new URL(request.url, 'http://x');
    log.push(request.url);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (pathname.startsWith('/dist/')) {
      response.setHeader('content-type', 'text/javascript');
      response.end(fs.readFileSync(path.join(ROOT, pathname)));
    } else if (pathname === '/page') response.end(page);
    else if (routes[pathname]) routes[pathname](request, response);
    else response.writeHead(404).end('<h1>Not here</h1>');
  });
});
after(async () => {
  for (const one of Object.values(browsers)) await (await one).close();
  for (const one of [server, other]) {
    one.closeAllConnections();
    one.close();
  }
});

let page;

/** A page whose site has a search at `target`, opened. */
async function site(surface, target, { attributes = 'data-page="off"', head = '', markup } = {}) {
  log.length = 0;
  const action = { '@context': 'https://schema.org', '@type': 'WebSite', potentialAction: { '@type': 'SearchAction', target: `${target}?q={q}`, 'query-input': 'required name=q' } };
  page = html((markup ?? ld(action)) + tag(attributes), head);
  const context = await (await browser(surface)).newContext();
  const opened = await context.newPage();
  opened.failures = [];
  opened.on('pageerror', (error) => opened.failures.push(error.message));
  await opened.goto(`${server.origin}/page`);
  await opened.evaluate(() => window.toolmark.ready);
  return opened;
}

const call = (opened, input = { q: 'bag' }, name = 'search_web_site') =>
  opened.evaluate(
    async ([name, input]) => {
      const tool = (await document.modelContext.getTools()).find((one) => one.name === name);
      return JSON.parse(await document.modelContext.executeTool(tool, input));
    },
    [name, input],
  );

const asked = (part) => log.filter((entry) => entry.includes(part)).length;

/** One call of a site's search. */
async function search(surface, target, options) {
  const opened = await site(surface, target, options);
  const answer = await call(opened);
  assert.deepEqual(opened.failures, []);
  await opened.context().close();
  return answer;
}

for (const surface of SURFACES) {
  test(`${surface}: results are read from the page that the site answers with`, async () => {
    for (const target of ['/shop/search', '/moved', '/packed', '/page-as-data', '/based']) {
      const answer = await search(surface, target);
      assert.equal(answer.title, 'Results', JSON.stringify(answer));
      const base = ['/packed', '/page-as-data'].includes(target) ? '/' : '/shop/';
      assert.deepEqual(answer.results[0], { ...read, url: `${server.origin}${base}one` }, target);
      assert.equal(answer.results.length, 2);
    }
  });

  test(`${surface}: error results have a code, a status and a hint`, async () => {
    for (const [target, code, status] of [['/broken', 'http_error', 500], ['/missing', 'http_error', 404], ['/nothing', 'http_error', 204], ['/image', 'http_error', 200], ['/lie', 'http_error', 200]]) {
      const { error } = await search(surface, target);
      assert.deepEqual([error.code, error.status], [code, status], target);
      assert.ok(error.message && error.hint, target);
    }
  });
}

const surface = 'polyfill';

test('a redirect to another origin is refused before the other site sees it', async () => {
  const { error } = await search(surface, '/away');
  assert.equal(error.code, 'destination_refused');
  assert.equal(asked('OTHER'), 0);
});

test('an allowed host may answer, but not send on', async () => {
  const opened = await site(surface, `${other.origin}/q`, { attributes: `data-page="off" data-allow-hosts="${new URL(other.origin).host}"` });
  const answer = await call(opened);
  assert.match(JSON.stringify(answer), /stolen/);
  assert.equal(asked('OTHER /q?q=bag'), 1);
  await opened.context().close();
});

test('stops receiving what is too large', async () => {
  const { error } = await search(surface, '/huge');
  assert.equal(error.code, 'too_large');
  assert.ok(log.huge < 30, `${log.huge} MB sent`);
});

test('gives up on a site that stalls', async () => {
  const opened = await site(surface, '/stall', { markup: '' });
  const error = await opened.evaluate(async () => {
    await (await window.toolmark.ready).stop();
    const script = document.createElement('script');
    script.type = 'application/ld+json';
    script.textContent = JSON.stringify({ '@context': 'https://schema.org', '@type': 'WebSite', potentialAction: { '@type': 'SearchAction', target: '/stall?q={q}' } });
    document.body.append(script);
    const handle = await window.toolmark.start({ timeoutMs: 300 });
    return (await handle.tools().find((tool) => tool.name === 'search_web_site').execute({ q: 'x' })).error;
  });
  assert.deepEqual([error.code, error.message], ['timeout', 'The site did not answer within 300 ms.']);
  await opened.context().close();
});

test('the caller cancels, and so does stop(), but a remap does not', async () => {
  const opened = await site(surface, '/never');
  const codes = await opened.evaluate(async () => {
    const handle = await window.toolmark.ready;
    const tool = () => handle.tools().find((one) => one.name === 'search_web_site');
    const controller = new AbortController();
    const first = tool().execute({ q: 'a' }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    const codes = [(await first.catch((error) => ({ error: { code: error.name } }))).error.code];
    const second = tool().execute({ q: 'b' });
    document.body.insertAdjacentHTML('beforeend', '<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>New</b></div>');
    await handle.refresh();
    codes.push(await Promise.race([second.then(() => 'ended'), new Promise((resolve) => setTimeout(resolve, 200, 'runs on'))]));
    handle.stop();
    codes.push((await second).error.code);
    return codes;
  });
  assert.match(codes[0], /cancelled|AbortError/);
  assert.deepEqual(codes.slice(1), ['runs on', 'cancelled']);
  await opened.context().close();
});

test('one request for calls of the same, also for their further results', async () => {
  const opened = await site(surface, '/shop/search');
  const answers = await Promise.all([call(opened), call(opened), call(opened, { q: 'bag', offset: 1 }), call(opened, { q: 'other' })]);
  assert.deepEqual(answers.map(({ results }) => results.length), [2, 2, 1, 2]);
  assert.equal(asked('/shop/search?q=bag'), 1);
  assert.equal(asked('/shop/search'), 2);
  await opened.context().close();
});

test('charsets are the site\'s', async () => {
  assert.match(JSON.stringify(await search(surface, '/latin')), /Café crème/);
  assert.match(JSON.stringify(await search(surface, '/latin-meta')), /Café € 5/);
});

test('data and lines keep their shape', async () => {
  assert.deepEqual((await search(surface, '/data-as-page')).data, { hits: [{ id: 1 }, { id: 2 }] });
  assert.deepEqual((await search(surface, '/csv')).content, [{ type: 'text', text: 'name,price\nBag one,10\nBag two,20' }]);
});

test('what comes back does nothing: no script, no request, no tool', async () => {
  for (const one of SURFACES) {
    const opened = await site(one, '/hostile');
    assert.match(JSON.stringify(await call(opened)), /words/);
    await opened.waitForTimeout(200);
    assert.equal(await opened.evaluate(() => window.ran), undefined);
    assert.equal(asked('/loaded'), 0);
    assert.deepEqual(await opened.evaluate(async () => (await document.modelContext.getTools()).map(({ name }) => name)), ['search_web_site']);
    await opened.context().close();
  }
});

test('the person\'s session on the site is used', async () => {
  const opened = await site(surface, '/cookie');
  await opened.context().addCookies([{ name: 'session', value: 'mine', url: server.origin }]);
  assert.match(JSON.stringify(await call(opened)), /session=mine/);
  await opened.context().close();
});

test('pages under Trusted Types get their answers as well', async () => {
  for (const policy of ["require-trusted-types-for 'script'", "require-trusted-types-for 'script'; trusted-types none-of-ours"]) {
    const answer = await search(surface, '/shop/search', { head: `<meta http-equiv="Content-Security-Policy" content="${policy}">` });
    assert.match(JSON.stringify(answer), /The first bag of all/, policy);
  }
});

test('the page\'s own search form is a tool where no action is', async () => {
  const form = '<form action="/shop/search" role="search"><label for="f">Search</label><input id="f" type="search" name="q"><input type="hidden" name="lang" value="en"><select name="kind"><option value="">All</option><option value="bags">Bags</option></select></form>';
  const opened = await site(surface, '', { markup: form });
  const answer = await call(opened, { q: 'bag', kind: 'bags' });
  assert.equal(answer.results.length, 2);
  assert.equal(asked('/shop/search?q=bag&lang=en&kind=bags'), 1);
  await opened.context().close();
});

test('a form that the browser offers itself is left alone', async () => {
  const form = '<form toolname="find" tooldescription="Finds" action="/shop/search"><input type="search" name="q"></form>';
  const opened = await site(surface, '', { markup: form });
  const names = await opened.evaluate(async () => (await window.toolmark.ready).tools().map(({ name }) => name));
  assert.ok(!names.includes('search_web_site'), names.join());
  await opened.context().close();
});

test('bad input is refused without a request', async () => {
  const opened = await site(surface, '/shop/search');
  assert.equal((await call(opened, {})).error.code, 'missing_parameter');
  assert.equal((await call(opened, { q: 'x', other: 1 })).error.code, 'invalid_parameter');
  assert.equal(asked('/shop/search'), 0);
  await opened.context().close();
});
