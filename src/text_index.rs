//! A map from texts to numbers: what a page repeats a hundred thousand times is found again in one step.
//!
//! Ours, because the hash maps there are bring more code than the rest of the graph.

use alloc::{string::String, vec::Vec};

/// Texts and the number that each was given. Texts are never taken out.
#[derive(Default)]
pub struct TextIndex {
    characters: String,
    entries: Vec<Entry>,
    /// Entry plus one, 0 where free; a power of two long, at most half full.
    slots: Vec<u32>,
}

struct Entry {
    hash: u32,
    from: u32,
    to: u32,
    value: u32,
}

impl TextIndex {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many texts it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// It holds nothing.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of a text.
    pub fn get(&self, text: &str) -> Option<u32> {
        self.entry(hash(text), text).map(|entry| entry.value)
    }

    /// Gives a text the number `value`, unless it has one: then that one is returned.
    pub fn insert(&mut self, text: &str, value: u32) -> Option<u32> {
        let hash = hash(text);
        if let Some(entry) = self.entry(hash, text) {
            return Some(entry.value);
        }
        let from = self.characters.len() as u32;
        self.characters.push_str(text);
        self.entries.push(Entry { hash, from, to: self.characters.len() as u32, value });
        if self.entries.len() * 2 > self.slots.len() {
            let size = (self.slots.len() * 2).max(16);
            self.slots.clear();
            self.slots.resize(size, 0);
            for index in 0..self.entries.len() {
                self.place(index);
            }
        } else {
            self.place(self.entries.len() - 1);
        }
        None
    }

    fn place(&mut self, index: usize) {
        let hash = self.entries.get(index).map_or(0, |entry| entry.hash);
        let free = probe(hash, self.slots.len()).find(|slot| self.slots.get(*slot) == Some(&0));
        if let Some(slot) = free.and_then(|slot| self.slots.get_mut(slot)) {
            *slot = index as u32 + 1;
        }
    }

    fn entry(&self, hash: u32, text: &str) -> Option<&Entry> {
        for slot in probe(hash, self.slots.len()) {
            let index = self.slots.get(slot)?.checked_sub(1)?;
            let entry = self.entries.get(index as usize)?;
            if entry.hash == hash && self.characters.get(entry.from as usize..entry.to as usize) == Some(text) {
                return Some(entry);
            }
        }
        None
    }
}

/// FNV-1a, its high bits folded in because slots are chosen by the low ones.
fn hash(text: &str) -> u32 {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash ^ (hash >> 15)
}

fn probe(hash: u32, size: usize) -> impl Iterator<Item = usize> {
    (0..size).map(move |step| (hash as usize).wrapping_add(step) & (size - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_what_was_put_in() {
        let mut index = TextIndex::new();
        assert_eq!((index.get(""), index.get("a")), (None, None));
        for number in 0..5000 {
            assert_eq!(index.insert(&crate::json::number(number), number as u32), None);
        }
        assert_eq!(index.insert("17", 9), Some(17));
        assert_eq!(index.insert("", 7), None);
        assert!((0..5000).all(|number| index.get(&crate::json::number(number)) == Some(number as u32)));
        assert_eq!((index.get(""), index.get("5000"), index.len()), (Some(7), None, 5001));
    }
}
