import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { BINARY, ENV, HOME, run, shop, site } from './support.mjs';

const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

/** A record of a web archive with the answer of a server. */
const record = (url, body, { status = '200 OK', type = 'text/html; charset=utf-8' } = {}) => {
  const answer = Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n\r\n`), Buffer.from(body)]);
  const head = `WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ${url}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: ${answer.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), answer, Buffer.from('\r\n\r\n')]);
};

test('a list: a line for each address and path, errors as lines', async () => {
  const { origin } = await site((url, _, origin) => (url.pathname === '/' ? { body: shop(origin) } : undefined));
  const file = path.join(HOME, 'listed.html');
  fs.writeFileSync(file, shop('https://shop.example', { name: 'Hat' }));
  const none = path.join(HOME, 'none.html');
  const input = [`${origin}/`, '', `${origin}/none`, file, none, 'x'.repeat(40_000), file].join('\n');
  const { code, stdout, stderr } = await run(['crawl', '--allow-private'], { input });
  assert.equal(code, 0);
  const [page, missing, saved, unread, long, again, ...rest] = lines(stdout);
  assert.equal(rest.length, 0);
  assert.deepEqual(Object.keys(page), ['url', 'tools', 'entities', 'diagnostics']);
  assert.equal(page.url, `${origin}/`);
  assert.ok(page.tools.some((tool) => tool.name === 'get_product') && page.entities.some((entity) => entity.types.includes('Product')));
  assert.deepEqual([missing.url, missing.error.code], [`${origin}/none`, 'http_error']);
  assert.match(JSON.stringify(saved.entities), /Hat/);
  assert.deepEqual([unread.url, unread.error.code], [none, 'not_found']);
  assert.deepEqual([long.url, long.error.code], [null, 'malformed_line']);
  assert.deepEqual(again, saved);
  assert.match(stderr, /3 pages, 3 errors/);
});

test('private addresses of a list are refused, each with a line', async () => {
  const { origin, requests } = await site(() => ({ body: 'secret' }));
  const { stdout } = await run(['crawl', '--quiet'], { input: `${origin}/\nhttp://169.254.169.254/\n` });
  assert.deepEqual(lines(stdout).map((line) => line.error.code), ['destination_refused', 'destination_refused']);
  assert.equal(requests.length, 0);
});

test('an archive, plain and in gzip members, on standard input and by name', async () => {
  const records = [
    Buffer.from('WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 3\r\n\r\na:b\r\n\r\n'),
    record('https://a.example/', shop('https://a.example', { name: 'One' })),
    record('https://a.example/picture', 'x', { type: 'image/png' }),
    record('https://a.example/gone', 'x', { status: '404 Not Found' }),
    Buffer.from('WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://b.example/\r\nContent-Length: many\r\n\r\n'),
    record('https://c.example/', Buffer.from('<title>Caf\xe9</title><p itemscope itemtype="https://schema.org/Place"><b itemprop="name">Caf\xe9</b>', 'latin1'), { type: 'text/html; charset=iso-8859-1' }),
  ];
  const [plain, members] = [Buffer.concat(records), Buffer.concat(records.map((one) => gzipSync(one)))];
  const file = path.join(HOME, 'pages.warc.gz');
  fs.writeFileSync(file, members);
  const outputs = await Promise.all([run(['crawl'], { input: plain }), run(['crawl'], { input: members }), run(['crawl', file]), run(['crawl'], { input: `${file}\n` })]);
  for (const { code, stdout, stderr } of outputs) {
    assert.equal(code, 0);
    assert.equal(stdout, outputs[0].stdout);
    assert.match(stderr, /2 pages, 1 errors, 3 records/);
  }
  const [one, bad, two, ...rest] = lines(outputs[0].stdout);
  assert.equal(rest.length, 0);
  assert.deepEqual([one.url, one.date], ['https://a.example/', '2026-01-02T03:04:05Z']);
  assert.ok(one.tools.some((tool) => tool.name === 'get_product') && JSON.stringify(one.entities).includes('One'));
  assert.deepEqual([bad.url, bad.record, bad.error.code], ['https://b.example/', 5, 'malformed_record']);
  assert.ok(JSON.stringify(two.entities).includes('Café'), JSON.stringify(two.entities));
});

test('what is neither a list nor an archive becomes lines of errors', async () => {
  for (const input of [Buffer.from([0xff, 0xfe, 0x00, 0x0a]), gzipSync('no archive'), Buffer.from('WARC/1.0\r\n')]) {
    const { code, stdout } = await run(['crawl', '--quiet'], { input });
    assert.equal(code, 0);
    assert.ok(lines(stdout).length > 0 && lines(stdout).every((line) => line.error), stdout);
  }
  assert.equal((await run(['crawl'], { input: '' })).stdout, '');
});

test('a reader that goes away ends it', async () => {
  const pages = Buffer.concat(Array.from({ length: 400 }, (_, at) => record(`https://a.example/${at}`, shop('https://a.example'))));
  const child = spawn(BINARY, ['crawl', '--quiet'], { env: ENV });
  child.stdin.on('error', () => {});
  child.stdout.once('data', () => child.stdout.destroy());
  child.stdin.end(pages);
  assert.equal(await new Promise((resolve) => child.on('exit', resolve)), 1);
});

test('memory does not grow with the number of pages', { skip: process.platform !== 'linux' && 'reads /proc' }, async () => {
  const child = spawn(BINARY, ['crawl', '--quiet'], { env: ENV });
  const page = record('https://a.example/', shop('https://a.example'));
  let seen = 0;
  let tell = () => {};
  child.stdout.on('data', (data) => {
    seen += data.filter((byte) => byte === 10).length;
    tell();
  });
  const until = (count) => new Promise((resolve) => {
    tell = () => seen >= count && resolve();
    tell();
  });
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);
  const send = (count) => { for (let at = 0; at < count; at += 1) child.stdin.write(page); };
  // The last lines wait in a buffer.
  send(500);
  await until(480);
  const before = memory();
  send(2000);
  await until(2480);
  const after = memory();
  child.stdin.end();
  await new Promise((resolve) => child.on('exit', resolve));
  assert.equal(seen, 2500);
  // 2,000 pages that were kept would be 20 MB and more.
  assert.ok(after < before + 2_000, `${before} → ${after} KB`);
});
