// The relay's tools for scripts over HTTP.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { home, relay, until } from './relays.mjs';
import { page } from './socket.mjs';
import { start } from './support.mjs';

const SHOP = 'https://shop.example';

/** Asks the facade as a script would. */
function ask(port, token, target, { method = 'POST', body, headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path: target, method, headers: { authorization: `Bearer ${token}`, ...headers } }, (response) => {
      let text = '';
      response.on('data', (data) => (text += data));
      response.on('end', () => resolve({ status: response.statusCode, body: text && JSON.parse(text) }));
    });
    // A body that is refused unread ends in an error of its socket, after the answer.
    request.on('socket', (socket) => socket.on('error', () => {}));
    request.on('error', reject);
    request.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** A relay with a page, and what a script says to it. */
async function shop({ grant = 'act', args = [] } = {}) {
  const calls = [];
  const waiting = [];
  const tools = [
    { name: 'search', title: 'Search', description: 'Searches.', inputSchema: { type: 'object', properties: { query: { type: 'string' } } }, annotations: { readOnlyHint: true }, run: ({ query }) => { calls.push(query); return { found: query }; } },
    { name: 'buy', description: 'Buys.', annotations: { consequentialHint: true }, run: () => { calls.push('buy'); return { bought: calls.filter((one) => one === 'buy').length }; } },
    { name: 'slow', description: 'Waits.', run: ({ n }) => new Promise((resolve) => { calls.push(`slow ${n}`); waiting.push(() => resolve({ n })); }) },
    { name: 'fails', description: 'Fails.', run: () => ({ error: { code: 'gone', message: 'It is sold.', hint: 'Choose another one.' } }) },
    { name: 'words', description: 'Speaks.', run: () => ({ content: [{ type: 'text', text: 'plain words' }] }) },
    { name: 'complains', description: 'Complains.', run: () => ({ isError: true, content: [{ type: 'text', text: 'No such colour.' }] }) },
  ];
  const one = await relay({ grants: { [SHOP]: grant }, args: ['--http', ...args] });
  await page(one.port, { origin: SHOP, tools });
  await one.listed('search');
  const token = fs.readFileSync(path.join(one.folder, 'token'), 'utf8');
  const get = (target, more) => ask(one.port, token, target, { method: 'GET', ...more });
  const invoke = (body, more) => ask(one.port, token, '/invoke', { body, ...more });
  return { ...one, calls, waiting, token, get, invoke };
}

test('the manifest tells what each tool takes, needs and can do', async () => {
  const { get } = await shop();
  const { status, body } = await get('/manifest');
  assert.equal(status, 200);
  const tool = (name) => body.tools.find((one) => one.name === name);
  assert.deepEqual([tool('search'), tool('buy'), tool('slow')].map(({ permission, danger }) => [permission, danger]), [['read', 'low'], ['act', 'high'], ['act', 'medium']]);
  assert.equal(tool('search').parameters.properties.query.type, 'string');
});

test('a call comes back with its request, its time and its result', async () => {
  const { invoke, calls } = await shop();
  const { status, body } = await invoke({ session_id: 's', tool: 'search', parameters: { query: 'jacket' }, request_id: 'r1' });
  assert.equal(status, 200);
  const { elapsed_ms, ...rest } = body;
  assert.deepEqual(rest, { request_id: 'r1', code: 'ok', tool: 'search', result: { found: 'jacket' } });
  assert.ok(elapsed_ms >= 0);
  assert.equal((await invoke({ session_id: 's', tool: 'words' })).body.result, 'plain words');
  assert.deepEqual(calls, ['jacket']);
});

test('errors say what to do, with a status that fits', async () => {
  const { invoke } = await shop({ grant: 'read' });
  const expect = async (body, status, code, detail) => {
    const answer = await invoke(body);
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
    assert.match(answer.body.detail, detail);
    assert.ok(answer.body.message);
  };
  await expect('{', 400, 'invalid_parameter', /session_id/);
  await expect({ tool: 'search' }, 400, 'missing_parameter', /session_id/);
  await expect({ session_id: 's', tool: 'search', parameters: [] }, 400, 'invalid_parameter', /parameters/);
  await expect({ session_id: 's', tool: 'none' }, 404, 'not_found', /search/);
  await expect({ session_id: 's', tool: 'buy' }, 403, 'not_allowed', /toolmark grants set/);
  const acting = await shop();
  const failed = await acting.invoke({ session_id: 's', tool: 'fails' });
  assert.deepEqual([failed.status, failed.body.code, failed.body.message, failed.body.detail], [410, 'gone', 'It is sold.', 'Choose another one.']);
  const said = await acting.invoke({ session_id: 's', tool: 'complains' });
  assert.deepEqual([said.status, said.body.code, said.body.message], [502, 'tool_failed', 'No such colour.']);
});

test('calls of one session are made in order, those of others beside them', async () => {
  const { invoke, calls, waiting } = await shop();
  const first = invoke({ session_id: 'a', tool: 'slow', parameters: { n: 1 } });
  await until(() => calls.length === 1);
  const second = invoke({ session_id: 'a', tool: 'slow', parameters: { n: 2 } });
  const beside = await invoke({ session_id: 'b', tool: 'search', parameters: { query: 'x' } });
  assert.equal(beside.body.code, 'ok');
  assert.deepEqual(calls, ['slow 1', 'x']);
  waiting.shift()();
  assert.equal((await first).body.result.n, 1);
  await until(() => calls.length === 3);
  waiting.shift()();
  assert.equal((await second).body.result.n, 2);
});

test('a repeated request is answered with its first result, also after its caller went away', async () => {
  const { invoke, calls, waiting, port, token } = await shop();
  const body = { session_id: 's', tool: 'buy', parameters: {}, request_id: 'once' };
  const first = await invoke(body);
  assert.deepEqual(await invoke(body), first);
  assert.equal((await invoke({ ...body, session_id: 'other' })).body.result.bought, 2);
  const misused = await invoke({ ...body, tool: 'search' });
  assert.deepEqual([misused.status, misused.body.code], [409, 'invalid_parameter']);
  assert.deepEqual(calls, ['buy', 'buy']);

  const slow = { session_id: 's', tool: 'slow', parameters: { n: 7 }, request_id: 'left' };
  const text = JSON.stringify(slow);
  const gone = net.connect(port, '127.0.0.1');
  gone.write(`POST /invoke HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
  await until(() => calls.includes('slow 7'));
  gone.destroy();
  const again = invoke(slow);
  waiting.shift()();
  assert.equal((await again).body.result.n, 7);
  assert.equal(calls.filter((call) => call === 'slow 7').length, 1);
});

test('who has no token, a page, another name of this machine, and nonsense are refused', async () => {
  const { get, port, token, calls } = await shop();
  assert.equal((await ask(port, 'wrong', '/manifest', { method: 'GET' })).status, 401);
  assert.equal((await get('/manifest', { headers: { origin: SHOP } })).status, 403);
  assert.equal((await get('/manifest', { headers: { host: 'evil.example' } })).status, 403);
  assert.equal((await get('/join')).status, 403);
  const body = { session_id: 's', tool: 'buy' };
  assert.equal((await ask(port, 'wrong', '/invoke', { body })).status, 401);
  assert.equal((await ask(port, token, '/invoke', { body, headers: { origin: 'null' } })).status, 403);
  const long = await ask(port, token, '/invoke', { body: `"${'x'.repeat(4_100_000)}"` }).catch(() => ({ status: 413 }));
  assert.equal(long.status, 413);
  // Without --http there is no facade.
  const plain = await relay();
  const own = fs.readFileSync(path.join(plain.folder, 'token'), 'utf8');
  const answer = await fetch(`http://127.0.0.1:${plain.port}/manifest`, { headers: { authorization: `Bearer ${own}` } });
  assert.equal(answer.status, 404);
  assert.deepEqual(calls, []);
});

test('calls are written down, their arguments only if that was asked for', async () => {
  for (const args of [[], ['--audit-arguments']]) {
    const file = path.join(home(), 'calls.jsonl');
    const { invoke, mcp } = await shop({ args: ['--audit', file, ...args] });
    await invoke({ session_id: 's', tool: 'search', parameters: { query: 'secret' }, request_id: 'r' });
    await mcp.callTool({ name: 'search', arguments: { query: 'secret' } });
    await invoke({ session_id: 's', tool: 'none' });
    const text = fs.readFileSync(file, 'utf8');
    const lines = text.trim().split('\n').map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ via, tool, code }) => [via, tool, code]), [['http', 'search', 'ok'], ['mcp', 'search', 'ok'], ['http', 'none', 'not_found']]);
    assert.deepEqual([lines[0].session_id, lines[0].request_id], ['s', 'r']);
    assert.equal(text.includes('secret'), args.length > 0);
    if (!args.length) assert.equal(lines[0].arguments_hmac, lines[1].arguments_hmac);
    assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  }
});

test('with --http it runs for scripts alone, too', async () => {
  const folder = home();
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'grants.json'), JSON.stringify({ [SHOP]: 'act' }), { mode: 0o600 });
  const child = start(['relay', '--port', '0', '--http'], { TOOLMARK_HOME: folder });
  child.stdin.end();
  let said = '';
  child.stderr.on('data', (data) => (said += data));
  const port = (await until(() => /ws:\/\/127\.0\.0\.1:(\d+)/.exec(said), 'the port'))[1];
  await page(port, { origin: SHOP, tools: [{ name: 'echo', run: (input) => input }] });
  const token = fs.readFileSync(path.join(folder, 'token'), 'utf8');
  const answer = await until(async () => {
    const one = await ask(port, token, '/invoke', { body: { session_id: 's', tool: 'echo', parameters: { a: 1 } } });
    return one.status === 200 && one;
  }, 'the tool');
  assert.deepEqual(answer.body.result, { a: 1 });
});
