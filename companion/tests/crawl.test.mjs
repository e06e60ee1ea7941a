import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, deflateRawSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { BINARY, ENV, HOME, run, shop, site } from './support.mjs';

const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

/** A record of a web archive with the answer of a server. */
const record = (url, body, { status = '200 OK', type = 'text/html; charset=utf-8', more = '', longer = 0 } = {}) => {
  const answer = Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n${more}\r\n`), Buffer.from(body)]);
  const target = url && `WARC-Target-URI: ${url}\r\n`;
  const head = `WARC/1.0\r\nWARC-Type: response\r\n${target}WARC-Date: 2026-01-02T03:04:05Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: ${answer.length + longer}\r\n\r\n`;
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

/** A page whose only thing is called so, in whatever bytes. */
const named = (name, head = '') => Buffer.from(`<!doctype html>${head}<title>x</title><p itemscope itemtype="https://schema.org/Place"><b itemprop="name">${name}</b>`, 'latin1');
const chunked = (body) => Buffer.concat([Buffer.from(`${body.length.toString(16)};x=y\r\n`), body, Buffer.from('\r\n0\r\nTrailer: x\r\n\r\n')]);

test('each page of an archive becomes a line in whatever way it is kept, and what is wrong an error or a count', async (t) => {
  const coded = (coding) => ({ more: `Content-Encoding: ${coding}\r\n` });
  const at = (name) => `https://a.example/${name}`;
  const cut = (bytes) => bytes.subarray(0, bytes.length / 2);
  const page = named('Here');
  const latin = { type: 'text/html' };
  /** What stands in the archive: what is kept, and the name that is read, the code of an error, or nothing for what is no page. */
  const CASES = [
    ['in chunks', record(at(1), chunked(page), { more: 'Transfer-Encoding: chunked\r\n' }), 'Here'],
    ['with the header of chunks only', record(at(2), page, { more: 'Transfer-Encoding: chunked\r\n' }), 'Here'],
    ['in gzip', record(at(3), gzipSync(page), coded('gzip')), 'Here'],
    ['in deflate', record(at(4), deflateSync(page), coded('deflate')), 'Here'],
    ['in deflate without its wrapping', record(at(5), deflateRawSync(page), coded('deflate')), 'Here'],
    ['in brotli', record(at(6), brotliCompressSync(page), coded('br')), 'Here'],
    ['in chunks of brotli', record(at(7), chunked(brotliCompressSync(page)), { more: 'Transfer-Encoding: chunked\r\nContent-Encoding: br\r\n' }), 'Here'],
    ['with the header of brotli only', record(at(8), page, coded('br')), 'Here'],
    ['half of a brotli', record(at(9), cut(brotliCompressSync(page)), coded('br')), 'malformed_record'],
    ['half of a gzip', record(at(10), cut(gzipSync(page)), coded('gzip')), 'malformed_record'],
    ['in zstd', record(at(11), Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xff, 0xfe]), coded('zstd')), 'unreadable'],
    ['larger than is read, in brotli', record(at(12), brotliCompressSync(Buffer.alloc(11_000_000, 'a')), coded('br')), 'too_large'],
    ['larger than is read', record(at(13), Buffer.alloc(11_000_000, 'a')), 'too_large'],
    ['charset of the header', record(at(14), named('Caf\xe9'), { type: 'text/html; charset=iso-8859-1' }), 'Café'],
    ['charset of a meta', record(at(15), named('\xe9', '<meta charset=windows-1251>'), latin), 'й'],
    ['charset of a meta http-equiv', record(at(16), named('\x83\x41', '<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">'), latin), 'ア'],
    ['a charset that there is not', record(at(17), named('Here'), { type: 'text/html; charset=x-none' }), 'Here'],
    ['bytes that are nothing in its charset', record(at(18), named('a\xffb')), 'a\ufffdb'],
    ['NUL bytes', record(at(19), named('He\0re')), 'Here'],
    ['cut within a tag', record(at(20), Buffer.concat([named('Here'), Buffer.from('<p cl')])), 'Here'],
    ['empty', record(at(21), ''), ''],
    ['no type, a page', record(at(22), page, { type: '' }), 'Here'],
    ['no type, no page', record(at(23), 'text', { type: '' }), undefined],
    ['no page', record(at(24), '%PDF', { type: 'application/pdf' }), undefined],
    ['an error', record(at(25), page, { status: '500 Oh' }), undefined],
    ['a redirect', record(at(26), '', { status: '302 Found', more: 'Location: /\r\n' }), undefined],
    ['no address', record('', page), 'malformed_record'],
    ['no HTTP', Buffer.from(`WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ${at(27)}\r\nContent-Type: application/http\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n`), 'malformed_record'],
    ['a length that is too small', record(at(28), page, { longer: -20 }), 'malformed_record'],
    ['a length that is too large', record(at(29), page, { longer: 50 }), 'malformed_record'],
    ['what stands behind it', record(at(30), page), 'Here'],
    ['cut off', record(at(31), page).subarray(0, -20), 'malformed_record'],
  ];
  const records = CASES.map(([, bytes]) => bytes);
  for (const [how, input] of [['plain', Buffer.concat(records)], ['in gzip members', Buffer.concat(records.map((bytes) => gzipSync(bytes)))]]) {
    await t.test(how, async () => {
      const { code, stdout, stderr } = await run(['crawl'], { input });
      assert.equal(code, 0);
      const found = lines(stdout);
      const expected = CASES.filter(([, , outcome]) => outcome !== undefined);
      const told = found.map(({ error, entities }) => error?.code ?? entities[0]?.props.name[0] ?? '');
      assert.deepEqual(told.map((one, i) => [expected[i]?.[0], one]), expected.map(([what, , outcome]) => [what, outcome]));
      for (const [i, { url, record: number, error }] of found.entries()) {
        assert.equal(url, /WARC-Target-URI: (\S+)/.exec(expected[i][1].toString('latin1'))?.[1] ?? null);
        if (error) assert.ok(number === CASES.indexOf(expected[i]) + 1 && error.message, JSON.stringify(found[i]));
      }
      const errors = found.filter((line) => line.error).length;
      assert.match(stderr, new RegExp(`: ${found.length - errors} pages, ${errors} errors, ${CASES.length - expected.length} records that are no pages\\.\n$`));
    });
  }
});

test('the command of the document maps a folder of archives with several processes, to the same lines', { skip: process.platform === 'win32' && 'needs a shell' }, async () => {
  const folder = path.join(HOME, 'archives');
  const bin = path.join(HOME, 'bin');
  for (const one of [folder, bin]) fs.mkdirSync(one);
  fs.symlinkSync(path.resolve(BINARY), path.join(bin, 'toolmark'));
  const names = Array.from({ length: 6 }, (_, at) => `part ${at}.warc.gz`);
  for (const [at, name] of names.entries()) {
    const pages = Array.from({ length: 5 }, (_, n) => gzipSync(record(`https://a.example/${at}/${n}`, shop('https://a.example', { name: `Jacket ${at}-${n}` }))));
    fs.writeFileSync(path.join(folder, name), Buffer.concat(pages));
  }
  const document = fs.readFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), '../../docs/companion.md'), 'utf8');
  const [, command] = /^(printf .* xargs .*?) +# one for each core$/m.exec(document);
  execFileSync('sh', ['-c', command], { cwd: folder, env: { ...ENV, PATH: `${bin}:${process.env.PATH}` } });
  const found = names.map((name) => gunzipSync(fs.readFileSync(path.join(folder, `${name}.jsonl.gz`))).toString()).join('');
  const { stdout } = await run(['crawl', ...names.map((name) => path.join(folder, name))]);
  assert.equal(lines(stdout).length, 30);
  assert.equal(found, stdout);
});

test('a list may have whatever lines and name whatever files', async () => {
  const page = path.join(HOME, 'a page.html');
  const picture = path.join(HOME, 'picture.html');
  const large = path.join(HOME, 'large.html');
  const empty = path.join(HOME, 'empty.warc');
  fs.writeFileSync(page, named('Here'));
  fs.writeFileSync(picture, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0xff, 0xfe]));
  fs.writeFileSync(large, Buffer.alloc(10_000_001, 'a'));
  fs.writeFileSync(empty, '');
  const LINES = [
    [`${page}\r`, 'page'],
    [`  ${page}  `, 'page'],
    [picture, 'page'],
    [HOME, 'not_found'],
    [large, 'too_large'],
    [empty, 'malformed_record'],
    ['a\0b', 'not_found'],
    ['ftp://a.example/', 'not_found'],
    ['http://', 'destination_refused'],
    [Buffer.from([0xff, 0xfe]), 'malformed_line'],
    // Without an end of its own.
    [page, 'page'],
  ];
  if (process.platform === 'linux') LINES.unshift(['/dev/zero', 'too_large']);
  const input = Buffer.concat(LINES.flatMap(([line], at) => [Buffer.from(at ? '\n' : ''), Buffer.from(line)]));
  const { code, stdout, stderr } = await run(['crawl'], { input });
  assert.equal(code, 0);
  assert.deepEqual(lines(stdout).map(({ error }, at) => [LINES[at]?.[0], error?.code ?? 'page']), LINES);
  const pages = LINES.filter(([, outcome]) => outcome === 'page').length;
  assert.match(stderr, new RegExp(`${pages} pages, ${LINES.length - pages} errors, 0 records`));
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
