// The wasm as the script carries it: sorted into streams of like bytes, in which brotli and gzip find more that repeats than
// where opcodes, locals, offsets and constants alternate, and those as characters. unpack.rs is the other direction.
import { unpack } from './unpack.js';

/** As in unpack.rs. */
const [OPCODE, BLOCK, ALIGN, BRANCH, LOCAL, LOAD, STORE, MEDIUM, LONG, REST] = Array(10).keys();
const STREAMS = 10;
const ESCAPED = [0, 10, 13, 34, 92];
const CODE = 10;
const I32_CONST = 0x41;
const MEDIUM_CONST = 0x07;
const LONG_CONST = 0x06;
const END = 0x0b;

/** The streams of the numbers that follow an opcode (core specification, 5.4). */
const immediates = Array(256).fill([]);
for (const [first, last, ...of] of [
  [0x02, 0x04, BLOCK], [0x0c, 0x0d, BRANCH], [0x10, 0x10, OPCODE], [0x11, 0x11, REST, REST], [0x20, 0x22, LOCAL], [0x23, 0x26, REST],
  [0x28, 0x35, ALIGN, LOAD], [0x36, 0x3e, ALIGN, STORE], [0x3f, 0x40, REST], [I32_CONST, I32_CONST, OPCODE], [0x42, 0x42, REST], [0xd0, 0xd0, REST], [0xd2, 0xd2, REST],
]) immediates.fill(of, first, last + 1);
/** How many numbers follow the instructions that 0xfc begins. */
const MORE = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

/** @param {Buffer} wasm as wasm-opt writes it: sizes in as few bytes as they need */
function streams(wasm) {
  const streams = Array.from({ length: STREAMS }, () => []);
  let at = 8;
  const byte = (stream) => {
    streams[stream].push(wasm[at]);
    at += 1;
    return wasm[at - 1];
  };
  const number = (stream) => {
    for (let value = 0, scale = 1; ; scale *= 0x80) {
      const next = byte(stream);
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value;
    }
  };
  const numbers = (count) => {
    for (let left = count; left > 0; left -= 1) number(REST);
  };
  const body = () => {
    numbers(2 * number(REST));
    for (let depth = 1; depth > 0;) {
      const code = byte(OPCODE);
      if (code === I32_CONST && wasm[at] >= 0x80) {
        const long = wasm[at + 1] >= 0x80;
        streams[OPCODE].splice(-1, 1, long ? LONG_CONST : MEDIUM_CONST);
        number(long ? LONG : MEDIUM);
        continue;
      }
      for (const stream of immediates[code]) number(stream);
      if (immediates[code][0] === BLOCK) depth += 1;
      else if (code === END) depth -= 1;
      else if (code === 0x0e) numbers(number(REST) + 1);
      else if (code === 0x1c) numbers(number(REST));
      else if (code === 0xfc) numbers(MORE[number(REST)]);
      else if (code === 0x43 || code === 0x44) for (let left = 4 * (code - 0x42); left > 0; left -= 1) byte(REST);
    }
  };
  while (at < wasm.length) {
    const section = byte(REST);
    let left = number(REST);
    if (section !== CODE) for (; left > 0; left -= 1) byte(REST);
    else {
      for (let functions = number(REST); functions > 0; functions -= 1) {
        // A function's size is found out again.
        while (wasm[at] >= 0x80) at += 1;
        at += 1;
        body();
      }
    }
  }
  return streams;
}

/** A text that can stand in a string literal, but for few characters: bytes as the characters of the same numbers. */
function characters(bytes) {
  const count = Array(128).fill(0);
  for (const byte of bytes) if (byte < 128) count[byte] += 1;
  // The bytes that need an escape change places with the rarest ones, and the text begins with those.
  const rarest = [...count.keys()].filter((byte) => !ESCAPED.includes(byte)).sort((a, b) => count[a] - count[b]).slice(0, ESCAPED.length);
  const swapped = [...Array(256).keys()];
  ESCAPED.forEach((byte, i) => ([swapped[byte], swapped[rarest[i]]] = [rarest[i], byte]));
  return String.fromCharCode(...rarest) + Array.from(bytes, (byte) => String.fromCharCode(swapped[byte])).join('');
}

/**
 * @param {Buffer} wasm the code
 * @param {Buffer} unpacker unpack.rs, compiled
 * @returns {string} what `unpack` takes; throws where that would not give the same wasm back
 */
export function pack(wasm, unpacker) {
  const packed = streams(wasm);
  const lengths = Buffer.alloc(4 * STREAMS);
  packed.forEach((stream, i) => lengths.writeUInt32BE(stream.length, 4 * i));
  const length = String.fromCharCode(unpacker.length >> 8, unpacker.length & 0xff);
  const text = length + unpacker.toString('latin1') + characters(Buffer.concat([lengths, ...packed.map((stream) => Buffer.from(stream))]));
  if (!wasm.equals(unpack(text))) throw new Error('This wasm has a form that js/packing does not know.');
  return text;
}

/** A text as the source of a string literal, of a script that may be pasted into a page: nothing in it ends a `script` element there. */
export function literal(text) {
  const escapes = { '\0': '\\x00', '\n': '\\n', '\r': '\\r', '"': '\\"', '\\': '\\\\', '<': '\\x3c' };
  return `"${text.replace(/[\0\n\r"\\]|<(?=!--|\/?script)/gi, (one) => escapes[one])}"`;
}
