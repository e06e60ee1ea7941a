//! The edge: the only module that names web-sys, js-sys and wasm-bindgen. Values cross it as JSON text, which costs a
//! third of what serialising structures does (docs/size.md).

pub mod dom;
#[cfg(all(feature = "lean", target_arch = "wasm32"))]
mod lean;

use alloc::string::String;

use wasm_bindgen::prelude::*;

use crate::call;
use crate::json::{self, Json, Writer};
use crate::options::Options;
use crate::read::outline;
use crate::read::wasp;
use crate::tools::{Source, controls};
use crate::{Mapping, graph, read, results};

/// What the shim hands over: options, and what only the camera needs.
fn options(json: &str) -> (Options, dom::Camera) {
    let parsed = json::parse(json).map(|parsed| parsed.value).unwrap_or(Json::Null);
    let base = parsed.get("baseUrl").and_then(Json::as_str).unwrap_or("").into();
    let shadow = parsed.get("shadow") != Some(&Json::Bool(false));
    let frames = parsed.get("frames") == Some(&Json::Bool(true));
    let options = Options::from_json(&parsed);
    let camera = dom::Camera::new(base, options.controls || options.declared_forms, shadow, frames);
    (options, camera)
}

/// A page's mapping and what it was made from.
#[wasm_bindgen]
pub struct Adapter {
    options: Options,
    camera: dom::Camera,
    mapping: Mapping,
    known: read::json_ld::Known,
    /// What the site itself says of this page.
    site: Option<wasp::Manifest>,
}

#[wasm_bindgen]
impl Adapter {
    /// An adapter that has seen no page yet. `options_json` is an object as in [`Options::from_json`], with `baseUrl`,
    /// `shadow` and `frames`.
    #[wasm_bindgen(constructor)]
    pub fn new(options_json: &str) -> Adapter {
        #[cfg(feature = "console")]
        console_error_panic_hook::set_once();
        let (options, camera) = options(options_json);
        Adapter { options, camera, mapping: Mapping::default(), known: read::json_ld::Known::remembering(), site: None }
    }

    /// What a snapshot holds, for those who watch the page.
    pub fn plan(&self) -> dom::Plan {
        self.camera.plan.clone()
    }

    /// Maps the page as it is now: `{"tools": [definition…], "diagnostics": […]}`, or nothing if what was read is equal
    /// to last time.
    pub fn map(&mut self, document: &web_sys::Node) -> Option<String> {
        let documents = self.camera.take(document)?;
        self.mapping = crate::map_again(&documents, &self.options, &mut self.known);
        let mut out = Writer::new();
        out.object(|out| {
            out.field("tools").array(|out| self.mapping.tools.iter().for_each(|tool| tool.write(out)));
            out.field("diagnostics").array(|out| self.mapping.diagnostics.iter().for_each(|found| found.write(out)));
        });
        Some(out.into_string())
    }

    /// What was seen on the page, or the result of a site's own tool, as an answer: clean and within bounds.
    pub fn clean(&self, json: &str) -> String {
        controls::answer(json, &self.options)
    }

    /// The merged graph, for inspection.
    pub fn entities(&self) -> String {
        graph::entities_json(&self.mapping.graph)
    }

    /// Runs a tool of the last mapping on the page as it is: `{"answer": {…}}`, or what must be done to get one.
    pub fn call(&mut self, tool: &str, input: &str, document: &web_sys::Node) -> String {
        let input = json::parse(input).map(|parsed| parsed.value).unwrap_or(Json::Null);
        if self.mapping.tools.iter().any(|known| known.name == tool && matches!(known.source, Source::Page(_))) {
            self.index(document);
        }
        let mut out = Writer::new();
        call::run(&self.mapping, tool, &input).write(&mut out);
        out.into_string()
    }

    /// Takes the site's own index of this page, the text of its `/.well-known/wasp.json`. A diagnostic's sentence comes
    /// back where that is no such thing.
    #[wasm_bindgen(js_name = takeManifest)]
    pub fn take_manifest(&mut self, text: &str, url: &str) -> Option<String> {
        let (manifest, problem) = match wasp::read(text, url) {
            Ok(manifest) => (manifest, None),
            Err(problem) => (None, Some(problem.message)),
        };
        self.site = manifest;
        self.mapping.outline = None;
        problem
    }

    /// This page's own index in the same format.
    pub fn manifest(&mut self, document: &web_sys::Node) -> String {
        self.index(document);
        let mut out = Writer::new();
        if let Some(outline) = &self.mapping.outline {
            wasp::write(outline, &self.mapping.meta, &mut out);
        }
        out.into_string()
    }

    /// The answer that a page gives which an action fetched, parsed but not shown. `limit` 0: as many results as make a
    /// short answer.
    #[wasm_bindgen(js_name = readHtml)]
    pub fn read_html(&self, document: &web_sys::Node, url: &str, base: &str, offset: usize, limit: usize) -> String {
        let document = self.camera.take_inert(document, base);
        results::answer(&results::Body::Page(&document), url, range(offset, limit), &self.options)
    }

    /// The same for text: JSON where `kind` is `json`.
    #[wasm_bindgen(js_name = readText)]
    pub fn read_text(&self, kind: &str, text: &str, url: &str, offset: usize, limit: usize) -> String {
        let body = if kind == "json" { results::Body::Json(text) } else { results::Body::Text(text) };
        results::answer(&body, url, range(offset, limit), &self.options)
    }
}

impl Adapter {
    /// Sees to it that the mapping holds an index of what the page shows now: the last one, as long as nothing happens.
    fn index(&mut self, document: &web_sys::Node) {
        if let Some(seen) = self.camera.take_visible(document, self.mapping.outline.is_some()) {
            let mut outline = outline::build(&seen);
            if let Some(site) = &self.site {
                wasp::adopt(site, &mut outline, &mut self.mapping.meta);
            }
            self.mapping.outline = Some(outline);
        }
    }
}

fn range(offset: usize, limit: usize) -> results::Range {
    results::Range { offset, limit: Some(limit).filter(|limit| *limit > 0) }
}

/// What the readers see below a document or element, before merging and mapping: `{"items": […], "diagnostics": […]}`.
#[wasm_bindgen(js_name = read)]
pub fn read_items(root: &web_sys::Node, options_json: &str) -> String {
    let (options, camera) = options(options_json);
    let documents = camera.take(root).unwrap_or_default();
    let (page, diagnostics) = read::page(&documents, &options);
    read::items_json(&page, &diagnostics)
}
