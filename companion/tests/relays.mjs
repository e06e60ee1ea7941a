// A relay with the official MCP client before it.
import fs from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { after } from 'node:test';
import { BINARY, ENV, HOME, run } from './support.mjs';

const closing = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

/** A folder for a token and grants of its own. */
export const home = () => fs.mkdtempSync(path.join(HOME, 'relay-'));

/** Waits until something holds. */
export async function until(test, what = test.toString(), ms = 15_000) {
  for (const end = Date.now() + ms; ;) {
    const found = await test();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Starts one.
 * @param {object} [o]
 * @param {Record<string, string>} [o.grants] origin → grant
 * @returns `{port, mcp, said(), folder, names(), heard}`: `heard` is all that the client was sent
 */
export async function relay({ grants = {}, args = [], port = 0, folder = home(), prepare } = {}) {
  if (Object.keys(grants).length) {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'grants.json'), JSON.stringify(grants), { mode: 0o600 });
  }
  const mcp = new Client({ name: 'test', version: '1' });
  prepare?.(mcp);
  const transport = new StdioClientTransport({ command: BINARY, args: ['relay', '--port', String(port), ...args], env: { ...ENV, TOOLMARK_HOME: folder }, stderr: 'pipe' });
  let said = '';
  transport.stderr.on('data', (data) => (said += data));
  await mcp.connect(transport);
  closing.push(() => mcp.close());
  const heard = [];
  const { onmessage } = transport;
  transport.onmessage = (message, more) => {
    heard.push(message);
    onmessage(message, more);
  };
  const found = await until(() => /ws:\/\/127\.0\.0\.1:(\d+)|at port (\d+)/.exec(said), 'the port');
  const grant = (...words) => run(['grants', ...words], { env: { TOOLMARK_HOME: folder } });
  const names = async () => (await mcp.listTools()).tools.map((tool) => tool.name);
  const listed = (name) => until(async () => (await names()).includes(name), `'${name}' in the list`);
  const unlisted = (name) => until(async () => !(await names()).includes(name), `'${name}' out of the list`);
  return { port: Number(found[1] ?? found[2]), mcp, transport, said: () => said, folder, names, listed, unlisted, grant, heard };
}

export const text = (result) => result.content[0].text;
/** The code of an error result. */
export const code = (result) => (result.isError ? JSON.parse(text(result)).error.code : 'ok');
