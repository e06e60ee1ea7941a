//! What the person allows each origin: kept beside the token, read again whenever the file changed.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::SystemTime;

use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::home;

/// The file.
const FILE: &str = "grants.json";
/// Bytes of the file at most: some ten thousand origins.
const MAX_FILE: u64 = 1_000_000;
/// Characters of an origin at most: a host name has 253.
const MAX_ORIGIN: usize = 300;

/// What an origin may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Grant {
    /// Its tools that only read may be called
    Read,
    /// All its tools may be called
    Act,
    /// Its pages are turned away
    Deny,
}

impl Grant {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Grant::Read => "read",
            Grant::Act => "act",
            Grant::Deny => "deny",
        }
    }

    /// As it is read.
    pub fn of(word: &str) -> Option<Grant> {
        [Grant::Read, Grant::Act, Grant::Deny].into_iter().find(|grant| grant.word() == word)
    }
}

/// The origin as browsers write it, or why it is none.
pub fn origin(text: &str) -> Result<String, String> {
    let wrong = || "That is no origin of pages: write it as in https://shop.example or http://localhost:3000.".to_owned();
    if text.len() > MAX_ORIGIN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(wrong());
    }
    let url = url::Url::parse(text).map_err(|_| wrong())?;
    let bare = url.path().trim_matches('/').is_empty() && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    match url.scheme() {
        "http" | "https" if bare => Ok(url.origin().ascii_serialization()),
        // An extension's pages have the origin that is their address's beginning.
        "chrome-extension" | "moz-extension" if bare => Ok(format!("{}://{}", url.scheme(), url.host_str().ok_or_else(wrong)?)),
        _ => Err(wrong()),
    }
}

/// When the file was written, and its length: another one has other ones.
type Stamp = Option<(SystemTime, u64)>;

#[derive(Default)]
struct Known {
    stamp: Stamp,
    grants: BTreeMap<String, Grant>,
    problem: Option<String>,
}

/// The grants of this person.
#[derive(Default)]
pub struct Grants {
    known: Mutex<Known>,
}

fn stamp() -> Stamp {
    let data = std::fs::metadata(home::folder().ok()?.join(FILE)).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// Only the person may have written it.
#[cfg(unix)]
fn closed_to_others() -> bool {
    use std::os::unix::fs::PermissionsExt;
    let mode = home::folder().ok().and_then(|folder| std::fs::metadata(folder.join(FILE)).ok()).map_or(0, |data| data.permissions().mode());
    mode & 0o022 == 0
}

fn load() -> Result<BTreeMap<String, Grant>, String> {
    let Some(_) = stamp() else { return Ok(BTreeMap::new()) };
    let place = home::folder()?.join(FILE);
    let refused = |why: &str| format!("'{}' {why}, so no origin has a grant. Mend or delete it.", place.display());
    #[cfg(unix)]
    if !closed_to_others() {
        return Err(refused("can be written by others"));
    }
    let text = home::read(FILE, MAX_FILE).ok_or_else(|| refused("cannot be read"))?;
    let Ok(Value::Object(fields)) = serde_json::from_str(&text) else { return Err(refused("is no JSON object")) };
    let mut grants = BTreeMap::new();
    for (name, word) in fields {
        let grant = word.as_str().and_then(Grant::of).ok_or_else(|| refused("has a grant that is not read, act or deny"))?;
        grants.insert(name, grant);
    }
    Ok(grants)
}

fn save(grants: &BTreeMap<String, Grant>) -> Result<(), String> {
    let fields: Map<String, Value> = grants.iter().map(|(origin, grant)| (origin.clone(), grant.word().into())).collect();
    home::write(FILE, format!("{:#}\n", Value::Object(fields)).as_bytes())
}

impl Grants {
    /// Looks whether the file changed; whether it did.
    pub fn look(&self) -> bool {
        let Ok(mut known) = self.known.lock() else { return false };
        let now = stamp();
        if known.stamp == now {
            return false;
        }
        known.stamp = now;
        let (grants, problem) = match load() {
            Ok(grants) => (grants, None),
            Err(problem) => (BTreeMap::new(), Some(problem)),
        };
        if let Some(problem) = problem.as_ref().filter(|problem| known.problem.as_ref() != Some(problem)) {
            eprintln!("toolmark: {problem}");
        }
        let changed = known.grants != grants;
        (known.grants, known.problem) = (grants, problem);
        changed
    }

    /// What an origin may do; nothing is known of it otherwise.
    pub fn of(&self, origin: &str) -> Option<Grant> {
        self.look();
        self.known.lock().ok()?.grants.get(origin).copied()
    }
}

/// All grants, or why they cannot be told.
pub fn list() -> Result<BTreeMap<String, Grant>, String> {
    load()
}

/// Grants something to an origin.
pub fn set(origin: &str, grant: Grant) -> Result<(), String> {
    let mut grants = load()?;
    grants.insert(origin.to_owned(), grant);
    save(&grants)
}

/// Forgets an origin; whether it was known.
pub fn revoke(origin: &str) -> Result<bool, String> {
    let mut grants = load()?;
    let known = grants.remove(origin).is_some();
    if known {
        save(&grants)?;
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn an_origin_is_what_browsers_send() {
        assert_eq!(origin("https://Shop.Example:443/").as_deref(), Ok("https://shop.example"));
        assert_eq!(origin("http://localhost:3000").as_deref(), Ok("http://localhost:3000"));
        assert_eq!(origin("http://[::1]:80").as_deref(), Ok("http://[::1]"));
        assert_eq!(origin("chrome-extension://abcdefgh").as_deref(), Ok("chrome-extension://abcdefgh"));
        for bad in [
            "null",
            "",
            "shop.example",
            "https://shop.example/page",
            "https://a@shop.example",
            "file:///x",
            "data:,x",
            "https://a b",
            "https://shop.example?x",
        ] {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }
}
