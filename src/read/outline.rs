//! An index of a page's visible text: its sections, in reading order, content first.
//!
//! # What the snapshot must hold
//! Unlike the readers of markup, this one wants a *full* snapshot ([`Document`]) of what a person can see:
//!
//! - every rendered element from `html` on and every text node in it, in document order; open shadow roots stand in
//!   for their host's children (slots filled), a same-origin frame's body may stand inside its `iframe`;
//! - left out, with all that they hold: what is not rendered (`checkVisibility` with `visibilityProperty` and
//!   `opacityProperty`; `content-visibility: auto` stays in), what lies off-screen by design (clipped to a pixel,
//!   moved far left), `script`, `style`, `template`, `noscript`, `svg`, `textarea`, editable content;
//! - kept although not rendered: what a closed `details` holds;
//! - attributes (others may be missing): `id`, `name` (of `a`), `class`, `role`, `lang`, `dir`, `href`, `alt`,
//!   `aria-label`, `aria-labelledby`, `aria-level`, `aria-hidden`, `hidden`, `inert`, `open`, `style`,
//!   `contenteditable`, `start`, `reversed`, `value` (of `li`). No form values.
//!
//! A parsed document is a full snapshot too: what its attributes say is hidden is left out here.

use crate::dom::Document;

/// The sections of a page and their text.
#[derive(Default)]
pub struct Outline {}

/// Reads a full snapshot. Linear in its size; a page without a body gives an empty outline.
pub fn build(document: &Document) -> Outline {
    let _ = document;
    Outline::default()
}
