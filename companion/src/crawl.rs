//! `toolmark crawl`: many pages, one JSON line for each. It keeps nothing between pages, so that an engine can run as many of it as it likes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, StdoutLock, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use serde_json::Value;
use toolmark::graph;
use toolmark::json::Writer;

use crate::fetch::{self, Fetcher};
use crate::inspect;
use crate::page::{Choices, Page, failure};
use crate::warc::{self, Archive, Fault, Record, Saved, Start};

/// Bytes of a line of the list: an address or a path.
const MAX_LINE: u64 = 16_384;
/// Bytes of a line that is written: a page whose things contain each other many times over is told of, not written.
const MAX_OUTPUT: usize = 32_000_000;

/// `toolmark crawl`.
pub async fn run(sources: Vec<String>, quiet: bool, choices: &Choices, fetcher: &Fetcher) -> Result<ExitCode, String> {
    let mut crawl = Crawl { out: BufWriter::new(io::stdout().lock()), choices, fetcher, pages: 0, errors: 0, others: 0 };
    let done = if sources.is_empty() { crawl.input().await } else { crawl.sources(sources).await };
    let done = done.and_then(|()| crawl.out.flush());
    if !quiet {
        eprintln!("toolmark: {} pages, {} errors, {} records that are no pages.", crawl.pages, crawl.errors, crawl.others);
    }
    match done {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(format!("The lines cannot be written: {error}. Stopped after {} pages.", crawl.pages)),
    }
}

struct Crawl<'c> {
    out: BufWriter<StdoutLock<'c>>,
    choices: &'c Choices,
    fetcher: &'c Fetcher,
    pages: u64,
    errors: u64,
    others: u64,
}

/// Only writing can fail: whatever is wrong with what is read becomes a line.
type Written = io::Result<()>;

impl Crawl<'_> {
    async fn input(&mut self) -> Written {
        let mut input = BufReader::new(io::stdin().lock());
        let mut mark = Vec::new();
        if let Err(error) = (&mut input).take(warc::MARK).read_to_end(&mut mark) {
            return self.error(None, None, &failure("unreadable", &format!("Standard input cannot be read: {error}."), ""));
        }
        let start = Start::of(&mark);
        let input = Cursor::new(mark).chain(input);
        if start == Start::Other { self.list(input).await } else { self.archive(input, start, None) }
    }

    async fn sources(&mut self, sources: Vec<String>) -> Written {
        for source in sources {
            self.source(&source).await?;
        }
        Ok(())
    }

    async fn list(&mut self, mut input: impl BufRead) -> Written {
        loop {
            let mut line = Vec::new();
            let read = (&mut input).take(MAX_LINE).read_until(b'\n', &mut line);
            let whole = line.last() == Some(&b'\n') || (line.len() as u64) < MAX_LINE;
            let problem = match read {
                Ok(0) => return Ok(()),
                Ok(_) if !whole => {
                    let rest = skip_line(&mut input);
                    rest.err().map_or_else(|| format!("A line is longer than {MAX_LINE} bytes; it was skipped."), |error| error.to_string())
                }
                Ok(_) => match std::str::from_utf8(&line).map(str::trim) {
                    Ok("") => continue,
                    Ok(source) => {
                        self.source(source).await?;
                        continue;
                    }
                    Err(_) => "A line is no UTF-8 text; it was skipped.".to_owned(),
                },
                Err(error) => {
                    return self.error(None, None, &failure("unreadable", &format!("The list cannot be read on: {error}."), ""));
                }
            };
            self.error(None, None, &failure("malformed_line", &problem, "Pass addresses or paths, one a line."))?;
        }
    }

    async fn source(&mut self, source: &str) -> Written {
        let lower = source.to_ascii_lowercase();
        if !inspect::is_address(source) && (lower.ends_with(".warc") || lower.ends_with(".warc.gz")) {
            return self.open(source);
        }
        match inspect::load(source, self.fetcher).await {
            Ok((url, text)) => self.page(&url, None, &text)?,
            Err(refusal) => self.error(Some(source), None, &refusal)?,
        }
        // The next one may be long in coming.
        self.out.flush()
    }

    fn open(&mut self, path: &str) -> Written {
        let opened = File::open(path).and_then(|file| {
            let mut input = BufReader::new(file);
            let start = Start::of(input.fill_buf()?);
            Ok((input, start))
        });
        match opened {
            Ok((_, Start::Other)) => {
                self.error(Some(path), None, &failure("malformed_record", &format!("'{path}' is no web archive."), "Pass a WARC file."))
            }
            Ok((input, start)) => self.archive(input, start, Some(path)),
            Err(error) => {
                let message = format!("'{path}' cannot be read: {error}.");
                self.error(Some(path), None, &failure("not_found", &message, "Pass the path of a web archive."))
            }
        }
    }

    fn archive(&mut self, input: impl BufRead, start: Start, path: Option<&str>) -> Written {
        let mut archive = Archive::new(input, start);
        loop {
            match archive.next() {
                Ok(None) => return Ok(()),
                Ok(Some(Record::Page(saved))) if warc::may_be_page(&saved.content_type) => self.saved(saved)?,
                Ok(Some(_)) => self.others += 1,
                Err(Fault { code, url, message }) => {
                    let refusal = failure(code, &message, "The record was skipped; fetch the page again if it is needed.");
                    self.error(url.as_deref().or(path), Some(archive.number), &refusal)?;
                }
            }
        }
    }

    fn saved(&mut self, saved: Saved) -> Written {
        let text = fetch::decode(&saved.body, saved.charset.as_deref());
        // Without a type it is a page if it looks like one.
        if saved.content_type.is_empty() && !text.trim_start().starts_with('<') {
            self.others += 1;
            return Ok(());
        }
        drop(saved.body);
        self.page(&saved.url, saved.date.as_deref(), &text)
    }

    fn page(&mut self, url: &str, date: Option<&str>, html: &str) -> Written {
        let choices = self.choices;
        // A page that breaks the core costs a line.
        let line = catch_unwind(AssertUnwindSafe(|| line(&Page::new(html, url, choices), date)));
        match line {
            Ok(line) if line.len() <= MAX_OUTPUT => {
                self.pages += 1;
                self.write(&line)
            }
            Ok(line) => {
                let message = format!("The line would have {} bytes; more than {MAX_OUTPUT} are not written.", line.len());
                self.error(Some(url), None, &failure("too_large", &message, "Read the page with 'toolmark inspect'."))
            }
            Err(_) => {
                self.error(Some(url), None, &failure("internal", "This page could not be mapped.", "Report it to the makers of Toolmark."))
            }
        }
    }

    fn error(&mut self, url: Option<&str>, record: Option<u64>, refusal: &Value) -> Written {
        self.errors += 1;
        let mut out = Writer::new();
        out.object(|out| {
            match url {
                Some(url) => out.field("url").string(url),
                None => out.field("url").raw("null"),
            }
            if let Some(record) = record {
                out.field("record").raw(&record.to_string());
            }
            out.field("error").raw(&refusal.get("error").unwrap_or(&Value::Null).to_string());
        });
        self.write(&out.into_string())
    }

    fn write(&mut self, line: &str) -> Written {
        self.out.write_all(line.as_bytes())?;
        self.out.write_all(b"\n")
    }
}

/// Reads on to the next line.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (used, over) = (end.map_or(buffer.len(), |at| at + 1), end.is_some() || buffer.is_empty());
        input.consume(used);
        if over {
            return Ok(());
        }
    }
}

/// `{url, date?, tools, entities, diagnostics}`, as the core spells them.
fn line(page: &Page, date: Option<&str>) -> String {
    let mut out = Writer::new();
    out.object(|out| {
        out.field("url").string(&page.url);
        if let Some(date) = date {
            out.field("date").string(date);
        }
        out.field("tools").array(|out| page.mapping.tools.iter().for_each(|tool| tool.write(out)));
        out.field("entities").raw(&graph::entities_json(&page.mapping.graph));
        out.field("diagnostics").array(|out| page.diagnostics().iter().for_each(|found| out.raw(&found.to_string())));
    });
    out.into_string()
}
