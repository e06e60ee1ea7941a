// What the tag costs a page, in main-thread CPU time of Chromium: npm run bench [-- --runs 15] [--only small,bigld]
// [--beside SCRIPT --handle EXPRESSION] [--write]. With --beside another script is measured in turn in the same run;
// EXPRESSION gives a promise of its handle, which has `refresh()`. --write renews the table in docs/performance.md.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { PAGES, page as markup } from './pages.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values: options } = parseArgs({ options: { runs: { type: 'string', default: '15' }, only: { type: 'string' }, beside: { type: 'string' }, handle: { type: 'string', default: 'window.toolmark.ready' }, write: { type: 'boolean' } } });
const names = options.only ? options.only.split(',') : Object.keys(PAGES);
const runs = Number(options.runs);
const scripts = [{ name: 'toolmark', file: path.join(ROOT, 'dist', 'toolmark.js'), handle: 'window.toolmark.ready' }];
if (options.beside) scripts.push({ name: path.basename(options.beside), file: options.beside, handle: options.handle });

/** Refreshes that one figure is the mean of. */
const ROUNDS = { small: 20 };
const MUTATIONS = 10000;
/** Milliseconds in which a script does what it does by itself. */
const ALONE_MS = 500;

const server = http.createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const [, kind, which] = pathname.split('/');
  const known = kind === 'page' ? PAGES[which] : kind === 'script' && scripts[Number.parseInt(which, 10)];
  // What a script loads lies beside it.
  const file = known?.file && path.join(path.dirname(known.file), path.basename(pathname));
  if (!known || (file && !fs.existsSync(file))) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': kind === 'page' ? 'text/html; charset=utf-8' : 'text/javascript; charset=utf-8' });
  response.end(kind === 'page' ? markup(which) : fs.readFileSync(file));
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-features=WebMCP,WebMCPTesting', '--js-flags=--expose-gc'] });

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

/** CPU milliseconds of the page's main thread that `run` takes, less those of an empty call. */
async function cpu(tab, run, argument) {
  const now = async () => (await tab.session.send('Performance.getMetrics')).metrics.find((metric) => metric.name === 'ThreadTime').value * 1000;
  const start = await now();
  await tab.page.evaluate(() => 1);
  const empty = (await now()) - start;
  const before = await now();
  await tab.page.evaluate(run, argument);
  return Math.max(0, (await now()) - before - empty);
}

async function open(name) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${origin}/page/${name}`, { waitUntil: 'load' });
  return { context, page, session };
}

/** What is only there, and nobody asks it for anything. */
const alone = async ({ src, ms }) => {
  if (src) {
    const script = Object.assign(document.createElement('script'), { src });
    document.head.append(script);
  }
  await new Promise((done) => setTimeout(done, ms));
};
const add = async ({ src, handle, watch }) => {
  const script = document.createElement('script');
  if (!watch) script.dataset.watch = 'off';
  script.src = src;
  const loaded = new Promise((done, failed) => Object.assign(script, { onload: done, onerror: failed }));
  document.head.append(script);
  await loaded;
  window.handle = await eval(handle);
};
const refresh = async ({ rounds, change, from }) => {
  const set = change && eval(change);
  for (let i = 0; i < rounds; i += 1) {
    set?.(from + i);
    await window.handle.refresh();
  }
};
/** The least that reading this page can cost in plain JavaScript. */
const least = ({ rounds }) => {
  for (let i = 0; i < rounds; i += 1) {
    document.querySelectorAll('[itemscope],[itemprop],[typeof],[property]');
    for (const script of document.querySelectorAll('script[type="application/ld+json"]')) JSON.parse(script.textContent);
  }
};
const mutate = async (count) => {
  const sink = document.getElementById('sink');
  sink.replaceChildren();
  for (let i = 0; i < count; i += 1) {
    const element = document.createElement('div');
    element.textContent = i;
    sink.append(element);
  }
  await new Promise((done) => setTimeout(done, 400));
};

async function measure(script, name, found) {
  const rounds = ROUNDS[name] ?? 2;
  const set = (key, value) => (found[key] ??= []).push(value);
  const src = `${origin}/script/${scripts.indexOf(script)}/${path.basename(script.file)}`;
  const quiet = await open(name);
  const without = await cpu(quiet, alone, { ms: ALONE_MS });
  set('alone', Math.max(0, (await cpu(quiet, alone, { src, ms: ALONE_MS })) - without));
  await quiet.context.close();
  const tab = await open(name);
  set('least', (await cpu(tab, least, { rounds })) / rounds);
  set('start', await cpu(tab, add, { src, handle: script.handle }));
  set('same', (await cpu(tab, refresh, { rounds })) / rounds);
  await tab.page.evaluate(refresh, { rounds: 1, change: PAGES[name].change, from: 900 });
  set('change', (await cpu(tab, refresh, { rounds, change: PAGES[name].change, from: 1000 })) / rounds);
  set('heap', await tab.page.evaluate(() => (window.gc?.(), performance.memory.usedJSHeapSize / 1e6)));
  await tab.context.close();
}

/** CPU that watching adds to mutations which touch no markup: with and without the tag in turn, the first round warms up. */
async function watching(script, found) {
  for (const [key, watch] of [['without', undefined], ['with', true]]) {
    const tab = await open('small');
    if (watch) await tab.page.evaluate(add, { src: `${origin}/script/${scripts.indexOf(script)}/${path.basename(script.file)}`, handle: script.handle, watch });
    for (let round = 0; round < 4; round += 1) {
      const time = await cpu(tab, mutate, MUTATIONS);
      if (round) (found[key] ??= []).push(time);
    }
    await tab.context.close();
  }
}

const results = {};
for (let run = -1; run < runs; run += 1) {
  for (const name of names) {
    for (const script of scripts) await measure(script, name, run < 0 ? {} : ((results[name] ??= {})[script.name] ??= {}));
  }
  for (const script of scripts) await watching(script, run < 0 ? {} : ((results.mutations ??= {})[script.name] ??= {}));
}
await browser.close();
server.close();

const figure = (value) => (Math.abs(value) < 10 ? String(Number(value.toPrecision(2))) : value.toFixed(0));
const lines = ['| page | script | nobody asks | start | change | nothing changed | plain JavaScript reads it in | heap, MB |', '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |'];
for (const name of names) {
  for (const { name: script } of scripts) {
    const of = (key) => figure(median(results[name][script][key]));
    lines.push(`| ${name} | ${script} | ${of('alone')} | ${of('start')} | ${of('change')} | ${of('same')} | ${of('least')} | ${of('heap')} |`);
  }
}
lines.push('', `${MUTATIONS.toLocaleString('en')} elements added that hold no markup: ${scripts.map(({ name }) => `${name} adds ${figure(median(results.mutations[name].with) - median(results.mutations[name].without))} ms`).join(', ')}.`);
console.log(lines.join('\n'));
if (options.write) {
  const file = path.join(ROOT, 'docs', 'performance.md');
  const kept = fs.readFileSync(file, 'utf8').replace(/(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/, (_, begin, end) => `${begin}${lines.join('\n')}\n${end}`);
  fs.writeFileSync(file, kept);
}
