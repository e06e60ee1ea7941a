//! Gives Toolmark to pages that do not have it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::cdp::Connection;
use super::tabs::within;

/// Bytes of a script; ours has less than one million.
const MAX_SCRIPT: u64 = 20_000_000;

/// Whether a page is to be given the script, and in which form. One that has a tag of its own, or runs already, is left
/// alone, and so is what is no page that can have tools. Asked without the right to evaluate, which the page may forbid.
const WANTED: &str = r#"(() => {
  if (document[Symbol.for('toolmark.running')] || document.querySelector('script[data-toolmark], script[src*="toolmark"]')) return 'has it';
  if (!isSecureContext || !/html/.test(document.contentType)) return 'cannot have it';
  try {
    new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    return 'wasm';
  } catch {
    return 'nowasm';
  }
})()"#;

/// The script, and for which pages.
#[derive(Clone)]
pub struct Inject {
    /// None: all.
    hosts: Option<Arc<[String]>>,
    script: Arc<str>,
    /// The same for pages that forbid WebAssembly.
    nowasm: Option<Arc<str>>,
}

/// The build that is one file: a script that goes into a page as text knows of nothing beside it.
const SCRIPT: &str = "toolmark.all.js";

/// Where the script may lie: where the person says, beside the program, in the checkout that it was built in.
fn places(script: Option<&Path>) -> Vec<PathBuf> {
    if let Some(script) = script {
        let whole = (script.file_name() == Some("toolmark.js".as_ref())).then(|| script.with_file_name(SCRIPT));
        return whole.into_iter().chain([script.to_owned()]).collect();
    }
    let program = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let beside = program.parent().map(|folder| folder.join(SCRIPT));
    let above = program.ancestors().skip(1).map(|folder| folder.join("dist").join(SCRIPT));
    beside.into_iter().chain(above).collect()
}

fn read(path: &Path) -> Result<Arc<str>, String> {
    let problem = |error: std::io::Error| format!("'{}' cannot be read: {error}.", path.display());
    if std::fs::metadata(path).map_err(problem)?.len() > MAX_SCRIPT {
        return Err(format!("'{}' has more than {MAX_SCRIPT} bytes: it is not {SCRIPT}.", path.display()));
    }
    std::fs::read_to_string(path).map(Arc::from).map_err(problem)
}

impl Inject {
    /// `hosts`: `*`, or names of hosts, each with its subdomains.
    pub fn new(hosts: &[String], script: Option<&Path>) -> Result<Inject, String> {
        let places = places(script);
        let found = places.iter().find(|path| path.is_file()).ok_or_else(|| {
            let looked: Vec<String> = places.iter().take(2).map(|path| path.display().to_string()).collect();
            format!(
                "--inject needs {SCRIPT}, which is not at {}. Build it (bash build.sh), or name it with --script FILE.",
                looked.join(" or ")
            )
        })?;
        let names: Vec<String> = hosts.iter().map(|host| host.trim().to_ascii_lowercase()).filter(|host| !host.is_empty()).collect();
        Ok(Inject {
            hosts: (!names.iter().any(|host| host == "*")).then(|| names.into()),
            script: read(found)?,
            nowasm: read(&found.with_file_name("toolmark.nowasm.js")).ok(),
        })
    }

    /// Whether pages at this address are meant.
    fn means(&self, url: &str) -> bool {
        let Ok(url) = url::Url::parse(url) else { return false };
        if !matches!(url.scheme(), "http" | "https" | "file") {
            return false;
        }
        let Some(hosts) = &self.hosts else { return true };
        let host = url.host_str().unwrap_or("").to_ascii_lowercase();
        hosts.iter().any(|known| host == *known || host.strip_suffix(known.as_str()).is_some_and(|rest| rest.ends_with('.')))
    }

    /// Gives it to the page that a session shows, unless that has it. A policy of the page does not count: this is the
    /// person's wish, not the page's.
    pub async fn give(&self, connection: &Connection, session: &str) -> Result<(), String> {
        let evaluate = |expression: &str, may_evaluate: bool| {
            let params = json!({ "expression": expression, "returnByValue": true, "allowUnsafeEvalBlockedByCSP": may_evaluate });
            within(connection.send(session, "Runtime.evaluate", params))
        };
        let asked = evaluate("document.readyState === 'loading' ? '' : document.URL", false).await;
        // It was left before it was asked.
        let Ok(url) = asked.map(|said| text_of(&said)) else { return Ok(()) };
        if !self.means(&url) {
            return Ok(());
        }
        let Ok(wanted) = evaluate(WANTED, false).await.map(|said| text_of(&said)) else { return Ok(()) };
        let scripts: Vec<&Arc<str>> = match (wanted.as_str(), &self.nowasm) {
            ("wasm", _) => vec![&self.script],
            ("nowasm", Some(nowasm)) => vec![nowasm, &self.script],
            ("nowasm", None) => {
                return Err(format!(
                    "{url} forbids WebAssembly, and toolmark.nowasm.js is not beside {SCRIPT}: build it (bash build.sh)."
                ));
            }
            _ => return Ok(()),
        };
        for script in scripts {
            let said = evaluate(&format!("{script}\n;undefined"), false).await.map_err(|failure| failure.message)?;
            if let Some(thrown) = said.pointer("/exceptionDetails/exception/description").and_then(Value::as_str) {
                return Err(format!("{url}: the script could not be given to the page: {}", crate::carry::line(thrown, 300)));
            }
        }
        Ok(())
    }
}

fn text_of(said: &Value) -> String {
    said.pointer("/result/value").and_then(Value::as_str).unwrap_or("").to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_meant_with_their_subdomains() {
        let inject = |hosts: &[&str]| Inject {
            hosts: (hosts != ["*"]).then(|| hosts.iter().map(|host| (*host).to_owned()).collect()),
            script: "".into(),
            nowasm: None,
        };
        let some = inject(&["shop.example", "127.0.0.1"]);
        for (url, meant) in [
            ("https://shop.example/", true),
            ("https://www.shop.example/a", true),
            ("https://evilshop.example/", false),
            ("https://shop.example.evil/", false),
            ("http://127.0.0.1:80/", true),
            ("chrome://settings", false),
            ("no address", false),
        ] {
            assert_eq!(some.means(url), meant, "{url}");
        }
        assert!(inject(&["*"]).means("https://any.example/") && !inject(&["*"]).means("chrome://settings"));
    }

    #[test]
    fn a_script_that_is_missing_is_said() {
        let Err(problem) = Inject::new(&["*".into()], Some(Path::new("/nowhere/toolmark.js"))) else { panic!("found") };
        assert!(problem.contains("/nowhere/toolmark.js") && problem.contains("--script"), "{problem}");
    }
}
