//! The edge: the only module that names web-sys, js-sys and wasm-bindgen. Values cross it as JSON text, which costs a
//! third of what serialising structures does (docs/size.md).

pub mod dom;
#[cfg(all(feature = "lean", target_arch = "wasm32"))]
mod lean;

use alloc::string::String;

use wasm_bindgen::prelude::*;

use crate::call::{self, Outcome};
use crate::json::{self, Json, Writer};
use crate::options::Options;
use crate::{Mapping, read};

fn options(json: &str) -> (Options, String) {
    let parsed = json::parse(json).map(|parsed| parsed.value).unwrap_or(Json::Null);
    let base = parsed.get("baseUrl").and_then(Json::as_str).unwrap_or("").into();
    (Options::from_json(&parsed), base)
}

/// A page's mapping and what it was made from.
#[wasm_bindgen]
pub struct Adapter {
    options: Options,
    camera: dom::Camera,
    mapping: Mapping,
}

#[wasm_bindgen]
impl Adapter {
    /// An adapter that has seen no page yet. `options` is a JSON object as in [`Options::from_json`], and `baseUrl`.
    #[wasm_bindgen(constructor)]
    pub fn new(options_json: &str) -> Adapter {
        #[cfg(feature = "console")]
        console_error_panic_hook::set_once();
        let (options, base) = options(options_json);
        Adapter { options, camera: dom::Camera::new(base), mapping: Mapping::default() }
    }

    /// What a snapshot holds, for those who watch the page.
    pub fn plan(&self) -> dom::Plan {
        self.camera.plan.clone()
    }

    /// Maps the page as it is now: `{"tools": [definition…], "diagnostics": […]}`, or nothing if what was read is equal
    /// to last time.
    pub fn map(&mut self, document: &web_sys::Node) -> Option<String> {
        let documents = self.camera.take(document)?;
        self.mapping = crate::map(&documents, &self.options);
        let mut out = Writer::new();
        out.object(|out| {
            out.field("tools").array(|out| self.mapping.tools.iter().for_each(|tool| tool.write(out)));
            out.field("diagnostics").array(|out| self.mapping.diagnostics.iter().for_each(|found| found.write(out)));
        });
        Some(out.into_string())
    }

    /// Runs a tool of the last mapping: `{"answer": {…}}`, or what must be done to get one.
    pub fn call(&mut self, tool: &str, input: &str) -> String {
        let input = json::parse(input).map(|parsed| parsed.value).unwrap_or(Json::Null);
        let mut out = Writer::new();
        out.object(|out| match call::run(&self.mapping, tool, &input) {
            Outcome::Answer(answer) => out.field("answer").raw(&answer),
            Outcome::Fetch { url } => out.field("fetch").object(|out| out.field("url").string(&url)),
            Outcome::Act { plan } => out.field("act").raw(&plan),
        });
        out.into_string()
    }
}

/// What the readers see below a document or element, before merging and mapping: `{"items": […], "diagnostics": […]}`.
#[wasm_bindgen(js_name = read)]
pub fn read_items(root: &web_sys::Node, options_json: &str) -> String {
    let (options, base) = options(options_json);
    let documents = dom::Camera::new(base).take(root).unwrap_or_default();
    let (page, diagnostics) = read::page(&documents, &options);
    read::items_json(&page, &diagnostics)
}
