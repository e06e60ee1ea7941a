// What the README shows is what happens.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { serve } from '../../www/serve.mjs';
import { browser, ROOT } from './support.mjs';

const readme = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');
const run = promisify(execFile);
const start = (...args) => run(process.execPath, [path.join(ROOT, 'www', 'start.mjs'), '--once', ...args]);

test('the demo page gives what the README shows', async () => {
  const shown = readme.match(/```text\n([^]*?)\n```/)[1];
  const { stdout } = await start();
  const plain = (text) => text.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:8080').trim();
  assert.equal(plain(stdout), plain(shown));
});

test('--json prints one object and nothing else', async () => {
  const { stdout } = await run('npm', ['--silent', 'start', '--', '--once', '--json', '--native'], { cwd: ROOT });
  const seen = JSON.parse(stdout);
  assert.equal(seen.surface, 'native');
  assert.deepEqual(Object.keys(seen), ['url', 'surface', 'tools', 'diagnostics']);
  assert.deepEqual(Object.keys(seen.tools[0]), ['name', 'title', 'description', 'inputSchema', 'annotations', 'answer']);
});

test('a page of yours: a file, an address', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-readme-'));
  const file = path.join(folder, 'saved-page.html');
  fs.writeFileSync(file, '<title>Soup</title><script type="application/ld+json">{"@context": "https://schema.org", "@type": "Recipe", "name": "Soup"}</script>');
  const server = await serve();
  try {
    assert.match((await start(file)).stdout, /^get_recipe\([^]*"name":"Soup"/m);
    assert.match((await start(`${server.origin}/shop/event.html`)).stdout, /^get_event\([^]*Moot Hall/m);
  } finally {
    server.close();
    fs.rmSync(folder, { recursive: true });
  }
});

test("the README's own page: as a file, and on a server with what it says to copy", async () => {
  const shown = readme.match(/\*\*A page of your own\.\*\*[^]*?```html\n([^]*?)\n```\n\n([^]*?)\n\n/);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-readme-'));
  fs.writeFileSync(path.join(folder, 'page.html'), shown[1]);
  const names = async (...args) => JSON.parse((await start('--json', ...args)).stdout).tools.map((tool) => tool.name);
  const expected = ['get_product', 'get_page_outline', 'read_page_section', 'search_page'];
  assert.deepEqual(await names(path.join(folder, 'page.html')), expected);
  fs.mkdirSync(path.join(folder, 'site'));
  const copied = shown[2].match(/copy ([^]*?) from `dist\/`/)[1].match(/toolmark[\w.]*\.js/g);
  assert.equal(copied.length, 5);
  // The translation takes a minute to build and is not everywhere.
  for (const file of copied) if (fs.existsSync(path.join(ROOT, 'dist', file))) fs.copyFileSync(path.join(ROOT, 'dist', file), path.join(folder, 'site', file));
  fs.writeFileSync(path.join(folder, 'site', 'page.html'), shown[1].replace('/dist/', '/'));
  const server = await serve({ root: path.join(folder, 'site'), dist: false });
  const page = await (await browser('polyfill')).newPage();
  try {
    await page.goto(`${server.origin}/page.html?toolmark=inspect`);
    await page.waitForSelector('[data-toolmark-inspector]', { state: 'attached' });
    assert.deepEqual(await page.evaluate(async () => (await window.toolmark.ready).tools().map((tool) => tool.name)), expected);
  } finally {
    await page.close();
    server.close();
    fs.rmSync(folder, { recursive: true });
  }
});

test('without --once it serves: the pages that the README names are there', async () => {
  const child = spawn('bash', ['build.sh', 'start', '--port', '0'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const origin = await new Promise((resolve, reject) => {
      let said = '';
      child.stdout.on('data', (data) => {
        said += data;
        const found = said.match(/^(http:\/\/127\.0\.0\.1:\d+)[^]*no diagnostics\n/m);
        if (found) resolve(found[1]);
      });
      child.once('exit', (code) => reject(new Error(`ended with ${code}: ${said}`)));
    });
    for (const [page, words] of [['/', 'Toolmark: demo pages'], ['/playground.html', 'Playground'], ['/dist/toolmark.js', 'toolmark']]) {
      const answer = await fetch(origin + page);
      assert.equal(answer.status, 200, page);
      assert.ok((await answer.text()).includes(words), page);
    }
  } finally {
    child.kill();
  }
});

for (const [what, page, message] of [
  ['a file that is not there', 'no-such-page.html', /^toolmark: there is no file 'no-such-page\.html'\.\n$/],
  ['an address that cannot be reached', 'http://127.0.0.1:9/', /^toolmark: http:\/\/127\.0\.0\.1:9\/ cannot be reached \([^\n]+\)\.\n$/],
]) {
  test(`${what} is one line and exit code 1`, async () => {
    await assert.rejects(start(page), ({ code, stdout, stderr }) => {
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, message);
      return true;
    });
  });
}

test('the table of options names every attribute that the tag reads, and no other', () => {
  const source = fs.readFileSync(path.join(ROOT, 'js', 'options.js'), 'utf8');
  const attributes = source.slice(source.indexOf('const ATTRIBUTES = {'), source.indexOf('};', source.indexOf('const ATTRIBUTES = {')));
  const read = [...attributes.matchAll(/^ {2}'?([a-z-]+)'?: \[/gm)].map((match) => match[1]);
  const named = [...readme.matchAll(/^\| `data-([a-z-]+)`/gm)].map((match) => match[1]);
  assert.ok(read.length > 10);
  assert.deepEqual(named.sort(), read.sort());
});
