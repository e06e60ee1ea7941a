// Pages in a real Chromium, on native WebMCP and on the polyfill, served as the test says.
import fs from 'node:fs';
import path from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = path.dirname(fileURLToPath(import.meta.url));
export const ROOT = path.join(here, '..', '..');
const ARGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const FEATURES = { native: '--enable-features=WebMCP', polyfill: '--disable-features=WebMCP,WebMCPTesting' };
export const SURFACES = Object.keys(FEATURES);
export const ORIGIN = 'https://shop.example';
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html; charset=utf-8', '.xhtml': 'application/xhtml+xml' };

const browsers = new Map();
/** @param {string[]} [without] arguments that Playwright gives a browser and this one is not given */
export async function browser(surface, args = [], without = []) {
  const key = [surface, ...args, ...without].join();
  if (!browsers.has(key)) {
    browsers.set(key, chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: [...ARGS, FEATURES[surface], ...args], ignoreDefaultArgs: without }));
  }
  return browsers.get(key);
}
after(async () => {
  for (const one of browsers.values()) await (await one).close();
});

/** A file of dist/ by the end of its address, as servers of tests send it. */
export const shipped = (pathname) => fs.readFileSync(path.join(ROOT, 'dist', path.basename(pathname)));
export const tag = (attributes = '') => `<script src="/dist/toolmark.js" ${attributes}></script>`;
export const ld = (value) => `<script type="application/ld+json">${typeof value === 'string' ? value : JSON.stringify(value)}</script>`;
export const product = (more = {}) => ({ '@context': 'https://schema.org', '@type': 'Product', name: 'Bag', sku: 'K1', offers: { '@type': 'Offer', price: '10.00', priceCurrency: 'EUR' }, ...more });
export const html = (body, head = '') => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Test</title>${head}</head><body>${body}</body></html>`;

/**
 * Opens a page.
 * @param {object} o
 * @param {string} [o.surface] `native` or `polyfill`
 * @param {string} o.page the HTML at /page
 * @param {Record<string, string>} [o.headers] of the page
 * @param {Record<string, {body?: string | Buffer, headers?: object, status?: number} | ((request) => object)>} [o.routes] other addresses
 * @param {string} [o.origin]
 * @param {(() => void) | string} [o.init] runs in the page before anything else
 * @returns the Playwright page, with `errors` (uncaught, in the page) and `warnings` (of the console)
 */
export async function open({ surface = 'polyfill', page: body, headers = {}, routes = {}, origin = ORIGIN, init, args, type = 'text/html; charset=utf-8', url = '/page' }) {
  const context = await (await browser(surface, args)).newContext();
  const page = await context.newPage();
  page.errors = [];
  page.warnings = [];
  page.requests = [];
  page.on('pageerror', (error) => page.errors.push(error.message));
  page.on('console', (message) => ['warning', 'error'].includes(message.type()) && page.warnings.push(message.text()));
  if (init) await page.addInitScript(init);
  await context.route('**/*', async (route) => {
    const { pathname, href } = new URL(route.request().url());
    page.requests.push(href);
    const given = routes[pathname] ?? routes[href];
    if (given) {
      const answer = typeof given === 'function' ? await given(route.request()) : given;
      return route.fulfill({ contentType: 'text/html; charset=utf-8', ...answer });
    }
    if (pathname === new URL(url, origin).pathname) return route.fulfill({ contentType: type, body, headers: { 'content-type': type, ...headers } });
    if (pathname.startsWith('/dist/')) {
      const file = path.join(ROOT, pathname);
      if (!fs.existsSync(file)) return route.fulfill({ status: 404, body: '' });
      return route.fulfill({ contentType: TYPES[path.extname(file)], body: fs.readFileSync(file), headers: { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' } });
    }
    return route.fulfill({ status: 404, body: '' });
  });
  await page.goto(new URL(url, origin).href);
  page.done = () => context.close();
  return page;
}

/** What the handle and the surface say, in the page. */
export const look = (page) =>
  page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    const listed = (await document.modelContext?.getTools?.()) ?? [];
    return {
      tools: handle.tools().map((tool) => tool.name),
      listed: listed.map((tool) => tool.name),
      codes: handle.diagnostics().map((one) => one.code),
      diagnostics: handle.diagnostics(),
    };
  });

/** Runs a tool as an agent would, through the surface. */
export const run = (page, name, input = {}) =>
  page.evaluate(
    async ([name, input]) => {
      const tool = (await document.modelContext.getTools()).find((one) => one.name === name);
      return JSON.parse(await document.modelContext.executeTool(tool, input));
    },
    [name, input],
  );

/** Waits until `test`, run in the page, gives something, or a promise of something: waitForFunction() takes any promise for that. */
export async function until(page, test, argument) {
  for (const end = Date.now() + 30_000; !(await page.evaluate(test, argument)); ) {
    if (Date.now() > end) throw new Error(`for half a minute this gave nothing: ${test} of ${JSON.stringify(argument)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until what the page describes holds this text; asked without a call, so that nothing but the watcher can have looked. */
export const followed = (page, text) => until(page, async (text) => JSON.stringify((await window.toolmark.ready).entities()).includes(text), text);
