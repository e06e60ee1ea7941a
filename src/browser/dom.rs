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
    pub type Packed;

    fn prepare(rules: &str, attributes: &str, references: &str) -> Plan;

    fn take(root: &web_sys::Node, plan: &Plan, base: &str, previous: Option<&Packed>) -> Option<Packed>;

    #[wasm_bindgen(js_name = resolve)]
    fn resolve_url(reference: &str, base: &str) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    fn text(this: &Packed) -> String;

    #[wasm_bindgen(method, getter)]
    fn shape(this: &Packed) -> Vec<u32>;
}

/// JSON-LD blocks, with their text.
const JSON_LD: &str = r#"script[type*="ld+json" i]"#;

/// What a sparse snapshot must hold for the readers.
pub fn plan() -> Plan {
    let rules = [
        ["", anchors::PAGE, anchors::PAGE_TEXT],
        ["", JSON_LD, JSON_LD],
        [anchors::MICRODATA_TEST, anchors::MICRODATA, anchors::MICRODATA_TEXT],
        [anchors::RDFA_TEST, anchors::RDFA, anchors::RDFA_TEXT],
    ];
    let attributes = [anchors::ATTRIBUTES, &["type"]].concat().join(" ");
    prepare(&rules.concat().join("\n"), &attributes, anchors::ITEMREF)
}

/// Takes snapshots of a page; keeps the last one, so that an unchanged page costs no more than looking at it.
pub struct Camera {
    /// What the snapshots hold.
    pub plan: Plan,
    /// Stands in for the page's own base URL, unless empty.
    pub base: String,
    last: Option<Packed>,
}

impl Camera {
    /// A camera that has seen nothing yet.
    pub fn new(base: String) -> Self {
        Camera { plan: plan(), base, last: None }
    }

    /// Forgets what was seen.
    pub fn forget(&mut self) {
        self.last = None;
    }

    /// The page below `root`, or nothing if it looks as it did last time.
    pub fn take(&mut self, root: &web_sys::Node) -> Option<Vec<Document>> {
        let packed = take(root, &self.plan, &self.base, self.last.as_ref())?;
        let document = Document::from_packed(packed.text(), &packed.shape(), resolve);
        self.last = Some(packed);
        Some([document].into())
    }
}

/// Resolves as the page's own URL parser does.
pub fn resolve(reference: &str, base: &str) -> Option<String> {
    resolve_url(reference, base)
}
