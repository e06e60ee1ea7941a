// `npm run conformance`: the scenarios of @modelcontextprotocol/conformance for servers, against `toolmark serve --http` with a page of a shop
// and, where they want tools, prompts and resources of theirs, against `toolmark relay --http` with a page that has those. It prints a table;
// the exit code is 1 if a scenario fails that applies, or one passes that is said not to apply. conformance.test.mjs runs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { page } from './socket.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const BINARY = process.env.TOOLMARK_BINARY ?? path.join(here, '../../target/native/toolmark');
// 0.1.16 needs Node 22: run this with it, and CONFORMANCE set to where its dist/index.js is.
const SUITE = process.env.CONFORMANCE ?? path.join(here, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
/** One scenario takes a second or two. */
const PATIENCE = 60_000;

const ORIGIN = 'https://shop.example';
const text = (text) => ({ content: [{ type: 'text', text }] });
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const embedded = (uri) => ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'This is an embedded resource content.' } });
/** What a page of ours has for the scenarios that name what they call. */
const TOOLS = [
  { name: 'test_simple_text', description: 'Says something.', run: () => text('This is a simple text response for testing.') },
  { name: 'test_image_content', description: 'Shows something.', run: () => ({ content: [image] }) },
  { name: 'test_audio_content', description: 'Plays something.', run: () => ({ content: [{ type: 'audio', data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=', mimeType: 'audio/wav' }] }) },
  { name: 'test_embedded_resource', description: 'Encloses something.', run: () => ({ content: [embedded('test://embedded-resource')] }) },
  { name: 'test_multiple_content_types', description: 'Does it all.', run: () => ({ content: [{ type: 'text', text: 'Multiple content types test:' }, image, embedded('test://mixed-content-resource')] }) },
  { name: 'test_error_handling', description: 'Fails.', run: () => ({ isError: true, ...text('This tool intentionally returns an error for testing') }) },
  { name: 'json_schema_2020_12_tool', description: 'Takes an address.', inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } }, properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } }, additionalProperties: false }, run: () => text('taken') },
];
const PROMPTS = {
  test_simple_prompt: { description: 'Asks.', say: () => 'This is a simple prompt for testing.' },
  test_prompt_with_arguments: { description: 'Asks about two things.', arguments: [{ name: 'arg1', description: 'One', required: true }, { name: 'arg2', description: 'Another', required: true }], say: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` },
  test_prompt_with_embedded_resource: { description: 'Encloses.', arguments: [{ name: 'resourceUri', description: 'Which', required: true }], say: ({ resourceUri }) => ({ messages: [{ role: 'user', content: embedded(resourceUri) }] }) },
  test_prompt_with_image: { description: 'Shows.', say: () => ({ messages: [{ role: 'user', content: image }] }) },
};

/** `test://…` of the suite → a resource of our page: the relay gives each an address of its own. */
const RESOURCES = {
  'static-text': () => ({ text: 'This is the content of the static text resource.', mimeType: 'text/plain' }),
  'static-binary': () => ({ blob: PIXEL, mimeType: 'image/png' }),
  'template/123/data': () => ({ text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}', mimeType: 'application/json' }),
};
const named = (address) => address.replaceAll('/', '-');

const LOGGING = 'logging is not offered: what the program says goes to its standard error';
const ASKING = 'no tool of ours asks back: pages ask the person themselves';
/** Where a scenario is run: `serve`, `relay`, or why it does not apply. One that is not named here has to pass with `serve`. */
const APPLIES = {
  'tools-call-simple-text': 'relay',
  'tools-call-image': 'relay',
  'tools-call-audio': 'relay',
  'tools-call-embedded-resource': 'relay',
  'tools-call-mixed-content': 'relay',
  'tools-call-error': 'relay',
  'json-schema-2020-12': 'relay',
  'resources-read-text': 'relay',
  'resources-read-binary': 'relay',
  'resources-templates-read': 'relay',
  'prompts-get-simple': 'relay',
  'prompts-get-with-args': 'relay',
  'prompts-get-embedded-resource': 'relay',
  'prompts-get-with-image': 'relay',
  'logging-set-level': { not: LOGGING },
  'tools-call-with-logging': { not: LOGGING },
  'completion-complete': { not: 'completion is not offered: pages give no values to choose from' },
  'tools-call-with-progress': { not: 'WebMCP has no progress of a call' },
  'tools-call-sampling': { not: `${ASKING}; query_page with --answer sampling is tested in serve.test.mjs` },
  'tools-call-elicitation': { not: ASKING },
  'elicitation-sep1034-defaults': { not: ASKING },
  'elicitation-sep1330-enums': { not: ASKING },
  'server-sse-polling': { not: 'needs a tool that breaks its own stream off; the priming event and the retry time in it are there' },
  // From 0.1.16 on. What it refuses is refused here too.
  'dns-rebinding-protection': { not: 'wants requests with an Origin of this machine let in; here those of every web page are refused' },
};

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-'));
const ending = [() => fs.rmSync(temporary, { recursive: true, force: true })];

/** Starts the program until the end; its port and token. */
async function start(args, folder, mark) {
  const child = spawn(BINARY, args, { env: { PATH: process.env.PATH, HOME: folder, TOOLMARK_HOME: folder }, stdio: ['pipe', 'ignore', 'pipe'] });
  ending.push(() => child.kill());
  let said = '';
  const port = await new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`'${BINARY}' does not start (${error.code}); build it or set TOOLMARK_BINARY.`)));
    child.on('exit', (code) => reject(new Error(`toolmark ${args[0]} ended with ${code}: ${said}`)));
    child.stderr.on('data', (data) => {
      said += data;
      const found = mark.exec(said);
      if (found) resolve(Number(found[1]));
    });
  });
  return { port, token: fs.readFileSync(path.join(folder, 'token'), 'utf8').trim() };
}

/**
 * The suite cannot show a token and asks for resources under its own addresses: this does both for it. All else goes on as it came, other
 * hosts and origins too.
 * @returns the address for the suite
 */
async function before({ port, token }, replace) {
  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.from(replace(Buffer.concat(chunks).toString()));
      const headers = { ...request.headers, authorization: `Bearer ${token}`, 'content-length': body.length };
      delete headers['transfer-encoding'];
      headers.host = headers.host?.replace(new RegExp(`^(localhost|127\\.0\\.0\\.1):${server.address().port}$`), `$1:${port}`);
      const asked = http.request({ host: '127.0.0.1', port, path: request.url, method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      asked.on('error', () => response.destroy());
      response.on('close', () => asked.destroy());
      asked.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/mcp`;
}

/** The resources of the relay's page, by name, once all that it has is there. */
async function addresses({ port, token }) {
  const one = new Client({ name: 'conformance', version: '1' });
  await one.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  try {
    for (const end = Date.now() + PATIENCE; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const { resources } = await one.listResources();
      const found = new Map(resources.map(({ uri }) => [uri.split('/').at(-1), uri]));
      if (Object.keys(RESOURCES).every((name) => found.has(named(name)))) return found;
    }
    throw new Error('The relay does not list the resources of the page.');
  } finally {
    await one.close();
  }
}

/** Runs the suite's program; `{code, said}`. */
async function suite(...args) {
  const child = spawn(process.execPath, [SUITE, ...args], { cwd: temporary, timeout: PATIENCE });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const [code] = await once(child, 'close');
  return { code, said };
}

/** What each check of a scenario came to: `{passed, said}`. */
async function scenario(name, url) {
  const folder = path.join(temporary, name);
  const { code, said } = await suite('server', '--url', url, '--scenario', name, '--output-dir', folder);
  const found = fs.existsSync(folder) && fs.readdirSync(folder, { recursive: true }).find((file) => path.basename(file) === 'checks.json');
  if (!found) return { passed: false, said: said.trim().split('\n').at(-1) || `ended with ${code}` };
  const checks = JSON.parse(fs.readFileSync(path.join(folder, found), 'utf8')).filter(({ status }) => status !== 'INFO');
  const bad = checks.filter(({ status }) => status !== 'SUCCESS');
  if (bad.length) return { passed: false, said: bad.map(({ id, errorMessage }) => errorMessage ?? id).join('; ') };
  return { passed: code === 0 && checks.length > 0, said: `${checks.length} check${checks.length === 1 ? '' : 's'}` };
}

async function main() {
  const shop = path.join(temporary, 'shop.html');
  const markup = { '@context': 'https://schema.org', '@type': 'Product', name: 'Rain jacket', sku: 'J1', offers: { '@type': 'Offer', price: '129.90', priceCurrency: 'EUR' } };
  fs.writeFileSync(shop, `<!doctype html><html lang="en"><head><title>Shop</title><script type="application/ld+json">${JSON.stringify(markup)}</script></head><body><h1 id="top">Rain jacket</h1><p>Keeps you dry.</p><h2 id="care">Care</h2><p>Wash cold.</p></body></html>`);
  const [one, two] = ['serve', 'relay'].map((name) => path.join(temporary, name));
  fs.mkdirSync(two);
  fs.writeFileSync(path.join(two, 'grants.json'), JSON.stringify({ [ORIGIN]: 'act' }), { mode: 0o600 });
  const serve = await start(['serve', '--http=0', shop], one, /127\.0\.0\.1:(\d+)\/mcp/);
  const relay = await start(['relay', '--http', '--port', '0'], two, /127\.0\.0\.1:(\d+)\/manifest/);
  const prompts = Object.entries(PROMPTS).map(([name, { say, ...rest }]) => ({ name, ...rest }));
  const resources = Object.keys(RESOURCES).map((name) => ({ name: named(name), description: 'Of the suite.' }));
  const socket = await page(relay.port, { origin: ORIGIN, tools: TOOLS, extra: { prompts, resources } });
  ending.push(() => socket.close());
  socket.on('message', ({ type, callId, name, args }) => {
    if (type === 'prompt/get') socket.send({ type: 'result', callId, result: PROMPTS[name].say(args ?? {}) });
    const resource = Object.keys(RESOURCES).find((known) => named(known) === name);
    if (type === 'resource/read') socket.send({ type: 'result', callId, result: RESOURCES[resource]() });
  });
  const listed = await addresses(relay);
  const ours = (body) => Object.keys(RESOURCES).reduce((text, name) => text.replaceAll(`"test://${name}"`, `"${listed.get(named(name))}"`), body);
  const at = { serve: await before(serve, (body) => body), relay: await before(relay, ours) };

  const list = (await suite('list')).said.split('Client scenarios')[0];
  const names = [...list.matchAll(/^ +- (\S+)/gm)].map(([, name]) => name);
  if (!names.length) throw new Error(`The suite lists no scenarios: ${list}`);
  console.log('| scenario | server | result | |\n| --- | --- | --- | --- |');
  const counts = { passed: 0, failed: 0, 'does not apply': 0 };
  for (const name of names) {
    const where = APPLIES[name] ?? 'serve';
    const { passed, said } = await scenario(name, at[where] ?? at.relay);
    let [result, words] = [passed ? 'passed' : 'failed', said];
    if (where.not) [result, words] = passed ? ['failed', `passes, and is said not to apply: ${where.not}`] : ['does not apply', where.not];
    counts[result] += 1;
    console.log(`| ${name} | ${where.not ? '' : where} | ${result} | ${words} |`);
  }
  console.log(`\n${Object.entries(counts).map(([result, count]) => `${count} ${result}`).join(', ')}`);
  return counts.failed ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  for (const end of ending.reverse()) await end();
}
