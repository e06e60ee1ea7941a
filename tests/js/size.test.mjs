import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Bytes: what browsers without WebMCP pay for having it. */
const POLYFILL = 2600;

test(`the polyfill weighs at most ${POLYFILL} bytes, gzip`, async () => {
  const entry = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'js', 'polyfill.js');
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, minify: true, write: false, format: 'esm', target: 'es2022' });
  const bytes = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  assert.ok(bytes > 500 && bytes <= POLYFILL, `${bytes}`);
});
