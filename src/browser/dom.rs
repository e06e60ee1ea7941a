//! The live page as a [`Document`]: read in one pass by `js/snapshot.js`, which is three times as fast as asking for
//! each attribute from here (docs/size.md).

use alloc::{string::String, vec::Vec};

use wasm_bindgen::prelude::*;

use crate::dom::Document;
use crate::read::anchors;

#[wasm_bindgen(module = "/js/snapshot.js")]
extern "C" {
    /// What a snapshot must hold, in the form that the script wants.
    #[derive(Clone)]
    pub type Plan;

    /// A snapshot as the script packed it.
    #[derive(Clone)]
    pub type Packed;

    #[allow(clippy::too_many_arguments)]
    fn prepare(rules: &str, attributes: &str, references: &str, controls: &str, shadow: bool, frames: bool, seen: &str) -> Plan;

    #[wasm_bindgen(js_name = whole)]
    fn take_whole(document: &web_sys::Node, plan: &Plan, base: &str) -> Packed;

    #[wasm_bindgen(js_name = visible)]
    fn take_visible(document: &web_sys::Node, plan: &Plan, kept: bool) -> Option<Packed>;

    fn take(root: &web_sys::Node, plan: &Plan, base: &str) -> Option<Packed>;

    #[wasm_bindgen(js_name = resolve)]
    fn resolve_url(reference: &str, base: &str) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    fn text(this: &Packed) -> String;

    #[wasm_bindgen(method, getter)]
    fn shape(this: &Packed) -> Vec<u32>;

    #[wasm_bindgen(method, getter)]
    fn next(this: &Packed) -> Option<Packed>;
}

/// JSON-LD blocks, with their text.
const JSON_LD: &str = r#"script[type*="ld+json" i]"#;

/// Attributes that a full snapshot holds (see [`outline`](crate::read::outline)).
const SEEN_ATTRIBUTES: &str =
    "id name class role lang dir href alt aria-label aria-labelledby aria-level aria-hidden hidden inert open style contenteditable start";

/// What a sparse snapshot must hold for the readers and, if `controls` says so, for marked controls; where to look.
fn plan(controls: bool, shadow: bool, frames: bool) -> Plan {
    let rules = [
        ["", anchors::PAGE, anchors::PAGE_TEXT],
        ["", JSON_LD, JSON_LD],
        [anchors::FORM_TEST, anchors::FORM, anchors::FORM_TEXT],
        [anchors::MICRODATA_TEST, anchors::MICRODATA, anchors::MICRODATA_TEXT],
        [anchors::RDFA_TEST, anchors::RDFA, anchors::RDFA_TEXT],
    ];
    let marked = [anchors::CONTROLS_TEST, anchors::CONTROLS, anchors::CONTROLS_TEXT, &anchors::CONTROL_ATTRIBUTES.join(" ")];
    let marked = if controls { marked.join("\n") } else { String::new() };
    prepare(&rules.concat().join("\n"), &attributes(), anchors::ITEMREF, &marked, shadow, frames, SEEN_ATTRIBUTES)
}

/// Attributes that the readers of markup ask for.
fn attributes() -> String {
    [anchors::ATTRIBUTES, &["type"]].concat().join(" ")
}

/// All of a document that is shown to nobody, such as the answer to a request. `base` is where it came from.
fn unpack(packed: &Packed) -> Document {
    Document::from_packed(packed.text(), &packed.shape(), resolve)
}

/// Takes snapshots of a page. The page's own thread may have taken them already: then they stand in its place.
pub struct Camera {
    /// What the snapshots hold.
    pub plan: Plan,
    base: String,
}

impl Camera {
    /// A camera that has seen nothing yet. `base` stands in for the page's own base URL, unless empty.
    pub fn new(base: String, controls: bool, shadow: bool, frames: bool) -> Self {
        Camera { plan: plan(controls, shadow, frames), base }
    }

    /// The page below `root`, its shadow roots and frames, or nothing if all looks as it did last time.
    pub fn take(&self, root: &web_sys::Node) -> Option<Vec<Document>> {
        let packed = take(root, &self.plan, &self.base)?;
        Some(core::iter::successors(Some(packed), Packed::next).map(|packed| unpack(&packed)).collect())
    }

    /// All of a document that is shown to nobody, such as the answer to a request. `base` is where it came from.
    pub fn take_inert(&self, document: &web_sys::Node, base: &str) -> Document {
        unpack(&take_whole(document, &self.plan, base))
    }

    /// All that a person can see of the page now, or nothing where the last look is `kept` and nothing has happened since.
    pub fn take_visible(&self, document: &web_sys::Node, kept: bool) -> Option<Document> {
        take_visible(document, &self.plan, kept).as_ref().map(unpack)
    }
}

/// Resolves as the page's own URL parser does.
fn resolve(reference: &str, base: &str) -> Option<String> {
    resolve_url(reference, base)
}
