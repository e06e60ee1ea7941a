// The wasm of what the script carries (pack.mjs): by a small wasm of its own, unpack.rs, because JavaScript takes five times as long.

/** Bytes of a page of memory (core specification, 4.2.8). */
const PAGE = 65_536;

/**
 * @param {string} text characters up to U+00FF: two for the length of unpack.rs's code, that code, the packed wasm
 * @returns {Uint8Array} the wasm
 */
export function unpack(text) {
  const from = 2 + text.charCodeAt(0) * 256 + text.charCodeAt(1);
  const code = Uint8Array.from(text.slice(2, from), (character) => character.charCodeAt(0));
  const { memory, unpack } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;
  const start = memory.buffer.byteLength;
  // Two bytes a character at most, and the wasm is hardly longer than its text.
  memory.grow(Math.ceil((4 * text.length) / PAGE));
  const all = new Uint8Array(memory.buffer);
  const { written } = new TextEncoder().encodeInto(text.slice(from), all.subarray(start));
  const end = start + written;
  return all.subarray(end, end + unpack(start, written, end));
}
