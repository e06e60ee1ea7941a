//! Names of types and properties, each allocated once: a list of five thousand products says `name` five thousand times.

use alloc::{rc::Rc, vec::Vec};

/// Names that are shared; further ones are allocated each time, so that a page of made-up names costs no more than
/// their length.
const SHARED: usize = 128;

/// What was read, and the name it stands for.
#[derive(Default)]
pub(super) struct Names<'d> {
    known: Vec<(&'d str, Rc<str>)>,
}

impl<'d> Names<'d> {
    /// The name for what was `written`; `name` makes it where it is not known yet.
    pub(super) fn get(&mut self, written: &'d str, name: impl FnOnce(&'d str) -> Rc<str>) -> Rc<str> {
        if let Some((_, name)) = self.known.iter().find(|(known, _)| *known == written) {
            return name.clone();
        }
        let name = name(written);
        if self.known.len() < SHARED {
            self.known.push((written, name.clone()));
        }
        name
    }
}
