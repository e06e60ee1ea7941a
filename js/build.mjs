// The JavaScript half of the build: node js/build.mjs GLUE WASM OUT
// GLUE: wasm-bindgen's module (target web), WASM: the optimised code, OUT: the folder to fill.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const [glue, wasm, out] = process.argv.slice(2).map((argument) => path.resolve(argument));
const here = path.dirname(fileURLToPath(import.meta.url));
const { version } = JSON.parse(fs.readFileSync(path.join(here, '..', 'package.json'), 'utf8'));

/** What makes the glue start over with a new instance: everything that it keeps beside the instance is forgotten. */
function resettable(source) {
  const kept = [...source.matchAll(/^let (cached\w+) = null;$/gm)].map((match) => match[1]);
  return `${source}
export function reset(module) {
  wasm = undefined;
  ${kept.map((name) => `${name} = null;`).join(' ')}
  return initSync({ module });
}
`;
}

/** Bytes as the characters of the same numbers, in a string literal; the first one shows how the script was decoded. */
function literal(bytes) {
  const escapes = { 0: '\\0', 10: '\\n', 13: '\\r', 34: '\\"', 92: '\\\\' };
  let text = '"\xff';
  bytes.forEach((byte, at) => {
    const digit = bytes[at + 1] >= 48 && bytes[at + 1] <= 57;
    text += byte === 0 && digit ? '\\x00' : escapes[byte] ?? String.fromCharCode(byte);
  });
  return `${text}"`;
}

/** Stands for the literal until the bundler is done: it would spell control characters at length. */
const PLACE = 'toolmark:here';

const compiled = (inline) => ({
  name: 'compiled',
  setup(builder) {
    builder.onResolve({ filter: /^toolmark:/ }, ({ path: name }) => ({ path: name, namespace: 'toolmark' }));
    builder.onLoad({ filter: /.*/, namespace: 'toolmark' }, ({ path: name }) => ({
      contents: {
        'toolmark:glue': () => resettable(fs.readFileSync(glue, 'utf8')),
        'toolmark:wasm': () => `export default ${inline ? JSON.stringify(PLACE) : '""'};`,
        // A bundler has to see the name; a script tag's neighbours are where it came from.
        'toolmark:inspect': () => `export default ${inline ? 'async (from) => import(new URL("toolmark.inspect.js", from).href)' : '() => import("./toolmark.inspect.js")'};`,
      }[name](),
      resolveDir: path.dirname(glue),
      loader: 'js',
    }));
    builder.onResolve({ filter: /toolmark\.inspect\.js$/ }, ({ path: name }) => ({ path: name, external: true }));
    // The glue imports a copy of our own script.
    builder.onResolve({ filter: /\/snippets\/.*\/js\/\w+\.js$/ }, ({ path: name }) => ({ path: path.join(here, path.basename(name)) }));
  },
});

const shared = {
  bundle: true,
  minify: true,
  charset: 'utf8',
  target: 'es2022',
  sourcemap: 'external',
  legalComments: 'none',
  define: { __VERSION__: JSON.stringify(version) },
  logLevel: 'warning',
};

fs.mkdirSync(out, { recursive: true });
await build({
  ...shared,
  entryPoints: [path.join(here, 'toolmark.js')],
  outfile: path.join(out, 'toolmark.js'),
  format: 'iife',
  define: { ...shared.define, 'import.meta.url': '""' },
  plugins: [compiled(true)],
  banner: { js: `/*! Toolmark ${version}, MIT */` },
});
const script = path.join(out, 'toolmark.js');
fs.writeFileSync(script, fs.readFileSync(script, 'utf8').replace(JSON.stringify(PLACE), () => literal(fs.readFileSync(wasm))));
await build({
  ...shared,
  entryPoints: [path.join(here, 'index.js')],
  outfile: path.join(out, 'toolmark.mjs'),
  format: 'esm',
  plugins: [compiled(false)],
  banner: { js: `/*! Toolmark ${version}, MIT */` },
});
await build({
  ...shared,
  entryPoints: [path.join(here, 'inspect', 'panel.js')],
  outfile: path.join(out, 'toolmark.inspect.js'),
  format: 'esm',
  banner: { js: `/*! Toolmark ${version}, MIT */` },
});
fs.copyFileSync(wasm, path.join(out, 'toolmark_bg.wasm'));
if (fs.existsSync(path.join(here, 'toolmark.d.ts'))) fs.copyFileSync(path.join(here, 'toolmark.d.ts'), path.join(out, 'toolmark.d.ts'));
