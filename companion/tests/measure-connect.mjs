// `toolmark connect` at a Chromium that runs, with one page of one tool:
//   TOOLMARK_BINARY=…/toolmark node companion/tests/measure-connect.mjs [ROUNDS]
// From the start of the program to its answer to the first tools/list, its memory, and 200 calls one after the other.
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { chromium } from 'playwright-core';
import http from 'node:http';

const here = path.dirname(new URL(import.meta.url).pathname);
const BINARY = process.env.TOOLMARK_BINARY ?? path.join(here, '../../target/native/toolmark');
const ROUNDS = Number(process.argv[2] ?? 10);
const CALLS = 200;
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-measure-'));
const env = { PATH: process.env.PATH, HOME: home, TOOLMARK_HOME: home };

const sorted = (values) => [...values].sort((a, b) => a - b);
const quantile = (values, q) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * q))].toFixed(1);
const listening = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
const memory = (pid) => (Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024).toFixed(1);

const place = net.createServer();
const port = await listening(place);
await new Promise((resolve) => place.close(resolve));
const site = http.createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' })
  .end("<script>document.modelContext.registerTool({ name: 'echo', description: 'Says it.', inputSchema: { type: 'object' }, execute: (input) => ({ said: input.text }) })</script>"));
const origin = `http://127.0.0.1:${await listening(site)}/`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu', '--enable-features=WebMCP', `--remote-debugging-port=${port}`] });
try {
  const page = await browser.newPage();
  await page.goto(origin);
  const starts = [];
  let client;
  let pid;
  for (let round = 0; round < ROUNDS; round += 1) {
    await client?.close();
    client = new Client({ name: 'measure', version: '1' });
    const transport = new StdioClientTransport({ command: BINARY, args: ['connect', '--port', String(port)], env, stderr: 'inherit' });
    const before = performance.now();
    await client.connect(transport);
    const { tools } = await client.listTools();
    starts.push(performance.now() - before);
    if (!tools.some((tool) => tool.name === 'echo')) throw new Error('The page\'s tool is not in the first list.');
    pid = transport.pid;
  }
  console.log(`start to first tools/list, ms: median ${quantile(starts, 0.5)}, p95 ${quantile(starts, 0.95)} (${ROUNDS} starts; the client's own time included)`);
  console.log(`memory, MiB: ${memory(pid)} idle`);
  const calls = [];
  for (let call = 0; call < CALLS; call += 1) {
    const before = performance.now();
    const result = await client.callTool({ name: 'echo', arguments: { text: String(call) } });
    calls.push(performance.now() - before);
    if (result.structuredContent?.said !== String(call)) throw new Error(`Call ${call} came back as ${JSON.stringify(result)}.`);
  }
  console.log(`${CALLS} calls, ms: median ${quantile(calls, 0.5)}, p95 ${quantile(calls, 0.95)}`);
  const before = performance.now();
  await Promise.all(Array.from({ length: CALLS }, () => client.callTool({ name: 'echo', arguments: {} })));
  console.log(`${CALLS} calls at once, ms: ${(performance.now() - before).toFixed(0)}`);
  console.log(`memory, MiB: ${memory(pid)} after ${2 * CALLS} calls`);
  const inPage = await page.evaluate(async (count) => {
    const tool = (await document.modelContext.getTools())[0];
    const began = performance.now();
    for (let call = 0; call < count; call += 1) await document.modelContext.executeTool(tool, {});
    return (performance.now() - began) / count;
  }, CALLS);
  console.log(`for comparison, a call inside the page, ms: mean ${inPage.toFixed(1)}`);
  await client.close();
} finally {
  await browser.close();
  site.close();
  fs.rmSync(home, { recursive: true, force: true });
}
