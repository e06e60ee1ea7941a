// Says of a wasm file that it was compiled for a browser without reference types, so that wasm-bindgen does without
// them: node js/features.mjs FROM TO
import fs from 'node:fs';

const [from, to] = process.argv.slice(2);
const bytes = fs.readFileSync(from);
/** An unsigned LEB128 number at `at`, and where it ends. */
function number(at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at];
    at += 1;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}
const CUSTOM = 0;
const kept = [bytes.subarray(0, 8)];
for (let at = 8; at < bytes.length;) {
  const [size, start] = number(at + 1);
  const [length, name] = number(start);
  const features = bytes[at] === CUSTOM && bytes.toString('utf8', name, name + length) === 'target_features';
  if (!features) kept.push(bytes.subarray(at, start + size));
  at = start + size;
}
const name = 'target_features';
// One feature, used (`+`): an empty list would be read as one that was stripped.
const feature = 'mutable-globals';
const body = [name.length, ...Buffer.from(name), 1, 0x2b, feature.length, ...Buffer.from(feature)];
fs.writeFileSync(to, Buffer.concat([...kept, Buffer.from([CUSTOM, body.length, ...body])]));
