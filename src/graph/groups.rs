//! Which nodes describe one thing.

use alloc::vec::Vec;

use crate::order;

/// Disjoint sets of nodes. The first node of a set stands for it.
pub struct Groups {
    parents: Vec<u32>,
    /// The members of a set as a ring: each points at the next.
    next: Vec<u32>,
}

impl Groups {
    /// Every node for itself.
    pub fn new(count: usize) -> Self {
        Groups { parents: (0..count as u32).collect(), next: (0..count as u32).collect() }
    }

    fn parent(&self, node: u32) -> u32 {
        self.parents.get(node as usize).copied().unwrap_or(node)
    }

    /// The node that stands for the set of `node`.
    pub fn root(&self, mut node: u32) -> u32 {
        while self.parent(node) != node {
            node = self.parent(node);
        }
        node
    }

    /// Makes two sets one. False where they are one already.
    pub fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.shorten(a), self.shorten(b));
        let (first, other) = (a.min(b), a.max(b));
        if first == other || other as usize >= self.parents.len() {
            return false;
        }
        if let Some(parent) = self.parents.get_mut(other as usize) {
            *parent = first;
        }
        self.next.swap(first as usize, other as usize);
        true
    }

    /// The root, and a shorter way to it from here on.
    fn shorten(&mut self, mut node: u32) -> u32 {
        let root = self.root(node);
        while self.parent(node) != node {
            let up = self.parent(node);
            if let Some(parent) = self.parents.get_mut(node as usize) {
                *parent = root;
            }
            node = up;
        }
        root
    }

    /// The nodes of a set, in document order.
    pub fn members(&self, node: u32) -> Vec<u32> {
        let mut members = alloc::vec![node];
        let mut at = node;
        while let Some(next) = self.next.get(at as usize).copied().filter(|next| *next != node) {
            members.push(next);
            at = next;
        }
        order::sort(&mut members);
        members
    }
}
