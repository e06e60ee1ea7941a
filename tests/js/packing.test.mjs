import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { literal, pack } from '../../js/packing/pack.mjs';
import { unpack } from '../../js/packing/unpack.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const unpacker = () => fs.readFileSync(path.join(root, 'target/bindgen/unpack.opt.wasm'));

/** A module with instructions that the compiler may begin to use: tables of branches, bulk memory, references, all constants. */
const MODULE = `(module
  (type $pair (func (param i32 i32) (result i32)))
  (memory (export "memory") 1 2)
  (table 4 funcref)
  (elem func $add)
  (data "a\\22b\\5c\\00\\0a\\0d\\ff\\c3\\bf")
  (global $g (mut i64) (i64.const -9007199254740993))
  (func $add (type $pair) (i32.add (local.get 0) (local.get 1)))
  (func $all (export "all") (param i32 i64 f32 f64 externref) (result f64) (local i32 i32 i64 f64)
    (block $a (block $b (block $c (br_table $a $b $c $a (local.get 0)))) (br_if $a (i32.const -1000000)))
    (loop $l (br_if $l (i32.eqz (i32.const 2097152))))
    (memory.init 0 (i32.const 0) (i32.const 0) (i32.const 9))
    (memory.copy (i32.const 8192) (i32.const 1) (i32.const 127))
    (memory.fill (i32.const 16384) (i32.const -64) (i32.const 128))
    (data.drop 0)
    (table.init 0 (i32.const 0) (i32.const 0) (i32.const 1))
    (elem.drop 0)
    (drop (call_indirect (type $pair) (i32.const 1) (i32.const 2) (i32.const 0)))
    (drop (select (result externref) (local.get 4) (local.get 4) (i32.const 1)))
    (drop (ref.func $add)) (drop (table.get 0 (i32.const 1))) (drop (table.size 0))
    (i64.store offset=70000 align=1 (i32.const 10) (global.get $g))
    (global.set $g (i64.const 0x7fffffffffffffff))
    (local.set 5 (i32.trunc_sat_f64_s (f64.const nan)))
    (drop (f32.const -0.1)) (drop (memory.grow (memory.size)))
    (if (result f64) (local.get 5) (then (f64.const 1e300)) (else (f64.promote_f32 (f32.load offset=3 (i32.const 0))))))
  (func (export "empty")))`;

function assembled(source) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-'));
  try {
    fs.writeFileSync(path.join(folder, 'a.wat'), source);
    execFileSync(path.join(root, 'node_modules/.bin/wasm-as'), ['--all-features', path.join(folder, 'a.wat'), '-o', path.join(folder, 'a.wasm')]);
    return fs.readFileSync(path.join(folder, 'a.wasm'));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

test('what is packed comes back byte for byte, whatever instructions it has', () => {
  const wasm = assembled(MODULE);
  assert.ok(WebAssembly.validate(wasm));
  const text = pack(wasm, unpacker());
  assert.deepEqual(Buffer.from(unpack(text)), wasm);
  assert.ok([...text].every((character) => character <= '\xff'), 'the browser holds the script at a byte a character');
});

for (const [what, damage] of Object.entries({
  'cut short': (text) => text.slice(0, text.length / 2),
  'without its last opcodes': (text) => text.replaceAll('\x0b', '\x01'),
  'with signs for what an encoding lacks': (text) => text.replace(/[\xc0-\xff]/g, '?'),
  'of nothing but noughts': (text) => text.replace(/[^]/g, '\0'),
})) {
  test(`a text that was damaged on its way does not keep a page's thread: ${what}`, () => {
    const wasm = assembled(MODULE);
    const head = 2 + unpacker().length;
    const text = pack(wasm, unpacker());
    // In a process of its own: who fails here never comes back.
    const source = `import { unpack } from ${JSON.stringify(new URL('../../js/packing/unpack.js', import.meta.url).href)};
      try { console.log(Buffer.from(unpack(${JSON.stringify(text.slice(0, head) + damage(text.slice(head)))})).toString('hex')); } catch (error) { console.log(error.name); }`;
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', source], { timeout: 60_000, encoding: 'utf8' });
    assert.notEqual(told.trim(), wasm.toString('hex'));
  });
}

test('a text is the same after it was a literal of a script, line ends of all systems, quotes and noughts before digits too', () => {
  const text = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('') + '\r\n\0' + '0"\\x00\\';
  assert.equal((0, eval)(literal(text)), text);
});

test('a script can be pasted into a page, whatever the wasm holds', () => {
  const text = 'a<!--b<script >c</SCRIPT>d<b>';
  const source = literal(text);
  assert.doesNotMatch(source, /<!--|<\/?script/i);
  assert.equal((0, eval)(source), text);
  // HTML standard, 13.2.5.15 and after: one end too early, or a start within a comment that hides the end.
  for (const name of ['toolmark.js', 'toolmark.wasm.js', 'toolmark.calls.js', 'toolmark.all.js']) {
    assert.ok(!/<\/?script/i.test(fs.readFileSync(path.join(root, 'dist', name), 'utf8')), name);
  }
});

test('code that cannot be told apart is refused when it is built, not in a page', () => {
  // The section of code with its only function, whose size of three is then written in two bytes: valid, and not what comes back.
  const wasm = assembled('(module (func (nop)))');
  const section = Buffer.from([10, 5, 1, 3, 0, 1, 0x0b]);
  const at = wasm.indexOf(section);
  assert.notEqual(at, -1);
  const padded = Buffer.concat([wasm.subarray(0, at), Buffer.from([10, 6, 1, 0x83, 0, 0, 1, 0x0b]), wasm.subarray(at + section.length)]);
  assert.ok(WebAssembly.validate(padded));
  assert.throws(() => pack(padded, unpacker()), /js\/packing/);
});

for (const name of ['toolmark.wasm.js', 'toolmark.all.js']) {
  test(`${name} holds the very wasm that the module loads`, () => {
    const script = fs.readFileSync(path.join(root, 'dist', name), 'utf8');
    const from = script.lastIndexOf('()=>"\xff') + '()=>'.length;
    const text = (0, eval)(script.slice(from).match(/^"(?:[^"\\]|\\[^])*"/)[0]);
    assert.deepEqual(Buffer.from(unpack(text.slice(1))), fs.readFileSync(path.join(root, 'dist/toolmark_bg.wasm')));
  });
}
