// A panic is a trap here and says nothing (src/browser/lean.rs), so what would have put it into words goes, and with it
// where the sources lay on the machine that built: node js/panics.mjs FROM TO
import fs from 'node:fs';

const [from, to] = process.argv.slice(2);
const bytes = fs.readFileSync(from);

/** The library's functions that never return, in either of the compiler's spellings of names. */
const PANICS = /(?:9panicking\d+(?:panic|assert|unreachable|const_panic)\w*|\d(?:unwrap|expect|assert)_failed|slice_(?:error|index)_fail(?:_rt)?|capacity_overflow|panic_already_(?:mutably_)?borrowed|handle_(?:alloc_)?error|do_panic7runtime)(?:17h[0-9a-f]{16}E)?$/;
/** Source files as panics name them. */
const PATHS = /(?:\/rustc\/[0-9a-f]{40}\/library\/|rust\/library\/|cargo\/registry\/|\bsrc\/)[\w/.-]+?\.rs/g;
const CUSTOM = 0;
const IMPORT = 2;
const CODE = 10;
const DATA = 11;
/** No locals, `unreachable`, `end`. */
const TRAP = [0, 0x00, 0x0b];

let at;
/** The unsigned LEB128 number at `at`. */
function number() {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at];
    at += 1;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
}
function text() {
  const length = number();
  at += length;
  return bytes.toString('utf8', at - length, at);
}
const leb = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(Math.floor(value / 0x80))]);

const sections = [];
for (at = 8; at < bytes.length;) {
  const id = bytes[at];
  const start = at;
  at += 1;
  const size = number();
  sections.push({ id, start, body: at, end: at + size });
  at += size;
}

const limits = () => {
  const flags = number();
  number();
  if (flags & 1) number();
};
/** Imported functions are counted first. */
function imported() {
  const section = sections.find(({ id }) => id === IMPORT);
  if (!section) return 0;
  at = section.body;
  let functions = 0;
  for (let count = number(); count > 0; count -= 1) {
    text();
    text();
    const kind = bytes[at];
    at += 1;
    if (kind === 0) {
      functions += 1;
      number();
    } else if (kind === 1) {
      at += 1;
      limits();
    } else if (kind === 2) limits();
    else if (kind === 3) at += 2;
    else throw new Error(`An import of kind ${kind} is not known here.`);
  }
  return functions;
}

/** Numbers of the functions that only panic. */
function panicking() {
  const found = new Set();
  for (const { id, body, end } of sections) {
    at = body;
    if (id !== CUSTOM || text() !== 'name') continue;
    while (at < end) {
      const kind = bytes[at];
      at += 1;
      const next = number() + at;
      if (kind === 1) {
        for (let count = number(); count > 0; count -= 1) {
          const index = number();
          const name = text();
          if (/4core|5alloc/.test(name) && PANICS.test(name)) found.add(index);
        }
      }
      at = next;
    }
  }
  return found;
}

const mute = panicking();
if (!mute.size) throw new Error(`${from} names none of the library's panics: was it stripped, or are they called otherwise now?`);
const first = imported();
const out = [bytes.subarray(0, 8)];
for (const { id, start, body, end } of sections) {
  let content = bytes.subarray(body, end);
  if (id === CODE) {
    at = body;
    const count = number();
    const bodies = [Buffer.from(leb(count))];
    for (let index = 0; index < count; index += 1) {
      const before = at;
      const size = number();
      at += size;
      bodies.push(mute.has(first + index) ? Buffer.from([TRAP.length, ...TRAP]) : bytes.subarray(before, at));
    }
    content = Buffer.concat(bodies);
  } else if (id === DATA) {
    content = Buffer.from(content.toString('latin1').replace(PATHS, (path) => '\0'.repeat(path.length)), 'latin1');
  }
  out.push(id === CODE || id === DATA ? Buffer.concat([Buffer.from([id, ...leb(content.length)]), content]) : bytes.subarray(start, end));
}
fs.writeFileSync(to, Buffer.concat(out));
