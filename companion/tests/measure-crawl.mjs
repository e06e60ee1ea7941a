// `npm run bench:crawl [-- FOLDER] [--pages 100,1000,10000]`: what `toolmark crawl` takes for a page, and whether that and its memory stay
// the same for many. By hand; FOLDER has saved pages (.html), otherwise pages are made up here. It needs Linux (/proc) and the binary of
// docs/companion.md, or another one in TOOLMARK_BINARY.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
const BINARY = process.env.TOOLMARK_BINARY ?? path.join(here, '../../target/native/toolmark');
/** Peak memory at the most pages over that at the count before: more is growth and no chance. */
const FLAT = 1.1;

const args = process.argv.slice(2);
const option = args.indexOf('--pages');
const counts = (option < 0 ? '100,1000,10000' : args.splice(option, 2)[1]).split(',').map(Number);
if (counts.some((count) => !(count >= 1)) || args.length > 1) {
  console.error('Usage: node companion/tests/measure-crawl.mjs [FOLDER] [--pages 100,1000,10000]');
  process.exit(2);
}

/** Pages of a shop, of 3 to 300 KB: markup in two ways, sections, lists, the scripts and styles that pages carry. */
function made(folder) {
  const ld = (value) => `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...value })}</script>`;
  for (let at = 0; at < 100; at += 1) {
    const product = (n) => ({ '@type': 'Product', name: `Jacket ${at}-${n}`, sku: `J${n}`, offers: { '@type': 'Offer', price: `${20 + n}.90`, priceCurrency: 'EUR' } });
    const listed = Array.from({ length: at % 10 }, (_, n) => `<li itemscope itemtype="https://schema.org/Product"><a itemprop="url" href="/p/${n}"><span itemprop="name">Jacket ${n}</span></a></li>`);
    const sections = Array.from({ length: 1 + ((at * 7) % 90) }, (_, n) => `<section class="s s-${n}" data-n="${n}"><h2 id="part-${n}">Part ${n} of ${at}</h2>\n${`<p class="text">What there is to say about part ${n}, with <a href="/more/${n}">a link</a> and <em>some words</em> more.</p>\n`.repeat(1 + (n % 12))}</section>\n`);
    fs.writeFileSync(path.join(folder, `${at}.html`), `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Jacket ${at}</title><style>${'.s{margin:0 auto;padding:1em}'.repeat(at * 10)}</style>${ld(product(0))}${ld({ '@type': 'BreadcrumbList', itemListElement: [1, 2, 3].map((position) => ({ '@type': 'ListItem', position, name: `Level ${position}`, item: `https://shop.example/${position}` })) })}</head><body><nav><ul>${'<li><a href="/x">Menu</a></li>'.repeat(40)}</ul></nav><main><h1>Jacket ${at}</h1><ul>${listed.join('')}</ul>${sections.join('')}</main><script>${'function f(a){return a+1}'.repeat(at * 20)}</script></body></html>`);
  }
  return folder;
}

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-'));
process.on('exit', () => fs.rmSync(temporary, { recursive: true, force: true }));
const folder = path.resolve(args[0] ?? made(temporary));
const files = fs.readdirSync(folder).filter((file) => file.endsWith('.html')).sort().map((file) => path.join(folder, file));
if (!files.length) throw new Error(`No .html files in ${folder}`);

const record = (file) => {
  const body = fs.readFileSync(file);
  const answer = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(`WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://site.example/${encodeURIComponent(path.basename(file))}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: ${answer.length + body.length}\r\n\r\n${answer}`),
    body,
    Buffer.from('\r\n\r\n'),
  ]);
};
/** What stands for each file on standard input. */
const WAYS = { list: (file) => Buffer.from(`${file}\n`), archive: record, 'archive, gzip': (file) => gzipSync(record(file)) };

/** `{pages, cpu, wall, peak}`: seconds and MiB. */
async function crawl(entries, count) {
  // The shell is told what its child took, to the tick.
  const shell = spawn('/bin/sh', ['-c', '"$0" crawl; read line < /proc/$$/stat; echo "stat $line" >&2', BINARY], { env: { PATH: process.env.PATH } });
  let [said, pages, peak] = ['', 0, 0];
  shell.stderr.on('data', (data) => (said += data));
  shell.stdout.on('data', (data) => {
    for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, at + 1)) pages += 1;
  });
  const look = () => {
    try {
      const child = fs.readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8').trim();
      // Never less than before, so that it matters little when it is looked at.
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child}/status`, 'utf8'))?.[1] ?? 0) / 1024);
    } catch {
      // Not yet there, or gone.
    }
  };
  const watch = setInterval(look, 20);
  const start = performance.now();
  const ended = once(shell, 'close');
  for (let at = 0; at < count; at += 1) {
    if (!shell.stdin.write(entries[at % entries.length])) await once(shell.stdin, 'drain');
  }
  shell.stdin.end();
  await ended;
  clearInterval(watch);
  const fields = /^stat \d+ \(.*\) (.*)$/m.exec(said)?.[1].split(' ');
  if (!fields || pages !== count) throw new Error(`${pages} lines of ${count}: ${said}`);
  // cutime and cstime are the 16th and 17th field, in ticks of 10 ms.
  return { pages, cpu: (Number(fields[13]) + Number(fields[14])) / 100, wall: (performance.now() - start) / 1000, peak };
}

const bytes = files.map((file) => fs.statSync(file).size);
const n = (value, digits = 0) => value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const median = [...bytes].sort((a, b) => a - b)[bytes.length >> 1];
console.log(`${files.length} different pages, ${n(bytes.reduce((a, b) => a + b) / 2 ** 20, 1)} MiB, median ${n(median / 1024)} KiB; load ${os.loadavg()[0].toFixed(1)} on ${os.cpus().length} cores\n`);
console.log('| input | pages | MiB | CPU | pages/s of a core | MiB/s of a core | ms a page | peak memory |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
const grown = [];
for (const [way, entry] of Object.entries(WAYS)) {
  const entries = files.map(entry);
  const peaks = [];
  for (const count of counts) {
    const { cpu, peak } = await crawl(entries, count);
    const mib = Array.from({ length: count }, (_, at) => bytes[at % bytes.length]).reduce((a, b) => a + b) / 2 ** 20;
    console.log(`| ${way} | ${n(count)} | ${n(mib)} | ${n(cpu, 1)} s | ${n(count / cpu)} | ${n(mib / cpu, 1)} | ${n((cpu * 1000) / count, 2)} | ${n(peak, 1)} MiB |`);
    // Once each page was seen, nothing new comes.
    if (count >= files.length) peaks.push(peak);
  }
  if (peaks.length > 1 && peaks.at(-1) > peaks.at(-2) * FLAT) grown.push(way);
}
if (grown.length) {
  console.error(`Memory grew with the number of pages: ${grown.join('; ')}.`);
  process.exit(1);
}
