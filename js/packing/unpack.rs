//! Makes the wasm again of what the script carries (pack.mjs says how): a module of its own of less than two kilobytes, because
//! the same in JavaScript takes a page five times as long.
#![no_std]

use core::{arch::wasm32::unreachable, slice};

/// The streams. Numbers of calls and the shortest constants stand among the opcodes: what follows depends on them. REST has all of
/// which there is little: whole sections, declarations, tables of branches.
const OPCODE: usize = 0;
const BLOCK: usize = 1;
const ALIGN: usize = 2;
const BRANCH: usize = 3;
const LOCAL: usize = 4;
const LOAD: usize = 5;
const STORE: usize = 6;
const MEDIUM: usize = 7;
const LONG: usize = 8;
const REST: usize = 9;
const STREAMS: usize = 10;

/// Bytes that cannot stand as they are in a string literal. Each changed places with one of the five that the text begins with.
const ESCAPED: [u8; 5] = [0, 10, 13, 34, 92];
/// The section of functions' bodies (core specification, 5.5.13).
const CODE: u8 = 10;
const I32_CONST: u8 = 0x41;
/// The opcodes of no instructions: here an `i32.const` of two bytes, and of three and more, which is mostly an address.
const MEDIUM_CONST: u8 = 0x07;
const LONG_CONST: u8 = 0x06;
const END: u8 = 0x0b;

/// `text` is where `length` bytes of UTF-8 begin, of characters up to U+00FF; `to` is where the wasm shall begin. Gives its length.
///
/// # Safety
/// The text must end before `to`, and the wasm must have room from there to the end of the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unpack(text: usize, length: usize, to: usize) -> usize {
    // SAFETY: as the caller promises.
    let (packed, out) = unsafe {
        (
            slice::from_raw_parts_mut(text as *mut u8, length),
            slice::from_raw_parts_mut(to as *mut u8, core::arch::wasm32::memory_size(0) * 65536 - to),
        )
    };
    decode(packed);
    let mut at = [0; STREAMS];
    let mut from = 4 * STREAMS;
    for (stream, at) in at.iter_mut().enumerate() {
        *at = from;
        from += (0..4).fold(0, |length, byte| length << 8 | packed.get(4 * stream + byte).map_or(0, |&byte| byte as usize));
    }
    let mut copy = Copy { packed, at, from_end: from, out, end: 0 };
    copy.module();
    copy.end
}

/// Characters to bytes where they lie, those that changed places changed back.
fn decode(text: &mut [u8]) {
    let mut swapped: [u8; 256] = core::array::from_fn(|byte| byte as u8);
    let (mut at, mut end) = (0usize, 0usize);
    while let Some(&first) = text.get(at) {
        // Two bytes make a character from U+0080 on.
        let two = first >= 0xc0;
        let byte = if two { first << 6 | text.get(at + 1).map_or(0, |byte| byte & 0x3f) } else { first };
        at += 1 + two as usize;
        match end.checked_sub(ESCAPED.len()) {
            None => {
                let escaped = ESCAPED.get(end).map_or(0, |&escaped| escaped);
                swapped[escaped as usize] = byte;
                swapped[byte as usize] = escaped;
            }
            Some(to) => {
                if let Some(place) = text.get_mut(to) {
                    *place = swapped[byte as usize];
                }
            }
        }
        end += 1;
    }
}

/// What is copied from the streams to the module.
struct Copy<'a> {
    packed: &'a [u8],
    /// Where each stream goes on.
    at: [usize; STREAMS],
    from_end: usize,
    out: &'a mut [u8],
    end: usize,
}

impl Copy<'_> {
    fn write(&mut self, byte: u8) {
        // A text that was damaged on its way would be copied from without an end.
        let Some(place) = self.out.get_mut(self.end) else { unreachable() };
        *place = byte;
        self.end += 1;
    }

    fn next(&mut self, stream: usize) -> u8 {
        let Some(at) = self.at.get_mut(stream) else { return 0 };
        let byte = self.packed.get(*at).map_or(0, |&byte| byte);
        *at += 1;
        byte
    }

    fn byte(&mut self, stream: usize) -> u8 {
        let byte = self.next(stream);
        self.write(byte);
        byte
    }

    /// A number in LEB128 (5.2.2).
    fn number(&mut self, stream: usize) -> usize {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte(stream);
            value |= (byte as usize & 0x7f).wrapping_shl(shift);
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }

    fn numbers(&mut self, count: usize) {
        for _ in 0..count {
            self.number(REST);
        }
    }

    fn module(&mut self) {
        for byte in *b"\0asm\x01\0\0\0" {
            self.write(byte);
        }
        while self.at[REST] < self.from_end {
            let section = self.byte(REST);
            let size = self.number(REST);
            if section == CODE {
                for _ in 0..self.number(REST) {
                    self.function();
                }
            } else {
                for _ in 0..size {
                    self.byte(REST);
                }
            }
        }
    }

    /// A function's size stands before it and is known after it.
    fn function(&mut self) {
        let start = self.end;
        self.body();
        let size = self.end - start;
        let before = 1 + (size >= 0x80) as usize + (size >= 0x4000) as usize;
        self.out.copy_within(start..self.end, start + before);
        self.end = start;
        for byte in 0..before {
            let more = (byte + 1 < before) as u8;
            self.write((size >> (7 * byte)) as u8 & 0x7f | more << 7);
        }
        self.end += size;
    }

    /// What follows each opcode: 5.4.
    fn body(&mut self) {
        let locals = self.number(REST);
        self.numbers(2 * locals);
        let mut depth = 1;
        while depth > 0 {
            let code = self.next(OPCODE);
            self.write(if matches!(code, MEDIUM_CONST | LONG_CONST) { I32_CONST } else { code });
            let stream = match code {
                0x02..=0x04 => {
                    depth += 1;
                    BLOCK
                }
                END => {
                    depth -= 1;
                    continue;
                }
                0x0c | 0x0d => BRANCH,
                0x0e => {
                    let targets = self.number(REST);
                    self.numbers(targets);
                    REST
                }
                0x10 | I32_CONST => OPCODE,
                0x11 => {
                    self.number(REST);
                    REST
                }
                0x1c => {
                    let types = self.number(REST);
                    self.numbers(types);
                    continue;
                }
                0x20..=0x22 => LOCAL,
                0x28..=0x3e => {
                    self.number(ALIGN);
                    if code < 0x36 { LOAD } else { STORE }
                }
                MEDIUM_CONST => MEDIUM,
                LONG_CONST => LONG,
                0x23..=0x26 | 0x3f | 0x40 | 0x42 | 0xd0 | 0xd2 => REST,
                0x43 | 0x44 => {
                    for _ in 0..4 * (code as usize - 0x42) {
                        self.byte(REST);
                    }
                    continue;
                }
                0xfc => {
                    let numbers = match self.number(REST) {
                        8 | 10 | 12 | 14 => 2,
                        9 | 11 | 13 | 15..=17 => 1,
                        _ => 0,
                    };
                    self.numbers(numbers);
                    continue;
                }
                _ => continue,
            };
            self.number(stream);
        }
    }
}

#[panic_handler]
fn stop(_: &core::panic::PanicInfo) -> ! {
    unreachable()
}
