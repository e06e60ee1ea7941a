//! URL templates: RFC 6570 levels 1 to 3, absolute, whose variables stay where the author put them.
//!
//! A variable can fill a part of a path segment or of the query. It can never reach scheme, host or fragment, nor
//! leave its path segment; templates that would let it are refused when they are read.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::text;

/// Variables of one template at most; a URL with more is no search that an agent could fill in.
pub const MAX_VARIABLES: usize = 12;
/// Characters of a template at most; servers refuse longer addresses.
pub const MAX_LENGTH: usize = 2000;

/// A template that was read: its literal parts are in the URL parser's normal form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
    variables: Vec<Variable>,
}

/// A variable of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// As the author wrote it.
    pub name: String,
    /// It stands in the path, where nothing is no value.
    pub in_path: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Literal(String),
    Expression(Operator, Vec<usize>),
}

/// What joins an expression to what stands before it, and its values to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    /// `{q}`
    Plain,
    /// `{.q}`
    Label,
    /// `{/q}`
    Segment,
    /// `{;q}`
    Parameter,
    /// `{?q}`
    Query,
    /// `{&q}`
    More,
}

impl Operator {
    fn first(self) -> &'static str {
        match self {
            Operator::Plain => "",
            Operator::Label => ".",
            Operator::Segment => "/",
            Operator::Parameter => ";",
            Operator::Query => "?",
            Operator::More => "&",
        }
    }

    fn separator(self) -> &'static str {
        match self {
            Operator::Plain => ",",
            Operator::Query => "&",
            other => other.first(),
        }
    }

    fn is_named(self) -> bool {
        matches!(self, Operator::Parameter | Operator::Query | Operator::More)
    }
}

impl Template {
    /// Reads a template; `resolve` makes its literal parts absolute and normal.
    ///
    /// # Errors
    /// Why it is refused, as the rest of a sentence about the template ("it has no variable").
    pub fn read(text: &str, resolve: impl Fn(&str) -> Option<String>) -> Result<Template, &'static str> {
        let text = text.trim();
        if text.len() > MAX_LENGTH {
            return Err("it is too long for an address");
        }
        // What content systems write for safety and mean literally.
        let text = text::replace(text, "&amp;", "&");
        let escaped = !text::has(&text, b'{') && text::has(&text, b'%');
        let text = if escaped { ["%7B", "%7b"].iter().fold(text, |text, code| text::replace(&text, code, "{")) } else { text };
        let text = if escaped { ["%7D", "%7d"].iter().fold(text, |text, code| text::replace(&text, code, "}")) } else { text };

        let mut template = Template::default();
        // Literals only, with a mark for each expression that the URL parser does not touch.
        let mut marked = String::new();
        let mut operators = Vec::new();
        let mut rest = text.as_str();
        while let Some((literal, tail)) = rest.split_once('{') {
            let (expression, tail) = tail.split_once('}').ok_or("a brace of it is not closed")?;
            push_literal(&mut marked, literal)?;
            let in_query = text::has(&marked, b'?');
            let (operator, indices) = template.expression(expression.trim(), in_query)?;
            if text::has(&marked, b'#') {
                return Err("a variable stands in its fragment, which is never sent");
            }
            if operator == Operator::Plain && marked.is_empty() {
                return Err("it begins with a variable, which could lead anywhere");
            }
            marked.push_str(operator.first());
            marked.push_str(MARK);
            operators.push((operator, indices));
            rest = tail;
        }
        push_literal(&mut marked, rest)?;
        if operators.is_empty() {
            return Err("it has no variable");
        }

        let url = resolve(&marked).ok_or("it is no address")?;
        let start = text::find(&url, "://").map_or(0, |at| at + 3);
        let path = url.get(start..).and_then(|rest| rest.find('/')).map(|at| start + at).ok_or("it is no web address (https)")?;
        let query = url.find('?').unwrap_or(url.len());
        let mut at = 0;
        for (operator, indices) in operators {
            let found = url.get(at..).and_then(|rest| text::find(rest, MARK)).map(|offset| at + offset);
            let found =
                found.filter(|found| *found > path).ok_or("a variable of it stands in its scheme or host, which could lead anywhere")?;
            let literal = url.get(at..found).and_then(|literal| literal.strip_suffix(operator.first()));
            template.parts.push(Part::Literal(literal.ok_or("it is no address")?.to_owned()));
            for index in &indices {
                if let Some(variable) = template.variables.get_mut(*index) {
                    variable.in_path |= found < query && operator != Operator::Query;
                }
            }
            template.parts.push(Part::Expression(operator, indices));
            at = found + MARK.len();
        }
        // A fragment is not sent.
        let tail = url.get(at..).unwrap_or("").split('#').next().unwrap_or("");
        template.parts.push(Part::Literal(tail.to_owned()));
        Ok(template)
    }

    /// The template of a form that is sent with GET: what follows the form's address is its controls, in order.
    /// A control with a value is sent as it is, one without becomes a variable.
    pub fn of_form(action: &str, controls: &[(&str, Option<&str>)]) -> Template {
        let base = action.split(['?', '#']).next().unwrap_or("");
        let mut template = Template { parts: alloc::vec![Part::Literal(base.to_owned())], variables: Vec::new() };
        for (at, (name, value)) in controls.iter().enumerate() {
            let operator = if at == 0 { Operator::Query } else { Operator::More };
            match value {
                Some(value) => {
                    let mut literal = operator.first().to_owned();
                    encode(name, &mut literal);
                    literal.push('=');
                    encode(value, &mut literal);
                    template.parts.push(Part::Literal(literal));
                }
                None => {
                    template.parts.push(Part::Expression(operator, alloc::vec![template.variables.len()]));
                    template.variables.push(Variable { name: (*name).to_owned(), in_path: false });
                }
            }
        }
        template
    }

    /// Reads what stands between braces; its variables are added.
    fn expression(&mut self, text: &str, in_query: bool) -> Result<(Operator, Vec<usize>), &'static str> {
        let (operator, names) = match text.chars().next() {
            // In a query a value is decoded by whoever reads it: what `+` would let through may be escaped as well.
            Some('+') if in_query => (Operator::Plain, text.get(1..)),
            Some('+') => return Err("{+…} in its path could leave its place; name the variable without the +"),
            Some('#') => return Err("a variable stands in its fragment, which is never sent"),
            Some('.') => (Operator::Label, text.get(1..)),
            Some('/') if !in_query => (Operator::Segment, text.get(1..)),
            Some(';') => (Operator::Parameter, text.get(1..)),
            // Whoever mixes the two up means the next parameter.
            Some('?' | '&') => (if in_query { Operator::More } else { Operator::Query }, text.get(1..)),
            Some('/' | '=' | ',' | '!' | '@' | '|') | None => return Err("an expression of it is none of RFC 6570's"),
            _ => (Operator::Plain, Some(text)),
        };
        let mut indices = Vec::new();
        for name in names.unwrap_or("").split(',') {
            // OpenSearch marks what may be left out, RFC 6570 what may be several; both take one value here.
            let name = name.trim().trim_end_matches(['*', '?']);
            if name.is_empty() || name.contains(['{', ':']) {
                return Err("an expression of it is none of RFC 6570's levels 1 to 3");
            }
            let known = self.variables.iter().position(|variable| variable.name == name);
            indices.push(known.unwrap_or(self.variables.len()));
            if known.is_none() {
                self.variables.push(Variable { name: name.to_owned(), in_path: false });
            }
        }
        if self.variables.len() > MAX_VARIABLES {
            return Err("it has too many variables");
        }
        Ok((operator, indices))
    }

    /// The variables, in order of first appearance.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The URL without its variables, as it is vetted before anybody fills it in.
    pub fn bare(&self) -> String {
        self.parts.iter().map(|part| if let Part::Literal(text) = part { text } else { "" }).collect()
    }

    /// The URL with `values` in place of the variables, each by its place in [`Template::variables`].
    ///
    /// # Errors
    /// A value that would climb out of its path segment (`..`).
    pub fn expand(&self, values: &[Option<&str>]) -> Result<String, &'static str> {
        let mut out = String::new();
        for part in &self.parts {
            let (operator, indices) = match part {
                Part::Literal(text) => {
                    out.push_str(text);
                    continue;
                }
                Part::Expression(operator, indices) => (*operator, indices),
            };
            let mut first = true;
            for index in indices {
                let Some(value) = values.get(*index).copied().flatten() else { continue };
                // The first control of a form may be the one that was left out.
                let opening = if operator == Operator::More && !text::has(&out, b'?') { "?" } else { operator.first() };
                out.push_str(if first { opening } else { operator.separator() });
                first = false;
                let variable = self.variables.get(*index);
                if operator.is_named() {
                    encode(variable.map_or("", |variable| &variable.name), &mut out);
                    if operator != Operator::Parameter || !value.is_empty() {
                        out.push('=');
                    }
                }
                let climbs = |segment: &str| matches!(segment, "." | "..");
                if variable.is_some_and(|variable| variable.in_path) && value.split(['/', '\\']).any(climbs) {
                    return Err("must not contain a path that climbs (. or ..).");
                }
                encode(value, &mut out);
            }
        }
        // A literal dot and a value may climb together; the URL parser takes %2e for a dot as well.
        let path = out.split(['?', '#']).next().unwrap_or("");
        let dots = |segment: &str| {
            let segment = text::replace(&text::replace(segment, "%2e", "."), "%2E", ".");
            segment == "." || segment == ".."
        };
        if path.split('/').skip(3).any(dots) {
            return Err("must not contain a path that climbs (. or ..).");
        }
        Ok(out)
    }
}

/// Stands for an expression while the URL parser reads the rest: the same in every part of a URL, and nobody's text.
const MARK: &str = "tm0expression0tm";

fn push_literal(marked: &mut String, literal: &str) -> Result<(), &'static str> {
    if text::has(literal, b'}') {
        return Err("a brace of it is not opened");
    }
    if text::contains(literal, MARK) {
        return Err("it is no address");
    }
    marked.push_str(literal);
    Ok(())
}

/// Appends the text with everything escaped that is not unreserved (RFC 3986).
fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for digit in [byte >> 4, byte & 15] {
                out.push(char::from(if digit < 10 { b'0' + digit } else { b'A' + digit - 10 }));
            }
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    const BASE: &str = "https://shop.example/a/b?old=1";

    fn read(text: &str) -> Result<Template, &'static str> {
        Template::read(text, |text| url::Url::parse(BASE).ok()?.join(text).ok().map(String::from))
    }

    fn expand(text: &str, values: &[Option<&str>]) -> String {
        match read(text).and_then(|template| template.expand(values)) {
            Ok(url) => url,
            Err(reason) => reason.into(),
        }
    }

    #[test]
    fn expands_levels_one_to_three_and_form_style_queries() {
        for (template, values, url) in [
            ("https://shop.example/?s={q}", &[Some("blue bag")][..], "https://shop.example/?s=blue%20bag"),
            ("https://shop.example/?s={q}&n={n}", &[Some("a&b=c#d")], "https://shop.example/?s=a%26b%3Dc%23d&n="),
            ("/search{?q,n}", &[Some("é"), Some("5")], "https://shop.example/search?q=%C3%A9&n=5"),
            ("/search{?q,n}", &[None, Some("5")], "https://shop.example/search?n=5"),
            ("/search{?q,n}", &[], "https://shop.example/search"),
            ("/search?lang=en{&q,page}", &[Some("x"), None], "https://shop.example/search?lang=en&q=x"),
            ("/search?lang=en{?q}", &[Some("x")], "https://shop.example/search?lang=en&q=x"),
            ("/search{&q}", &[Some("x")], "https://shop.example/search?q=x"),
            ("/q?s={+q}", &[Some("a/b&c=d")], "https://shop.example/q?s=a%2Fb%26c%3Dd"),
            ("search/{q}/all", &[Some("AC/DC")], "https://shop.example/a/search/AC%2FDC/all"),
            ("/x{/kind,id}", &[Some("a"), Some("b")], "https://shop.example/x/a/b"),
            ("/map?at={x,y}", &[Some("1"), Some("2")], "https://shop.example/map?at=1,2"),
            ("/file{.type}", &[Some("csv")], "https://shop.example/file.csv"),
            ("/x{;a,b}", &[Some("1"), Some("")], "https://shop.example/x;a=1;b"),
            ("https://shop.example{?q}", &[Some("x")], "https://shop.example/?q=x"),
            ("?s={q}", &[Some("x")], "https://shop.example/a/b?s=x"),
            ("/?s=%7Bsearch_term%7D", &[Some("x")], "https://shop.example/?s=x"),
            ("/?a=1&amp;s={ q }", &[Some("x")], "https://shop.example/?a=1&s=x"),
            ("/suche straße?s={q?}", &[Some("x")], "https://shop.example/suche%20stra%C3%9Fe?s=x"),
            ("/?s={q}&t={q}", &[Some("x")], "https://shop.example/?s=x&t=x"),
            ("/?s={q}#results", &[Some("x")], "https://shop.example/?s=x"),
            ("http://other.example:8080/{q}", &[Some("javascript:x")], "http://other.example:8080/javascript%3Ax"),
        ] {
            assert_eq!(expand(template, values), url, "{template}");
        }
    }

    #[test]
    fn refuses_what_could_lead_elsewhere() {
        for (template, reason) in [
            ("{+base}/search?q={q}", "could leave its place"),
            ("{base}/search?q={q}", "begins with a variable"),
            ("https://{host}/search?q={q}", "scheme or host"),
            ("https://{host}.shop.example/{q}", "scheme or host"),
            ("https://shop.example{path}", "scheme or host"),
            ("https://shop.example{.tld}/?q={q}", "scheme or host"),
            ("https://user:{q}@shop.example/", "scheme or host"),
            ("https://shop.example:{port}/", "address"),
            ("{scheme}://shop.example/?q={q}", "begins"),
            ("java{x}:alert({q})", "scheme or host|no web address"),
            ("/{+path}", "could leave its place"),
            ("/#{q}", "fragment"),
            ("/{#q}", "fragment"),
            ("/?s=", "no variable"),
            ("/?s={q", "not closed"),
            ("/?s=q}", "not opened"),
            ("/?s={}", "RFC 6570"),
            ("/?s={q:3}", "RFC 6570"),
            ("/?s={{q}}", "RFC 6570"),
            ("/?s={=q}", "RFC 6570"),
            ("/?{a,b,c,d,e,f,g,h,i,j,k,l,m}", "too many"),
        ] {
            let refused = read(template).err().unwrap_or("accepted");
            assert!(reason.split('|').any(|reason| refused.contains(reason)), "{template}: {refused}");
        }
        assert!(read(&["/?s={q}", &"x".repeat(2000)].concat()).is_err());
    }

    #[test]
    fn keeps_values_inside_their_segment() {
        for (template, value) in [
            ("/x/{q}", ".."),
            ("/x/{q}", "."),
            ("/x/{q}", "../admin"),
            ("/x/{q}", "a/../../admin"),
            ("/x/{q}", "..\\admin"),
            ("/x/.{q}/y", "."),
            ("/x/%2e{q}", "."),
            ("/x{/q}", ".."),
        ] {
            assert!(expand(template, &[Some(value)]).contains("climbs"), "{template} {value}");
        }
        assert_eq!(expand("/x/{q}", &[Some("a..b")]), "https://shop.example/x/a..b");
        assert_eq!(expand("/x?q={q}", &[Some("../..")]), "https://shop.example/x?q=..%2F..");
        for value in
            ["//evil.example", "https://evil.example", "@evil.example", "\\\\evil.example", "\t//evil.example", "?x", "#x", "%2e%2e"]
        {
            let url = url::Url::parse(&expand("/x/{q}", &[Some(value)]))
                .map(|url| (url.host_str().map(String::from), url.path().starts_with("/x/"), url.query().is_none()));
            assert_eq!(url, Ok((Some("shop.example".into()), true, true)), "{value}");
        }
    }

    #[test]
    fn writes_forms_as_a_browser_sends_them() {
        let template = Template::of_form("https://shop.example/s?old=1#x", &[("lang", Some("d e")), ("q", None), ("filter[a]", None)]);
        assert_eq!(template.expand(&[Some("x"), None]), Ok("https://shop.example/s?lang=d%20e&q=x".into()));
        assert_eq!(template.expand(&[Some("x"), Some("1")]), Ok("https://shop.example/s?lang=d%20e&q=x&filter%5Ba%5D=1".into()));
        let first = Template::of_form("https://shop.example/s", &[("a", None), ("b", None)]);
        assert_eq!(first.expand(&[None, Some("1")]), Ok("https://shop.example/s?b=1".into()));
        assert_eq!(first.bare(), "https://shop.example/s");
    }
}
