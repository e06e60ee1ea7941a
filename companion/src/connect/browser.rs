//! A browser of our own: found, started with a profile of its own, and ended with us.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

use super::cdp::Endpoint;
use crate::home;

/// A cold start on a slow machine takes seconds.
const START_TIME: Duration = Duration::from_secs(30);
/// A browser that was asked to end writes its profile first.
const END_TIME: Duration = Duration::from_secs(5);
/// Bytes of what it says that are kept for the case that it does not start.
const MAX_SAID: usize = 2_000;
/// Names under which the browser is known.
const NAMES: [&str; 7] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "brave-browser"];
/// Places beside the path.
const PLACES: [&str; 5] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/snap/bin/chromium",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];
/// What switches WebMCP on, in Chromium 149 and newer.
const FEATURES: &str = "WebMCP,WebMCPTesting,DevToolsWebMCPSupport";

/// What to start.
pub struct Launch {
    /// Else `$CHROMIUM`, or what is found.
    pub browser: Option<PathBuf>,
    /// Without a window.
    pub headless: bool,
    /// Kept; else a new folder that goes with the browser.
    pub profile: Option<PathBuf>,
    /// Further arguments of the browser.
    pub arguments: Vec<String>,
    /// Opened at the start.
    pub urls: Vec<String>,
}

/// A browser that was started here.
pub struct Browser {
    child: Child,
    /// To be deleted at the end.
    folder: Option<PathBuf>,
    /// Where it listens.
    pub endpoint: Endpoint,
}

fn found(wanted: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(path) = wanted {
        return if path.is_file() { Ok(path.to_owned()) } else { Err(format!("There is no browser at '{}'.", path.display())) };
    }
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let folders: Vec<PathBuf> = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let ending = std::env::consts::EXE_SUFFIX;
    let in_path = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(format!("{name}{ending}"))));
    let all = named.into_iter().chain(in_path).chain(PLACES.iter().map(PathBuf::from));
    all.into_iter()
        .find(|path| path.is_file())
        .ok_or_else(|| format!("No Chromium was found (looked for {}). Name it with --browser PATH.", NAMES.join(", ")))
}

/// A new folder for its owner only.
fn new_folder() -> Result<PathBuf, String> {
    let folder = std::env::temp_dir().join(format!("toolmark-browser-{}", home::random(8)?));
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder).map_err(|error| format!("'{}' cannot be created: {error}.", folder.display()))?;
    Ok(folder)
}

impl Browser {
    /// Starts it and waits until it listens.
    pub async fn start(launch: &Launch) -> Result<Browser, String> {
        let program = found(launch.browser.as_deref())?;
        let own = if launch.profile.is_some() { None } else { Some(new_folder()?) };
        let Some(profile) = launch.profile.clone().or_else(|| own.clone()) else {
            return Err("There is no place for a profile.".to_owned());
        };
        std::fs::create_dir_all(&profile).map_err(|error| format!("'{}' cannot be created: {error}.", profile.display()))?;
        let active = profile.join("DevToolsActivePort");
        // What an earlier browser left there leads nowhere.
        let _ = std::fs::remove_file(&active);
        let mut command = Command::new(&program);
        command
            .arg(format!("--user-data-dir={}", profile.display()))
            // A port that is free, on this machine only.
            .args(["--remote-debugging-port=0", "--no-first-run", "--no-default-browser-check"])
            .arg(format!("--enable-features={FEATURES}"))
            .args(launch.headless.then_some("--headless"))
            .args(&launch.arguments);
        command.args(if launch.urls.is_empty() { vec!["about:blank".to_owned()] } else { launch.urls.clone() });
        // Our own output belongs to the client.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let child = command.spawn().map_err(|error| format!("'{}' cannot be started: {error}.", program.display()));
        let mut browser = Browser { child: child.inspect_err(|_| remove(own.as_deref()))?, folder: own, endpoint: Endpoint::port(0) };
        let said = Arc::new(Mutex::new(Vec::new()));
        if let Some(mut stderr) = browser.child.stderr.take() {
            let said = said.clone();
            // Read to its end: a browser whose output nobody takes stops.
            tokio::spawn(async move {
                let mut buffer = [0; 1024];
                while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
                    if let Ok(mut said) = said.lock() {
                        said.extend_from_slice(buffer.get(..count).unwrap_or(&[]));
                        let over = said.len().saturating_sub(MAX_SAID);
                        said.drain(..over);
                    }
                }
            });
        }
        let until = tokio::time::Instant::now() + START_TIME;
        loop {
            // Port and path, each in a line; the file is there before both are.
            let text = std::fs::read_to_string(&active).unwrap_or_default();
            let mut lines = text.lines();
            if let (Some(Ok(port)), Some(path)) = (lines.next().map(str::parse), lines.next().filter(|path| path.starts_with('/'))) {
                browser.endpoint = Endpoint::at(port, path);
                return Ok(browser);
            }
            let ended = browser.child.try_wait().ok().flatten();
            if ended.is_some() || tokio::time::Instant::now() > until {
                let words = said.lock().map(|said| String::from_utf8_lossy(&said).into_owned()).unwrap_or_default();
                let words: Vec<&str> = words.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
                let what = if ended.is_some() { "ended at once" } else { "does not listen" };
                let told = words.into_iter().rev().collect::<Vec<_>>().join(" | ");
                browser.end().await;
                return Err(format!("The browser '{}' {what}. It said: {told}", program.display()));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits for its end.
    pub async fn ended(&mut self) {
        let _ = self.child.wait().await;
    }

    /// Ends it: it was asked to, or else it is stopped. Only the process that was started here.
    pub async fn end(mut self) {
        if tokio::time::timeout(END_TIME, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
        remove(self.folder.as_deref());
    }
}

/// Deletes a folder; its last writers may still be at it.
fn remove(folder: Option<&Path>) {
    let Some(folder) = folder else { return };
    for _ in 0..20 {
        if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
