// The relay, with pages that we speak for: what is granted, what is refused, and what nonsense costs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { code, home, relay, text, until } from './relays.mjs';
import { connect, frame, page } from './socket.mjs';
import { BINARY, ENV, run, site } from './support.mjs';

const SHOP = 'https://shop.example';
const OTHER = 'https://other.example';
const echo = (more = {}) => ({ name: 'echo', description: 'Says it again.', inputSchema: { type: 'object', properties: { text: { type: 'string' } } }, annotations: { readOnlyHint: true }, run: ({ text }) => ({ said: text }), ...more });

for (const style of ['2.2.0', '4.0.0']) {
  test(`a page in the style of ${style} is listed, called, followed and forgotten`, async () => {
    let told = 0;
    const { port, mcp, listed, unlisted } = await relay({ grants: { [SHOP]: 'act' }, prepare: (one) => one.setNotificationHandler(ToolListChangedNotificationSchema, () => { told += 1; }) });
    const envelope = { content: [{ type: 'text', text: 'hello' }], structuredContent: { said: 'hello' } };
    const socket = await page(port, { origin: SHOP, style, tools: [echo({ run: () => envelope })] });
    await listed('echo');
    // Changes that follow each other quickly are told once.
    const news = async () => {
      await until(() => told > 0, 'list_changed');
      told = 0;
    };
    await news();
    const { content, structuredContent } = await mcp.callTool({ name: 'echo', arguments: { text: 'hello' } });
    assert.deepEqual({ content, structuredContent }, envelope);
    socket.send({ type: 'tools/changed', tools: [{ name: 'other' }] });
    await listed('other');
    await unlisted('echo');
    await news();
    socket.close();
    await unlisted('other');
    await news();
  });
}

test('an unknown origin is paired by the code that the person is shown, and nobody else', async () => {
  const { port, mcp, said, names, listed, unlisted, folder, grant, heard } = await relay();
  const { socket } = await connect(port, { origin: SHOP });
  socket.send({ type: 'hello', tabId: 't', origin: SHOP, url: `${SHOP}/`, title: 'Shop' });
  await socket.heard('hello/accepted');
  await socket.heard('pairing/required');
  socket.send({ type: 'tools/list', tools: [{ name: 'echo' }] });
  const [, digits] = await until(() => /type (\d{6}) in the page/.exec(said()), 'the code');
  assert.ok(said().includes(SHOP));
  assert.ok(!(await names()).includes('echo'), 'a page without a grant is listed');
  assert.ok(!JSON.stringify(socket.messages).includes(digits), 'the page is told the code');
  // Another origin cannot use it, and has a code of its own.
  const thief = (await connect(port, { origin: OTHER })).socket;
  thief.send({ type: 'hello', tabId: 't', origin: SHOP });
  await thief.heard('pairing/required');
  thief.send({ type: 'pairing/code', code: digits });
  assert.equal((await thief.heard('pairing/wrong')).left, 4);
  const wrong = digits.replace(/./g, (digit) => (digit === '9' ? '0' : '9'));
  socket.send({ type: 'pairing/code', code: wrong });
  assert.equal((await socket.heard('pairing/wrong')).left, 4);
  socket.send({ type: 'pairing/code', code: ` ${digits} ` });
  assert.equal((await socket.heard('pairing/accepted')).grant, 'read');
  assert.equal(await socket.closed(), 1012);
  const again = await page(port, { origin: SHOP, tools: [echo()] });
  await listed('echo');
  assert.equal((await mcp.callTool({ name: 'echo', arguments: { text: 'x' } })).structuredContent.said, 'x');
  const all = JSON.stringify(heard);
  assert.ok(heard.length >= 3, all);
  const at = all.indexOf(digits);
  assert.ok(at < 0, `the model is told the code ${digits}: ${all.slice(Math.max(0, at - 200), at + 200)}`);
  assert.equal(fs.statSync(path.join(folder, 'grants.json')).mode & 0o777, 0o600);
  assert.equal((await grant()).stdout, `read\t${SHOP}\n`);
  assert.equal((await grant('revoke', SHOP)).code, 0);
  assert.equal(await again.closed(), 1012);
  await unlisted('echo');
  // A code counts once.
  const late = (await connect(port, { origin: SHOP })).socket;
  late.send({ type: 'hello', tabId: 't' });
  await late.heard('pairing/required');
  late.send({ type: 'pairing/code', code: digits });
  await late.heard('pairing/wrong');
});

for (const style of ['2.2.0', '4.0.0']) {
  test(`a page in the style of ${style}, which cannot ask for a code, is paired at the person's terminal`, async () => {
    const { port, mcp, said, names, listed, heard, grant } = await relay();
    const socket = await page(port, { origin: SHOP, style, tools: [echo({ annotations: undefined })] });
    const [, command, digits] = await until(() => /run: toolmark ((?:grants pair) (\d{6}) --port \d+)$/m.exec(said()), 'the command');
    const waits = await grant('list', '--port', String(port));
    assert.equal(waits.stdout, `asks\t${SHOP}\n`);
    assert.match(waits.stderr, /toolmark grants set https:\/\/shop\.example read\|act/);
    assert.ok(!(await names()).includes('echo'), 'a page without a grant is listed');
    const { message } = (await mcp.callTool({ name: 'list_page_tools', arguments: {} })).structuredContent;
    assert.match(message, /one origin wait.*'toolmark grants' in a terminal/);
    assert.ok(!message.includes('shop.example'));
    const wrong = await grant('pair', digits.replace(/./g, (digit) => (digit === '9' ? '0' : '9')), '--port', String(port));
    assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
    assert.match(wrong.stderr, /load the page again/);
    const paired = await grant(...command.split(' ').slice(1), 'act');
    assert.equal(paired.stdout, `act\t${SHOP}\n`);
    // The embed connects again, as it does when a relay was started anew.
    assert.equal(await socket.closed(), 1012);
    await page(port, { origin: SHOP, style, tools: [echo({ annotations: undefined })] });
    await listed('echo');
    assert.equal(code(await mcp.callTool({ name: 'echo', arguments: { text: 'x' } })), 'ok');
    // It counts once, and neither the model nor the page ever has it.
    assert.equal((await grant('pair', digits, '--port', String(port))).code, 1);
    assert.equal((await grant('list', '--port', String(port))).stdout, `act\t${SHOP}\n`);
    assert.ok(!JSON.stringify([heard, socket.messages]).includes(digits));
  });
}

test('a client may speak through sockets, pipes, files, or a socket that is standard error, too', async () => {
  const said = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } } })}\n`;
  const file = path.join(home(), 'said.jsonl');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, said);
  for (const line of ['exec "$0" relay --port 0', 'cat | "$0" relay --port 0 | cat', '"$0" relay --port 0 | cat', 'exec "$0" relay --port 0 2>&1', `exec "$0" relay --port 0 < ${file}`, `cat | "$0" relay --port 0 > ${file}.out; cat ${file}.out`]) {
    const child = spawn('sh', ['-c', line, BINARY], { env: { ...ENV, TOOLMARK_HOME: home() } });
    const ended = once(child, 'close');
    let out = '';
    child.stdout.on('data', (data) => (out += data));
    child.stdin.on('error', () => {});
    child.stdin.end(said);
    await ended;
    assert.match(out, /^\{"jsonrpc":"2\.0","id":1,"result":\{.*"serverInfo"/m, line);
  }
});

test('a code is shown to no stranger at the port, and nobody without the token is told who asks', async () => {
  const { port, grant, folder } = await relay();
  const token = fs.readFileSync(path.join(folder, 'token'), 'utf8');
  const shown = [];
  const { origin } = await site((url, request) => {
    shown.push(JSON.stringify([request.path, request.headers]));
    return { headers: { 'toolmark-proof': request.headers['toolmark-proof'] }, body: JSON.stringify({ asking: [OTHER], meant: OTHER, grant: 'act' }) };
  });
  const stranger = await grant('pair', '123456', '--port', new URL(origin).port);
  assert.match(stranger.stderr, /No relay of yours answers/);
  assert.deepEqual([stranger.code, (await grant()).stdout, shown.length], [1, '', 1]);
  assert.ok(!shown[0].includes('123456') && !shown[0].includes(token), shown[0]);
  for (const headers of [{}, { authorization: `Bearer ${token}` }, { 'toolmark-number': '1', 'toolmark-proof': '1' }]) {
    assert.equal((await fetch(`http://127.0.0.1:${port}/asking`, { headers })).status, 403);
  }
  for (const bad of ['12345', '1234567', 'abcdef', SHOP]) assert.equal((await grant('pair', bad)).code, 2, bad);
});

test('a code that was typed wrong five times counts no more', async () => {
  const { port, said } = await relay();
  const { socket } = await connect(port, { origin: SHOP });
  socket.send({ type: 'hello', tabId: 't' });
  await socket.heard('pairing/required');
  const [, digits] = await until(() => /type (\d{6}) in the page/.exec(said()), 'the code');
  const wrong = digits.replace(/./g, (digit) => (digit === '9' ? '0' : '9'));
  for (let i = 0; i < 5; i += 1) socket.send({ type: 'pairing/code', code: wrong });
  await socket.heard('pairing/closed');
  socket.send({ type: 'pairing/code', code: digits });
  await until(() => socket.messages.filter((one) => one.type === 'pairing/closed').length === 2, 'the second refusal');
  const next = (await connect(port, { origin: SHOP })).socket;
  next.send({ type: 'hello', tabId: 't' });
  assert.match((await next.heard('pairing/closed')).message, /two minutes/);
  assert.equal(said().match(/type \d{6}/g).length, 1, 'a new code was shown');
});

test('read, act and deny are what they say, and a change counts at once', async () => {
  const calls = [];
  const tools = [echo(), { name: 'buy', description: 'Buys.', run: () => { calls.push('buy'); return { done: true }; } }];
  const { port, mcp, listed, unlisted, grant } = await relay({ grants: { [SHOP]: 'read' } });
  const reader = await page(port, { origin: SHOP, tools });
  await listed('buy');
  assert.equal(code(await mcp.callTool({ name: 'echo', arguments: { text: 'x' } })), 'ok');
  const refused = await mcp.callTool({ name: 'buy', arguments: {} });
  assert.equal(code(refused), 'not_allowed');
  assert.match(text(refused), /toolmark grants set https:\/\/shop\.example act/);
  assert.deepEqual(calls, []);
  assert.equal((await grant('set', SHOP, 'act')).code, 0);
  assert.equal(await reader.closed(), 1012);
  await page(port, { origin: SHOP, tools });
  await listed('buy');
  assert.equal(code(await mcp.callTool({ name: 'buy', arguments: {} })), 'ok');
  await grant('set', SHOP, 'deny');
  await unlisted('buy');
  const { socket } = await connect(port, { origin: SHOP });
  socket.send({ type: 'hello', tabId: 't' });
  assert.match((await socket.heard('hello/rejected')).message, /does not let/);
  socket.send({ type: 'tools/list', tools: [{ name: 'buy' }] });
  socket.send({ type: 'pairing/code', code: '123456' });
  assert.equal(code(await mcp.callTool({ name: 'buy', arguments: {} })), 'gone');
  assert.deepEqual(calls, ['buy']);
});

test('the real Origin decides, whatever a page says of itself', async () => {
  const { port, mcp, listed } = await relay({ grants: { [SHOP]: 'act', [OTHER]: 'act' } });
  await page(port, { origin: SHOP, tools: [echo()] });
  await listed('echo');
  await page(port, { origin: OTHER, hello: { origin: SHOP, url: `${SHOP}/account`, title: 'Shop' }, tools: [echo({ run: () => ({ said: 'stolen' }) })] });
  await listed('other_example_echo');
  const { pages } = (await mcp.callTool({ name: 'list_page_tools', arguments: {} })).structuredContent;
  assert.deepEqual(pages.map((one) => [one.origin, one.url]), [[SHOP, `${SHOP}/page`], [OTHER, `${OTHER}/`]]);
  // The name that was the shop's is still the shop's.
  assert.equal((await mcp.callTool({ name: 'echo', arguments: { text: 'mine' } })).structuredContent.said, 'mine');
});

test('who is no page with an origin is not connected', async () => {
  const { port } = await relay();
  for (const [more, status] of [[{ origin: '' }, 403], [{ origin: 'null' }, 403], [{ origin: 'file://' }, 403], [{ origin: 'https://shop.example/page' }, 403], [{ host: `evil.example:${port}` }, 403], [{ protocol: 'webmcp-relay.v1' }, 400], [{ protocol: 'webmcp.v2' }, 400], [{ protocol: '' }, 400]]) {
    assert.equal((await connect(port, more)).status, status, JSON.stringify(more));
  }
});

test('nonsense costs whoever sends it', async (t) => {
  const { port, mcp, listed } = await relay({ grants: { [SHOP]: 'act', [OTHER]: 'act' } });
  await page(port, { origin: OTHER, tools: [echo()] });
  await listed('echo');
  const open = async () => (await connect(port, { origin: SHOP })).socket;
  const hello = { type: 'hello', tabId: 't' };
  await t.test('a list before hello is none, and the connection goes on', async () => {
    const socket = await open();
    socket.send({ type: 'tools/list', tools: [{ name: 'early' }] });
    socket.send(hello);
    await socket.heard('hello/accepted');
    socket.send({ type: 'tools/list', tools: [{ name: 'late' }] });
    await listed('late');
    assert.ok(!(await mcp.listTools()).tools.some((tool) => tool.name === 'early'));
    socket.close();
  });
  await t.test('another version is refused', async () => {
    const socket = await open();
    socket.send({ ...hello, version: 2 });
    assert.equal((await socket.heard('hello/rejected')).reason, 'version');
    socket.close();
  });
  await t.test('messages that make no sense end the connection after a while', async () => {
    const socket = await open();
    for (const text of ['{', '[]', '"x"', '{"type":5}', '{"type":"relay/invoke"}', '{"type":"tools/list"}', '{"type":"result"}', '', '0', '{"type":"pairing/code","code":"1"}']) socket.raw(frame(text));
    assert.equal(await socket.closed(), 1008);
  });
  await t.test('answers to calls of others, twice, or to none change nothing', async () => {
    const socket = await open();
    socket.send(hello);
    for (const callId of ['1', '2', '3', '999999999999999999999', '-1', 'x']) socket.send({ type: 'result', callId, result: { said: 'forged' } });
    assert.equal((await mcp.callTool({ name: 'echo', arguments: { text: 'real' } })).structuredContent.said, 'real');
    socket.close();
  });
  for (const [what, data, expected] of [
    ['binary', frame('x', { opcode: 2 }), 1003],
    ['a reserved opcode', frame('x', { opcode: 5 }), 1002],
    ['text that is no UTF-8', frame(Buffer.from([0xff, 0xfe])), 1002],
    ['a frame that says it has 2^62 bytes', Buffer.from([0x81, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]), 1009],
    ['a message over the limit', frame('x'.repeat(12_100_000)), 1009],
    ['a continuation of nothing', frame('x', { opcode: 0 }), 1002],
    ['JSON a thousand levels deep', frame('['.repeat(1000)), undefined],
  ]) {
    await t.test(what, async () => {
      const socket = await open();
      socket.send(hello);
      await socket.heard('hello/accepted');
      socket.raw(data);
      if (expected) {
        const ended = await socket.closed();
        assert.ok(ended === expected || ended === undefined, `closed with ${ended}`);
      } else {
        socket.send({ type: 'tools/list', tools: [{ name: 'after' }] });
        await listed('after');
        socket.close();
      }
    });
  }
  assert.equal(code(await mcp.callTool({ name: 'echo', arguments: { text: 'x' } })), 'ok');
});

test('slow and half-open connections keep nobody out', async () => {
  const { port, mcp, listed } = await relay({ grants: { [SHOP]: 'act' } });
  const idle = Array.from({ length: 100 }, (_, i) => {
    const tcp = net.connect(port, '127.0.0.1');
    tcp.on('error', () => {});
    if (i % 2) tcp.write('GET / HTTP/1.1\r\nHost: x');
    return tcp;
  });
  const half = [];
  for (let i = 0; i < 40; i += 1) {
    const { status, socket } = await connect(port, { origin: `https://${i}.example` });
    if (status === 101) {
      // The beginning of a frame, and no end.
      socket.raw(frame('x'.repeat(1000)).subarray(0, 100));
      half.push(socket);
    } else assert.equal(status, 503);
  }
  assert.equal(half.length, 32);
  await page(port, { origin: SHOP, tools: [echo()] });
  await listed('echo');
  assert.equal(code(await mcp.callTool({ name: 'echo', arguments: { text: 'x' } })), 'ok');
  // Who never says hello, or never ends what it began to ask, is let go.
  const silent = (await connect(port, { origin: SHOP })).socket;
  const ended = await Promise.all([silent.closed(), ...half.map((socket) => socket.closed())]);
  assert.deepEqual([...new Set(ended)], [1008]);
  await Promise.all(idle.map((tcp) => tcp.closed || new Promise((resolve) => tcp.once('close', resolve))));
});

test('a page that goes during a call, and a client that does', async () => {
  const { port, mcp, listed, unlisted } = await relay({ grants: { [SHOP]: 'act' } });
  let began;
  const waits = { name: 'wait', run: (_, callId) => { began?.(callId); } };
  const socket = await page(port, { origin: SHOP, tools: [waits] });
  await listed('wait');
  const asked = new Promise((resolve) => (began = resolve));
  const call = mcp.callTool({ name: 'wait', arguments: {} });
  await asked;
  socket.close();
  const gone = await call;
  assert.equal(code(gone), 'gone');
  assert.match(text(gone), /not known/);
  await unlisted('wait');

  const second = await page(port, { origin: SHOP, tools: [waits, echo()] });
  await listed('wait');
  const again = new Promise((resolve) => (began = resolve));
  const controller = new AbortController();
  const cancelled = mcp.callTool({ name: 'wait', arguments: {} }, undefined, { signal: controller.signal });
  const callId = await again;
  controller.abort();
  await assert.rejects(cancelled);
  assert.equal((await second.heard('cancel')).callId, callId);
  assert.equal(code(await mcp.callTool({ name: 'echo', arguments: { text: 'x' } })), 'ok');
});

test('a client that vanishes during a call ends the relay, and the port is free', async () => {
  const { port, mcp, transport, listed } = await relay({ grants: { [SHOP]: 'act' } });
  let began;
  const asked = new Promise((resolve) => (began = resolve));
  const socket = await page(port, { origin: SHOP, tools: [{ name: 'wait', run: () => { began(); } }] });
  await listed('wait');
  mcp.callTool({ name: 'wait', arguments: {} }).catch(() => {});
  await asked;
  transport._process.stdin.destroy();
  await socket.closed();
  await until(() => new Promise((resolve) => {
    const server = net.createServer().once('error', () => resolve(false)).listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  }), 'the port to be free');
});

test('a thousand tools and an answer of 10 MB', async () => {
  const { port, mcp, said, names, listed } = await relay({ grants: { [SHOP]: 'act' } });
  const many = Array.from({ length: 1_100 }, (_, i) => ({ name: `tool_${i}`, description: 'One of many.' }));
  const big = { name: 'big', run: ({ size }) => ({ content: [{ type: 'text', text: 'x'.repeat(size) }] }) };
  await page(port, { origin: SHOP, tools: [big, ...many] });
  await listed('big');
  let cursor;
  const all = [];
  do {
    const { tools, nextCursor } = await mcp.listTools({ cursor });
    all.push(...tools);
    cursor = nextCursor;
  } while (cursor);
  assert.equal(all.filter((tool) => /^(big|tool_)/.test(tool.name)).length, 1_000);
  assert.match(said(), /1000 of 1101 tools are carried/);
  const result = await mcp.callTool({ name: 'big', arguments: { size: 10_000_000 } });
  assert.ok(!result.isError && JSON.stringify(result).length < 100_000, 'it is not capped');
  const over = await mcp.callTool({ name: 'big', arguments: { size: 13_000_000 } });
  assert.equal(code(over), 'gone');
  assert.match(said(), /answer less/);
  await page(port, { origin: SHOP, tools: [echo()] });
  await listed('echo');
  assert.ok((await names()).length < 10);
});

test('a second start joins the first; who has no token does not', async () => {
  const first = await relay({ grants: { [SHOP]: 'act' } });
  await page(first.port, { origin: SHOP, tools: [echo()] });
  const second = await relay({ port: first.port, folder: first.folder });
  assert.match(second.said(), /joined/);
  await Promise.all([first.listed('echo'), second.listed('echo')]);
  const calls = [first, second].flatMap(({ mcp }, n) => Array.from({ length: 50 }, (_, i) => mcp.callTool({ name: 'echo', arguments: { text: `${n}-${i}` } })));
  const said = (await Promise.all(calls)).map((result) => result.structuredContent.said);
  assert.deepEqual(said, [0, 1].flatMap((n) => Array.from({ length: 50 }, (_, i) => `${n}-${i}`)));
  // The first one's client goes: the second one's is served on.
  first.transport._process.stdin.end();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(code(await second.mcp.callTool({ name: 'echo', arguments: { text: 'x' } })), 'ok');
  const stranger = await run(['relay', '--port', String(first.port)], { env: { TOOLMARK_HOME: home() } });
  assert.equal(stranger.code, 1);
  assert.match(stranger.stderr, /used by another program/);
  await second.mcp.close();
  await until(async () => (await run(['relay', '--port', String(first.port)], { env: { TOOLMARK_HOME: home() } })).code === 0, 'the first to end');
});

test('a relay that is killed leaves its place to one that joined it, whose client goes on', async () => {
  let told = 0;
  const first = await relay({ grants: { [SHOP]: 'act' } });
  const second = await relay({ port: first.port, folder: first.folder, prepare: (one) => one.setNotificationHandler(ToolListChangedNotificationSchema, () => { told += 1; }) });
  const third = await relay({ port: first.port, folder: first.folder });
  let began;
  const asked = new Promise((resolve) => (began = resolve));
  const socket = await page(first.port, { origin: SHOP, tools: [{ name: 'wait', run: () => { began(); } }] });
  await second.listed('wait');
  const call = second.mcp.callTool({ name: 'wait', arguments: {} });
  await asked;
  told = 0;
  first.transport._process.kill('SIGKILL');
  await assert.rejects(call, /has ended/);
  await socket.closed();
  await until(() => told > 0, 'list_changed');
  // Its page connects again, as pages do.
  await until(async () => {
    const again = await page(first.port, { origin: SHOP, tools: [echo()] }).catch(() => undefined);
    return again;
  }, 'the port');
  for (const { mcp, listed } of [second, third]) {
    await listed('echo');
    assert.equal((await mcp.callTool({ name: 'echo', arguments: { text: 'on' } })).structuredContent.said, 'on');
  }
});

test('the token is shown to nobody who has the port by chance', async () => {
  const folder = home();
  const { origin, requests } = await site(() => ({ body: 'hello' }));
  const { code: ended, stderr } = await run(['relay', '--port', new URL(origin).port], { env: { TOOLMARK_HOME: folder } });
  assert.equal(ended, 1);
  assert.match(stderr, /--port/);
  const token = fs.readFileSync(path.join(folder, 'token'), 'utf8');
  assert.ok(!JSON.stringify(requests).includes(token));
});

test('grants are set, listed and taken back on the command line; a broken file grants nothing', async () => {
  const folder = home();
  const grants = (...words) => run(['grants', ...words], { env: { TOOLMARK_HOME: folder } });
  assert.match((await grants('list')).stderr, /no origin/);
  assert.equal((await grants('set', 'https://Shop.example/', 'act')).stdout, `act\t${SHOP}\n`);
  await grants('set', 'http://localhost:3000', 'deny');
  assert.equal((await grants('list')).stdout, `deny\thttp://localhost:3000\nact\t${SHOP}\n`);
  for (const bad of [['set', 'shop.example', 'act'], ['set', 'null', 'act'], ['set', SHOP, 'all'], ['revoke', 'https://a.example/b']]) assert.equal((await grants(...bad)).code, 2, bad.join(' '));
  assert.equal((await grants('revoke', OTHER)).code, 1);
  assert.equal((await grants('revoke', SHOP)).code, 0);
  const file = path.join(folder, 'grants.json');
  fs.writeFileSync(file, `{"${SHOP}": "everything"}`);
  assert.match((await grants('set', SHOP, 'act')).stderr, /Mend or delete it/);
  fs.writeFileSync(file, `{"${SHOP}": "act"}`);
  fs.chmodSync(file, 0o666);
  assert.match((await grants('list')).stderr, /written by others/);
});
