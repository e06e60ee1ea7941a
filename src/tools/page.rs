//! The three tools that every page has: its outline, a section, a search.

use alloc::{string::String, vec::Vec};

use super::schema::{Kind, Parameter};
use super::{Annotations, Source, Tool};
use crate::json::Json;
use crate::options::Options;
use crate::read::meta::Meta;
use crate::read::outline::Outline;

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageTool {
    /// `get_page_outline`
    Outline,
    /// `read_page_section`
    Section,
    /// `search_page`
    Search,
}

/// The definitions; none where the site switched them off.
pub fn build(options: &Options) -> Vec<Tool> {
    if !options.page {
        return Vec::new();
    }
    let tool = |name: &str, title: &str, description: &str, parameters: Vec<Parameter>, tool: PageTool| Tool {
        name: name.into(),
        title: title.into(),
        description: description.into(),
        parameters,
        output_schema: None,
        annotations: Annotations { read_only: true, untrusted: true, consequential: false },
        source: Source::Page(tool),
    };
    let integer = |name: &str, minimum: &str, description: &str| Parameter {
        minimum: Some(minimum.into()),
        ..Parameter::new(name, Kind::Integer, description)
    };
    let required = |parameter: Parameter| Parameter { required: true, max_length: Some(300), ..parameter };
    alloc::vec![
        tool(
            "get_page_outline",
            "Page outline",
            "What this page holds, as a tree of sections with their sizes. Read it first, then read single sections.",
            alloc::vec![
                Parameter::new("under", Kind::Text, "Only below this section."),
                integer("offset", "0", "From `more`."),
            ],
            PageTool::Outline,
        ),
        tool(
            "read_page_section",
            "Page section",
            "The text of one section of this page.",
            alloc::vec![
                required(Parameter::new("section", Kind::Text, "Id from the outline or a search, or a heading.")),
                integer("offset", "0", "From `more`."),
                Parameter::new("deep", Kind::Boolean, "With its subsections."),
                Parameter::new("links", Kind::Boolean, "With link addresses."),
            ],
            PageTool::Section,
        ),
        tool(
            "search_page",
            "Search in page",
            "Finds passages of this page's text, best first, numbered for citing.",
            alloc::vec![
                required(Parameter::new("query", Kind::Text, "Words or a question.")),
                Parameter { maximum: Some("10".into()), ..integer("limit", "1", "Passages, 3 by default.") },
            ],
            PageTool::Search,
        ),
    ]
}

/// The answer of a page tool, a JSON object as text. `outline` was built from a full snapshot of the page as it is
/// now ([`crate::read::outline::build`]), `input` has passed the tool's schema.
pub fn answer(outline: &Outline, meta: &Meta, tool: PageTool, input: &Json<'_>, options: &Options) -> String {
    let _ = (outline, meta, tool, input, options);
    crate::call::error("internal", "The page has no outline yet.", "")
}
