//! One part of a tool's result or of a prompt's message: text, a resource, a link to one, an image, a sound.

use serde_json::{Value, json};
use toolmark::text;
use url::Url;

use super::foreign::{MAX_DESCRIPTION, MAX_TITLE, MAX_URL, kind_of, text_of};
use super::{Page, foreign};
use crate::page::encode;

/// Bytes of an image, a sound or a resource that is no text, as base64; more is left out, because half of one is nothing.
pub const MAX_MEDIA: usize = 4_000_000;

/// A part, cleaned.
pub enum Part {
    /// Words.
    Text(String),
    /// A resource of text.
    Resource {
        /// One that no other page can have.
        uri: String,
        /// Its media type.
        kind: String,
        /// What it holds.
        text: String,
    },
    /// All else, as MCP has it: whole or not at all.
    Whole(Value),
}

impl Part {
    /// A part as the page gave it. What MCP does not know, or what clients would refuse together with the whole result, becomes text that
    /// says so.
    pub fn read(raw: &Value, page: &Page) -> Part {
        let field = |name: &str| raw.get(name).and_then(Value::as_str);
        match (field("type").unwrap_or(""), raw.get("resource")) {
            ("text", _) if field("text").is_some() => Part::Text(text::visible(field("text").unwrap_or("")).into_owned()),
            (kind @ ("image" | "audio"), _) if field("data").is_some() => {
                let data = field("data").unwrap_or("");
                let Some(media) = kind_of(raw.get("mimeType")) else {
                    return Part::Text(format!("[{kind} left out: its mimeType is no media type]"));
                };
                match unfit(data) {
                    Some(why) => Part::Text(format!("[{kind} left out: {why}]")),
                    None => Part::Whole(json!({ "type": kind, "data": data, "mimeType": media })),
                }
            }
            ("resource", Some(resource)) => embedded(resource, page).unwrap_or_else(|| unknown(raw)),
            ("resource_link", _) => link(raw, page).unwrap_or_else(|| unknown(raw)),
            _ => unknown(raw),
        }
    }

    /// What of it can be cut.
    pub fn text(&self) -> Option<&str> {
        match self {
            Part::Text(text) | Part::Resource { text, .. } => Some(text),
            Part::Whole(_) => None,
        }
    }

    /// What stands before its text where that stands alone.
    pub fn head(&self) -> String {
        match self {
            Part::Resource { uri, kind, .. } => format!("[{uri}, {kind}]\n"),
            Part::Text(_) | Part::Whole(_) => String::new(),
        }
    }

    /// As MCP has it, with this for its text.
    pub fn with(&self, text: &str) -> Value {
        match self {
            Part::Text(_) => json!({ "type": "text", "text": text }),
            Part::Resource { uri, kind, .. } => {
                json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "text": text } })
            }
            Part::Whole(value) => value.clone(),
        }
    }
}

/// Why this is not carried as base64: one that is not makes clients refuse the whole result.
pub fn unfit(data: &str) -> Option<String> {
    if data.len() > MAX_MEDIA {
        return Some(format!("{} bytes, of which {MAX_MEDIA} are carried", data.len()));
    }
    let bare = data.trim_end_matches('=');
    let padding = data.len() - bare.len();
    let letters = bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/');
    let whole = data.len().is_multiple_of(4) && padding <= 2;
    (!letters || !whole).then(|| "its data is not base64 (without spaces, and without a data: prefix)".to_owned())
}

/// One of which MCP knows nothing, or in which something is missing.
fn unknown(raw: &Value) -> Part {
    let kind = text_of(raw.get("type"), MAX_TITLE);
    Part::Text(format!("[a part of type '{kind}', which is not carried as such]\n{}", text::visible(&raw.to_string())))
}

/// A resource that the page encloses. Nothing without an address or content.
fn embedded(raw: &Value, page: &Page) -> Option<Part> {
    let field = |name: &str| raw.get(name).and_then(Value::as_str);
    let given = field("uri").filter(|uri| !uri.is_empty())?;
    // Whatever stands at an address of another origin is not this page's to say.
    let own = |url: &Url| url.origin().ascii_serialization() == page.origin;
    let uri = known(given, page, own)
        .unwrap_or_else(|| format!("page://{}/{}/embedded/{}", page.host(), page.id, encode(&foreign::line(given, MAX_URL))));
    let kind = |fallback: &str| kind_of(raw.get("mimeType")).unwrap_or_else(|| fallback.to_owned());
    match (field("text"), field("blob")) {
        (Some(text), _) => Some(Part::Resource { uri, kind: kind("text/plain"), text: text::visible(text).into_owned() }),
        (None, Some(blob)) => Some(match unfit(blob) {
            Some(why) => Part::Text(format!("[{uri} left out: {why}]")),
            None => {
                let kind = kind("application/octet-stream");
                Part::Whole(json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "blob": blob } }))
            }
        }),
        (None, None) => None,
    }
}

/// A link to a resource: one of the page's, by its name, or anything of the web. Nothing without an address.
fn link(raw: &Value, page: &Page) -> Option<Part> {
    let given = raw.get("uri").and_then(Value::as_str).filter(|uri| !uri.is_empty())?;
    let words = |name: &str, limit: usize| Some(text_of(raw.get(name), limit)).filter(|text| !text.is_empty());
    let name = words("name", MAX_TITLE);
    let Some(uri) = known(given, page, |_| true) else {
        // Clients may open what they are given: a file of this machine, say, or what another server has under this address.
        let (name, given) = (name.unwrap_or_default(), foreign::line(given, MAX_URL));
        return Some(Part::Text(format!("[link to '{name}' left out: '{given}' is neither a web address nor a resource of the page]")));
    };
    let mut value = json!({ "type": "resource_link", "uri": uri, "name": name.unwrap_or_else(|| foreign::line(given, MAX_TITLE)) });
    if let Some(fields) = value.as_object_mut() {
        let more = [
            ("title", words("title", MAX_TITLE)),
            ("description", words("description", MAX_DESCRIPTION)),
            ("mimeType", kind_of(raw.get("mimeType"))),
        ];
        fields.extend(more.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into()))));
        if let Some(size) = raw.get("size").and_then(Value::as_u64) {
            fields.insert("size".into(), size.into());
        }
    }
    Some(Part::Whole(value))
}

/// The address of a resource that the page offers (by its name, or by its address here), or one of the web. Never that of another page's
/// resource.
fn known(given: &str, page: &Page, web: impl Fn(&Url) -> bool) -> Option<String> {
    let own = page.resources.iter().map(|one| (one, page.resource_uri(&one.name))).find(|(one, uri)| one.name == given || uri == given);
    if let Some((_, uri)) = own {
        return Some(uri);
    }
    let url = Url::parse(given).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MAX_URL)?;
    web(&url).then(|| url.into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn page() -> Page {
        let mut page = Page::new("tab-1", "https://a.example", "https://a.example/shop", "A");
        page.offer(&[], &[json!({ "name": "cart" })], &[]);
        page
    }

    fn read(raw: &Value) -> Value {
        let part = Part::read(raw, &page());
        part.with(part.text().unwrap_or(""))
    }

    #[test]
    fn a_resource_has_no_address_of_another_page() {
        let uri = |given: &str| read(&json!({ "type": "resource", "resource": { "uri": given, "text": "t" } }))["resource"]["uri"].clone();
        assert_eq!(uri("https://a.example/x y"), "https://a.example/x%20y");
        assert_eq!(uri("cart"), "page://a.example/tab-1/resource/cart");
        assert_eq!(uri("page://a.example/tab-1/resource/cart"), "page://a.example/tab-1/resource/cart");
        for given in [
            "page://b.example/tab-2/resource/cart",
            "PAGE://b.example/tab-2/resource/cart",
            " page://b.example/tab-2/resource/cart",
            "pa\tge://b.example/tab-2/resource/cart",
            "page://a.example/tab-1/../../b.example/tab-2/resource/cart",
            "page://a.example/tab-1/resource/other",
            "../../../b.example/tab-2/resource/cart",
            "https://b.example/balance",
            "https://a.example@b.example/balance",
            "http://a.example/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "test://embedded",
        ] {
            let told = uri(given);
            let rest = told.as_str().unwrap().strip_prefix("page://a.example/tab-1/embedded/").unwrap();
            assert!(!rest.contains(['/', ':', '@']), "{given}: {told}");
        }
    }

    #[test]
    fn links_lead_to_the_web_or_to_the_page() {
        let link = |given: &str| {
            read(
                &json!({ "type": "resource_link", "uri": given, "name": "Guide\u{202e}", "title": 5, "size": 12, "annotations": { "audience": ["user"] } }),
            )
        };
        assert_eq!(
            link("https://b.example/guide"),
            json!({ "type": "resource_link", "uri": "https://b.example/guide", "name": "Guide", "size": 12 })
        );
        assert_eq!(link("cart")["uri"], "page://a.example/tab-1/resource/cart");
        for given in ["page://b.example/tab-2/resource/cart", "file:///etc/passwd", "javascript:alert(1)", "ui://x", "cart2"] {
            let told = link(given);
            assert_eq!(told["type"], "text");
            assert!(told["text"].as_str().unwrap().contains("link to 'Guide' left out"), "{told}");
        }
    }

    #[test]
    fn what_clients_would_refuse_becomes_text() {
        let image = |data: &str, kind: Value| read(&json!({ "type": "image", "data": data, "mimeType": kind }));
        assert_eq!(image("QUJD", json!("image/png")), json!({ "type": "image", "data": "QUJD", "mimeType": "image/png" }));
        let long = "A".repeat(MAX_MEDIA + 4);
        for (data, kind, why) in [
            ("data:image/png;base64,QUJD", json!("image/png"), "base64"),
            ("QUJ", json!("image/png"), "base64"),
            ("Q===", json!("image/png"), "base64"),
            ("Q=JD", json!("image/png"), "base64"),
            ("QUJD", json!(null), "mimeType"),
            ("QUJD", json!("image/png\"><script>"), "mimeType"),
            (long.as_str(), json!("image/png"), "4000000 are carried"),
        ] {
            let told = image(data, kind);
            assert!(told["type"] == "text" && told["text"].as_str().unwrap().contains(why), "{told}");
        }
        for raw in [
            json!({ "type": "video", "data": "QUJD" }),
            json!({ "type": "text" }),
            json!({ "type": "resource", "resource": { "text": "t" } }),
            json!({ "type": "resource", "resource": { "uri": "x" } }),
            json!({ "type": "resource_link", "name": "x" }),
        ] {
            let told = read(&raw)["text"].as_str().unwrap().to_owned();
            assert!(told.contains("not carried as such") && told.contains(&raw.to_string()), "{told}");
        }
        let blob = |blob: &str| read(&json!({ "type": "resource", "resource": { "uri": "x", "blob": blob } }));
        assert_eq!(blob("QUJD")["resource"]["blob"], "QUJD");
        assert!(blob("no base64")["text"].as_str().unwrap().contains("page://a.example/tab-1/embedded/x left out"));
    }
}
