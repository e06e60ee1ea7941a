// npm run test:platforms -- [NAME…]: each recipe of docs/platforms/ as a minimal app, and the package in each bundler and
// compiler, opened in Chromium. What the recipes show is what is built: files are taken from the pages. The apps come from
// the npm registry into a temporary folder, one after the other.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../../www/serve.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-platforms-'));
const dist = path.join(root, 'dist');

/** What every app's page says. */
const MARKUP = { '@context': 'https://schema.org', '@type': 'Product', name: 'Bag', offers: { '@type': 'Offer', price: '10.00', priceCurrency: 'EUR' } };
const BLOCK = `<script type="application/ld+json">${JSON.stringify(MARKUP)}</script>`;
const PAGE = (head, body = '') => `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Bag</title>${head}</head><body><h1>Bag</h1>${BLOCK}${body}</body></html>\n`;

/** The files that a recipe shows: each has its name in backquotes on the line before. */
function recipe(name) {
  const text = fs.readFileSync(path.join(root, 'docs', 'platforms', `${name}.md`), 'utf8');
  const files = Object.fromEntries([...text.matchAll(/^`([^`\n]+)`[^\n]*\n\n```\w*\n([^]*?)\n```/gm)].map(([, file, code]) => [file, code]));
  assert.ok(Object.keys(files).length, `docs/platforms/${name}.md shows no file`);
  return files;
}

function write(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  }
}

/** An app's folder with its packages. */
function app(name, packages, files) {
  const folder = path.join(work, name);
  write(folder, { 'package.json': JSON.stringify({ name: `try-${name}`, private: true, type: 'module' }), ...files });
  if (packages.length) run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages]);
  return folder;
}

function run(folder, command, args, env = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder, encoding: 'utf8', timeout: 600_000,
    env: { ...process.env, PATH: `${folder}/node_modules/.bin:${process.env.PATH}`, NEXT_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1', CI: '1', ...env },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${`${stdout}\n${stderr}`.slice(-3000)}`);
  return stdout;
}

/** What a CDN or the site's own host serves, where the recipes say so. */
const copyDist = (folder) => fs.cpSync(dist, folder, { recursive: true, filter: (file) => !/\.(map|stamp)$/.test(file) });

let browser;
/** Opens what a folder holds: the page's own tool must be there and answer. */
async function opens(folder, pathname = '/', { check } = {}) {
  const server = await serve({ root: folder, dist: false });
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu', '--enable-features=WebMCP'] });
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  try {
    await page.goto(server.origin + pathname);
    // While an app starts its tools may change once more, also between asking for one and calling it.
    let answer;
    for (const before = Date.now(); typeof answer !== 'string'; ) {
      answer = await page.evaluate(async () => {
        const tool = (await document.modelContext.getTools()).find((one) => one.name === 'get_product');
        return tool && document.modelContext.executeTool(tool, {});
      }).catch(() => undefined);
      if (typeof answer !== 'string') {
        assert.ok(Date.now() - before < 20_000, `get_product did not answer within 20 s: ${errors.join('; ') || 'no error in the page'}`);
        await page.waitForTimeout(100);
      }
    }
    assert.match(answer, /10\.00/);
    await check?.(page);
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
    server.close();
  }
}

const tarball = () => {
  const [{ filename, files }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', work], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  return { file: path.join(work, filename), files: files.map((one) => one.path) };
};
let packed;
const pack = () => (packed ??= tarball());

/** The module in an app of nothing but the page. */
const MODULE = "import { start } from 'toolmark';\nwindow.handle = await start({ page: false });\n";
const withInspector = { check: async (page) => {
  await page.evaluate(async () => {
    const { inspect } = window.api;
    await inspect();
  });
  assert.equal(await page.evaluate(() => document.querySelectorAll('[data-toolmark-inspector]').length), 1);
} };
const MODULE_AND_INSPECTOR = `import * as api from 'toolmark';\nwindow.api = api;\napi.start({ page: false });\n`;

const PLATFORMS = {
  // ---------------------------------------------------------------- the package
  pack() {
    const { files } = pack();
    const needed = ['toolmark.js', 'toolmark.mjs', 'toolmark_bg.wasm', 'toolmark.inspect.js', 'toolmark.relay.js', 'toolmark.d.ts'].map((name) => `dist/${name}`);
    for (const name of [...needed, 'README.md', 'LICENSE', 'package.json']) assert.ok(files.includes(name), `${name} is not in the package`);
    assert.deepEqual(files.filter((name) => !/^(dist\/toolmark|README\.md$|LICENSE$|CHANGELOG\.md$|package\.json$)/.test(name)), []);
  },
  types() {
    const folder = app('types', ['typescript@5', pack().file], {
      'tsconfig.json': JSON.stringify({ compilerOptions: { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'] }, include: ['use.ts'] }),
      'use.ts': `import { start, read, defineTool, inspect, manifest, version, type Handle, type Tool, type Options } from 'toolmark';
const options: Options = { maxTools: 12, allowedHosts: ['a.example'], allow: (tool) => tool.name !== 'x' };
const handle: Handle = await start(options);
const tools: Tool[] = handle.tools();
const answer = await tools[0]?.execute({ query: 'x' }, { signal: AbortSignal.timeout(1000) });
const code: string | undefined = answer?.error?.code;
const undo: () => void = defineTool({ name: 'mine', description: 'Mine.', execute: (input: { a: number }) => ({ a: input.a }) });
const { added }: { added: string[] } = await handle.refresh();
document.addEventListener('toolmark:call', (event) => event.detail.ms.toFixed(1));
const ready: Promise<Handle> | undefined = window.toolmark?.ready;
// @ts-expect-error no such option
start({ maxTool: 1 });
export { code, undo, added, ready, read, inspect, manifest, version };
`,
    });
    run(folder, 'tsc', ['-p', '.']);
  },
  async vite() {
    const folder = app('vite', ['vite@6', pack().file], { 'index.html': PAGE('<script type="module" src="/main.js"></script>'), 'main.js': MODULE_AND_INSPECTOR, ...recipe('vite') });
    if (fs.existsSync(path.join(folder, 'main.js'))) fs.writeFileSync(path.join(folder, 'main.js'), MODULE_AND_INSPECTOR);
    run(folder, 'vite', ['build']);
    await opens(path.join(folder, 'dist'), '/', withInspector);
  },
  async webpack() {
    const folder = app('webpack', ['webpack@5', 'webpack-cli@6', pack().file], { 'main.js': MODULE_AND_INSPECTOR, 'out/index.html': PAGE('<script type="module" src="main.js"></script>') });
    run(folder, 'webpack', ['--mode', 'production', '--entry', './main.js', '-o', 'out']);
    await opens(path.join(folder, 'out'), '/', withInspector);
  },
  async esbuild() {
    const folder = app('esbuild', ['esbuild@0.25', pack().file], { 'main.js': MODULE_AND_INSPECTOR, 'out/index.html': PAGE('<script type="module" src="main.js"></script>') });
    run(folder, 'esbuild', ['main.js', '--bundle', '--format=esm', '--splitting', '--outdir=out']);
    // esbuild does not look for files named by URLs: docs/platforms/vite.md says to copy it.
    fs.copyFileSync(path.join(folder, 'node_modules/toolmark/dist/toolmark_bg.wasm'), path.join(folder, 'out/toolmark_bg.wasm'));
    await opens(path.join(folder, 'out'), '/', withInspector);
  },
  async rollup() {
    const folder = app('rollup', ['rollup@4', '@rollup/plugin-node-resolve@16', pack().file], { 'main.js': MODULE_AND_INSPECTOR, 'out/index.html': PAGE('<script type="module" src="main.js"></script>') });
    run(folder, 'rollup', ['main.js', '-d', 'out', '-f', 'es', '-p', 'node-resolve']);
    fs.copyFileSync(path.join(folder, 'node_modules/toolmark/dist/toolmark_bg.wasm'), path.join(folder, 'out/toolmark_bg.wasm'));
    await opens(path.join(folder, 'out'), '/', withInspector);
  },
  // ---------------------------------------------------------------- platforms
  async plain() {
    const folder = app('plain', [], { 'index.html': recipe('plain')['index.html'] });
    copyDist(path.join(folder, 'assets'));
    await opens(folder);
  },
  async 'tag-manager'() {
    const files = recipe('tag-manager');
    // What the container does with a Custom HTML tag: new script elements without data- attributes, put into the body.
    const container = `(function () {
      var before = window.dataLayer;
      var box = document.createElement('div');
      box.innerHTML = ${JSON.stringify(files['Custom HTML'])};
      Array.prototype.forEach.call(box.querySelectorAll('script'), function (one) {
        var script = document.createElement('script');
        if (one.src) script.src = one.src;
        script.text = one.text;
        document.body.appendChild(script);
      });
      before.push({ event: 'gtm.load' });
    })();`;
    const folder = app('tag-manager', [], { 'index.html': PAGE('<script>window.dataLayer = [{ event: "gtm.js" }]</script>', '<script async src="/gtm.js"></script>'), 'gtm.js': container });
    copyDist(path.join(folder, 'assets'));
    await opens(folder, '/', { check: async (page) => {
      const calls = await page.evaluate(() => window.dataLayer.filter((one) => one.event === 'toolmark_call'));
      assert.ok(calls.some((call) => call.tool === 'get_product' && call.ok));
    } });
  },
  async wordpress() {
    const plugin = recipe('wordpress')['toolmark/toolmark.php'];
    // Without PHP here: the handle, path and attributes as wp_enqueue_script() and the filter print them.
    const handle = plugin.match(/wp_enqueue_script\(\s*'([^']+)',\s*plugins_url\(\s*'([^']+)'/);
    const added = plugin.match(/'<script data-toolmark([^']*) '/)?.[1] ?? '';
    assert.ok(handle, 'the plugin enqueues nothing');
    const folder = app('wordpress', [], { 'index.html': PAGE(`<script data-toolmark${added} src="/wp-content/plugins/toolmark/${handle[2]}?ver=1" id="${handle[1]}-js" defer></script>`) });
    copyDist(path.join(folder, 'wp-content/plugins/toolmark'));
    await opens(folder);
  },
  async shopify() {
    const liquid = recipe('shopify')['layout/theme.liquid'];
    const tag = liquid.replace(/\{\{\s*'([^']+)'\s*\|\s*asset_url\s*\}\}/g, '/cdn/assets/$1?v=1');
    assert.ok(!tag.includes('{{'));
    const folder = app('shopify', [], { 'index.html': PAGE(tag) });
    copyDist(path.join(folder, 'cdn/assets'));
    await opens(folder);
  },
  async next() {
    const folder = app('next', ['next@15', 'react@19', 'react-dom@19'], {
      'next.config.mjs': "export default { output: 'export', eslint: { ignoreDuringBuilds: true } };\n",
      'app/page.jsx': `export default function Page() { return <main><h1>Bag</h1><script type="application/ld+json" dangerouslySetInnerHTML={{ __html: ${JSON.stringify(JSON.stringify(MARKUP))} }} /></main>; }\n`,
      ...recipe('next'),
    });
    copyDist(path.join(folder, 'public/toolmark'));
    run(folder, 'next', ['build']);
    await opens(path.join(folder, 'out'));
  },
  async nuxt() {
    const folder = app('nuxt', ['nuxt@3', 'vue@3'], {
      'app.vue': `<script setup>useHead({ script: [{ type: 'application/ld+json', innerHTML: ${JSON.stringify(JSON.stringify(MARKUP)).replace(/'/g, "\\'")} }] });</script>\n<template><main><h1>Bag</h1></main></template>\n`,
      ...recipe('nuxt'),
    });
    copyDist(path.join(folder, 'public/toolmark'));
    run(folder, 'nuxt', ['generate']);
    await opens(path.join(folder, '.output/public'));
  },
  async astro() {
    const files = recipe('astro');
    const folder = app('astro', ['astro@5'], {
      ...files,
      'src/pages/index.astro': `---\nimport Layout from '../layouts/Layout.astro';\n---\n<Layout><h1>Bag</h1><script is:inline type="application/ld+json" set:html={${JSON.stringify(JSON.stringify(MARKUP))}} /></Layout>\n`,
    });
    copyDist(path.join(folder, 'public/toolmark'));
    run(folder, 'astro', ['build']);
    await opens(path.join(folder, 'dist'));
  },
  async sveltekit() {
    const folder = app('sveltekit', ['@sveltejs/kit@2', '@sveltejs/adapter-static@3', '@sveltejs/vite-plugin-svelte@5', 'svelte@5', 'vite@6'], {
      'svelte.config.js': "import adapter from '@sveltejs/adapter-static';\nexport default { kit: { adapter: adapter() } };\n",
      'vite.config.js': "import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };\n",
      'src/routes/+layout.js': 'export const prerender = true;\n',
      'src/routes/+page.svelte': `<svelte:head>{@html ${JSON.stringify(BLOCK.replace('</script>', '<\\/script>')).replace('<\\\\/script>', '<\\/script>')}}</svelte:head>\n<h1>Bag</h1>\n`,
      ...recipe('sveltekit'),
    });
    copyDist(path.join(folder, 'static/toolmark'));
    run(folder, 'vite', ['build']);
    await opens(path.join(folder, 'build'));
  },
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(PLATFORMS, name));
if (unknown.length) {
  console.error(`toolmark: no platform ${unknown.join(', ')}; there are ${Object.keys(PLATFORMS).join(', ')}.`);
  process.exit(1);
}
let failed = 0;
for (const name of chosen.length ? chosen : Object.keys(PLATFORMS)) {
  const before = Date.now();
  try {
    await PLATFORMS[name]();
    console.log(`ok      ${name.padEnd(12)} ${Math.round((Date.now() - before) / 1000)} s`);
  } catch (error) {
    failed += 1;
    console.log(`failed  ${name.padEnd(12)} ${error.stack}`);
  }
  fs.rmSync(path.join(work, name), { recursive: true, force: true });
}
await browser?.close();
fs.rmSync(work, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
