//! Where a call may send a request.

use crate::text;
use alloc::string::String;

/// The parts of an absolute URL that decide where a request goes.
struct Origin<'u> {
    secure: bool,
    host: &'u str,
    port: &'u str,
}

/// Lets a request go to `url` if it is on the page's own origin or on one of `allowed_hosts` (`host`, which means
/// the scheme's own port, or `host:port`; lower case).
///
/// # Errors
/// Why not, as the rest of a sentence that begins with "it". Besides other origins these are refused everywhere:
/// other schemes than https (http only from an http page), credentials, and private or loopback addresses
/// unless the page itself is on one.
pub fn destination(url: &str, page_url: &str, allowed_hosts: &[String]) -> Result<(), &'static str> {
    let to = origin(url)?;
    // A page without a usable origin (`about:blank`, `file:`) has nothing of its own to send to.
    let page = origin(page_url).ok();
    if !to.secure && page.as_ref().is_none_or(|page| page.secure) {
        return Err("it is not https");
    }
    if is_private(to.host) && !page.as_ref().is_some_and(|page| is_private(page.host)) {
        return Err("it leads to a private address");
    }
    let own = page.is_some_and(|page| page.secure == to.secure && page.host.eq_ignore_ascii_case(to.host) && page.port == to.port);
    let allowed = || {
        allowed_hosts.iter().any(|allowed| {
            let (host, port) = split_port(allowed);
            host.eq_ignore_ascii_case(to.host) && own_port(port, to.secure) == to.port
        })
    };
    if own || allowed() { Ok(()) } else { Err("it leads to another origin that the page's tag does not allow (data-allow-hosts)") }
}

fn origin(url: &str) -> Result<Origin<'_>, &'static str> {
    if url.bytes().any(|byte| byte <= b' ' || byte == b'\\' || byte == 0x7f) {
        return Err("it is no URL in normal form");
    }
    let (scheme, rest) = url.split_once(':').ok_or("it is no absolute URL")?;
    let secure = scheme.eq_ignore_ascii_case("https");
    if !secure && !scheme.eq_ignore_ascii_case("http") {
        return Err("its scheme is not https");
    }
    let rest = rest.strip_prefix("//").ok_or("it is no URL in normal form")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    if text::has(authority, b'@') {
        return Err("it carries credentials");
    }
    let (host, port) = split_port(authority);
    let named = host.starts_with('[') || host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    if host.trim_matches('.').is_empty() || !named || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("its host is no plain host name");
    }
    Ok(Origin { secure, host, port: own_port(port, secure) })
}

/// Host and port; the port is empty where none is given.
fn split_port(authority: &str) -> (&str, &str) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !text::has(port, b']') => (host, port),
        _ => (authority, ""),
    }
}

fn own_port(port: &str, secure: bool) -> &str {
    if port == if secure { "443" } else { "80" } { "" } else { port }
}

/// A name or address that means something only inside somebody's network, or on their machine.
fn is_private(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return is_private_v6(address);
    }
    let last = host.rsplit('.').next().unwrap_or("");
    let inside = ["localhost", "local", "internal", "intranet", "lan", "home", "corp", "test", "arpa"];
    if inside.iter().any(|name| last.eq_ignore_ascii_case(name)) || !text::has(host, b'.') {
        return true;
    }
    // A host that ends in a number is an IPv4 address in one of many spellings; only the plain one can be judged.
    if !last.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let mut octets = host.split('.').map(|part| part.parse::<u8>().ok().filter(|octet| crate::json::number(usize::from(*octet)) == part));
    let (Some(Some(a)), Some(Some(b)), Some(Some(_)), Some(Some(_)), None) =
        (octets.next(), octets.next(), octets.next(), octets.next(), octets.next())
    else {
        return true;
    };
    is_private_v4(a, b)
}

fn is_private_v4(a: u8, b: u8) -> bool {
    matches!((a, b), (0 | 10 | 127 | 224.., _) | (100, 64..=127) | (169, 254) | (172, 16..=31) | (192, 168) | (198, 18..=19))
}

/// Everything but global unicast (2000::/3); of that, the ranges that wrap an IPv4 address count as private too,
/// because what they wrap may be.
fn is_private_v6(address: &str) -> bool {
    let global = address.len() >= 4 && address.starts_with(['2', '3']) && address.split(':').next().is_some_and(|group| group.len() == 4);
    !global || address.starts_with("2002:") || address.starts_with("2001:0:") || address.starts_with("2001::")
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const PAGE: &str = "https://shop.example.com/p/1";

    fn refused(url: &str, page: &str, hosts: &[&str]) -> &'static str {
        let hosts: Vec<String> = hosts.iter().map(|host| String::from(*host)).collect();
        destination(url, page, &hosts).err().unwrap_or("")
    }

    #[test]
    fn lets_own_origin_and_listed_hosts_through() {
        for (url, page, hosts) in [
            ("https://shop.example.com/search?q=a", PAGE, &[][..]),
            ("https://SHOP.example.com:443/", PAGE, &[]),
            ("https://shop.example.com", PAGE, &[]),
            ("http://shop.example.com/s", "http://shop.example.com/", &[]),
            ("https://api.example.com/x", PAGE, &["api.example.com"]),
            ("https://api.example.com:8443/x", PAGE, &["api.example.com:8443"]),
            ("http://localhost:3000/s", "http://localhost:3000/", &[]),
            ("https://127.0.0.1/s", "https://127.0.0.1/", &[]),
            ("https://93.184.216.34/s", PAGE, &["93.184.216.34"]),
            ("https://[2606:2800:220:1::1]/s", PAGE, &["[2606:2800:220:1::1]"]),
        ] {
            assert_eq!(refused(url, page, hosts), "", "{url}");
        }
    }

    #[test]
    fn refuses_the_rest_and_says_why() {
        for (url, hosts, reason) in [
            ("https://evil.example.net/", &[][..], "another origin"),
            ("https://shop.example.com.evil.net/", &["shop.example.com"], "another origin"),
            ("https://sub.shop.example.com/", &[], "another origin"),
            ("https://shop.example.com:8443/", &["shop.example.com"], "another origin"),
            ("https://api.example.com/", &["api.example.com:8443"], "another origin"),
            ("http://shop.example.com/", &["shop.example.com"], "not https"),
            ("javascript:alert(1)", &[], "scheme"),
            ("data:text/html,x", &[], "scheme"),
            ("//shop.example.com/", &[], "absolute"),
            ("/search", &[], "absolute"),
            ("https://user:pw@shop.example.com/", &[], "credentials"),
            ("https://shop.example.com@evil.net/", &[], "credentials"),
            ("https://evil.net\\@shop.example.com/", &[], "normal form"),
            ("https:\n//shop.example.com/", &[], "normal form"),
            ("https:/shop.example.com/", &[], "normal form"),
            ("https://shop.example.com%2eevil.net/", &[], "plain host"),
            ("https:///x", &[], "plain host"),
            ("https://localhost/", &["localhost"], "private"),
            ("https://printer.local/", &["printer.local"], "private"),
            ("https://router/", &["router"], "private"),
            ("https://10.0.0.1/", &["10.0.0.1"], "private"),
            ("https://169.254.169.254/latest", &["169.254.169.254"], "private"),
            ("https://0x7f.1/", &["0x7f.1"], "private"),
            ("https://2130706433/", &["2130706433"], "private"),
            ("https://127.0.0.1./", &["127.0.0.1."], "private"),
            ("https://[::1]/", &["[::1]"], "private"),
            ("https://[fd00::1]/", &["[fd00::1]"], "private"),
            ("https://[::ffff:7f00:1]/", &["[::ffff:7f00:1]"], "private"),
        ] {
            let said = refused(url, PAGE, hosts);
            assert!(said.contains(reason), "{url}: {said:?}");
        }
        assert!(refused("https://a.example.com/", "about:blank", &[]).contains("another origin"));
    }

    /// Whatever is let through leads where a browser's own URL parser says that it may.
    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn agrees_with_a_url_parser() {
        let pieces = [
            "https",
            "http",
            ":",
            "//",
            "/",
            "\\",
            "@",
            "shop.example.com",
            "api.example.com",
            "evil.net",
            ".",
            ":443",
            ":80",
            ":8443",
            "?",
            "#",
            "%2e",
            "%00",
            "user",
            " ",
            "\t",
            "127.0.0.1",
            "[::1]",
            "localhost",
            "x",
            "\u{ff0f}",
            "\u{3002}",
        ];
        let hosts = [String::from("api.example.com"), String::from("localhost"), String::from("127.0.0.1")];
        let mut seed = 11u32;
        let mut pick = |count: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % count
        };
        let mut let_through = 0;
        for round in 0..20_000 {
            let mut given = String::from(if round % 2 == 0 { "https://" } else { "" });
            (0..1 + pick(7)).for_each(|_| given.push_str(pieces[pick(pieces.len())]));
            if destination(&given, PAGE, &hosts).is_ok() {
                let_through += 1;
                let parsed = url::Url::parse(&given);
                let parsed = parsed.as_ref().ok().map(|url| (url.scheme(), url.host_str().unwrap_or(""), url.port(), url.username()));
                assert!(matches!(parsed, Some(("https", "shop.example.com" | "api.example.com", None, ""))), "{given:?} {parsed:?}");
            }
        }
        assert!(let_through > 100, "{let_through}");
    }
}
