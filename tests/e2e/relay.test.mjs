// The real @mcp-b/webmcp-local-relay between a page of ours and a real MCP client. Not a dependency of ours (it brings a
// hundred packages): the test runs where it is installed, or where TOOLMARK_RELAY says it is.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { serve } from '../../www/serve.mjs';
import { browser, html, ld, product, ROOT, SURFACES, tag } from './support.mjs';

const relay = process.env.TOOLMARK_RELAY ?? path.join(ROOT, 'node_modules/@mcp-b/webmcp-local-relay');
const present = fs.existsSync(path.join(relay, 'dist/cli.js'));

/** A client that speaks MCP over the relay's stdin and stdout. */
function client(port) {
  const child = spawn(process.execPath, [path.join(relay, 'dist/cli.js'), '--port', String(port)], { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let rest = '';
  let next = 0;
  child.stdout.on('data', (data) => {
    const lines = (rest + data).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line);
      waiting.get(id)?.(error ? { error } : result);
      waiting.delete(id);
    }
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (method, params = {}) => new Promise((resolve) => {
    next += 1;
    waiting.set(next, resolve);
    send({ id: next, method, params });
  });
  return { ask, send, stop: () => child.kill() };
}

/** A port at which nobody listens. */
const free = () => new Promise((resolve) => {
  const probe = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

for (const surface of SURFACES) {
  test(`${surface}: a real relay lists and calls our tools`, { skip: !present && 'the relay is not installed' }, async () => {
    const port = await free();
    const mcp = client(port);
    let server;
    try {
      await mcp.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
      mcp.send({ method: 'notifications/initialized' });
      const file = (name, type) => ({ body: fs.readFileSync(path.join(relay, 'dist/browser', name)), headers: { 'content-type': type } });
      const routes = {
        '/page': { body: html(`${ld(product())}${tag('data-page="off"')}<script src="/relay/embed.js" data-relay-port="${port}"></script>`) },
        '/relay/embed.js': file('embed.js', 'text/javascript'),
        '/relay/widget.html': file('widget.html', 'text/html'),
        '/relay/widget.js': file('widget.js', 'text/javascript'),
      };
      // A real server: a page from elsewhere may not talk to this machine.
      server = await serve({ routes: (_, url) => routes[url.pathname] });
      const page = await (await browser(surface)).newPage();
      await page.goto(`${server.origin}/page`);
      let tool;
      for (let i = 0; i < 300 && !tool; i += 1) {
        const { tools = [] } = await mcp.ask('tools/list');
        tool = tools.find((one) => /get_product/.test(one.name));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.ok(tool, 'the relay never listed get_product');
      const result = await mcp.ask('tools/call', { name: tool.name, arguments: {} });
      assert.match(JSON.stringify(result), /10\.00/);
      assert.ok(!result.isError);
      await page.close();
    } finally {
      server?.close();
      mcp.stop();
    }
  });
}
