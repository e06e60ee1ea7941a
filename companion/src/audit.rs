//! A line for each call: who called what, and what came of it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::facade::refusal;
use crate::home;
use crate::mcp::{Answer, Boxed, Caller, Change, Provider};

/// Bytes of the file; then it is put aside.
const MAX_FILE: u64 = 10_000_000;
/// Files that were put aside and are kept.
const KEPT: u32 = 3;
/// Bytes of arguments that are written down.
const MAX_ARGUMENTS: usize = 10_000;

/// The file of calls.
pub struct Audit {
    path: PathBuf,
    open: Mutex<Option<(File, u64)>>,
    /// Arguments as they are, instead of what the token makes of them.
    arguments: bool,
    key: String,
}

/// What is written of a call.
pub struct Entry<'e> {
    /// `mcp` or `http`.
    pub via: &'e str,
    /// The facade's session and request.
    pub request: Option<(&'e str, &'e str)>,
    /// The tool.
    pub tool: &'e str,
    /// Its input.
    pub input: &'e Value,
    /// `ok`, or the error's code.
    pub code: &'e str,
    /// Since when.
    pub since: Instant,
}

impl Audit {
    /// Opens the file, for its owner only.
    pub fn new(path: PathBuf, arguments: bool, key: String) -> Result<Audit, String> {
        let open = open(&path)?;
        Ok(Audit { path, open: Mutex::new(Some(open)), arguments, key })
    }

    /// Writes a line.
    pub fn write(&self, entry: &Entry) {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
        let mut line = json!({ "at": at, "via": entry.via, "tool": entry.tool, "code": entry.code, "ms": entry.since.elapsed().as_secs_f64() * 1000.0 });
        let Some(fields) = line.as_object_mut() else { return };
        if let Some((session, request)) = entry.request {
            fields.insert("session_id".into(), session.into());
            fields.insert("request_id".into(), request.into());
        }
        let input = entry.input.to_string();
        if self.arguments && input.len() <= MAX_ARGUMENTS {
            fields.insert("arguments".into(), entry.input.clone());
        } else {
            // With the token as key: short arguments cannot be guessed from it.
            fields.insert("arguments_hmac".into(), home::proof(&self.key, &input).into());
        }
        let line = format!("{line}\n");
        let Ok(mut file) = self.open.lock() else { return };
        if let Err(problem) = self.append(&mut file, &line)
            && file.take().is_some()
        {
            eprintln!("toolmark: {problem} Calls go on without being written down until it can be.");
        }
    }

    fn append(&self, file: &mut Option<(File, u64)>, line: &str) -> Result<(), String> {
        if file.as_ref().is_some_and(|(_, length)| *length > 0 && length + line.len() as u64 > MAX_FILE) {
            *file = None;
            for number in (0..KEPT).rev() {
                // The first time there is no second one.
                let _ = std::fs::rename(aside(&self.path, number), aside(&self.path, number + 1));
            }
        }
        if file.is_none() {
            *file = Some(open(&self.path)?);
        }
        let Some((file, length)) = file.as_mut() else { return Ok(()) };
        file.write_all(line.as_bytes()).map_err(|error| format!("'{}' cannot be written: {error}.", self.path.display()))?;
        *length += line.len() as u64;
        Ok(())
    }
}

/// The file, or the one that was put aside so many times.
fn aside(path: &Path, number: u32) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

fn open(path: &Path) -> Result<(File, u64), String> {
    let problem = |error: std::io::Error| format!("'{}' cannot be opened: {error}.", path.display());
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(problem)?;
    let length = file.metadata().map_err(problem)?.len();
    Ok((file, length))
}

/// The same provider, with each of its calls written down.
pub struct Audited {
    /// Who answers.
    pub provider: Arc<dyn Provider>,
    /// Where it is written.
    pub audit: Arc<Audit>,
}

impl Provider for Audited {
    fn instructions(&self) -> String {
        self.provider.instructions()
    }
    fn tools(&self) -> Boxed<'_, Vec<Value>> {
        self.provider.tools()
    }
    fn call<'a>(&'a self, tool: &'a str, input: Value, caller: &'a Caller) -> Boxed<'a, Answer> {
        Box::pin(async move {
            let (since, told) = (Instant::now(), input.clone());
            let result = self.provider.call(tool, input, caller).await.into_result();
            let code = refusal(&result).map_or_else(|| "ok".to_owned(), |refusal| refusal.code);
            self.audit.write(&Entry { via: "mcp", request: None, tool, input: &told, code: &code, since });
            Answer::Result(result)
        })
    }
    fn resources(&self) -> Boxed<'_, Vec<Value>> {
        self.provider.resources()
    }
    fn templates(&self) -> Vec<Value> {
        self.provider.templates()
    }
    fn read<'a>(&'a self, uri: &'a str) -> Boxed<'a, Result<Value, String>> {
        self.provider.read(uri)
    }
    fn prompts(&self) -> Boxed<'_, Vec<Value>> {
        self.provider.prompts()
    }
    fn prompt<'a>(&'a self, name: &'a str, input: Value) -> Boxed<'a, Result<Value, String>> {
        self.provider.prompt(name, input)
    }
    fn changes(&self) -> broadcast::Receiver<Change> {
        self.provider.changes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap_or(Value::Null)).collect()
    }

    #[test]
    fn calls_are_written_down_and_the_file_is_put_aside() -> Result<(), String> {
        let folder = std::env::temp_dir().join(format!("toolmark-audit-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let path = folder.join("calls.jsonl");
        let input = json!({ "query": "secret" });
        let entry = || Entry { via: "http", request: Some(("s", "r")), tool: "search", input: &input, code: "ok", since: Instant::now() };
        let hashed = Audit::new(path.clone(), false, "key".to_owned())?;
        hashed.write(&entry());
        let line = lines(&path).pop().unwrap_or_default();
        assert!(!line.to_string().contains("secret"), "{line}");
        assert_eq!(line.get("arguments_hmac"), Some(&home::proof("key", &input.to_string()).into()));
        assert_eq!(line.get("request_id"), Some(&"r".into()));
        drop(hashed);
        File::options().write(true).open(&path).and_then(|file| file.set_len(MAX_FILE)).map_err(|error| error.to_string())?;
        Audit::new(path.clone(), true, "key".to_owned())?.write(&entry());
        assert_eq!(lines(&path).len(), 1, "a new file is begun");
        assert_eq!(lines(&path).pop().unwrap_or_default().get("arguments"), Some(&input));
        assert_eq!(std::fs::metadata(aside(&path, 1)).map(|data| data.len()).ok(), Some(MAX_FILE));
        std::fs::remove_dir_all(folder).map_err(|error| error.to_string())
    }
}
