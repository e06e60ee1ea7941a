//! `toolmark`: the tools of web pages for any MCP client.

mod answer;
mod asking;
mod audit;
mod carry;
mod clients;
mod connect;
mod crawl;
mod facade;
mod fetch;
mod grants;
mod home;
mod http;
mod inspect;
mod join;
mod library;
mod mcp;
mod page;
mod pairing;
mod relay;
mod serve;
mod socket;
mod status;
mod warc;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use serde_json::Value;

use fetch::Fetcher;
use page::Choices;

/// Carries the tools of web pages to any MCP client.
#[derive(Parser)]
#[command(name = "toolmark", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows the tools, answers, diagnostics and costs of pages
    Inspect {
        /// Addresses, or paths of saved pages
        #[arg(required = true)]
        sources: Vec<String>,
        /// One JSON object for each page, a line each
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reading: Reading,
    },
    /// Tries the tools of pages once: declared, confirmed or failed, and what to fix
    Doctor {
        /// Addresses, or paths of saved pages
        #[arg(required = true)]
        sources: Vec<String>,
        /// A word to search for; otherwise one of the page's title
        #[arg(long)]
        query: Option<String>,
        /// One JSON object for each page, a line each
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reading: Reading,
    },
    /// Serves pages as one MCP server, without a browser
    Serve {
        /// Addresses, or paths of saved pages
        sources: Vec<String>,
        /// Streamable HTTP on 127.0.0.1 instead of standard input and output
        #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "8931", value_name = "PORT")]
        http: Option<u16>,
        /// The port of --http
        #[arg(long)]
        port: Option<u16>,
        /// Let a model answer the questions of query_page
        #[arg(long, value_enum, value_name = "WHO")]
        answer: Option<answer::Kind>,
        /// Which model of that provider
        #[arg(long)]
        model: Option<String>,
        /// Say nothing on standard error
        #[arg(long)]
        quiet: bool,
        #[command(flatten)]
        reading: Reading,
    },
    /// Carries the tools of a Chromium's tabs to an MCP client, over standard input and output
    Connect(connect::Options),
    /// Lets an MCP client start toolmark: adds it to the client's settings and keeps all else there
    Install {
        /// claude, cursor, codex, windsurf or cline; or the path of a settings file (.json, .toml)
        client: clients::Client,
        /// What the client starts; relay unless said, as in: -- serve https://shop.example/
        #[arg(last = true, value_name = "ARGUMENT")]
        arguments: Vec<String>,
        /// Only show what would change
        #[arg(long)]
        dry_run: bool,
    },
    /// Says which link between a client and a page is broken, and what to do; exit code 1 if one is
    Status(status::Ports),
    /// Maps many pages: one JSON line for each page of a list or a web archive (WARC) on standard input
    Crawl {
        /// Addresses, saved pages, archives (.warc, .warc.gz); without any, standard input has them, one a line, or is an archive
        sources: Vec<String>,
        /// Say nothing on standard error
        #[arg(long)]
        quiet: bool,
        #[command(flatten)]
        reading: Reading,
    },
    /// Serves pages that connect to it: those with data-relay, and those with @mcp-b's embed
    Relay(relay::Choices),
    /// Lists what each origin may do through the relay, changes it, takes it back
    Grants {
        #[command(subcommand)]
        change: Option<Granting>,
    },
}

#[derive(Subcommand)]
enum Granting {
    /// Lists them (also without a word)
    List {
        /// Where the relay listens: origins whose pages wait there are listed too
        #[arg(long, default_value_t = relay::PORT)]
        port: u16,
    },
    /// Forgets an origin: its pages have to be paired again
    Revoke {
        #[arg(help = "As in https://shop.example", value_parser = grants::origin)]
        origin: String,
    },
    /// Allows what the relay asked you for, by the six digits that it wrote on its standard error
    Pair {
        /// The six digits
        #[arg(value_parser = code)]
        code: String,
        /// What its pages' tools may do; else what the relay's --pair-as says
        grant: Option<grants::Grant>,
        /// Where the relay listens
        #[arg(long, default_value_t = relay::PORT)]
        port: u16,
    },
    /// Sets what an origin may do
    Set {
        #[arg(help = "As in https://shop.example", value_parser = grants::origin)]
        origin: String,
        /// What its pages' tools may do
        grant: grants::Grant,
    },
}

/// Digits as the relay writes them; people copy spaces with them.
fn code(text: &str) -> Result<String, String> {
    let digits: String = text.chars().filter(|one| !one.is_whitespace()).collect();
    let whole = digits.len() == 6 && digits.bytes().all(|one| one.is_ascii_digit());
    whole.then_some(digits).ok_or_else(|| "the relay's code has six digits; without one, use 'toolmark grants set ORIGIN read'".to_owned())
}

/// Where the server listens over HTTP.
const HTTP_PORT: u16 = 8931;

/// How pages are read.
#[derive(Args)]
struct Reading {
    /// Tools of one page at most
    #[arg(long, default_value_t = toolmark::options::MAX_TOOLS, value_name = "N")]
    max_tools: usize,
    /// Offer no searches and other actions
    #[arg(long)]
    no_actions: bool,
    /// A further host that actions may ask; may be repeated
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// Fetch from this machine and private networks too
    #[arg(long)]
    allow_private: bool,
}

impl Reading {
    fn choices(&self) -> Choices {
        Choices { max_tools: self.max_tools.max(1), actions: !self.no_actions, allow_hosts: self.allow_host.clone() }
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    // One thread: most of the time is spent waiting, and memory counts.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("toolmark: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let result = runtime.block_on(run(cli.command));
    // Standard input may still be waited for in a thread of its own.
    runtime.shutdown_background();
    match result {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("toolmark: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// The words of an error result.
fn words(refusal: &Value) -> String {
    let part = |name: &str| refusal.pointer(&format!("/error/{name}")).and_then(Value::as_str).unwrap_or("");
    format!("{} {}", part("message"), part("hint")).trim().to_owned()
}

async fn run(command: Command) -> Result<ExitCode, String> {
    match command {
        Command::Inspect { sources, json, reading } => {
            let (choices, fetcher) = (reading.choices(), Fetcher::new(reading.allow_private)?);
            let mut code = ExitCode::SUCCESS;
            for source in sources {
                match inspect::open(&source, &fetcher, &choices).await {
                    Ok(page) if json => print(&inspect::report(&page).to_string()),
                    Ok(page) => print(&inspect::in_words(&inspect::report(&page))),
                    Err(refusal) => {
                        eprintln!("toolmark: {source}: {}", words(&refusal));
                        code = ExitCode::FAILURE;
                    }
                }
            }
            Ok(code)
        }
        Command::Doctor { sources, query, json, reading } => {
            let (choices, fetcher) = (reading.choices(), Fetcher::new(reading.allow_private)?);
            let mut code = ExitCode::SUCCESS;
            for source in sources {
                let page = match inspect::open(&source, &fetcher, &choices).await {
                    Ok(page) => page,
                    Err(refusal) => {
                        eprintln!("toolmark: {source}: {}", words(&refusal));
                        code = ExitCode::FAILURE;
                        continue;
                    }
                };
                let report = inspect::doctor(&page, &fetcher, &choices, query.as_deref()).await;
                let failed = report
                    .get("tools")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .any(|tool| tool.get("state") == Some(&"failed".into()));
                if failed {
                    code = ExitCode::FAILURE;
                }
                print(&if json { report.to_string() } else { inspect::doctor_in_words(&report) });
            }
            Ok(code)
        }
        Command::Connect(options) => connect::run(options).await.map(|()| ExitCode::SUCCESS),
        Command::Serve { sources, http, port, answer, model, quiet, reading } => {
            let model = answer.map(|kind| answer::Model::new(kind, model)).transpose()?;
            let serve = serve::Serve::new(sources, Fetcher::new(reading.allow_private)?, reading.choices(), model, quiet);
            let first = serve.clone();
            // Clients say hello while the pages are on their way.
            tokio::spawn(async move { first.refresh().await });
            if http.is_none() && port.is_none() {
                mcp::serve_stdio(serve).await?;
                return Ok(ExitCode::SUCCESS);
            }
            let listener = http::listen(port.or(http).unwrap_or(HTTP_PORT)).await?;
            let port = listener.local_addr().map_err(|error| error.to_string())?.port();
            let guard = http::Guard { token: home::token()?, port };
            if !quiet {
                let folder = home::folder()?;
                eprintln!("toolmark: MCP at http://127.0.0.1:{port}/mcp; the bearer token is in {}", folder.join("token").display());
            }
            let routes = axum::Router::new().route_service("/mcp", mcp::http(serve));
            let routes = http::whole(routes, mcp::MAX_REQUEST);
            http::serve(listener, http::guarded(routes, guard)).await;
            Ok(ExitCode::SUCCESS)
        }
        Command::Install { client, arguments, dry_run } => {
            let arguments = if arguments.is_empty() { vec!["relay".to_owned()] } else { arguments };
            print(&clients::install(&client, arguments, dry_run)?);
            Ok(ExitCode::SUCCESS)
        }
        Command::Status(ports) => {
            let links = status::links(&ports).await;
            if ports.json {
                print(&Value::Array(links.iter().map(status::Link::to_value).collect()).to_string());
            } else {
                links.iter().for_each(|link| print(&link.in_words()));
            }
            Ok(if links.iter().any(status::Link::broken) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
        Command::Crawl { sources, quiet, reading } => {
            crawl::run(sources, quiet, &reading.choices(), &Fetcher::new(reading.allow_private)?).await
        }
        Command::Relay(choices) => relay::run(choices).await,
        Command::Grants { change } => match change {
            None | Some(Granting::List { .. }) => {
                let port = if let Some(Granting::List { port }) = change { port } else { relay::PORT };
                let grants = grants::list()?;
                for (origin, grant) in &grants {
                    print(&format!("{}\t{origin}", grant.word()));
                }
                if grants.is_empty() {
                    eprintln!("toolmark: no origin has a grant.");
                }
                let told = match home::known_token() {
                    Some(token) => asking::ask(port, &token, None).await,
                    None => None,
                };
                for origin in told.map(|told| told.asking).unwrap_or_default() {
                    print(&format!("asks\t{origin}"));
                    eprintln!("toolmark: to allow it: toolmark grants set {origin} read|act");
                }
                Ok(ExitCode::SUCCESS)
            }
            Some(Granting::Pair { code, grant, port }) => {
                let told = asking::ask(port, &home::token()?, Some(&code)).await;
                let told = told.ok_or_else(|| format!("No relay of yours answers at port {port}; --port says where it is."))?;
                let origin = told.meant.ok_or(
                    "No page has this code, or it counts no more: load the page again for a new one, or see 'toolmark grants' for who asks.",
                )?;
                let grant = grant.unwrap_or(told.grant);
                grants::set(&origin, grant)?;
                print(&format!("{}\t{origin}", grant.word()));
                Ok(ExitCode::SUCCESS)
            }
            Some(Granting::Set { origin, grant }) => {
                grants::set(&origin, grant)?;
                print(&format!("{}\t{origin}", grant.word()));
                Ok(ExitCode::SUCCESS)
            }
            Some(Granting::Revoke { origin }) => match grants::revoke(&origin)? {
                true => Ok(ExitCode::SUCCESS),
                false => Err(format!("{origin} has no grant. 'toolmark grants' lists those that have.")),
            },
        },
    }
}

/// To standard output; a reader that went away ends nothing.
fn print(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{}", text.trim_end());
}
