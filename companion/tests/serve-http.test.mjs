// What clients over HTTP do to the server, and what it tells them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { ENV, httpPort, shop, site, start } from './support.mjs';

/** The program at a port of its own. */
async function served(args) {
  const child = start(['serve', '--allow-private', '--http=0', ...args]);
  const port = await httpPort(child);
  const authorization = `Bearer ${fs.readFileSync(path.join(ENV.TOOLMARK_HOME, 'token'), 'utf8')}`;
  const connect = async (t, prepare) => {
    const one = new Client({ name: 'test', version: '1' });
    prepare?.(one);
    await one.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers: { authorization } } }));
    t.after(() => one.close());
    return one;
  };
  return { child, port, authorization, connect };
}

/** What comes over a plain connection until the server closes it. */
function raw(port, text) {
  const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
  let said = '';
  socket.on('data', (data) => (said += data));
  socket.on('error', () => {});
  return { socket, closed: new Promise((resolve) => socket.on('close', () => resolve(said))) };
}

test('clients that send half a request are closed, and others are served meanwhile', async (t) => {
  const { origin } = await site((url, _, origin) => (url.pathname === '/' ? { body: shop(origin) } : undefined));
  const { port, authorization, connect } = await served([`${origin}/`]);
  const halves = [
    '',
    'POST /mcp HTTP/1.1\r\nHost: 127.0',
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Slow: `,
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"`,
  ].map((text) => raw(port, text));
  // One that sends a byte now and then has no more time than the others.
  const dripping = raw(port, 'GET /mcp HTTP/1.1\r\nX: ');
  const drip = setInterval(() => dripping.socket.write('x'), 1000);
  t.after(() => {
    clearInterval(drip);
    for (const { socket } of [...halves, dripping]) socket.destroy();
  });
  const one = await connect(t);
  assert.equal((await one.callTool({ name: 'get_product', arguments: {} })).structuredContent.name, 'Rain jacket');
  const said = await Promise.all([...halves, dripping].map(({ closed }) => closed));
  assert.match(said[3], /^HTTP\/1\.1 408 [^]*"code":"timeout"/);
  assert.equal((await one.callTool({ name: 'get_product', arguments: {} })).structuredContent.name, 'Rain jacket');
});

test('a client that vanishes during a call costs nobody else anything', async (t) => {
  let asked = 0;
  let release;
  const held = new Promise((resolve) => (release = resolve));
  t.after(() => release());
  const { origin } = await site(async (url, _, origin) => {
    if (url.pathname === '/') return { body: shop(origin), headers: { 'cache-control': 'max-age=3600' } };
    if (url.pathname !== '/slow') return undefined;
    asked += 1;
    await held;
    return { body: '<title>slow</title>' };
  });
  const { child, port, authorization, connect } = await served([`${origin}/`]);
  const one = await connect(t);
  await one.listTools();
  for (let round = 0; round < 20; round += 1) {
    const session = await new Promise((resolve, reject) => {
      const request = http.request({ port, path: '/mcp', method: 'POST', agent: false, headers: { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' } }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.headers['mcp-session-id']));
      });
      request.on('error', reject);
      request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'gone', version: '1' } } }));
    });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_manifest', arguments: { url: `${origin}/slow?${round}` } } });
    const { socket, closed } = raw(port, `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\nMcp-Session-Id: ${session}\r\nMcp-Protocol-Version: 2025-06-18\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    while (asked <= round) await new Promise((resolve) => setTimeout(resolve, 5));
    socket.destroy();
    await closed;
  }
  assert.equal((await one.callTool({ name: 'get_product', arguments: {} })).structuredContent.name, 'Rain jacket');
  release();
  assert.equal((await one.callTool({ name: 'get_manifest', arguments: { url: `${origin}/slow?last` } })).structuredContent.title, 'slow');
  assert.equal(child.exitCode, null);
});

test('over standard input and output, a client that vanishes during a call ends the program', async () => {
  let asked;
  const waiting = new Promise((resolve) => (asked = resolve));
  const { origin } = await site(() => {
    asked();
    return new Promise(() => {});
  });
  const child = start(['serve', '--allow-private', '--quiet']);
  const say = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'gone', version: '1' } } });
  say({ method: 'notifications/initialized' });
  say({ id: 2, method: 'tools/call', params: { name: 'get_manifest', arguments: { url: `${origin}/` } } });
  await waiting;
  child.stdin.end();
  child.stdout.destroy();
  assert.ok((await new Promise((resolve) => child.on('exit', (...how) => resolve(how))))[1] === null);
});

test('who subscribed to a resource is told of its change, and nobody else', async (t) => {
  let name = 'Rain jacket';
  const { origin } = await site((url, _, origin) => (url.pathname === '/' ? { body: shop(origin, { name }), headers: { 'cache-control': 'no-cache' } } : undefined));
  const { connect } = await served([`${origin}/`]);
  const uri = `page://${new URL(origin).hostname}/entity/product/1`;
  const told = { subscriber: [], other: [], former: [] };
  const listening = (name) => (one) => one.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => { told[name].push(params.uri); });
  let tell;
  const first = new Promise((resolve) => (tell = resolve));
  const subscriber = await connect(t, (one) => one.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    told.subscriber.push(params.uri);
    tell();
  }));
  const other = await connect(t, listening('other'));
  const former = await connect(t, listening('former'));
  await other.listResources();
  await subscriber.subscribeResource({ uri });
  await former.subscribeResource({ uri });
  await former.unsubscribeResource({ uri });
  name = 'Warm jacket';
  // Nothing polls: somebody asks.
  await other.callTool({ name: 'get_product', arguments: {} });
  await first;
  // What came before an answer would have come by now.
  await Promise.all([subscriber.ping(), other.ping(), former.ping()]);
  assert.deepEqual(told, { subscriber: [uri], other: [], former: [] });
  assert.match((await subscriber.readResource({ uri })).contents[0].text, /Warm jacket/);
});
