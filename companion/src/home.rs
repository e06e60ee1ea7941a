//! What the companion keeps on this machine: a folder that only its owner may read, with the token and the grants.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of the token file at most; ours has 64.
const MAX_TOKEN: u64 = 1_000;

/// The folder: `$TOOLMARK_HOME`, else `toolmark` in the user's configuration.
pub fn folder() -> Result<PathBuf, String> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("TOOLMARK_HOME")
        .or_else(|| set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config"))).map(|base| base.join("toolmark")))
        .ok_or_else(|| "There is no place for the token: set HOME or TOOLMARK_HOME.".to_owned())
}

/// Creates the folder, for its owner only.
fn prepare() -> Result<PathBuf, String> {
    let folder = folder()?;
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder).map_err(|error| format!("'{}' cannot be created: {error}.", folder.display()))?;
    Ok(folder)
}

/// Writes a file of the folder whole or not at all, readable for its owner only.
pub fn write(name: &str, content: &[u8]) -> Result<(), String> {
    let path = prepare()?.join(name);
    let part = path.with_extension(format!("part-{}", std::process::id()));
    let problem = |error: std::io::Error| format!("'{}' cannot be written: {error}.", path.display());
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&part).map_err(problem)?;
    file.write_all(content).and_then(|()| file.sync_all()).map_err(problem)?;
    std::fs::rename(&part, &path).map_err(problem)
}

/// Reads a file of the folder; nothing if it is not there.
pub fn read(name: &str, limit: u64) -> Option<String> {
    let path = folder().ok()?.join(name);
    let length = std::fs::metadata(&path).ok()?.len();
    if length > limit { None } else { std::fs::read_to_string(path).ok() }
}

/// Random bytes as hexadecimal digits.
pub fn random(bytes: usize) -> Result<String, String> {
    let mut buffer = vec![0u8; bytes];
    getrandom::fill(&mut buffer).map_err(|error| format!("This machine gives no random numbers: {error}."))?;
    Ok(buffer.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The token, if there is one.
pub fn known_token() -> Option<String> {
    read("token", MAX_TOKEN).map(|token| token.trim().to_owned()).filter(|token| token.len() >= 32)
}

/// The token that clients over HTTP show; made at the first need.
pub fn token() -> Result<String, String> {
    if let Some(token) = known_token() {
        #[cfg(unix)]
        close_to_others()?;
        return Ok(token);
    }
    let token = random(32)?;
    write("token", token.as_bytes())?;
    Ok(token)
}

/// A token that others could read is none.
#[cfg(unix)]
fn close_to_others() -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let path = folder()?.join("token");
    let mode = std::fs::metadata(&path).map(|data| data.permissions().mode()).unwrap_or(0);
    if mode & 0o077 != 0 {
        return Err(format!("'{}' can be read by others. Delete it; a new one is made at the next start.", path.display()));
    }
    Ok(())
}

/// Whether two secrets are equal, in a time that does not tell where they differ.
pub fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

/// Headers between two programs of ours: a number that was never used, and what the token makes of it. The port may be
/// somebody else's, and the token is not for them. The answer shows a proof for the way back.
pub const NUMBER: &str = "toolmark-number";
pub const PROOF: &str = "toolmark-proof";
/// Whoever is asked is on this machine, and answers within this time.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// What only somebody with this token can make of these words: shown instead of the token, it gives nothing away.
pub fn proof(token: &str, words: &str) -> String {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, token.as_bytes());
    ring::hmac::sign(&key, words.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
