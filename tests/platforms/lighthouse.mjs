// npm run test:lighthouse: Lighthouse's WebMCP audits of every demo page, in Chromium with native WebMCP. Prints each audit's
// result; an audit that fails, does not apply or sees no tools fails the run. Lighthouse comes from the npm registry into a
// temporary folder (or $LIGHTHOUSE_FOLDER, which is kept): it is larger than all that Toolmark needs otherwise.
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { serve } from '../../www/serve.mjs';

const LIGHTHOUSE = 'lighthouse@13.5.0';
/** What it asks for; an older Node.js gets this one beside Lighthouse. */
const NODE = [22, 19];
const AUDITS = ['webmcp-registered-tools', 'webmcp-form-coverage', 'webmcp-schema-validity'];
/** page → a tool that Lighthouse must see there */
const PAGES = {
  '/shop/': 'list_products',
  '/shop/trail-pack-28.html': 'get_product',
  '/shop/journal.html': 'get_article',
  '/shop/event.html': 'get_event',
  '/shop/help.html': 'get_faq',
  '/shop/router.html': 'get_product',
};

const folder = process.env.LIGHTHOUSE_FOLDER ?? fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-lighthouse-'));
const modules = path.join(folder, 'node_modules');
const install = (name) => {
  if (fs.existsSync(path.join(modules, name.replace(/@.*/, '')))) return;
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', name], { stdio: ['ignore', 'ignore', 'inherit'] });
};

function nodeForLighthouse() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return process.execPath;
  install(`node@${NODE[0]}`);
  return path.join(modules, '.bin', 'node');
}

/** The audits of one page, as Lighthouse reports them. Not waited for in one piece: this process serves the page. */
async function audit(node, address) {
  const report = path.join(folder, 'report.json');
  await promisify(execFile)(node, [
    path.join(modules, 'lighthouse', 'cli', 'index.js'), address, '--quiet', `--only-audits=${AUDITS}`, '--output=json', `--output-path=${report}`,
    '--chrome-flags=--headless --no-sandbox --disable-gpu --enable-features=WebMCP,WebMCPTesting,DevToolsWebMCPSupport',
  ], { env: { ...process.env, CHROME_PATH: process.env.CHROMIUM || '/usr/bin/chromium' }, timeout: 240_000 });
  return JSON.parse(fs.readFileSync(report, 'utf8'));
}

/** Nothing, or what is wrong. Informative audits have no score; what they list is the result. */
function fault(id, result, tool) {
  if (!result) return 'this Lighthouse does not have it';
  if (result.scoreDisplayMode === 'error') return result.errorMessage;
  if (id === 'webmcp-registered-tools') {
    const names = listed(result).map((item) => item.tool);
    return names.includes(tool) ? undefined : `${tool} is not among ${names.join(', ') || 'no tools'}`;
  }
  // A page without forms has none to cover.
  if (result.scoreDisplayMode === 'notApplicable') return id === 'webmcp-form-coverage' ? undefined : 'does not apply: Lighthouse sees no WebMCP here';
  if (result.score !== null && result.score < 1) return [result.title, ...listed(result).map((item) => item.issue)].join('; ');
  return undefined;
}

/** Rows of a table, or of a list of tables. */
const listed = ({ details }) => (details?.items ?? []).flatMap((item) => item.value?.items ?? (item.items ? item.items : [item]));

function words(id, result) {
  if (id === 'webmcp-registered-tools') return `lists ${listed(result).length} tools`;
  if (result.scoreDisplayMode === 'notApplicable') return 'does not apply: no form';
  if (result.scoreDisplayMode === 'informative') return `informs: ${result.displayValue ?? 'nothing to say'}`;
  return 'passes';
}

install(LIGHTHOUSE);
const node = nodeForLighthouse();
const server = await serve();
let failed = 0;
let version;
try {
  for (const [page, tool] of Object.entries(PAGES)) {
    const report = await audit(node, server.origin + page);
    version = report.lighthouseVersion;
    for (const id of AUDITS) {
      const wrong = fault(id, report.audits[id], tool);
      failed += wrong !== undefined;
      console.log(`${wrong === undefined ? 'ok    ' : 'failed'}  ${page.padEnd(26)} ${id.padEnd(24)} ${wrong ?? words(id, report.audits[id])}`);
      for (const warning of report.audits[id]?.warnings ?? []) console.log(`        ${warning}`);
    }
  }
} finally {
  server.close();
  if (!process.env.LIGHTHOUSE_FOLDER) fs.rmSync(folder, { recursive: true, force: true });
}
console.log(`Lighthouse ${version}: ${Object.keys(PAGES).length} pages, ${AUDITS.length} audits each, ${failed} failed.`);
process.exit(failed ? 1 : 0);
