//! Fetching what a stranger may have chosen: only public addresses (also after redirects, also behind names), only so
//! much, only so long, no cookies, nothing but text.

use std::collections::HashMap;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use encoding_rs::Encoding;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION,
};
use serde_json::Value;
use url::{Host, Url};

use crate::page::{Kind, failure};
use crate::warc;

/// Bytes of a body: the largest real pages have two or three million.
pub const MAX_BYTES: usize = 10_000_000;
/// A whole answer must be there by then.
const MAX_TIME: Duration = Duration::from_secs(15);
/// Redirects in a row; browsers follow 20, honest sites need two.
const MAX_REDIRECTS: usize = 5;
/// Characters of an address.
const MAX_URL: usize = 8_000;
/// Text that is kept to be asked about again.
const MAX_CACHE: usize = 32_000_000;
/// An answer that does not say how long it is good for is asked about again after this.
const DEFAULT_FRESH: Duration = Duration::from_secs(60);
/// However long it says it is good for.
const MAX_FRESH: Duration = Duration::from_secs(3600);
/// Who asks, and where to read about it.
const USER_AGENT: &str = concat!("Toolmark/", env!("CARGO_PKG_VERSION"), " (reads pages for a person's agent)");

/// Why nothing was fetched: an error result.
pub type Refusal = Value;

/// A text and where it came from.
#[derive(Debug)]
pub struct Fetched {
    /// After redirects.
    pub url: String,
    /// Without parameters, lower case.
    pub content_type: String,
    /// Decoded.
    pub text: String,
    etag: Option<String>,
    modified: Option<String>,
    fresh: Duration,
}

impl Fetched {
    /// What the text is: what its type says, unless it plainly is the other.
    pub fn kind(&self) -> Kind {
        let start = self.text.trim_start().chars().next();
        match start {
            Some('{' | '[') if self.content_type.contains("json") || serde_json::from_str::<Value>(&self.text).is_ok() => Kind::Json,
            Some('<') if self.content_type.is_empty() || self.content_type.contains("html") || self.content_type.contains("json") => {
                Kind::Html
            }
            _ if self.content_type.contains("html") => Kind::Html,
            _ => Kind::Text,
        }
    }
}

struct Kept {
    fetched: Arc<Fetched>,
    checked: Instant,
    used: u64,
}

#[derive(Default)]
struct Cache {
    kept: HashMap<String, Kept>,
    bytes: usize,
    clock: u64,
}

impl Cache {
    fn keep(&mut self, url: &str, fetched: Arc<Fetched>, limit: usize) {
        self.clock += 1;
        self.bytes += fetched.text.len();
        let kept = Kept { fetched, checked: Instant::now(), used: self.clock };
        if let Some(before) = self.kept.insert(url.to_owned(), kept) {
            self.bytes -= before.fetched.text.len();
        }
        while self.bytes > limit {
            let Some(oldest) = self.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(url, _)| url.clone()) else { break };
            if let Some(gone) = self.kept.remove(&oldest) {
                self.bytes -= gone.fetched.text.len();
            }
        }
    }
}

/// Where redirects may lead.
#[derive(Clone, Copy)]
pub enum Scope<'a> {
    /// To any public address: the person asked for this page.
    Anywhere,
    /// To the origin of this page or one of these hosts: the page chose the address.
    Within(&'a str, &'a [String]),
}

/// Fetches.
pub struct Fetcher {
    client: reqwest::Client,
    allow_private: bool,
    cache: Mutex<Cache>,
}

#[derive(Debug)]
struct PrivateAddress;

impl std::fmt::Display for PrivateAddress {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the name leads to an address that is not public")
    }
}

impl std::error::Error for PrivateAddress {}

/// The connection is made to what is resolved here, so a name cannot lead elsewhere the second time it is asked about.
struct PublicOnly {
    allow_private: bool,
}

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let any = !found.is_empty();
            let allowed: Vec<SocketAddr> = found.into_iter().filter(|address| allow_private || is_public(address.ip())).collect();
            if allowed.is_empty() && any {
                return Err(PrivateAddress.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// An address that anybody on the internet can reach.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => {
            let parts = v6.segments();
            let embedded = |high: u16, low: u16| {
                let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
                is_public_v4(Ipv4Addr::new(a, b, c, d))
            };
            match parts {
                // ::/96 (unspecified, loopback, IPv4-compatible) and IPv4-mapped.
                [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => parts.get(5) == Some(&0xffff) && embedded(high, low),
                // Translations of IPv4.
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
                [0x64, 0xff9b, ..] => false,
                [0x2002, high, low, ..] => embedded(high, low),
                // Teredo, documentation, benchmarking and other special registries.
                [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
                // Global unicast is 2000::/3; all else is local, multicast or unassigned.
                [first, ..] => first & 0xe000 == 0x2000,
            }
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19)))
}

fn refused(message: &str) -> Refusal {
    failure(
        "destination_refused",
        message,
        "Pass a public http(s) address; for pages of this machine or network start with --allow-private.",
    )
}

impl Fetcher {
    /// `allow_private`: pages of this machine and its network too.
    pub fn new(allow_private: bool) -> Result<Fetcher, String> {
        // Several providers may be compiled in; the first one that is installed stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .dns_resolver(Arc::new(PublicOnly { allow_private }))
            .redirect(reqwest::redirect::Policy::none())
            // A proxy would look names up by itself.
            .no_proxy()
            .user_agent(USER_AGENT)
            .build()
            .map_err(|error| format!("The HTTP client could not be made: {error}."))?;
        Ok(Fetcher { client, allow_private, cache: Mutex::default() })
    }

    fn vet(&self, url: &str) -> Result<Url, Refusal> {
        if url.len() > MAX_URL {
            return Err(refused("The address is too long."));
        }
        let url = Url::parse(url).map_err(|_| refused("That is no address."))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused("Only http and https are fetched."));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("Addresses with a user name or password are not fetched."));
        }
        let literal = match url.host() {
            Some(Host::Ipv4(v4)) => Some(IpAddr::V4(v4)),
            Some(Host::Ipv6(v6)) => Some(IpAddr::V6(v6)),
            Some(Host::Domain(_)) => None,
            None => return Err(refused("The address has no host.")),
        };
        if literal.is_some_and(|address| !self.allow_private && !is_public(address)) {
            return Err(refused("The address is of this machine or a private network."));
        }
        Ok(url)
    }

    /// The text at an address.
    pub async fn get(&self, url: &str, scope: Scope<'_>) -> Result<Arc<Fetched>, Refusal> {
        match tokio::time::timeout(MAX_TIME, self.follow(url, scope)).await {
            Ok(result) => result,
            Err(_) => Err(failure("timeout", &format!("The site did not answer within {} s.", MAX_TIME.as_secs()), "Try again later.")),
        }
    }

    async fn follow(&self, start: &str, scope: Scope<'_>) -> Result<Arc<Fetched>, Refusal> {
        let mut url = self.vet(start)?;
        url.set_fragment(None);
        let key = url.to_string();
        let known = self.cache.lock().ok().and_then(|mut cache| {
            cache.clock += 1;
            let clock = cache.clock;
            let kept = cache.kept.get_mut(&key)?;
            kept.used = clock;
            Some((kept.fetched.clone(), kept.checked.elapsed()))
        });
        if let Some((fetched, age)) = &known
            && *age < fetched.fresh
            && in_scope(&fetched.url, scope)
        {
            return Ok(fetched.clone());
        }
        for hop in 0..=MAX_REDIRECTS {
            let mut request = self.client.get(url.clone()).header("accept", "text/html, application/json;q=0.9, text/*;q=0.8");
            // What is known is of the end of the redirects.
            if let Some((fetched, _)) = known.as_ref().filter(|(fetched, _)| fetched.url == url.as_str()) {
                if let Some(etag) = &fetched.etag {
                    request = request.header(IF_NONE_MATCH, etag);
                }
                if let Some(modified) = &fetched.modified {
                    request = request.header(IF_MODIFIED_SINCE, modified);
                }
            }
            let response = request.send().await.map_err(|error| told(&error))?;
            let status = response.status();
            if status.as_u16() == 304
                && let Some((fetched, _)) = &known
            {
                self.keep(&key, fetched.clone());
                return Ok(fetched.clone());
            }
            if status.is_redirection() {
                if hop == MAX_REDIRECTS {
                    break;
                }
                let location = header(response.headers(), LOCATION.as_str()).unwrap_or_default();
                let next = url.join(&location).map_err(|_| refused("The site redirects to no address."))?;
                url = self.vet(next.as_str())?;
                url.set_fragment(None);
                if !in_scope(url.as_str(), scope) {
                    return Err(failure(
                        "destination_refused",
                        "The site sent the request on to another origin, which this tool does not follow.",
                        "Use the site itself for this.",
                    ));
                }
                continue;
            }
            if status.as_u16() >= 400 {
                let mut error =
                    failure("http_error", &format!("The site answered with status {}.", status.as_u16()), hint(status.as_u16()));
                if let Some(fields) = error.get_mut("error").and_then(Value::as_object_mut) {
                    fields.insert("status".into(), status.as_u16().into());
                }
                return Err(error);
            }
            let fetched = Arc::new(receive(response, url.as_str()).await?);
            self.keep(&key, fetched.clone());
            return Ok(fetched);
        }
        Err(failure("http_error", &format!("The site redirects more than {MAX_REDIRECTS} times."), "Use the address it leads to."))
    }

    fn keep(&self, url: &str, fetched: Arc<Fetched>) {
        if let Ok(mut cache) = self.cache.lock() {
            cache.keep(url, fetched, MAX_CACHE);
        }
    }
}

fn in_scope(url: &str, scope: Scope<'_>) -> bool {
    let Scope::Within(page, hosts) = scope else { return true };
    let (Ok(url), Ok(page)) = (Url::parse(url), Url::parse(page)) else { return false };
    let host = url.host_str().unwrap_or("");
    let with_port = url.port().map(|port| format!("{host}:{port}"));
    url.origin() == page.origin() || hosts.iter().any(|allowed| allowed == host || Some(allowed) == with_port.as_ref())
}

fn hint(status: u16) -> &'static str {
    match status {
        401 | 403 => "The site does not let strangers read that. A browser where the person has signed in can: `toolmark connect`.",
        404 | 410 => "Nothing is there; check the address.",
        429 | 503 => "The site asks for patience; try again later.",
        500.. => "The site failed; try again later.",
        _ => "Try another address.",
    }
}

fn told(error: &reqwest::Error) -> Refusal {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let mut last = String::new();
    while let Some(one) = source {
        if one.is::<PrivateAddress>() {
            return refused("The name leads to this machine or a private network.");
        }
        last = one.to_string();
        source = one.source();
    }
    failure("http_error", &format!("The request failed: {last}."), "Check the address; the site may be unreachable.")
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Reads the body, but no more of it than is allowed.
async fn receive(mut response: reqwest::Response, url: &str) -> Result<Fetched, Refusal> {
    let headers = response.headers();
    let (content_type, charset) = content_type(&header(headers, CONTENT_TYPE.as_str()).unwrap_or_default());
    if !is_text(&content_type) {
        return Err(failure("http_error", &format!("The site answered with {content_type}, which is no text."), "Nothing to read there."));
    }
    let too_large = || failure("too_large", &format!("The answer is larger than {MAX_BYTES} bytes."), "Ask for something more specific.");
    if response.content_length().is_some_and(|length| length > MAX_BYTES as u64) {
        return Err(too_large());
    }
    let (etag, modified) = (header(headers, ETAG.as_str()), header(headers, LAST_MODIFIED.as_str()));
    let fresh = freshness(&header(headers, CACHE_CONTROL.as_str()).unwrap_or_default());
    let codings = header(headers, CONTENT_ENCODING.as_str()).unwrap_or_default();
    let mut bytes = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| told(&error))? {
        if bytes.len() + part.len() > MAX_BYTES {
            return Err(too_large());
        }
        bytes.extend_from_slice(&part);
    }
    // Nobody asked for it packed; some servers do not mind.
    let bytes = warc::unpacked(bytes, &codings).map_err(|fault| match fault.code {
        "too_large" => too_large(),
        _ => failure("http_error", &fault.message, "Nothing to read there."),
    })?;
    let text = decode(&bytes, charset.as_deref());
    if text.chars().take(1_000).any(|character| character == '\0') {
        return Err(failure("http_error", "The site answered with binary data.", "Nothing to read there."));
    }
    Ok(Fetched { url: url.to_owned(), content_type, text, etag, modified, fresh })
}

fn freshness(control: &str) -> Duration {
    let control = control.to_ascii_lowercase();
    if control.contains("no-store") || control.contains("no-cache") {
        return Duration::ZERO;
    }
    let age = control.split(',').find_map(|part| part.trim().strip_prefix("max-age=")?.parse().ok());
    age.map_or(DEFAULT_FRESH, |seconds| Duration::from_secs(seconds).min(MAX_FRESH))
}

/// Type and charset of a Content-Type.
pub fn content_type(header: &str) -> (String, Option<String>) {
    let mut parts = header.split(';');
    let kind = parts.next().unwrap_or("").trim().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    });
    (kind, charset)
}

fn is_text(kind: &str) -> bool {
    kind.is_empty()
        || kind.starts_with("text/")
        || ["json", "xml", "javascript", "csv", "jsonlines"].iter().any(|end| kind.starts_with("application/") && kind.ends_with(end))
}

/// Text in the charset that the bytes, the header or the document name, in this order (WHATWG HTML), else UTF-8.
pub fn decode(bytes: &[u8], charset: Option<&str>) -> String {
    let mark = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let named = charset.and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding = mark.or(named).or_else(|| declared(bytes)).unwrap_or(encoding_rs::UTF_8);
    encoding.decode(bytes).0.into_owned()
}

/// What the head of the document says: `charset=` in a `meta`, `encoding=` in an XML declaration.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head: String = bytes.iter().take(1024).map(|byte| char::from(*byte).to_ascii_lowercase()).collect();
    let after = |mark: &str| {
        let (_, rest) = head.split_once(mark)?;
        let rest = rest.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        let label = rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == ':')).next()?;
        Encoding::for_label(label.as_bytes())
    };
    let found = if head.contains("<meta") { after("charset") } else { None };
    let found = found.or_else(|| if head.starts_with("<?xml") { after("encoding") } else { None })?;
    // A document that calls itself UTF-16 in single bytes is not.
    Some(if found == encoding_rs::UTF_16BE || found == encoding_rs::UTF_16LE { encoding_rs::UTF_8 } else { found })
}

/// A page of this machine, for one who runs the program here.
pub fn file(path: &str) -> Result<(String, String), Refusal> {
    let problem = |message: String| failure("not_found", &message, "Pass the path of a saved page or an http(s) address.");
    let absolute = std::fs::canonicalize(Path::new(path)).map_err(|error| problem(format!("'{path}' cannot be read: {error}.")))?;
    let mut bytes = Vec::new();
    // What has no length can be without end, and a file can grow.
    let read = std::fs::File::open(&absolute).and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| problem(format!("'{path}' cannot be read: {error}.")))?;
    if bytes.len() > MAX_BYTES {
        return Err(failure("too_large", &format!("'{path}' is larger than {MAX_BYTES} bytes."), ""));
    }
    let url = Url::from_file_path(&absolute).map_or_else(|()| "file:///".to_owned(), String::from);
    Ok((url, decode(&bytes, None)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_public() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "192.0.0.1",
            "240.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "::7f00:1",
            "fec0::1",
            "64:ff9b:1::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101", "2001:4860:4860::8888"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn odd_spellings_of_private_addresses_are_refused() {
        let fetcher = Fetcher::new(false).unwrap();
        for url in [
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:7f00:1]/",
            "http://0/",
            "file:///etc/passwd",
            "ftp://example.com/",
            "http://user:pass@example.com/",
            "http://",
            "not an address",
            "http://169.254.169.254/latest/meta-data",
        ] {
            assert!(fetcher.vet(url).is_err(), "{url}");
        }
        assert!(fetcher.vet("https://example.com/a?b#c").is_ok());
        assert!(fetcher.vet(&format!("https://example.com/{}", "a".repeat(MAX_URL))).is_err());
    }

    #[test]
    fn redirects_stay_where_they_may() {
        let hosts = ["search.example".to_owned(), "other.example:8080".to_owned()];
        let scope = Scope::Within("https://shop.example/page", &hosts);
        for (url, allowed) in [
            ("https://shop.example/other", true),
            ("http://shop.example/", false),
            ("https://search.example/", true),
            ("https://evil.example/", false),
            ("https://other.example:8080/", true),
            ("https://other.example/", false),
            ("https://shop.example.evil.example/", false),
        ] {
            assert_eq!(in_scope(url, scope), allowed, "{url}");
        }
    }

    #[test]
    fn text_is_decoded_as_bytes_header_or_document_say() {
        assert_eq!(decode(b"\xef\xbb\xbfa\xc3\xa4", Some("windows-1252")), "aä");
        assert_eq!(decode(b"a\xe4", Some("iso-8859-1")), "aä");
        assert_eq!(decode(b"<meta charset=\"windows-1251\">\xef", None), "<meta charset=\"windows-1251\">п");
        assert_eq!(
            decode(b"<meta http-equiv=content-type content='text/html; charset=shift_jis'>\x83\x41", None).chars().last(),
            Some('ア')
        );
        assert_eq!(decode(b"<?xml version='1.0' encoding='iso-8859-1'?>\xe4", None).chars().last(), Some('ä'));
        assert_eq!(decode(b"<meta charset=utf-16>a", None), "<meta charset=utf-16>a");
        assert_eq!(decode(b"\xff\xfea\0", None), "a");
        assert_eq!(decode("ä".as_bytes(), Some("no-such-charset")), "ä");
        assert_eq!(decode(b"\xff", None), "\u{fffd}");
    }

    #[test]
    fn the_cache_keeps_to_its_size_and_drops_what_was_used_least_lately() {
        let text = |length: usize| {
            Arc::new(Fetched {
                url: String::new(),
                content_type: String::new(),
                text: "a".repeat(length),
                etag: None,
                modified: None,
                fresh: DEFAULT_FRESH,
            })
        };
        let mut cache = Cache::default();
        cache.keep("a", text(40), 100);
        cache.keep("b", text(40), 100);
        cache.keep("a", text(50), 100);
        assert_eq!(cache.bytes, 90);
        cache.keep("c", text(40), 100);
        assert_eq!((cache.kept.contains_key("a"), cache.kept.contains_key("b"), cache.bytes), (true, false, 90));
        cache.keep("d", text(500), 100);
        assert_eq!((cache.kept.len(), cache.bytes), (0, 0));
    }

    #[test]
    fn freshness_is_bounded() {
        assert_eq!(freshness(""), DEFAULT_FRESH);
        assert_eq!(freshness("private, no-store"), Duration::ZERO);
        assert_eq!(freshness("public, max-age=5"), Duration::from_secs(5));
        assert_eq!(freshness("max-age=99999999999"), MAX_FRESH);
        assert_eq!(freshness("max-age=-1"), DEFAULT_FRESH);
    }
}
