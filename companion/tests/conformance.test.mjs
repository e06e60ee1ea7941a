// The official suite of scenarios for MCP servers.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { BINARY } from './support.mjs';

test('every scenario of the official suite that applies passes', async () => {
  const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'conformance.mjs');
  const { code, stdout, stderr } = await new Promise((resolve) => {
    const child = execFile(process.execPath, [script], { env: { ...process.env, TOOLMARK_BINARY: BINARY } }, (error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }));
  });
  assert.equal(code, 0, stdout + stderr);
  // So many that it was no empty run.
  assert.ok(Number(/^(\d+) passed, 0 failed/m.exec(stdout)?.[1]) >= 22, stdout);
});
