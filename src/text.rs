//! What text of a page may look like when an agent gets it: one space between words, line breaks only where they
//! mean something, no tags, no entities, nothing invisible.
//!
//! Readers of HTML use [`of`] for elements and [`clean`] for attributes. What JSON-LD holds is the author's string,
//! often with markup in it: whoever shows a value to an agent runs it through [`plain`] once.

use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::dom::Element;

/// The element's text as a person who reads the page would take it: script, style, template and noscript left out,
/// one space at block boundaries and line breaks, inline elements glued, white space collapsed, trimmed, nothing
/// invisible.
pub fn of(element: Element<'_>) -> String {
    borrowed(element).into_owned()
}

/// [`of`], without a copy where the element holds one text that needs no change, as most do.
pub fn borrowed(element: Element<'_>) -> Cow<'_, str> {
    let document = element.document();
    if element.end() == element.index() + 2
        && let Some(data) = document.text(element.index() + 1).filter(|data| is_tidy(data))
    {
        return Cow::Borrowed(data);
    }
    let mut words = Words::default();
    // Where the blocks end that are open.
    let mut blocks: Vec<u32> = Vec::new();
    let mut index = element.index() + 1;
    while index < element.end() {
        while blocks.last().is_some_and(|end| *end <= index) {
            blocks.pop();
            words.gap = true;
        }
        if let Some(data) = document.text(index) {
            words.push(data);
        } else if let Some(child) = document.element(index) {
            match child.name() {
                "script" | "style" | "template" | "noscript" => {
                    index = child.end();
                    continue;
                }
                name if stands_apart(name) => {
                    words.gap = true;
                    blocks.push(child.end());
                }
                _ => {}
            }
        }
        index += 1;
    }
    Cow::Owned(words.out)
}

/// Printable ASCII, with single spaces between words only.
fn is_tidy(text: &str) -> bool {
    let mut before = b' ';
    text.bytes().all(|byte| {
        let tidy = matches!(byte, b'!'..=b'~') || byte == b' ' && before != b' ';
        before = byte;
        tidy
    }) && (before != b' ' || text.is_empty())
}

/// Its text stands apart from the text around it. Custom elements count: a space too many does less harm than
/// words that run into each other.
fn stands_apart(name: &str) -> bool {
    is_block(name)
        || has(name, b'-')
        || matches!(name, "br" | "button" | "col" | "colgroup" | "head" | "hr" | "optgroup" | "option" | "select" | "textarea" | "title")
}

/// Elements that stand on lines of their own.
pub fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "html"
            | "iframe"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}

/// `name` is one of the names in `list`.
pub fn among(list: &str, name: &str) -> bool {
    place(list, name).is_some()
}

/// The place of `name` among the names in `list`, which have a space between them. Asked for every property of every
/// entity, so it looks at bytes.
pub fn place(list: &str, name: &str) -> Option<usize> {
    let (list, name) = (list.as_bytes(), name.as_bytes());
    let (mut place, mut start) = (0, 0);
    for at in 0..=list.len() {
        if list.get(at).is_none_or(|byte| *byte == b' ') {
            if at - start == name.len() && list.get(start..at) == Some(name) {
                return Some(place);
            }
            (place, start) = (place + 1, at + 1);
        }
    }
    None
}

/// Text in the making: words with one space between them.
#[derive(Default)]
struct Words {
    out: String,
    gap: bool,
}

impl Words {
    fn push(&mut self, data: &str) {
        if is_tidy(data) {
            if self.gap && !self.out.is_empty() && !data.is_empty() {
                self.out.push(' ');
            }
            self.gap &= data.is_empty();
            self.out.push_str(data);
            return;
        }
        for (place, word) in data.split(char::is_whitespace).enumerate() {
            self.gap |= place > 0;
            let word = visible(word);
            if word.is_empty() {
                continue;
            }
            if self.gap && !self.out.is_empty() {
                self.out.push(' ');
            }
            self.gap = false;
            self.out.push_str(&word);
        }
    }
}

/// Runs of white space (U+00A0 included) become one space; the ends are trimmed.
pub fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// What an attribute says: white space collapsed, nothing invisible.
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_tidy(text) {
        return Cow::Borrowed(text);
    }
    let mut words = Words::default();
    words.push(text);
    Cow::Owned(words.out)
}

/// White space, the no-break kinds included.
pub fn is_space(character: char) -> bool {
    character.is_whitespace()
}

/// Characters that a person cannot see and a model can: controls, zero-width, bidirectional marks, fillers,
/// selectors of variants, tag characters. (Tab and line breaks are white space, not of this kind.)
pub fn is_invisible(character: char) -> bool {
    character >= '\u{7f}' && is_invisible_beyond_ascii(character)
        || matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}')
}

fn is_invisible_beyond_ascii(character: char) -> bool {
    matches!(character,
        '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text without invisible characters. A joiner or non-joiner stays between two characters of the kind that it
/// shapes: scripts beyond Latin, Greek and Cyrillic, and emoji.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().any(|byte| byte < b' ' || byte == 0x7f) || !text.chars().any(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let shaped = |character: Option<char>| character.is_some_and(|character| character >= '\u{590}' && !is_invisible(character));
    while let Some(character) = characters.next() {
        let joins = matches!(character, '\u{200c}' | '\u{200d}') && shaped(out.chars().next_back()) && shaped(characters.peek().copied());
        if joins || !is_invisible(character) {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// Part of a word: a letter, a digit or a mark on one; everything beyond ASCII but punctuation, symbols and spaces. The
/// standard library is more exact with tables of eight kilobytes.
pub fn is_word(character: char) -> bool {
    match character {
        '\0'..='\u{7f}' => character.is_ascii_alphanumeric(),
        'ª' | 'º' | 'µ' => true,
        '\u{80}'..='\u{bf}' | '×' | '÷' => false,
        '\u{2000}'..='\u{206f}' | '\u{20a0}'..='\u{20cf}' | '\u{2190}'..='\u{2bff}' | '\u{2e00}'..='\u{2e7f}' => false,
        '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{3030}' | '\u{30fb}' | '\u{fe00}'..='\u{fe6f}' => false,
        '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}' => false,
        '\u{60c}'
        | '\u{61b}'
        | '\u{61f}'
        | '\u{66a}'..='\u{66d}'
        | '\u{6d4}'
        | '\u{964}'
        | '\u{965}'
        | '\u{e000}'..='\u{f8ff}'
        | '\u{1f000}'..='\u{1faff}' => false,
        _ => !is_invisible(character) && !character.is_whitespace(),
    }
}

/// The small form of a letter, for comparing: of Latin, Greek, Cyrillic, Armenian and Georgian. The standard library's table
/// of all letters ever written is twelve kilobytes long.
pub fn lower(character: char) -> char {
    /// Letters whose small forms do not lie where those of their neighbours do.
    const APART: &str = "İiŸÿẞßƁɓƆɔƉɖƊɗƎǝƏəƐɛƓɠƔɣƖɩƗɨƝɲƟɵƱʊƲʋƷʒΆάΈέΉήΊίΌόΎύΏώςσϏϗӀӏ";
    let code = character as u32;
    let small = match code {
        ..0x80 => return character.to_ascii_lowercase(),
        0xd7 => code,
        0xc0..=0xde | 0x391..=0x3a1 | 0x3a3..=0x3ab | 0x410..=0x42f | 0xff21..=0xff3a => code + 32,
        0x130
        | 0x178
        | 0x1e9e
        | 0x386..=0x38f
        | 0x3c2
        | 0x3cf
        | 0x4c0
        | 0x181
        | 0x186
        | 0x189..=0x18a
        | 0x18e..=0x190
        | 0x193..=0x197
        | 0x19d
        | 0x19f
        | 0x1b1..=0x1b2
        | 0x1b7 => {
            let mut letters = APART.chars();
            letters.find(|letter| *letter == character);
            return letters.next().unwrap_or(character);
        }
        // Large and small in turn.
        0x139..=0x148 | 0x179..=0x17e | 0x187..=0x18c | 0x1af..=0x1b0 | 0x1b3..=0x1b6 | 0x1cd..=0x1dc | 0x4c1..=0x4ce => code + (code & 1),
        0x100..=0x137
        | 0x14a..=0x177
        | 0x182..=0x185
        | 0x198..=0x199
        | 0x1a0..=0x1a5
        | 0x1de..=0x1ef
        | 0x1f8..=0x21f
        | 0x222..=0x233
        | 0x246..=0x24f
        | 0x3d8..=0x3ef
        | 0x460..=0x481
        | 0x48a..=0x4bf
        | 0x4d0..=0x52f
        | 0x1e00..=0x1e95
        | 0x1ea0..=0x1eff => code | 1,
        0x400..=0x40f => code + 80,
        0x531..=0x556 => code + 48,
        0x10a0..=0x10c5 => code + 7264,
        0x1c90..=0x1cbf => code - 3008,
        0x1f00..=0x1faf => code & !8,
        _ => code,
    };
    char::from_u32(small).unwrap_or(character)
}

/// Where the text holds the part first, by sums that roll along (Rabin and Karp): a sum that only looks right costs one
/// comparison. The standard library's search is three kilobytes long.
pub fn find(text: &str, part: &str) -> Option<usize> {
    const BASE: u32 = 0x0100_0193;
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let sum = |bytes: &[u8]| bytes.iter().fold(0u32, |sum, byte| sum.wrapping_mul(BASE).wrapping_add(u32::from(*byte)));
    let (wanted, mut here) = (sum(part), sum(text.get(..part.len())?));
    let weight = part.iter().fold(1u32, |weight, _| weight.wrapping_mul(BASE));
    let mut at = 0;
    while here != wanted || !text.get(at..)?.starts_with(part) {
        let (first, next) = (u32::from(*text.get(at)?), u32::from(*text.get(at + part.len())?));
        here = here.wrapping_mul(BASE).wrapping_add(next).wrapping_sub(first.wrapping_mul(weight));
        at += 1;
    }
    Some(at)
}

/// The text holds the part.
pub fn contains(text: &str, part: &str) -> bool {
    find(text, part).is_some()
}

/// The text holds the character, one of ASCII. The standard library's `contains` brings its search for parts along.
pub fn has(text: &str, character: u8) -> bool {
    text.as_bytes().contains(&character)
}

/// What is before and after the first occurrence of the part.
pub fn split_once<'t>(text: &'t str, part: &str) -> Option<(&'t str, &'t str)> {
    let (before, rest) = text.split_at_checked(find(text, part)?)?;
    Some((before, rest.get(part.len()..)?))
}

/// What is before and after the last occurrence of the part.
pub fn rsplit_once<'t>(text: &'t str, part: &str) -> Option<(&'t str, &'t str)> {
    let mut last = split_once(text, part)?.1;
    while let Some((_, rest)) = split_once(last, part) {
        last = rest;
    }
    Some((text.get(..text.len() - last.len() - part.len())?, last))
}

/// The text with each occurrence of one part replaced.
pub fn replace(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = split_once(rest, from) {
        out.push_str(before);
        out.push_str(to);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// How many characters the text has.
pub fn length(text: &str) -> usize {
    text.bytes().filter(|byte| byte & 0xc0 != 0x80).count()
}

/// The text in [`lower`] case.
pub fn lowered(text: &str) -> String {
    text.chars().map(lower).collect()
}

/// An address that runs code or carries a document of its own, in any spelling that a browser takes for one.
pub fn is_active(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let known = ["javascript", "vbscript", "data", "blob"].iter().position(|known| {
        let mut left = scheme.chars().filter(|character| !is_space(*character) && !is_invisible(*character));
        known.chars().all(|character| left.next().is_some_and(|other| other.eq_ignore_ascii_case(&character))) && left.next().is_none()
    });
    // "JavaScript: The Good Parts" is a book, and data may be followed by anything.
    known.is_some_and(|known| !rest.starts_with(is_space) && (known != 2 || has(rest, b',')))
}

/// A string that may hold markup, as text: known tags out (`<p>`, `<br>`, `<li>` and other blocks become line
/// breaks), entities decoded once, invisible characters out, white space collapsed, trimmed. Line breaks stay, one
/// at a time; in a string with tags only the tags make them.
pub fn plain(text: &str) -> String {
    let mut text = Cow::Borrowed(text);
    // Twice, for markup that was escaped as a whole: `&lt;p&gt;…&lt;/p&gt;`. A mere mention of a tag is text.
    for _ in 0..2 {
        if let Some(stripped) = strip_tags(&text) {
            text = Cow::Owned(stripped);
        }
        let Cow::Owned(decoded) = decode(&text) else { break };
        let is_markup = ["</", "<br", "<img", "<svg", "<script", "<iframe"].iter().any(|tag| contains(&decoded, tag));
        text = Cow::Owned(decoded);
        if !is_markup {
            break;
        }
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split(['\n', '\r', '\u{2028}', '\u{2029}']) {
        let start = out.len();
        let mut words = Words { out, gap: false };
        // A space is never put before the first word of a line, a line break is.
        if start > 0 {
            words.out.push('\n');
        }
        let line_start = words.out.len();
        for word in line.split_whitespace() {
            let word = visible(word);
            if !word.is_empty() {
                if words.out.len() > line_start {
                    words.out.push(' ');
                }
                words.out.push_str(&word);
            }
        }
        if words.out.len() == line_start {
            words.out.truncate(start);
        }
        out = words.out;
    }
    out
}

/// HTML's elements, other than the blocks, whose tags are markup when they stand in a string.
const INLINE: &str = " a abbr acronym area audio b base basefont bdi bdo big canvas cite code data datalist del dfn em embed font frame \
    frameset i img input ins kbd label link map mark meta meter nobr noframes noscript object output param picture progress q rp rt ruby s \
    samp script slot small source span strike strong style sub sup svg template time track tt u var video wbr ";

/// The string without its tags and comments, or `None` where it has none. What is no tag of HTML stays (`a < b`,
/// `Map<String, Int>`).
fn strip_tags(text: &str) -> Option<String> {
    let mut out: Option<String> = None;
    let mut rest = text;
    let mut kept = 0;
    // What follows the last of these cannot be a tag: looked up once, or every `<` would look for its end in vain.
    let last = text.rfind(['>', '=']).unwrap_or(0);
    while let Some(at) = rest.get(kept..).and_then(|tail| tail.find('<')).map(|at| at + kept) {
        let (before, tag) = rest.split_at(at);
        if text.len() - tag.len() > last && !tag.starts_with("<!--") {
            break;
        }
        let Some((length, block)) = tag_length(tag) else {
            kept = at + 1;
            continue;
        };
        let stripped = out.get_or_insert_default();
        push_spaced(stripped, before);
        if block {
            stripped.push('\n');
        }
        rest = tag.get(length..).unwrap_or("");
        kept = 0;
    }
    if let Some(stripped) = &mut out {
        push_spaced(stripped, rest);
    }
    out
}

/// Line breaks in HTML's source are spaces.
fn push_spaced(out: &mut String, text: &str) {
    out.extend(text.chars().map(|character| if character.is_whitespace() { ' ' } else { character }));
}

/// How long the tag or comment is that `text` starts with, and whether it breaks a line.
fn tag_length(text: &str) -> Option<(usize, bool)> {
    if text.starts_with("<!--") {
        return Some((find(text, "-->").map_or(text.len(), |end| end + 3), false));
    }
    let inside = text.strip_prefix('<')?;
    let (closing, inside) = inside.strip_prefix('/').map_or((false, inside), |inside| (true, inside));
    let length = inside.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':')).count();
    let name = inside.get(..length)?.to_ascii_lowercase();
    let attributes = inside.get(length..)?;
    let block = stands_apart(&name);
    // Names with a dash or a colon are custom elements and Office's.
    let known = block || among(INLINE, &name) || has(&name, b':');
    if !known || !name.starts_with(|first: char| first.is_ascii_lowercase()) || !attributes.starts_with([' ', '\t', '\n', '\r', '/', '>']) {
        return None;
    }
    let end = tag_end(attributes)?;
    let mut length = text.len() - attributes.len() + end;
    if !closing && matches!(&*name, "script" | "style") {
        let after = text.get(length..)?;
        let (mut left, mut closed) = (after, false);
        while let (false, Some((_, tail))) = (closed, split_once(left, "</")) {
            left = tail;
            closed = tail.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(&name));
        }
        let end = left.find('>').filter(|_| closed);
        length += end.map_or(after.len(), |end| after.len() - left.len() + end + 1);
    }
    Some((length, block))
}

/// Where a tag's attributes end, `>` included; a tag that was cut off with attributes in it ends with the string.
fn tag_end(attributes: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in attributes.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    // A quote that nobody closes hides the end.
    attributes.find('>').map(|at| at + 1).or_else(|| has(attributes, b'=').then_some(attributes.len()))
}

/// Named character references of U+00A0 to U+00FF, in order.
const LATIN_1: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
    micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave \
    Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute \
    THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve \
    oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/// Other named character references that pages use, each followed by its character.
const NAMED: &str = "amp & lt < gt > quot \" apos ' ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ hellip … bull • \
    trade ™ euro € dagger † permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › minus − oline ‾ frasl ⁄ larr ← uarr ↑ rarr → darr ↓ harr ↔ ne ≠ \
    le ≤ ge ≥ asymp ≈ infin ∞ radic √ sum ∑ OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ frac13 ⅓ frac23 ⅔ frac18 ⅛ hearts ♥ check ✓ \
    star ☆ lpar ( rpar ) comma , colon : semi ; excl ! num # percnt % sol / equals = quest ? commat @ lsqb [ rsqb ] lowbar _ plus + \
    ast * dollar $ vert | horbar ―";

/// What windows-1252 has at 0x80 to 0x9f: numeric references to these mean that, in browsers as on the pages.
const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// HTML's character references decoded, once: numbers, and the names that pages use. Others stay as written.
pub fn decode(text: &str) -> Cow<'_, str> {
    let mut out: Option<String> = None;
    let mut rest = text;
    let mut kept = 0;
    while let Some(at) = rest.get(kept..).and_then(|tail| tail.find('&')).map(|at| at + kept) {
        let (before, reference) = rest.split_at(at);
        let Some((character, length)) = character_reference(reference) else {
            kept = at + 1;
            continue;
        };
        let decoded = out.get_or_insert_default();
        decoded.push_str(before);
        decoded.push(character);
        rest = reference.get(length..).unwrap_or("");
        kept = 0;
    }
    match out {
        Some(mut decoded) => {
            decoded.push_str(rest);
            Cow::Owned(decoded)
        }
        None => Cow::Borrowed(text),
    }
}

/// The character that the reference at the start of `text` stands for, and the reference's length.
fn character_reference(text: &str) -> Option<(char, usize)> {
    const LONGEST: usize = 10;
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let character = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => u32::from_str_radix(digits, 16).ok()?,
                None if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse().ok()?,
                _ => return None,
            };
            match code {
                0x80..=0x9f => WINDOWS_1252.chars().nth(code as usize - 0x80)?,
                _ => char::from_u32(code)?,
            }
        }
        None => named(name)?,
    };
    Some((character, end + 1))
}

fn named(name: &str) -> Option<char> {
    if let Some(place) = LATIN_1.split_ascii_whitespace().position(|listed| listed == name) {
        return char::from_u32(0xa0 + place as u32);
    }
    let mut pairs = NAMED.split_ascii_whitespace();
    while let (Some(listed), Some(character)) = (pairs.next(), pairs.next()) {
        if listed == name {
            return character.chars().next();
        }
    }
    match name {
        "ensp" | "emsp" | "thinsp" | "NewLine" | "Tab" => Some(' '),
        "zwnj" => Some('\u{200c}'),
        "zwj" => Some('\u{200d}'),
        "lrm" | "rlm" => Some('\u{200e}'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Builder;

    /// The text of a `div` with these contents: `<name` opens an element, `>` closes one, all else is text.
    fn text(parts: &[&str]) -> String {
        let mut builder = Builder::new("https://a.example/", "https://a.example/", |_, _| None);
        builder.open("div", true);
        for part in parts {
            match part.strip_prefix('<') {
                Some(name) => builder.open(name, true),
                None if *part == ">" => builder.close(),
                None => builder.text(part),
            }
        }
        builder.finish().element(0).map(of).unwrap_or_default()
    }

    #[test]
    fn puts_one_space_at_block_boundaries_and_glues_inline_elements() {
        assert_eq!(text(&["H", "<sub", "2", ">", "O"]), "H2O");
        assert_eq!(text(&["a", "<p", "b", ">", "c", "<br", ">", "d"]), "a b c d");
        assert_eq!(text(&["<ul", "<li", "a", ">", "<li", "b", ">", ">", "c"]), "a b c");
        assert_eq!(text(&["\u{a0} a \n", "<b", " b", ">", "\t"]), "a b");
        assert_eq!(text(&["Fine ", "<em", "b", ">", "ait"]), "Fine bait");
    }

    #[test]
    fn leaves_out_what_nobody_sees() {
        assert_eq!(text(&["a", "<script", "x()", ">", "<style", "p{}", ">", "<noscript", "<p", "n", ">", ">", "b"]), "ab");
        assert_eq!(text(&["in\u{200b}vi\u{202e}si\u{e0041}ble\u{1}"]), "invisible");
    }

    #[test]
    fn walks_deep_and_wide_trees_once() {
        let mut parts = alloc::vec!["<p"; 200_000];
        parts.push("x");
        assert_eq!(text(&parts), "x");
        let mut parts = Vec::new();
        for _ in 0..50_000 {
            parts.extend(["<span", "<i", "x", ">", " ", ">"]);
        }
        assert_eq!(text(&parts).len(), 99_999);
    }

    #[test]
    fn keeps_joiners_that_shape_what_is_around_them() {
        for kept in ["می\u{200c}خواهم", "👩\u{200d}👩\u{200d}👧", "क्\u{200d}ष"] {
            assert_eq!(visible(kept), kept);
        }
        assert_eq!(visible("a\u{200d}b\u{200c}"), "ab");
        assert_eq!(visible("م\u{200c}\u{200d}\u{200c}م"), "م\u{200c}م");
    }

    #[test]
    fn finds_parts_as_the_standard_library_does() {
        for (text, part) in [("a://b://c", "://"), ("aab", "ab"), ("ab", "abc"), ("", ""), ("héhé", "hé"), ("a", ""), ("xyz", "z")] {
            assert_eq!(find(text, part), text.find(part), "{text} {part}");
            if !part.is_empty() {
                assert_eq!(split_once(text, part), text.split_once(part), "{text} {part}");
                assert_eq!(rsplit_once(text, part), text.rsplit_once(part), "{text} {part}");
                assert_eq!(replace(text, part, "-"), text.replace(part, "-"), "{text} {part}");
            }
        }
        let words = |length: u32| {
            (0..1 << length).map(move |bits| (0..length).map(|at| if bits >> at & 1 == 1 { 'a' } else { 'b' }).collect::<String>())
        };
        for text in (0..9).flat_map(words) {
            for part in (0..6).flat_map(words) {
                assert_eq!(find(&text, &part), text.find(&part), "{text} {part}");
            }
        }
        let long = "a".repeat(200_000);
        assert_eq!(find(&long, &[&long[..100_000], "b"].concat()), None);
    }

    #[test]
    fn knows_the_small_forms_of_letters() {
        let scripts = [
            '\0'..='\u{17f}',
            '\u{18e}'..='\u{190}',
            '\u{1cd}'..='\u{1dc}',
            'Ά'..='\u{3ef}',
            'Ѐ'..='\u{587}',
            '\u{1e00}'..='\u{1eff}',
            'Ａ'..='Ｚ',
        ];
        for large in scripts.into_iter().flatten().filter(|letter| letter.is_uppercase() || !letter.is_alphabetic()) {
            assert_eq!(Some(lower(large)), large.to_lowercase().next(), "{large} U+{:x}", large as u32);
        }
        assert_eq!(lowered("ΟΔΥΣΣΕΎΣ"), lowered("Οδυσσεύς"));
    }

    #[test]
    fn makes_text_of_markup() {
        for (markup, expected) in [
            ("<p>One<br/>two</p><p>Tom &amp; <b>Jerry</b></p>", "One\ntwo\nTom & Jerry"),
            ("<ul>\n<li>a</li>\n <li class=\"x>y\">b</li></ul>", "a\nb"),
            ("1. Mix.\r\n\r\n  2. Bake. ", "1. Mix.\n2. Bake."),
            ("a < b, List<String> and 1 <3 > 2", "a < b, List<String> and 1 <3 > 2"),
            ("x<!-- no --><script>if (a<b) {}</script>y", "xy"),
            ("cut <a href=\"https://a.exam", "cut"),
            ("&lt;p&gt;R&amp;D&lt;/p&gt;", "R&D"),
            ("the &lt;b&gt; tag", "the <b> tag"),
            ("Cr&egrave;me &#8217;n&#39; &#xe9; &#146; &nbsp; &AMP; &unknown; &", "Crème ’n' é ’ &AMP; &unknown; &"),
            ("&amp;eacute;", "&eacute;"),
            ("a\u{a0}\u{200b} b", "a b"),
            ("", ""),
        ] {
            assert_eq!(plain(markup), expected, "{markup}");
        }
    }

    #[test]
    fn reads_hostile_markup_in_one_pass() {
        for part in ["<b ", "<b '>", "<!--", "<script>", "</script", "&", "&#", "<a =\""] {
            assert!(plain(&["<script>", &part.repeat(200_000)].concat()).len() <= part.len() * 200_000, "{part}");
            assert!(plain(&part.repeat(200_000)).len() <= part.len() * 200_000, "{part}");
        }
    }
}
