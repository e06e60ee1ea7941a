// The relay beside @mcp-b/webmcp-local-relay, in one run, with the same pages in the same Chromium:
//   TOOLMARK_BINARY=…/toolmark node companion/tests/measure-relay.mjs [ROUNDS]
// Prints a table. Each figure is taken of all in turn, so that what else the machine does falls on all of them.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { chromium } from 'playwright-core';
import { serve } from '../../www/serve.mjs';
import { page as withoutBrowser } from './socket.mjs';

const here = path.dirname(new URL(import.meta.url).pathname);
const BINARY = process.env.TOOLMARK_BINARY ?? path.join(here, '../../target/native/toolmark');
const PEER = path.join(here, '../../node_modules/@mcp-b/webmcp-local-relay/dist');
const ROUNDS = Number(process.argv[2] ?? 5);
const CALLS = 200;
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-measure-'));
const env = { PATH: process.env.PATH, HOME: home, TOOLMARK_HOME: home };

const sorted = (values) => [...values].sort((a, b) => a - b);
const quantile = (values, q) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * q))];
const median = (values) => quantile(values, 0.5);
const round = (value) => (value >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => performance.now();

/** What is compared: how it is started, and what a page needs to reach it. */
const PORTS = { ours: 19_401, tag: 19_402, peer: 19_403 };
const embed = (port) => `<script src="/embed/embed.js" data-relay-port="${port}"></script>`;
const KINDS = {
  ours: { title: 'toolmark relay, page with the 2.2.0 embed', command: BINARY, args: (port) => ['relay', '--port', port], page: embed, tag: '' },
  tag: { title: 'toolmark relay, page with data-relay', command: BINARY, args: (port) => ['relay', '--port', port], page: () => '', tag: (port) => `data-relay="ws://127.0.0.1:${port}"` },
  peer: { title: '@mcp-b/webmcp-local-relay 2.2.0', command: process.execPath, args: (port) => [path.join(PEER, 'cli.js'), '--port', port], page: embed, tag: '' },
};

/** From the start of the program to its answer to `initialize`. */
async function startTime({ command, args }, port) {
  const before = now();
  const child = spawn(command, args(String(port)), { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'measure', version: '1' } } })}\n`);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const took = now() - before;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  return took;
}

/** Resident memory in MiB, and how much of it is no file's. */
const memory = (pid) => ['VmRSS', 'RssAnon'].map((what) => Number(new RegExp(`${what}:\\s+(\\d+)`).exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
const mebibytes = ([all, own]) => `${round(all)} MiB, ${round(own)} of it its own`;

/** A page that says what it has and answers at once, without any embed: what is left is the relay's and the browser's. */
const bareScript = (port) => `<script>
const socket = new WebSocket('ws://127.0.0.1:${port}', ['webmcp.v1']);
const tell = (message) => socket.send(JSON.stringify(message));
socket.onmessage = ({ data }) => {
  const { type, callId } = JSON.parse(data);
  if (type === 'server-hello') {
    tell({ type: 'hello', version: 1, tabId: 'bare', origin: location.origin, url: location.href, title: document.title });
    tell({ type: 'tools/list', tools: [{ name: 'echo', description: 'Says it again.', annotations: { readOnlyHint: true } }] });
  } else if (type === 'invoke') tell({ type: 'result', callId, result: { content: [{ type: 'text', text: 'x' }] } });
  else if (type === 'ping') tell({ type: 'pong' });
};
</script>`;

async function run(kind, browser, origin) {
  const { command, args } = KINDS[kind];
  const client = new Client({ name: 'measure', version: '1' });
  const one = { kind, changes: 0, heard: [] };
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    one.changes += 1;
    for (const wake of one.heard.splice(0)) wake();
  });
  const transport = new StdioClientTransport({ command, args: args(String(PORTS[kind])), env, stderr: 'ignore' });
  await client.connect(transport);
  one.pid = transport._process.pid;
  one.client = client;
  one.idle = memory(one.pid);
  one.page = await browser.newPage();
  await one.page.goto(`${origin}/${kind}`);
  /** The name under which clients have a tool. */
  one.named = async (wanted) => (await client.listTools()).tools.map((tool) => tool.name).find((name) => name === wanted || name.startsWith(`${wanted}_`) || name.endsWith(`_${wanted}`));
  one.call = async (name = 'echo') => {
    const result = await client.callTool({ name, arguments: { text: 'x' } });
    if (result.isError) throw new Error(result.content[0].text);
  };
  one.works = async (name) => {
    try {
      await one.call(name);
      return true;
    } catch {
      return false;
    }
  };
  for (let i = 0; !(await one.works('echo')); i += 1) {
    if (i > 1500) throw new Error(`${KINDS[kind].title} never had the tool`);
    await sleep(20);
  }
  return one;
}

const server = await serve({
  routes: (_, url) => {
    const bare = PORTS[/^\/bare\/(\w+)$/.exec(url.pathname)?.[1]];
    if (bare) return { body: `<!doctype html><title>Bare</title>${bareScript(bare)}` };
    const kind = KINDS[url.pathname.slice(1)];
    if (kind) {
      const port = PORTS[url.pathname.slice(1)];
      const attributes = kind.tag ? kind.tag(port) : '';
      return { body: `<!doctype html><title>Page</title><script src="/dist/toolmark.js" data-page="off" data-watch="off" ${attributes}></script><script>toolmark.defineTool({ name: 'echo', description: 'Says it again.', inputSchema: { type: 'object', properties: { text: { type: 'string' } } }, annotations: { readOnlyHint: true }, execute: ({ text }) => ({ said: text }) });</script>${kind.page(port)}` };
    }
    const file = /^\/embed\/(embed\.js|widget\.(html|js))$/.exec(url.pathname)?.[1];
    return file && { body: fs.readFileSync(path.join(PEER, 'browser', file)), headers: { 'content-type': file.endsWith('html') ? 'text/html' : 'text/javascript' } };
  },
});
fs.writeFileSync(path.join(home, 'grants.json'), JSON.stringify({ [server.origin]: 'act' }), { mode: 0o600 });
const kinds = Object.keys(KINDS);
const rows = [];
const row = (what, values) => rows.push([what, ...kinds.map((kind) => values[kind])]);
/** All of them, each time another one first. */
const inTurn = (list, i) => list.map((_, at) => list[(at + i) % list.length]);
const each = () => Object.fromEntries(kinds.map((kind) => [kind, []]));
const show = (values, how) => Object.fromEntries(kinds.map((kind) => [kind, how(values[kind])]));
const ms = (values) => `${round(median(values))} ms`;

const starts = each();
for (let i = 0; i < ROUNDS * 2; i += 1) for (const kind of inTurn(kinds, i)) starts[kind].push(await startTime(KINDS[kind], 19_410));
row('start to the answer to `initialize`, median', show(starts, ms));

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-features=WebMCP,WebMCPTesting'] });
const running = {};
for (const kind of kinds) running[kind] = await run(kind, browser, server.origin);
const all = kinds.map((kind) => running[kind]);
row('memory, idle', show(running, (one) => mebibytes(one.idle)));

/** How long something takes each of them, `times` in turn. */
async function timed(times, work) {
  const took = each();
  for (let i = 0; i < times; i += 1) {
    for (const one of inTurn(all, i)) {
      const before = now();
      await work(one);
      took[one.kind].push(now() - before);
    }
  }
  return took;
}
const singly = () => timed(CALLS, (one) => one.call());
const atOnce = () => timed(ROUNDS, (one) => Promise.all(Array.from({ length: CALLS }, () => one.call())));

for (let i = 0; i < 20; i += 1) for (const one of all) await one.call();
const calls = await singly();
row(`${CALLS} calls, one after the other: median`, show(calls, ms));
row('… 95th percentile', show(calls, (values) => `${round(quantile(values, 0.95))} ms`));

row(`${CALLS} calls at once, median of ${ROUNDS}`, show(await atOnce(), ms));
row('memory after these calls', show(running, (one) => mebibytes(memory(one.pid))));

for (const one of all) {
  await one.page.goto(`${server.origin}/bare/${one.kind}`);
  while (!(await one.works('echo'))) await sleep(20);
}
row('a page in the browser that answers at once, without any embed: one call, median', show(await singly(), ms));

// What is the relay's own: the page answers at once, and no browser stands between.
for (const one of all) await one.page.goto('about:blank');
for (const one of all) {
  const tools = [{ name: 'echo', description: 'Says it again.', annotations: { readOnlyHint: true }, run: () => ({ content: [{ type: 'text', text: 'x' }] }) }];
  one.bare = await withoutBrowser(PORTS[one.kind], { origin: server.origin, tools });
  while (!(await one.works('echo'))) await sleep(20);
}
const bare = await singly();
row('without a browser: one call, median', show(bare, ms));
row('… 95th percentile', show(bare, (values) => `${round(quantile(values, 0.95))} ms`));
row(`… ${CALLS} calls at once, median of ${ROUNDS}`, show(await atOnce(), ms));
for (const one of all) {
  one.bare.close();
  await one.page.goto(`${server.origin}/${one.kind}`);
  while (!(await one.works('echo'))) await sleep(20);
}

const changes = each();
for (let i = 0; i < ROUNDS * 2; i += 1) {
  for (const one of inTurn(all, i)) {
    await sleep(300);
    const told = new Promise((resolve) => one.heard.push(() => resolve(now())));
    const before = now();
    await one.page.evaluate((name) => void (window.undo = toolmark.defineTool({ name, description: 'New.', execute: () => ({}) })), `tool${i}`);
    changes[one.kind].push((await Promise.race([told, sleep(5_000).then(() => Infinity)])) - before);
  }
}
row('a new tool in the page → `list_changed`', show(changes, (values) => (median(values) === Infinity ? 'never' : ms(values))));

const reloads = each();
const noise = each();
for (let i = 0; i < ROUNDS; i += 1) {
  for (const one of inTurn(all, i)) {
    const before = one.changes;
    await one.page.reload();
    const loaded = now();
    while (!(await one.works('echo'))) await sleep(2);
    reloads[one.kind].push(now() - loaded);
    await sleep(500);
    noise[one.kind].push(one.changes - before);
  }
}
row('reload: loaded → first call that works', show(reloads, ms));
row('… `list_changed` for it', show(noise, median));

const second = {};
for (const one of all) {
  const other = await browser.newPage();
  await other.goto(`${server.origin}/${one.kind}`);
  await sleep(3_000);
  const { tools } = await one.client.listTools();
  const said = await one.call('echo').then(() => 'works', (error) => `is an error: ${error.message.replace(/\s+/g, ' ').replaceAll('|', '/').slice(0, 90)}`);
  second[one.kind] = `listed: ${tools.map((tool) => tool.name).filter((name) => /echo/.test(name)).join(', ')}; the old name ${said}`;
  await other.close();
}
row('a second tab of the same page', second);

const [head, ...body] = [['', ...kinds.map((kind) => KINDS[kind].title)], ...rows];
const line = (cells) => `| ${cells.join(' | ')} |`;
console.log([line(head), line(head.map(() => '---')), ...body.map(line)].join('\n'));
console.log(`\n${os.cpus().length} cores, load ${os.loadavg().map((load) => load.toFixed(1)).join(' ')}, ${browser.version()}`);
await Promise.all(all.map((one) => one.client.close()));
// It stays when its client has gone.
try {
  process.kill(running.peer.pid);
} catch {
  // Gone it is.
}
await browser.close();
server.close();
fs.rmSync(home, { recursive: true, force: true });
