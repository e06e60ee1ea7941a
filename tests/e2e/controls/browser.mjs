// A small server and a Chromium with or without WebMCP of its own, for the tests of controls.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { shipped } from '../support.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '..', '..', '..');

/** Bundles a page's script as a site would, in memory. */
export async function bundled(name) {
  const { outputFiles } = await build({
    entryPoints: [path.join(here, name)], bundle: true, write: false, format: 'iife', logLevel: 'error', nodePaths: [path.join(root, 'node_modules')],
    define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
  });
  return outputFiles[0].text;
}

export const page = (body, options = 'data-page="off"') => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Test</title><script src="/dist/toolmark.js" ${options}></script><body>${body}</body></html>`;

/** Serves `dist/` and what is put into the map that it gives back: path → HTML, script text, or a handler. */
export async function serve() {
  const pages = new Map();
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const found = pages.get(pathname);
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html';
    if (typeof found === 'function') found(request, response);
    else if (found !== undefined) response.setHeader('content-type', `${type}; charset=utf-8`).end(found);
    else if (pathname.startsWith('/dist/')) response.setHeader('content-type', 'text/javascript; charset=utf-8').end(shipped(pathname));
    else if (fs.existsSync(path.join(here, pathname)) && pathname.endsWith('.html')) response.setHeader('content-type', 'text/html; charset=utf-8').end(fs.readFileSync(path.join(here, pathname)));
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { pages, url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Chromium whose pages have WebMCP of their own (`native`) or get ours (`polyfill`). */
export const launch = (mode) => chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', mode === 'native' ? '--enable-features=WebMCP,WebMCPTesting' : '--disable-features=WebMCP,WebMCPTesting'],
});

/** Calls a tool as an agent's client does: through `document.modelContext`. */
export const call = (page, name, input = {}) => page.evaluate(async ([name, input]) => {
  const tool = (await document.modelContext.getTools()).find((one) => one.name === name);
  if (!tool) return { error: { code: 'no such tool' } };
  const text = await document.modelContext.executeTool(tool, input);
  return text === null ? null : JSON.parse(text);
}, [name, input]);

export const toolNames = (page) => page.evaluate(async () => (await document.modelContext.getTools()).map((tool) => tool.name));

export const schema = (page, name) => page.evaluate(async (name) => {
  const { inputSchema } = (await document.modelContext.getTools()).find((one) => one.name === name) ?? {};
  return typeof inputSchema === 'string' ? JSON.parse(inputSchema) : inputSchema;
}, name);

/** The person answers our dialog with real keys. */
export async function answer(page, key) {
  await page.waitForSelector('[data-toolmark-dialog]', { state: 'attached' });
  await page.waitForTimeout(500);
  if (key === 'allow') {
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
  } else {
    await page.keyboard.press(key);
  }
  await page.waitForSelector('[data-toolmark-dialog]', { state: 'detached' });
}

export async function open(browser, url) {
  const page = await browser.newPage();
  page.on('pageerror', (error) => { (page.errors ??= []).push(String(error)); });
  await page.goto(url);
  await page.evaluate(() => toolmark.ready);
  return page;
}
