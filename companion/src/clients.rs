//! `toolmark install`: the settings of MCP clients. Everything else in their files stays byte for byte as it is.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// Under which clients know us.
const NAME: &str = "toolmark";
/// Bytes of a settings file; they have a few thousand.
const MAX_SETTINGS: u64 = 5_000_000;
/// Backups that stand beside a file before we refuse to add another.
const MAX_BACKUPS: u32 = 100;

/// Whose settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Client {
    /// Claude Desktop.
    Claude,
    /// Cursor.
    Cursor,
    /// Codex.
    Codex,
    /// Windsurf.
    Windsurf,
    /// Cline in Visual Studio Code.
    Cline,
    /// Any other, by its file: TOML as Codex has it, or JSON as the rest.
    File(PathBuf),
}

/// Those whose place is known.
pub const KNOWN: [Client; 5] = [Client::Claude, Client::Cursor, Client::Codex, Client::Windsurf, Client::Cline];

impl FromStr for Client {
    type Err = String;

    fn from_str(text: &str) -> Result<Client, String> {
        if let Some(known) = KNOWN.iter().find(|known| known.name() == text) {
            return Ok(known.clone());
        }
        let path = Path::new(text);
        match path.extension().and_then(|end| end.to_str()) {
            Some("json" | "jsonc" | "toml") => Ok(Client::File(path.to_owned())),
            _ => {
                Err("known are claude, cursor, codex, windsurf and cline; for another pass the path of its settings (.json or .toml)"
                    .into())
            }
        }
    }
}

impl Client {
    /// What one types.
    pub fn name(&self) -> &str {
        match self {
            Client::Claude => "claude",
            Client::Cursor => "cursor",
            Client::Codex => "codex",
            Client::Windsurf => "windsurf",
            Client::Cline => "cline",
            Client::File(path) => path.to_str().unwrap_or("file"),
        }
    }

    /// Where its settings are.
    pub fn file(&self) -> Result<PathBuf, String> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = set("HOME").or_else(|| set("USERPROFILE")).ok_or("Set HOME: the settings of clients are below it.")?;
        // Where programs keep their settings: the three systems differ.
        let settings = if cfg!(target_os = "macos") {
            home.join("Library/Application Support")
        } else if cfg!(windows) {
            set("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"))
        } else {
            set("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"))
        };
        Ok(match self {
            Client::Claude => settings.join("Claude/claude_desktop_config.json"),
            Client::Cursor => home.join(".cursor/mcp.json"),
            Client::Codex => set("CODEX_HOME").unwrap_or_else(|| home.join(".codex")).join("config.toml"),
            Client::Windsurf => home.join(".codeium/windsurf/mcp_config.json"),
            Client::Cline => settings.join("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            Client::File(path) => path.clone(),
        })
    }
}

/// What a client starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The program, by its whole path: clients have another PATH than a terminal.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "toml")
}

/// The text of a settings file; nothing if there is none.
fn read(path: &Path) -> Result<Option<String>, String> {
    let unreadable = |why: String| format!("'{}' cannot be read: {why}. Nothing was changed.", path.display());
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
        Ok(data) if data.len() > MAX_SETTINGS => return Err(unreadable(format!("it is larger than {MAX_SETTINGS} bytes"))),
        Ok(_) => {}
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is no UTF-8 text".into()))
}

/// JSON as clients read it: some allow comments and commas at the end, none the rest.
fn root(text: &str) -> Result<CstRootNode, String> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    };
    CstRootNode::parse(text, &options).map_err(|error| error.to_string())
}

/// The object under this name; made if there is none, refused if it is something else.
fn inner(object: &CstObject, name: &str) -> Result<CstObject, String> {
    object.object_value_or_create(name).ok_or_else(|| format!("'{name}' is no object"))
}

fn set_json(object: &CstObject, name: &str, value: CstInputValue) {
    match object.get(name) {
        Some(property) => property.set_value(value),
        None => drop(object.append(name, value)),
    }
}

fn in_json(text: &str, start: &Start) -> Result<String, String> {
    let root = root(if text.trim().is_empty() { "{}\n" } else { text })?;
    let settings = root.object_value_or_create().ok_or("it is no object")?;
    let ours = inner(&inner(&settings, "mcpServers")?, NAME)?;
    set_json(&ours, "command", CstInputValue::String(start.command.clone()));
    set_json(&ours, "args", CstInputValue::Array(start.arguments.iter().cloned().map(CstInputValue::String).collect()));
    Ok(root.to_string())
}

fn in_toml(text: &str, start: &Start) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string().replace('\n', " "))?;
    let servers = document.entry("mcp_servers").or_insert_with(|| {
        let mut servers = Table::new();
        // No headline of its own.
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let servers = servers.as_table_like_mut().ok_or("'mcp_servers' is no table")?;
    let ours = servers.entry(NAME).or_insert_with(|| Item::Table(Table::new()));
    let ours = ours.as_table_like_mut().ok_or_else(|| format!("'mcp_servers.{NAME}' is no table"))?;
    ours.insert("command", value(start.command.as_str()));
    ours.insert("args", value(start.arguments.iter().map(String::as_str).collect::<Array>()));
    Ok(document.to_string())
}

/// What a client starts, if it knows us.
pub fn installed(path: &Path) -> Result<Option<Start>, String> {
    let Some(text) = read(path)? else { return Ok(None) };
    let problem = |error: String| format!("'{}' cannot be understood ({error}).", path.display());
    if is_toml(path) {
        let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| problem(error.to_string().replace('\n', " ")))?;
        let Some(ours) = document.get("mcp_servers").and_then(|servers| servers.get(NAME)) else { return Ok(None) };
        let arguments = ours.get("args").and_then(Item::as_array).into_iter().flatten();
        return Ok(Some(Start {
            command: ours.get("command").and_then(Item::as_str).unwrap_or("").to_owned(),
            arguments: arguments.filter_map(|one| one.as_str().map(str::to_owned)).collect(),
        }));
    }
    if text.trim().is_empty() {
        return Ok(None);
    }
    let settings = root(&text).map_err(problem)?.to_serde_value().unwrap_or_default();
    let Some(ours) = settings.get("mcpServers").and_then(|servers| servers.get(NAME)) else { return Ok(None) };
    let arguments = ours.get("args").and_then(|list| list.as_array()).into_iter().flatten();
    Ok(Some(Start {
        command: ours.get("command").and_then(|command| command.as_str()).unwrap_or("").to_owned(),
        arguments: arguments.filter_map(|one| one.as_str().map(str::to_owned)).collect(),
    }))
}

/// `toolmark install`: what was done, in words.
pub fn install(client: &Client, arguments: Vec<String>, dry_run: bool) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| format!("Where this program is cannot be told: {error}."))?;
    let command = program.to_str().ok_or("The path of this program is no UTF-8 text; move it.")?.to_owned();
    let start = Start { command, arguments };
    // Settings that are a link elsewhere stay one.
    let named = client.file()?;
    let path = std::fs::canonicalize(&named).unwrap_or(named);
    let before = read(&path)?;
    let text = before.as_deref().unwrap_or("");
    let after = if is_toml(&path) { in_toml(text, &start) } else { in_json(text, &start) };
    let after = after.map_err(|error| {
        format!(
            "'{}' cannot be understood ({error}). Nothing was changed: mend the file, or move it away and run this again.",
            path.display()
        )
    })?;
    if after == text {
        return Ok(format!("'{}' has it already.", path.display()));
    }
    if dry_run {
        return Ok(format!("'{}' would change:\n{}", path.display(), difference(text, &after)));
    }
    let backup = replace(&path, before.as_deref(), &after)?;
    let kept = backup.map(|backup| format!(" What it was is in '{}'.", backup.display())).unwrap_or_default();
    Ok(format!("'{}' is written.{kept} Start the client anew; 'toolmark status' says whether all is well.", path.display()))
}

/// The lines that go and come.
fn difference(before: &str, after: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut before.iter().zip(&after));
    let most = before.len().min(after.len()) - head;
    let tail = same(&mut before.iter().rev().zip(after.iter().rev())).min(most);
    let middle = |lines: &[&str], sign: &str| {
        lines.iter().skip(head).take(lines.len() - head - tail).map(|line| format!("{sign} {line}\n")).collect::<String>()
    };
    middle(&before, "-") + &middle(&after, "+")
}

/// Writes a file whole or not at all, with what it was beside it, and with its rights.
fn replace(path: &Path, before: Option<&str>, after: &str) -> Result<Option<PathBuf>, String> {
    let problem = |what: &Path, error: std::io::Error| format!("'{}' cannot be written: {error}. Nothing was changed.", what.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| problem(folder, error))?;
    let beside = |end: &str| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(end);
        folder.join(name)
    };
    let create = |path: &Path, content: &str| -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        // Settings hold keys of other servers.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        file.write_all(content.as_bytes())?;
        file.sync_all()
    };
    let mut backup = None;
    if let Some(before) = before {
        for number in 1..=MAX_BACKUPS {
            let place = beside(&if number == 1 { ".bak".to_owned() } else { format!(".bak-{number}") });
            match create(&place, before) {
                Ok(()) => {
                    backup = Some(place);
                    break;
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(problem(&place, error)),
            }
        }
        if backup.is_none() {
            return Err(format!("There are {MAX_BACKUPS} backups of '{}' beside it. Nothing was changed: delete some.", path.display()));
        }
    }
    let part = beside(&format!(".part-{}", std::process::id()));
    let done = create(&part, after).and_then(|()| {
        if before.is_some() {
            std::fs::set_permissions(&part, std::fs::metadata(path)?.permissions())?;
        }
        // A client may have written it meanwhile.
        if read(path).ok().flatten().as_deref() != before {
            return Err(std::io::Error::other("it was changed by somebody else just now; run this again"));
        }
        std::fs::rename(&part, path)
    });
    done.map_err(|error| {
        let _ = std::fs::remove_file(&part);
        problem(path, error)
    })?;
    Ok(backup)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn start() -> Start {
        Start { command: "/bin/toolmark".into(), arguments: vec!["relay".into()] }
    }

    #[test]
    fn all_else_stays_byte_for_byte() {
        let before = "{\n\t// mine\n\t\"theme\" : \"dark\", \"big\": 12345678901234567890123,\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\", \"env\": {\"KEY\": \"\\u0041\"}},\n\t}\n}\n";
        let after = in_json(before, &start()).unwrap();
        for kept in [
            "\t// mine\n\t\"theme\" : \"dark\", \"big\": 12345678901234567890123,\n",
            "\"other\": {\"command\": \"x\", \"env\": {\"KEY\": \"\\u0041\"}},\n",
        ] {
            assert!(after.contains(kept), "{after}");
        }
        assert_eq!(in_json(&after, &start()).unwrap(), after);
        let toml = "# mine\nmodel = 'x' # why\n\n[mcp_servers.other]\ncommand = \"y\"\n";
        let after = in_toml(toml, &start()).unwrap();
        assert!(
            after.starts_with(toml) && after.contains("[mcp_servers.toolmark]\ncommand = \"/bin/toolmark\"\nargs = [\"relay\"]"),
            "{after}"
        );
        assert_eq!(in_toml(&after, &start()).unwrap(), after);
    }

    #[test]
    fn what_we_do_not_understand_is_refused() {
        for text in ["{", "[]", "{\"mcpServers\": []}", "{\"mcpServers\": {\"toolmark\": 1}}", "{a: 1}", "{} {}", "\u{feff}nonsense"] {
            assert!(in_json(text, &start()).is_err(), "{text}");
        }
        for text in ["a = ", "mcp_servers = 1", "mcp_servers.toolmark = 'x'", "[a]\n[a]"] {
            assert!(in_toml(text, &start()).is_err(), "{text}");
        }
    }

    #[test]
    fn only_lines_that_change_are_shown() {
        assert_eq!(difference("a\nb\nc", "a\nB\nd\nc"), "- b\n+ B\n+ d\n");
        assert_eq!(difference("", "a"), "+ a\n");
        assert_eq!(difference("a\na", "a\na\na"), "+ a\n");
    }
}
