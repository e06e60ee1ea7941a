//! Every option in one place: name, default, meaning. The tag's `data-` attributes and `start()` share them.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::json::Json;

/// One budget for all tools: agents drop pages that offer too many, and lists of look-alikes help nobody.
pub const MAX_TOOLS: usize = 24;
/// Bytes of one answer at most. Past this an agent's client cuts by itself, in the middle of a value.
pub const MAX_PAYLOAD_BYTES: usize = 32_000;
/// Levels of nesting that are read; real pages nest four deep.
pub const MAX_DEPTH: usize = 64;
/// Characters of a tool's description at most (Chrome's guidance is 500; half of that says it).
pub const MAX_DESCRIPTION_LENGTH: usize = 320;

/// What a site may choose. Fields are named as in `start(options)`.
#[derive(Clone, Debug)]
pub struct Options {
    /// `formats`: which markup is read.
    pub json_ld: bool,
    /// `formats`: which markup is read.
    pub microdata: bool,
    /// `formats`: which markup is read.
    pub rdfa: bool,
    /// `actions`: tools from `potentialAction` and search forms.
    pub actions: bool,
    /// `page`: the outline, section and search tools.
    pub page: bool,
    /// `controls`: tools for elements the site marked.
    pub controls: bool,
    /// `declaredForms`: tools from forms with WebMCP's `toolname`, set by the shim where our polyfill serves the page.
    pub declared_forms: bool,
    /// `maxTools`
    pub max_tools: usize,
    /// `maxDepth`
    pub max_depth: usize,
    /// `maxPayloadBytes`
    pub max_payload_bytes: usize,
    /// `maxDescriptionLength`
    pub max_description_length: usize,
    /// `allowedHosts`: destinations of actions beside the page's own origin, as `host` or `host:port`, lower case.
    pub allowed_hosts: Vec<String>,
    /// `prefix`: put before every tool name.
    pub prefix: String,
    /// `profiles`: the site's own profiles, as JSON text (see `tools::profiles`).
    pub profiles: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            json_ld: true,
            microdata: true,
            rdfa: true,
            actions: true,
            page: true,
            controls: true,
            declared_forms: false,
            max_tools: MAX_TOOLS,
            max_depth: MAX_DEPTH,
            max_payload_bytes: MAX_PAYLOAD_BYTES,
            max_description_length: MAX_DESCRIPTION_LENGTH,
            allowed_hosts: Vec::new(),
            prefix: String::new(),
            profiles: None,
        }
    }
}

impl Options {
    /// Options from the JSON object that the shim hands over; what is missing or of the wrong kind keeps its default.
    pub fn from_json(json: &Json<'_>) -> Self {
        let mut options = Options::default();
        if let Some(formats) = json.get("formats").and_then(Json::as_array) {
            let has = |name: &str| formats.iter().any(|format| format.as_str() == Some(name));
            (options.json_ld, options.microdata, options.rdfa) = (has("json-ld"), has("microdata"), has("rdfa"));
        }
        let on = |name: &str| json.get(name) != Some(&Json::Bool(false));
        (options.actions, options.page, options.controls) = (on("actions"), on("page"), on("controls"));
        options.declared_forms = json.get("declaredForms") == Some(&Json::Bool(true));
        let number = |name: &str, default: usize| json.get(name).and_then(Json::as_usize).filter(|value| *value > 0).unwrap_or(default);
        options.max_tools = number("maxTools", MAX_TOOLS);
        options.max_depth = number("maxDepth", MAX_DEPTH);
        options.max_payload_bytes = number("maxPayloadBytes", MAX_PAYLOAD_BYTES);
        options.max_description_length = number("maxDescriptionLength", MAX_DESCRIPTION_LENGTH);
        if let Some(hosts) = json.get("allowedHosts").and_then(Json::as_array) {
            options.allowed_hosts = hosts.iter().filter_map(Json::as_str).map(|host| host.trim().to_ascii_lowercase()).collect();
        }
        options.prefix = json.get("prefix").and_then(Json::as_str).unwrap_or("").to_owned();
        options.profiles = json.get("profiles").and_then(Json::as_str).map(str::to_owned);
        options
    }
}
