// The JavaScript half of the build: node js/build.mjs GLUE CODE OUT UNPACKER
// GLUE: wasm-bindgen's module (target web), CODE: the optimised wasm, OUT: the folder to fill, UNPACKER: js/packing/unpack.rs
// compiled. Where CODE is what wasm2js made of it, toolmark.nowasm.js is built, else all the other files.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { literal, pack } from './packing/pack.mjs';

const [glue, wasm, out, unpackerFile] = process.argv.slice(2).map((argument) => path.resolve(argument));
const here = path.dirname(fileURLToPath(import.meta.url));
const { version } = JSON.parse(fs.readFileSync(path.join(here, '..', 'package.json'), 'utf8'));
/** What each script begins with. */
const banner = `/*! Toolmark ${version}, MIT */`;

/**
 * The same glue in fewer bytes. wasm-bindgen writes out at each place how texts come and go, and what to free where there
 * is no memory for one: then the instance has trapped and is not used again.
 */
function shorter(source) {
  const steps = [
    [/(passStringToWasm0\([^(),]+), wasm\.__wbindgen_malloc, wasm\.__wbindgen_realloc\)/g, '$1)'],
    [/function passStringToWasm0\(arg, malloc, realloc\) \{\s*if \(realloc === undefined\) \{[^}]*\}/, 'function passStringToWasm0(arg) {\n const { __wbindgen_malloc: malloc, __wbindgen_realloc: realloc } = wasm;'],
    [/(let ptr0, len0[^;]*;\s*)try \{([^}]*)\} catch \(e\) \{[^]*?throw e;\s*\}/g, '$1$2'],
    [/let deferred\d+_0;\s*let deferred\d+_1;\s*try \{([^}]*)deferred\d+_0 = ret\[0\];\s*deferred\d+_1 = ret\[1\];\s*return getStringFromWasm0\(ret\[0\], ret\[1\]\);\s*\} finally \{[^}]*\}/g, '$1return taken(ret);'],
    [/let v\d+;\s*if \(ret\[0\] !== 0\) \{[^}]*\}\s*return v\d+;/g, 'return ret[0] ? taken(ret) : undefined;'],
    [/getDataViewMemory0\(\)\.setInt32\(\(arg0 >>> 0\) \+ 4 \* 1, len1, true\);\s*getDataViewMemory0\(\)\.setInt32\(\(arg0 >>> 0\) \+ 4 \* 0, ptr1, true\);/g, 'given(arg0, ptr1, len1);'],
  ];
  // Views are made when they are needed, and an adapter is freed by whoever made it.
  steps.push(
    [/let cached\w+Memory0 = null;\s*function get(\w+)Memory0\(\) \{[^]*?return cached\w+;\s*\}/g, 'function get$1Memory0() {\n return new $1(wasm.memory.buffer);\n}'],
    [/^ +cached\w+Memory0 = null;$/gm, ''],
    [/const AdapterFinalization =[^]*?;\n/, ''],
    [/AdapterFinalization\.\w+\([^)]*\);/g, ''],
    [/(passArray32ToWasm0\(\w+), (?:wasm\.__wbindgen_)?malloc\)/g, '$1)'],
    [/malloc\(arg\.length \* 4, 4\) >>> 0;\s*getUint32ArrayMemory0\(\)/, 'wasm.__wbindgen_malloc(arg.length * 4, 4) >>> 0;\n new Uint32Array(wasm.memory.buffer)'],
    [/if \(Symbol\.dispose\).*/, ''],
    [/^let wasmModule, wasmInstance, wasm;|^ +wasm(?:Instance|Module) = \w+;$/gm, (line) => (line.startsWith('let') ? 'let wasm;' : '')],
    [/(function initSync\(module\) \{\s*if \(wasm !== undefined\) return wasm;)[^]*?(const imports = __wbg_get_imports\(\);)[^]*?(const instance =)/, '$1 ({ module } = module); $2 $3'],
  );
  for (const [pattern, by] of steps) {
    const next = source.replace(pattern, by);
    if (next === source) throw new Error(`wasm-bindgen's glue has another form than this build knows: ${pattern}`);
    source = next;
  }
  return `${source}
function taken([at, length]) {
  const text = getStringFromWasm0(at, length);
  wasm.__wbindgen_free(at, length, 1);
  return text;
}
function given(to, at, length) {
  const view = new DataView(wasm.memory.buffer);
  view.setInt32(to >>> 0, at, true);
  view.setInt32((to >>> 0) + 4, length, true);
}
`;
}

/** The imports' names with noughts for their hashes, the same in glue and code: a hash says nothing and packs badly. */
function plain(text) {
  const names = [...new Set(text.match(/__wbg_\w+?_[0-9a-f]{16}(?!\w)/g))];
  const short = (name) => name.slice(0, -16) + '0'.repeat(16);
  if (new Set(names.map(short)).size < names.length) throw new Error('Two imports of wasm-bindgen have one name.');
  return names.reduce((text, name) => text.replaceAll(name, short(name)), text);
}

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

/** The same glue over a translation: it has no module, its memory does not tell when it grew, and it holds the page's objects itself. */
function translatable(source) {
  const kept = [...source.matchAll(/^let (cached\w+) = null;$/gm)].map((match) => match[1]);
  const [, reserved] = /new Array\((\d+)\)\.fill\(undefined\);\nheap\.push\(undefined, null, true, false\);/.exec(source);
  const first = Number(reserved) + 4;
  const patched = source
    // An intrinsic that wasm-bindgen replaces only where references stay in wasm: the first object that is not a constant.
    .replace(/^import \* as import1 from .*$/m, `const import1 = { __wbindgen_externref_statics_end: () => ${first} };`)
    .replace(/(cached\w+)\.byteLength === 0/g, '$1.buffer !== wasm.memory.buffer');
  return `import { instantiate } from 'toolmark:code';
${patched.replace(/^export \{ initSync.*$/m, '')}
export function reset() {
  ${kept.map((name) => `${name} = null;`).join(' ')}
  heap.length = heap_next = ${first};
  wasm = instantiate(__wbg_get_imports());
  wasm.__wbindgen_start?.();
}
`;
}

/** wasm2js makes a module that starts by itself; the glue wants to start it, and again after a trap. */
function startable(source) {
  const from = source.indexOf('\nvar retasmFunc = asmFunc(');
  if (from < 0) throw new Error('wasm2js has another form than this build knows.');
  return `${source.slice(0, from).replace(/^import .*$/gm, '')}\nexport const instantiate = (imports) => asmFunc(imports);\n`;
}

/** Scripts beside this one, that few pages need: a bundler has to see their names; a script tag's neighbours are where it came from. */
const BESIDE = ['inspect', 'nowasm', 'relay'];
const neighbours = (inline) =>
  `export default ${inline ? 'async (name, from) => import(new URL(`toolmark.${name}.js`, from).href)' : `(name) => ({ ${BESIDE.map((name) => `${name}: () => import("./toolmark.${name}.js")`).join()} })[name]()`};`;

/** What calls need that act, or ask a site: in the script, or in one of its own. */
const CALLS = {
  inside: `import { createActor } from './acting.js'; import { createPerformer } from './perform.js'; export default async () => ({ createActor, createPerformer });`,
  beside: `import { neighbour } from './neighbour.js'; export default async (tag, missing) => {
    try {
      return await neighbour('calls', tag);
    } catch (error) {
      missing(error);
      throw error;
    }
  };`,
};

const withWasm = (inline, calls = 'inside') =>
  compiled((name) =>
    ({
      'toolmark:calls': () => CALLS[calls],
      'toolmark:glue': () => resettable(plain(shorter(fs.readFileSync(glue, 'utf8')))),
      'toolmark:wasm': () => `export default ${inline ? 'WASM' : 'undefined'};`,
      'toolmark:beside': () => neighbours(inline),
    })[name](),
  );

const compiled = (contents) => ({
  name: 'compiled',
  setup(builder) {
    builder.onResolve({ filter: /^toolmark:/ }, ({ path: name }) => ({ path: name, namespace: 'toolmark' }));
    builder.onLoad({ filter: /.*/, namespace: 'toolmark' }, ({ path: name }) => ({
      contents: contents(name),
      resolveDir: name === 'toolmark:calls' ? here : path.dirname(glue),
      loader: 'js',
    }));
    builder.onResolve({ filter: /toolmark\.(inspect|nowasm|relay)\.js$/ }, ({ path: name }) => ({ path: name, external: true }));
    // The glue imports a copy of our own script.
    builder.onResolve({ filter: /\/snippets\/.*\/js\/\w+\.js$/ }, ({ path: name }) => ({ path: path.join(here, path.basename(name)) }));
  },
});

/** The function that the script is gets a name, so that its worker can be made of its text, and what it is called with. */
const CALLED = /^([^]{0,150}?)\(\(\)=>\{([^]*)\}\)\(\);/;
/**
 * A script that holds the wasm calls that function with another one that gives it: no text that the page's thread has to
 * hold or hand over, nor one that the bundler spells at length.
 */
function call(file, given = '') {
  const text = fs.readFileSync(file, 'utf8');
  if (!CALLED.test(text)) throw new Error('The bundler wraps the script in another form than this build knows.');
  fs.writeFileSync(file, text.replace(CALLED, (_, before, inside) => `${before}(function TOOLMARK(WASM){${inside}})(${given});`));
}

const shared = {
  bundle: true,
  minify: true,
  charset: 'utf8',
  target: 'es2022',
  sourcemap: 'external',
  legalComments: 'none',
  define: { __VERSION__: JSON.stringify(version), __SCRIPT__: 'false', __BESIDE__: 'false', __BUILD__: '""', __INTEGRITY__: '{}' },
  logLevel: 'warning',
};

fs.mkdirSync(out, { recursive: true });
if (wasm.endsWith('.js')) {
  const sources = { 'toolmark:glue': () => translatable(fs.readFileSync(glue, 'utf8')), 'toolmark:code': () => startable(fs.readFileSync(wasm, 'utf8')) };
  await build({
    ...shared,
    sourcemap: false,
    entryPoints: [path.join(here, 'nowasm.js')],
    outfile: path.join(out, 'toolmark.nowasm.js'),
    format: 'iife',
    define: { ...shared.define, 'import.meta.url': '""' },
    plugins: [compiled((name) => sources[name]())],
    banner: { js: banner },
  });
  process.exit();
}
const unpacker = fs.readFileSync(unpackerFile);
const code = Buffer.from(plain(fs.readFileSync(wasm, 'latin1')), 'latin1');
const failed = await transform(fs.readFileSync(path.join(here, 'failed.js'), 'utf8'), { minify: true, charset: 'utf8', target: shared.target, define: shared.define });
const packed = `()=>${literal(`\xff${pack(code, unpacker)}`)}`;
const { outputFiles: [calls] } = await build({
  ...shared,
  stdin: { contents: "export { createActor } from './acting.js'; export { createPerformer } from './perform.js';", resolveDir: here },
  write: false,
  sourcemap: false,
  format: 'iife',
  globalName: 'calls',
  charset: 'ascii',
});
/** What the scripts beside toolmark.js and itself know each other by. */
const id = crypto.createHash('sha256').update(code).update(calls.text).digest('hex').slice(0, 16);
// The wasm as a script: it comes from another origin without leave, and packed, through servers that compress only text.
const beside = {
  wasm: `${banner}globalThis[Symbol.for("toolmark.wasm")]={id:"${id}",text:${packed}};\n`,
  calls: `${banner}"use strict";{${calls.text.replace(/^(?:"use strict";)?var /, 'let ').trim()}globalThis[Symbol.for("toolmark.calls")]={id:"${id}",...calls}}\n`,
};
const integrity = {};
for (const [name, text] of Object.entries(beside)) {
  fs.writeFileSync(path.join(out, `toolmark.${name}.js`), text);
  integrity[name] = `sha384-${crypto.createHash('sha384').update(text).digest('base64')}`;
}
for (const [name, where, given] of [['toolmark.js', 'beside'], ['toolmark.all.js', 'inside', packed]]) {
  const file = path.join(out, name);
  await build({
    ...shared,
    entryPoints: [path.join(here, 'toolmark.js')],
    outfile: file,
    format: 'iife',
    // One character past the first 256 makes the browser hold the whole script at two bytes a character.
    charset: 'ascii',
    define: { ...shared.define, __SCRIPT__: 'true', __BESIDE__: String(where === 'beside'), __BUILD__: JSON.stringify(id), __INTEGRITY__: JSON.stringify(integrity), 'import.meta.url': '""' },
    plugins: [withWasm(true, where)],
    // What fails while it starts must not land in the page.
    banner: { js: `${banner}"use strict";try{` },
    footer: { js: `}catch(error){${failed.code.trim()}}` },
  });
  call(file, given);
}
await build({
  ...shared,
  entryPoints: [path.join(here, 'index.js')],
  outfile: path.join(out, 'toolmark.mjs'),
  format: 'esm',
  plugins: [withWasm(false)],
  banner: { js: banner },
});
for (const [name, entry] of [['inspect', 'inspect/panel.js'], ['relay', 'carry.js']]) {
  await build({
    ...shared,
    entryPoints: [path.join(here, entry)],
    outfile: path.join(out, `toolmark.${name}.js`),
    format: 'esm',
    banner: { js: banner },
  });
}
fs.writeFileSync(path.join(out, 'toolmark_bg.wasm'), code);
if (fs.existsSync(path.join(here, 'toolmark.d.ts'))) fs.copyFileSync(path.join(here, 'toolmark.d.ts'), path.join(out, 'toolmark.d.ts'));
