// npm run test:lighthouse: Lighthouse's WebMCP audits of the demo, in Chromium with native WebMCP. Lighthouse comes from
// the npm registry into a temporary folder: it is larger than all that Toolmark needs otherwise.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { serve } from '../../www/serve.mjs';

/** Asks for Node.js 22.19 or newer. */
const LIGHTHOUSE = 'lighthouse@13.5.0';
const AUDITS = 'webmcp-registered-tools,webmcp-form-coverage,webmcp-schema-validity';
const PAGES = ['/shop/trail-pack-28.html', '/shop/', '/shop/journal.html', '/shop/event.html'];

const folder = process.env.LIGHTHOUSE_FOLDER ?? fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-lighthouse-'));
const installed = path.join(folder, 'node_modules', 'lighthouse');
if (!fs.existsSync(installed)) execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', LIGHTHOUSE], { stdio: ['ignore', 'ignore', 'inherit'] });
const server = await serve();
let failed = 0;
let audits = 0;
try {
  for (const page of PAGES) {
    const report = path.join(folder, 'report.json');
    execFileSync(process.execPath, [
      path.join(installed, 'cli', 'index.js'), server.origin + page, '--quiet', `--only-audits=${AUDITS}`, '--output=json', `--output-path=${report}`,
      '--chrome-flags=--headless --no-sandbox --disable-gpu --enable-features=WebMCP,WebMCPTesting,DevToolsWebMCPSupport',
    ], { env: { ...process.env, CHROME_PATH: process.env.CHROMIUM || '/usr/bin/chromium' }, stdio: ['ignore', 'ignore', 'inherit'] });
    const { audits: all } = JSON.parse(fs.readFileSync(report, 'utf8'));
    for (const [id, audit] of Object.entries(all).filter(([id]) => /webmcp|agent/i.test(id))) {
      audits += 1;
      const found = audit.details?.items?.length ?? 0;
      const verdict = audit.score === null ? audit.scoreDisplayMode : audit.score >= 0.9 ? 'passes' : 'FAILS';
      failed += verdict === 'FAILS' || verdict === 'error';
      console.log(`${page.padEnd(28)} ${id.padEnd(26)} ${verdict}${found ? `, ${found} listed` : ''}${verdict === 'FAILS' || verdict === 'error' ? `: ${audit.explanation ?? audit.errorMessage ?? audit.description}` : ''}`);
    }
  }
} finally {
  server.close();
  if (!process.env.LIGHTHOUSE_FOLDER) fs.rmSync(folder, { recursive: true, force: true });
}
if (!audits) console.error('toolmark: this Lighthouse has no WebMCP audits.');
process.exit(failed || !audits ? 1 : 0);
