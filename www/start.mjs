// What `npm start` shows: a page with the tag in a real Chromium, the tools it offers and what they answer.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { serve } from './serve.mjs';

const USAGE = 'usage: npm start -- [FILE | URL] [--once] [--json] [--native | --polyfill] [--port N]';
const LOAD_TIMEOUT_MS = 20_000; // a page that has not loaded by then never will
const CALL_TIMEOUT_MS = 10_000;
const CHROMIUM_ARGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

class Problem extends Error {}

function options() {
  const choices = { once: { type: 'boolean' }, json: { type: 'boolean' }, native: { type: 'boolean' }, polyfill: { type: 'boolean' }, port: { type: 'string' } };
  try {
    const { values, positionals } = parseArgs({ options: choices, allowPositionals: true });
    if (positionals.length > 1) throw new Error('one page at a time');
    if (values.native && values.polyfill) throw new Error('--native and --polyfill exclude each other');
    if (values.port !== undefined && !/^\d{1,5}$/.test(values.port)) throw new Error(`--port takes a number, not '${values.port}'`);
    return { ...values, page: positionals[0] };
  } catch (error) {
    throw new Problem(`${error.message}\n${USAGE}`);
  }
}

/** Puts the tag into a page that has none. */
function withTag(html) {
  if (/<script[^>]+toolmark/i.test(html)) return html;
  const tag = '<script src="/dist/toolmark.js" data-toolmark></script>';
  return /<\/head>/i.test(html) ? html.replace(/<\/head>/i, (end) => tag + end) : tag + html;
}

/** Where the page is: the demo, a file served from its own folder, or an address on the web. */
async function locate(page, port) {
  if (page !== undefined && /^https?:\/\//i.test(page)) {
    if (!URL.canParse(page)) throw new Problem(`'${page}' is not a URL.`);
    return { url: page, server: await serve({ port }), inject: true };
  }
  if (page === undefined) {
    const server = await serve({ port });
    return { url: `${server.origin}/shop/trail-pack-28.html`, server };
  }
  if (!fs.existsSync(page)) throw new Problem(`there is no file '${page}'.`);
  if (!fs.statSync(page).isFile()) throw new Problem(`'${page}' is not a file.`);
  const file = path.resolve(page);
  const pathname = `/${encodeURIComponent(path.basename(file))}`;
  // Saved pages have names of every kind; whatever this one is called, it is served as a page.
  const routes = (_, url) => (url.pathname === pathname && !/\.x?html$/i.test(file) ? { body: withTag(fs.readFileSync(file, 'utf8')) } : undefined);
  const server = await serve({ root: path.dirname(file), port, transform: withTag, routes });
  return { url: server.origin + pathname, server };
}

/** Runs in the page: what an agent would see, through the surface itself. */
async function collect({ callTimeout }) {
  const handle = await window.toolmark.ready;
  const native = /\[native code\]/.test(Function.prototype.toString.call(document.modelContext?.registerTool ?? (() => {})));
  const listed = (await document.modelContext?.getTools?.()) ?? [];
  const within = (promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, callTimeout, null))]);
  const tools = [];
  for (const tool of handle.tools()) {
    const registered = listed.find((other) => other.name === tool.name);
    const asks = (tool.inputSchema.required ?? []).length > 0;
    let answer = null;
    if (registered && !asks && tool.annotations?.readOnlyHint && tool.source?.kind !== 'action') {
      const text = await within(document.modelContext.executeTool(registered, {}).catch((error) => JSON.stringify({ error: { code: 'internal', message: String(error.message) } })));
      answer = text === null ? null : JSON.parse(text);
    }
    tools.push({ name: tool.name, title: tool.title, description: tool.description, inputSchema: tool.inputSchema, annotations: tool.annotations, answer });
  }
  return { url: location.href, surface: native ? 'native' : 'polyfill', tools, diagnostics: handle.diagnostics() };
}

async function look({ url, server, inject }, { native }) {
  const features = native ? ['--enable-features=WebMCP,WebMCPTesting'] : ['--disable-features=WebMCP,WebMCPTesting'];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: [...CHROMIUM_ARGS, ...features] });
  try {
    const context = await browser.newContext({ bypassCSP: inject === true });
    const page = await context.newPage();
    // A saved page must not wait for, or run, what is elsewhere.
    if (!inject) await page.route((target) => target.origin !== server.origin, (route) => route.abort());
    try {
      const response = await page.goto(url, { waitUntil: 'domcontentloaded', timeout: LOAD_TIMEOUT_MS });
      if (response && response.status() >= 400) throw new Problem(`${url} answered with status ${response.status()}.`);
    } catch (error) {
      if (error instanceof Problem) throw error;
      const cause = error.message.split('\n')[0].replace(/^page\.goto: /, '');
      throw new Problem(/Timeout/i.test(cause) ? `${url} did not load within ${LOAD_TIMEOUT_MS / 1000} s.` : `${url} cannot be reached (${cause}).`);
    }
    if (inject) await page.addScriptTag({ url: `${server.origin}/dist/toolmark.js` });
    try {
      await page.waitForFunction(() => window.toolmark?.ready?.then(() => true), undefined, { timeout: LOAD_TIMEOUT_MS });
    } catch {
      throw new Problem(`the tag on ${url} did not become ready within ${LOAD_TIMEOUT_MS / 1000} s.`);
    }
    return await page.evaluate(collect, { callTimeout: CALL_TIMEOUT_MS });
  } finally {
    await browser.close();
  }
}

function print({ url, surface, tools, diagnostics }) {
  console.log(`\n${url}\nsurface: ${surface}\n`);
  for (const tool of tools) {
    const inputs = Object.keys(tool.inputSchema.properties ?? {}).join(', ');
    console.log(`${tool.name}(${inputs})\n  ${tool.description}`);
    console.log(`  → ${tool.answer === null ? '(needs input or acts)' : JSON.stringify(tool.answer)}\n`);
  }
  console.log(diagnostics.length ? 'diagnostics:' : 'no diagnostics');
  for (const { level, code, message } of diagnostics) console.log(`  ${level.padEnd(5)} ${code}: ${message}`);
}

let server;
try {
  const chosen = options();
  const place = await locate(chosen.page, chosen.port === undefined ? (chosen.once ? 0 : 8080) : Number(chosen.port));
  server = place.server;
  const seen = await look(place, chosen);
  if (chosen.json) process.stdout.write(`${JSON.stringify(seen, null, 2)}\n`);
  else print(seen);
  if (chosen.once) server.close();
  else console.error(`\nserving ${place.inject ? `the build on ${server.origin}/dist/toolmark.js` : place.url} (Ctrl+C ends)`);
} catch (error) {
  server?.close();
  const line = error.code === 'EADDRINUSE' ? `port ${error.port} is taken. Choose another with --port.` : error.message;
  console.error(`toolmark: ${error instanceof Problem ? line : line.split('\n')[0]}`);
  process.exitCode = 1;
}
