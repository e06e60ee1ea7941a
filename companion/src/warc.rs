//! Reads web archives (WARC, ISO 28500), record by record, plain or with gzip members. Every fault costs one record.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

use crate::fetch::MAX_BYTES;

/// Bytes of a record that are kept: a page as large as one that is fetched, with the head of its answer. Larger ones are read past.
pub const MAX_RECORD: usize = MAX_BYTES + MAX_HEAD;
/// Bytes of a head, of the record or of the answer in it; browsers take 256 KB of the latter, archives are tidier.
const MAX_HEAD: usize = 65_536;
/// Fields of a head.
const MAX_FIELDS: usize = 128;
/// What the next record begins with, on a line of its own.
const NEXT: &[u8] = b"\nWARC/1.";
/// What is wrong with a record that reaches into the next.
const TOO_LONG: &str = "The record's Content-Length reaches into the next record, which is read nevertheless.";
/// Content codings of one page; more than two are a mistake, or meant to keep us busy.
const MAX_CODINGS: usize = 3;
/// Bytes that are read at once of what is packed with brotli.
const BUFFER: usize = 8_192;
/// What a gzip member begins with: its mark, and deflate.
const MEMBER: &[u8] = &[0x1f, 0x8b, 0x08];

/// A page that somebody saved.
pub struct Saved {
    /// What was asked for.
    pub url: String,
    /// As in `WARC-Date`.
    pub date: Option<String>,
    /// Of the answer, without parameters; empty if it gave none.
    pub content_type: String,
    /// Of the answer.
    pub charset: Option<String>,
    /// Decoded from whatever it was transferred in.
    pub body: Vec<u8>,
}

/// What a record is.
pub enum Record {
    /// An answer or a resource that may be a page.
    Page(Saved),
    /// A request, an image, an answer that is an error, …
    Other,
}

/// What is wrong with a record; the next one can be read.
pub struct Fault {
    /// `malformed_record`, `too_large` or `unreadable`.
    pub code: &'static str,
    /// Whose record it was, if its head says so.
    pub url: Option<String>,
    /// In words.
    pub message: String,
}

fn fault(code: &'static str, message: impl Into<String>) -> Fault {
    Fault { code, url: None, message: message.into() }
}

/// The content of gzip members in a row. What is no member is skipped, with one error.
struct Members<R> {
    state: Member<R>,
}

/// The mark was read to find the member, and is read again by the decoder.
type Marked<R> = io::Chain<&'static [u8], R>;

enum Member<R> {
    Between(R),
    Inside(Box<GzDecoder<Marked<R>>>),
    Over,
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, Member::Over) {
                Member::Over => return Ok(0),
                Member::Between(mut input) => {
                    let (found, skipped) = seek_member(&mut input)?;
                    if found {
                        self.state = Member::Inside(Box::new(GzDecoder::new(MEMBER.chain(input))));
                    }
                    if skipped {
                        let message = "Between two gzip members, or after the last, is something that is none.";
                        return Err(io::Error::new(BETWEEN, message));
                    }
                }
                Member::Inside(mut member) => match member.read(buffer) {
                    Ok(0) if !buffer.is_empty() => self.state = Member::Between(member.into_inner().into_inner().1),
                    Ok(read) => {
                        self.state = Member::Inside(member);
                        return Ok(read);
                    }
                    Err(error) => {
                        self.state = Member::Between(member.into_inner().into_inner().1);
                        return Err(broken(&format!("A gzip member is broken ({error}).")));
                    }
                },
            }
        }
    }
}

/// The kind of error that is no fault of the member before it.
const BETWEEN: io::ErrorKind = io::ErrorKind::InvalidInput;

/// Of what was read; a fault of the machine is of another kind, and ends the archive.
fn broken(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Reads on until behind the mark of a gzip member: whether there is one, and whether anything but padding was skipped.
fn seek_member(input: &mut impl BufRead) -> io::Result<(bool, bool)> {
    let (mut matched, mut skipped) = (0, false);
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok((false, skipped || matched > 0));
        }
        let mut used = 0;
        for byte in buffer {
            used += 1;
            if MEMBER.get(matched) == Some(byte) {
                matched += 1;
                if matched == MEMBER.len() {
                    input.consume(used);
                    return Ok((true, skipped));
                }
            } else {
                skipped |= matched > 0 || *byte != 0;
                matched = usize::from(*byte == 0x1f);
            }
        }
        input.consume(used);
    }
}

/// An input that takes back what was read too far.
struct Input<'r> {
    /// Comes before the rest, from `at` on.
    back: Vec<u8>,
    at: usize,
    rest: Box<dyn BufRead + 'r>,
}

impl Input<'_> {
    fn take_back(&mut self, read: &[u8]) {
        self.back = [read, self.back.get(self.at..).unwrap_or_default()].concat();
        self.at = 0;
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.back.get(self.at..) {
            Some(back) if !back.is_empty() => Ok(back),
            _ => self.rest.fill_buf(),
        }
    }

    fn consume(&mut self, used: usize) {
        if self.at < self.back.len() {
            self.at += used;
            if self.at >= self.back.len() {
                (self.back, self.at) = (Vec::new(), 0);
            }
        } else {
            self.rest.consume(used);
        }
    }
}

/// The records of an archive.
pub struct Archive<'r> {
    input: Input<'r>,
    /// How many records were begun.
    pub number: u64,
    /// The last one ended where it did not say: what comes is searched for the next.
    lost: bool,
    /// The machine cannot read on.
    over: bool,
    /// Found behind a record that is sound; told with the next.
    pending: Option<Fault>,
}

/// What an input begins with.
#[derive(PartialEq, Eq, Debug, Clone, Copy)]
pub enum Start {
    /// An archive with gzip members.
    Gzip,
    /// An archive as it is.
    Plain,
    /// Something else.
    Other,
}

/// Bytes that tell them apart.
pub const MARK: u64 = 5;

impl Start {
    /// What begins with these bytes.
    pub fn of(bytes: &[u8]) -> Start {
        match bytes {
            _ if bytes.starts_with(MEMBER) => Start::Gzip,
            _ if bytes.starts_with(b"WARC/") => Start::Plain,
            _ => Start::Other,
        }
    }
}

impl<'r> Archive<'r> {
    /// Nothing is read yet.
    pub fn new(input: impl BufRead + 'r, start: Start) -> Archive<'r> {
        let rest: Box<dyn BufRead + 'r> =
            if start == Start::Gzip { Box::new(BufReader::new(Members { state: Member::Between(input) })) } else { Box::new(input) };
        Archive { input: Input { back: Vec::new(), at: 0, rest }, number: 0, lost: false, over: false, pending: None }
    }

    /// A line without its end, of at most `MAX_HEAD` bytes; the rest of a longer one comes as the next.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let read = (&mut self.input).take(MAX_HEAD as u64).read_until(b'\n', &mut line)?;
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok((read > 0).then_some(line))
    }

    /// Goes over the lines that end a record, and looks at what follows: only then a member's sum has been checked.
    /// Whether a record can end here.
    fn finish(&mut self) -> io::Result<bool> {
        let mut ends = false;
        for _ in 0..5 {
            match self.input.fill_buf()?.first() {
                Some(b'\r' | b'\n') => ends = true,
                // Some writers leave the empty lines out.
                Some(b'W') | None => return Ok(true),
                Some(_) => return Ok(ends),
            }
            self.input.consume(1);
        }
        Ok(ends)
    }

    /// Whether the last bytes of a record that ends nowhere are the next one, which is then read as such.
    fn reaches_into_next(&mut self, body: &[u8]) -> bool {
        let tail = body.get(body.len().saturating_sub(MAX_HEAD)..).unwrap_or_default();
        let next = tail.windows(NEXT.len()).position(|bytes| bytes == NEXT);
        // Or as much of its first line as there is.
        let begun = || (2..NEXT.len()).rev().find(|length| tail.ends_with(NEXT.get(..*length).unwrap_or_default()));
        let next = next.or_else(|| begun().map(|length| tail.len() - length)).and_then(|at| tail.get(at + 1..));
        if let Some(next) = next {
            self.lost = true;
            self.input.take_back(next);
        }
        next.is_some()
    }

    /// What is broken is behind the reader now.
    fn unreadable(&mut self, error: &io::Error) -> Fault {
        self.lost = true;
        self.over = !matches!(error.kind(), io::ErrorKind::InvalidData | BETWEEN);
        fault("unreadable", error.to_string())
    }

    /// The head of the next record, with its first line.
    fn head(&mut self) -> Result<Option<(String, Vec<u8>)>, Fault> {
        if let Some(fault) = self.pending.take() {
            return Err(fault);
        }
        if self.over {
            return Ok(None);
        }
        loop {
            let line = match self.line() {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(None),
                Err(error) => return Err(self.unreadable(&error)),
            };
            if line.starts_with(b"WARC/") && line.len() < 32 {
                self.number += 1;
                self.lost = false;
                let mut head = Vec::new();
                loop {
                    match self.line() {
                        Ok(Some(field)) if field.is_empty() => {
                            head.extend_from_slice(b"\r\n");
                            return Ok(Some((String::from_utf8_lossy(&line).into_owned(), head)));
                        }
                        Ok(Some(field)) if head.len() + field.len() < MAX_HEAD => {
                            head.extend_from_slice(&field);
                            head.extend_from_slice(b"\r\n");
                        }
                        Ok(Some(_)) => {
                            self.lost = true;
                            return Err(fault("too_large", format!("The head of the record is larger than {MAX_HEAD} bytes.")));
                        }
                        Ok(None) => return Err(fault("malformed_record", "The archive ends within the head of a record.")),
                        Err(error) => return Err(self.unreadable(&error)),
                    }
                }
            }
            if !line.is_empty() && !self.lost {
                self.lost = true;
                return Err(fault(
                    "malformed_record",
                    "After the record comes what is no record; its Content-Length may be wrong. Skipped to the next one.",
                ));
            }
        }
    }

    /// The next record; nothing at the end.
    pub fn next(&mut self) -> Result<Option<Record>, Fault> {
        let Some((version, head)) = self.head()? else { return Ok(None) };
        let malformed = |message: String| fault("malformed_record", message);
        let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
        let Ok(httparse::Status::Complete((_, fields))) = httparse::parse_headers(&head, &mut fields) else {
            self.lost = true;
            return Err(malformed(format!("The head of the record ({version}) cannot be read.")));
        };
        let field = |name: &str| field_of(fields, name);
        let url = field("WARC-Target-URI").map(|url| url.trim_start_matches('<').trim_end_matches('>').to_owned());
        let Some(length) = field("Content-Length").and_then(|length| length.parse::<u64>().ok()) else {
            self.lost = true;
            return Err(Fault { url, ..malformed("The record has no Content-Length that is a number.".to_owned()) });
        };
        let kind = field("WARC-Type").unwrap_or_default().to_ascii_lowercase();
        let of_http = field("Content-Type").is_some_and(|value| value.to_ascii_lowercase().starts_with("application/http"));
        let wanted = (kind == "response" && of_http) || kind == "resource";
        let keep = wanted && length <= MAX_RECORD as u64;
        let mut body = Vec::new();
        let mut content = (&mut self.input).take(length);
        let read = if keep { content.read_to_end(&mut body).map(|read| read as u64) } else { io::copy(&mut content, &mut io::sink()) };
        match read {
            Ok(read) if read < length => {
                if self.reaches_into_next(&body) {
                    return Err(Fault { url, ..malformed(TOO_LONG.to_owned()) });
                }
                return Err(Fault { url, ..malformed(format!("The archive ends after {read} of the record's {length} bytes.")) });
            }
            Ok(_) => {}
            Err(error) => return Err(Fault { url, ..self.unreadable(&error) }),
        }
        let ends = self.finish();
        if let Ok(false) = ends {
            if self.reaches_into_next(&body) {
                return Err(Fault { url, ..malformed(TOO_LONG.to_owned()) });
            }
            self.lost = true;
            return Err(Fault { url, ..malformed("The record goes on behind its end: its Content-Length is wrong.".to_owned()) });
        }
        if let Err(error) = ends {
            let fault = self.unreadable(&error);
            if error.kind() != BETWEEN {
                return Err(Fault { url, ..fault });
            }
            self.pending = Some(fault);
        }
        if !wanted {
            return Ok(Some(Record::Other));
        }
        let Some(url) = url else { return Err(malformed("The record does not say whose it is (WARC-Target-URI).".to_owned())) };
        if !keep {
            let message = format!("The record has {length} bytes; more than {MAX_RECORD} are not read.");
            return Err(Fault { url: Some(url), ..fault("too_large", message) });
        }
        let date = field("WARC-Date");
        let page = if kind == "resource" {
            let (content_type, charset) = crate::fetch::content_type(&field("Content-Type").unwrap_or_default());
            Ok(Some((content_type, charset, body)))
        } else {
            answer(&body)
        };
        match page {
            Ok(Some((content_type, charset, body))) => Ok(Some(Record::Page(Saved { url, date, content_type, charset, body }))),
            Ok(None) => Ok(Some(Record::Other)),
            Err(problem) => Err(Fault { url: Some(url), ..problem }),
        }
    }
}

fn field_of(fields: &[httparse::Header<'_>], name: &str) -> Option<String> {
    let found = fields.iter().find(|field| field.name.eq_ignore_ascii_case(name))?;
    Some(String::from_utf8_lossy(found.value).trim().to_owned())
}

type Content = (String, Option<String>, Vec<u8>);

/// The content of an HTTP answer; nothing if it is an error or a redirect.
fn answer(message: &[u8]) -> Result<Option<Content>, Fault> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    // What servers send and browsers take.
    let mut config = httparse::ParserConfig::default();
    config.allow_spaces_after_header_name_in_responses(true).ignore_invalid_headers_in_responses(true);
    let end = match config.parse_response(&mut response, message) {
        Ok(httparse::Status::Complete(end)) => end,
        _ => return Err(fault("malformed_record", "The head of the HTTP answer in the record cannot be read.")),
    };
    if !response.code.is_some_and(|code| (200..300).contains(&code)) {
        return Ok(None);
    }
    let field = |name: &str| field_of(response.headers, name);
    let (kind, charset) = crate::fetch::content_type(&field("Content-Type").unwrap_or_default());
    if !may_be_page(&kind) {
        return Ok(None);
    }
    let mut body = message.get(end..).unwrap_or_default().to_vec();
    let lists = |name: &str, coding: &str| field(name).is_some_and(|value| value.to_ascii_lowercase().contains(coding));
    if lists("Transfer-Encoding", "chunked") {
        // Many archives keep the header and not the chunks.
        body = chunks(&body).unwrap_or(body);
    }
    let body = unpacked(body, &field("Content-Encoding").unwrap_or_default())?;
    Ok(Some((kind, charset, body)))
}

/// A body without the content codings that its header names.
pub fn unpacked(mut body: Vec<u8>, codings: &str) -> Result<Vec<u8>, Fault> {
    let codings = codings.to_ascii_lowercase();
    // The last one was put on last.
    for coding in codings.rsplit(',').map(str::trim).filter(|coding| !coding.is_empty() && *coding != "identity").take(MAX_CODINGS) {
        body = uncoded(body, coding)?;
    }
    if body.len() > MAX_BYTES {
        return Err(fault("too_large", format!("The page is larger than {MAX_BYTES} bytes.")));
    }
    Ok(body)
}

/// A body without its content coding. Many archives keep the header and not the coding: what is text already stays.
fn uncoded(body: Vec<u8>, coding: &str) -> Result<Vec<u8>, Fault> {
    let whole = |input: &mut dyn Read| {
        let mut whole = Vec::new();
        input.take(MAX_BYTES as u64 + 1).read_to_end(&mut whole).map(|_| whole)
    };
    let given = body.as_slice();
    let start = given.get(..given.len().min(64)).unwrap_or_default();
    let read = match coding {
        _ if start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start().first() == Some(&b'<') => return Ok(body),
        "gzip" | "x-gzip" => whole(&mut GzDecoder::new(given)),
        // Meant to be in zlib's wrapping; some servers leave that away.
        "deflate" => whole(&mut ZlibDecoder::new(given)).or_else(|_| whole(&mut DeflateDecoder::new(given))),
        "br" => whole(&mut brotli_decompressor::Decompressor::new(given, BUFFER)),
        _ => Err(io::Error::new(io::ErrorKind::Unsupported, "it is not read here")),
    };
    match read {
        Ok(read) => Ok(read),
        // What is compressed is no UTF-8.
        Err(_) if !given.starts_with(MEMBER) && std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true) => {
            Ok(body)
        }
        Err(error) => {
            let code = if error.kind() == io::ErrorKind::Unsupported { "unreadable" } else { "malformed_record" };
            Err(fault(code, format!("The page is in Content-Encoding {coding}, and cannot be unpacked: {error}.")))
        }
    }
}

/// A page says that it is one, or says nothing.
pub fn may_be_page(kind: &str) -> bool {
    kind.is_empty() || kind == "text/html" || kind == "application/xhtml+xml"
}

/// The content of an HTTP body in chunks (RFC 9112, 7.1).
fn chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let httparse::Status::Complete((start, size)) = httparse::parse_chunk_size(rest).ok()? else { return None };
        if size == 0 {
            return Some(body);
        }
        let size = usize::try_from(size).ok()?;
        let end = start.checked_add(size)?;
        body.extend_from_slice(rest.get(start..end)?);
        rest = rest.get(end..)?.strip_prefix(b"\r\n")?;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use std::io::Write;

    fn record(kind: &str, url: &str, media: &str, body: &[u8]) -> Vec<u8> {
        let mut record = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        record.extend_from_slice(body);
        record.extend_from_slice(b"\r\n\r\n");
        record
    }

    fn response(url: &str, head: &str, body: &[u8]) -> Vec<u8> {
        let message = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat();
        record("response", url, "application/http; msgtype=response", &message)
    }

    fn page(name: &str) -> Vec<u8> {
        response(&format!("https://a.example/{name}"), "200 OK\r\nContent-Type: text/html; charset=utf-8", format!("<p>{name}").as_bytes())
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    /// Bodies of pages, `-` for other records, codes of faults.
    fn read(bytes: &[u8], buffer: usize) -> Vec<String> {
        let mut archive = Archive::new(BufReader::with_capacity(buffer, bytes), Start::of(bytes));
        let mut found = Vec::new();
        loop {
            assert!(found.len() < 100, "it does not end");
            match archive.next() {
                Ok(None) => return found,
                Ok(Some(Record::Page(saved))) => found.push(String::from_utf8(saved.body).unwrap()),
                Ok(Some(Record::Other)) => found.push("-".into()),
                Err(fault) => found.push(fault.code.into()),
            }
        }
    }

    #[test]
    fn plain_members_and_one_member_read_alike_whatever_the_buffer() {
        let records = [
            record("warcinfo", "", "application/warc-fields", b"software: x\r\n"),
            page("a"),
            record("request", "https://a.example/a", "application/http", b"GET / HTTP/1.1\r\n\r\n"),
            page("b"),
        ];
        let expected = ["-", "<p>a", "-", "<p>b"];
        let plain = records.concat();
        let members = records.iter().flat_map(|one| gzip(one)).collect::<Vec<u8>>();
        for buffer in 1..40 {
            for bytes in [&plain, &members, &gzip(&plain)] {
                assert_eq!(read(bytes, buffer), expected, "a buffer of {buffer} bytes");
            }
        }
    }

    #[test]
    fn a_fault_costs_its_record() {
        let broken = |mut bytes: Vec<u8>| {
            let middle = bytes.len() / 2;
            bytes[middle..middle + 8].fill(0xff);
            bytes
        };
        let cut = |bytes: Vec<u8>| bytes[..bytes.len() - 12].to_vec();
        let no_length = b"WARC/1.0\r\nWARC-Type: response\r\n\r\nsomething\r\n\r\n".to_vec();
        let no_url = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 2\r\n\r\nab\r\n\r\n".to_vec();
        let no_head = b"WARC/1.0\r\nno colon\r\n\r\n\r\n\r\n".to_vec();
        let short = {
            let whole = String::from_utf8(page("x")).unwrap();
            let length: usize = whole.split("Content-Length: ").nth(1).unwrap().split("\r\n").next().unwrap().parse().unwrap();
            whole.replace(&format!("Content-Length: {length}"), &format!("Content-Length: {}", length - 1)).into_bytes()
        };
        let long_head = format!("WARC/1.0\r\nX: {}\r\n\r\n", "x".repeat(MAX_HEAD * 2)).into_bytes();
        let no_answer = record("response", "https://a.example/", "application/http", b"\x00\x01");
        let lone = "malformed_record";
        for (what, bytes, expected) in [
            ("length", no_length, vec![lone]),
            ("address", no_url, vec![lone]),
            ("head", no_head, vec![lone]),
            ("too short", short, vec![lone]),
            ("long head", long_head, vec!["too_large"]),
            ("answer", no_answer, vec![lone]),
            (
                "gzip in the page",
                response("https://a.example/", "200 OK\r\nContent-Encoding: gzip", &broken(gzip(b"<p>long enough to break it"))),
                vec![lone],
            ),
        ] {
            let around = [&["<p>a"], expected.as_slice(), &["<p>b"]].concat();
            assert_eq!(read(&[page("a"), bytes.clone(), page("b")].concat(), 64), around, "{what}, plain");
            assert_eq!(read(&[gzip(&page("a")), gzip(&bytes), gzip(&page("b"))].concat(), 64), around, "{what}, members");
        }
        for (what, middle) in
            [("broken", broken(gzip(&page("x")))), ("no member", b"something else".to_vec()), ("cut", cut(gzip(&page("x"))))]
        {
            let found = read(&[gzip(&page("a")), middle, gzip(&page("lost")), gzip(&page("b"))].concat(), 64);
            assert!(found.first().unwrap() == "<p>a" && found.last().unwrap() == "<p>b", "{what}: {found:?}");
            assert!(found.iter().any(|one| one == "unreadable"), "{what}: {found:?}");
            // Nothing of what is broken is taken for a page.
            let known = |one: &String| ["<p>a", "<p>lost", "<p>b", "unreadable", "malformed_record"].contains(&one.as_str());
            assert!(found.iter().all(known), "{what}: {found:?}");
        }
        let longer = |by: usize| {
            let text = String::from_utf8(page("x")).unwrap();
            let (head, rest) = text.split_once("Content-Length: ").unwrap();
            let (length, rest) = rest.split_once('\r').unwrap();
            format!("{head}Content-Length: {}\r{rest}", length.parse::<usize>().unwrap() + by).into_bytes()
        };
        // Into the next one's head, behind its end, and behind the archive's.
        for by in [8, 60, page("b").len() + 20, 100_000] {
            assert_eq!(read(&[page("a"), longer(by), page("b"), page("c")].concat(), 64), ["<p>a", lone, "<p>b", "<p>c"], "{by}");
            let members = [gzip(&page("a")), gzip(&longer(by)), gzip(&page("b")), gzip(&page("c"))];
            assert_eq!(read(&members.concat(), 64), ["<p>a", lone, "<p>b", "<p>c"], "{by}, members");
        }
        assert_eq!(read(&longer(10), 64), [lone]);
        assert_eq!(read(&[gzip(&page("a")), cut(gzip(&page("b")))].concat(), 64), ["<p>a", "unreadable"]);
        assert_eq!(read(&[page("a"), cut(page("b"))].concat(), 64), ["<p>a", "malformed_record"]);
    }

    #[test]
    fn a_record_that_is_too_large_is_read_past() {
        let large = response("https://a.example/", "200 OK", &vec![b'x'; MAX_RECORD]);
        assert_eq!(read(&[gzip(&large), gzip(&page("b"))].concat(), 8192), ["too_large", "<p>b"]);
        // Not large itself, but what it is packed in.
        let packed = response("https://a.example/", "200 OK\r\nContent-Encoding: gzip", &gzip(&vec![b'x'; MAX_BYTES + 1]));
        assert_eq!(read(&[packed, page("b")].concat(), 8192), ["too_large", "<p>b"]);
    }

    #[test]
    fn answers_are_unpacked_and_what_is_no_page_is_left() {
        let whole = |head: &str, body: &[u8]| read(&response("https://a.example/", head, body), 512);
        assert_eq!(whole("200 OK\r\nTransfer-Encoding: chunked", b"3\r\n<p>\r\n2;x=y\r\nab\r\n0\r\n\r\n"), ["<p>ab"]);
        assert_eq!(whole("200 OK\r\nTransfer-Encoding: chunked", b"<p>kept without"), ["<p>kept without"]);
        assert_eq!(whole("200 OK\r\nContent-Encoding: gzip", &gzip(b"<p>ab")), ["<p>ab"]);
        assert_eq!(whole("200 OK\r\nContent-Encoding: gzip", b"<p>kept without"), ["<p>kept without"]);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(b"<p>ab").unwrap();
        let zlib = zlib.finish().unwrap();
        assert_eq!(whole("200 OK\r\nContent-Encoding: deflate", &zlib), ["<p>ab"]);
        // Without zlib's two bytes before and four behind.
        assert_eq!(whole("200 OK\r\nContent-Encoding: deflate", &zlib[2..zlib.len() - 4]), ["<p>ab"]);
        // An uncompressed block of brotli (RFC 7932, 9.2), and the end.
        let brotli = b"\x0b\x02\x80<p>ab\x03";
        assert_eq!(whole("200 OK\r\nContent-Encoding: br", brotli), ["<p>ab"]);
        assert_eq!(whole("200 OK\r\nContent-Encoding: br", b"  <p>kept without"), ["  <p>kept without"]);
        assert_eq!(whole("200 OK\r\nContent-Encoding: br", b"kept without"), ["kept without"]);
        assert_eq!(whole("200 OK\r\nContent-Encoding: br", b"\xff\xfe\xfd"), ["malformed_record"]);
        assert_eq!(whole("200 OK\r\nContent-Encoding: deflate", &zlib[..zlib.len() / 2]), ["malformed_record"]);
        assert_eq!(whole("200 OK\r\nContent-Encoding: gzip", b"\xff\xfe\xfd"), ["malformed_record"]);
        assert_eq!(whole("200 OK\r\nContent-Encoding: zstd", b"\x28\xb5\x2f\xfd"), ["unreadable"]);
        // One in another, as two proxies make it.
        assert_eq!(whole("200 OK\r\nContent-Encoding: deflate, gzip", &gzip(&zlib)), ["<p>ab"]);
        assert_eq!(whole("404 Not Found", b"<p>"), ["-"]);
        assert_eq!(whole("301 Moved\r\nLocation: /", b""), ["-"]);
        assert_eq!(whole("200 OK\r\nContent-Type: image/png", b"x"), ["-"]);
        assert_eq!(read(&record("resource", "<https://a.example/>", "text/html", b"<p>r"), 512), ["<p>r"]);
    }
}
