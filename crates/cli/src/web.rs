//! `ggp web`: the web server for playing in the browser.

use crate::browser;
use crate::console::{self, BAD};
use crate::exit::{Exit, UsageError};
use crate::listener::listen;
use crate::logging::Logging;
use crate::number::{positive_seconds, whole};
use crate::play::stop_on_signal;
use crate::reasoner::Reasoning;
use crate::simulate;
use anyhow::{Context, bail};
use ggp::StopToken;
use ggp_search::Knowledge;
use ggp_web::catalogue::{self, Folder, Offer};
use ggp_web::{BasePath, Config, Site, serve};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Play in the browser, and write games
///
/// The studio (New game, or Edit in the choice of a game) shows mistakes as they are made, and beside the text
/// the board, the facts and the legal moves of the state, and why they hold.
///
/// Prints its address and ends on Ctrl-C or SIGTERM. Only this machine can reach it, unless --bind
/// allows others. Everybody who reaches it can play and run searches, within the limits below.
///
/// The server speaks HTTP without encryption. A proxy in front of it can add TLS and put the pages below a
/// path: --host takes the name under which visitors know it, and --base-path the path. The proxy must pass the
/// Host header and the path on unchanged. The guide has examples for nginx and Caddy.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp web --open
  ggp web --games ~/rulesheets --port 8000
  ggp host games/hex.kif --player red=http://localhost:9147 --save match.json &
  ggp web --watch match.json
  ggp match games/hex.kif --player a=mcts --player b=uct --games 20 --save matches &
  ggp web --watch matches
  ggp web --knowledge my.knowledge
  ggp web --host games.example --base-path /ggp")]
pub(crate) struct Arguments {
    /// The port; 0 for any free port
    #[arg(long, value_name = "N", default_value_t = 8080, value_parser = whole(0..=u16::MAX))]
    port: u16,
    /// The address to listen on; 0.0.0.0 for all addresses
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Open the pages in the browser
    #[arg(long)]
    open: bool,
    /// A host name under which visitors know this server, such as games.lan; may be given several times.
    /// Requests for other names than `localhost` and IP addresses are refused without it
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// The path below which the pages are, such as /ggp, for a proxy that passes on only this path
    #[arg(long, value_name = "PATH", default_value = "/")]
    base_path: BasePath,
    /// Offer the rulesheets in DIR instead of those of this program, also those that are added or changed later,
    /// and save there what is written in the studio; without it nothing is saved
    #[arg(long, value_name = "DIR")]
    games: Option<PathBuf>,
    /// Show the match in FILE, which `ggp host --save` writes, or the newest match in a folder; a FILE
    /// that does not exist yet is waited for
    #[arg(long, value_name = "FILE|DIR")]
    watch: Option<PathBuf>,
    #[command(flatten)]
    visitors: Visitors,
    /// The maximum number of sessions at once
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(1..=u16::MAX))]
    sessions: u16,
    /// The maximum number of sessions with uploaded rules; each may take about half a GiB
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole(0..=u16::MAX))]
    uploads: u16,
    /// A session is closed when no page has used it for this many seconds
    #[arg(long, value_name = "S", default_value = "1800", value_parser = positive_seconds)]
    idle: Duration,
    /// The memory in MiB for all searches of one session
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = whole(1..=u16::MAX))]
    memory: u16,
    /// The number of threads for the searches of all sessions; the number of cores by default
    #[arg(long, value_name = "N", value_parser = whole(1..=u16::MAX))]
    threads: Option<u16>,
    /// The largest rulesheet or record that is accepted, in KiB
    #[arg(long, value_name = "KIB", default_value_t = 4096, value_parser = whole(1u32..))]
    upload: u32,
    /// The file of knowledge that engines use, which `ggp learn` writes; the page of a match shows what it holds of
    /// the game
    #[arg(long, value_name = "FILE")]
    knowledge: Option<PathBuf>,
    /// The longest time that an engine may think about a move, in seconds
    #[arg(long, value_name = "S", default_value = "120", value_parser = positive_seconds)]
    longest: Duration,
    #[command(flatten)]
    logging: Logging,
    #[command(flatten)]
    reasoning: Reasoning,
}

/// What visitors may do beyond playing.
#[derive(Debug, clap::Args)]
struct Visitors {
    /// Allow visitors to save games in --games even if --bind, --host or --base-path lets others in
    #[arg(long, requires = "games")]
    save: bool,
    /// Allow visitors to name remote players even if --bind, --host or --base-path lets others in
    #[arg(long)]
    remote: bool,
    /// Show watchers a running match of hidden information; a match in which a person plays stays hidden
    #[arg(long)]
    reveal: bool,
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<Exit> {
    arguments.logging.start();
    let (games, offers) = match &arguments.games {
        Some(folder) => offers(folder).map(|(folder, offers)| (Some(folder), offers))?,
        None => (None, catalogue::embedded()),
    };
    if let Some(file) = &arguments.knowledge {
        if !file.exists() {
            bail!(UsageError::of(format!("there is no file {}; `ggp learn` makes one", file.display())));
        }
        Knowledge::read(file).map_err(UsageError::of)?;
    }
    let wait = arguments.watch.as_deref().map(waits_for).transpose()?.flatten();
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    let listener = listen(arguments.bind, arguments.port)?;
    // A name or a path is for a proxy, whose visitors come from other machines.
    let alone = arguments.bind.is_loopback() && arguments.host.is_empty() && arguments.base_path.is_root();
    if !alone {
        let text = "warning: whoever reaches this server can play here, and let it think";
        console::say(&console::paint_stderr(BAD, text));
    }
    if let Some(wait) = wait {
        console::say(&wait);
    }
    let mut out = console::stdout();
    let local = listener.local_addr()?;
    let told = writeln!(out, "listening on http://{local}{}/", arguments.base_path);
    console::unless_closed(told.and_then(|()| out.flush()))?;
    drop(out);
    if arguments.open {
        browser::open(format!("http://{}{}/", reachable(local), arguments.base_path));
    }
    let defaults = Config::default();
    let config = Config {
        sessions: arguments.sessions.into(),
        uploads: arguments.uploads.into(),
        idle: arguments.idle,
        memory: arguments.memory.into(),
        threads: arguments.threads.map_or(defaults.threads, usize::from),
        upload: arguments.upload as usize * 1024,
        longest: arguments.longest,
        remote: alone || arguments.visitors.remote,
        hosts: arguments.host,
        base_path: arguments.base_path,
        reveal: arguments.visitors.reveal,
        choice: arguments.reasoning.choice(),
        cache: arguments.reasoning.cache(),
        knowledge: arguments.knowledge,
    };
    let folder = arguments.games.filter(|_| alone || arguments.visitors.save);
    let site = Site { offers, games, watch: arguments.watch, folder, simulate: Arc::new(simulate::of_draft) };
    serve(listener, config, site, &stop).context("the pages cannot be served")?;
    Ok(Exit::Done)
}

/// An address of this machine at which a server that listens on `local` is reached.
fn reachable(local: SocketAddr) -> SocketAddr {
    let ip = match local.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, local.port())
}

/// The folder `path` with its games. A folder without games may get some in the studio.
fn offers(path: &Path) -> anyhow::Result<(Folder, Vec<Offer>)> {
    let name = path.display();
    let cannot = || format!("cannot read the games in {name}");
    let (folder, offers) = Folder::open(path.to_owned()).with_context(cannot)?;
    if offers.is_empty() {
        console::say(&format!(
            "there are no games in {name} yet; --games takes a folder of rulesheets, NAME.kif"
        ));
    }
    Ok((folder, offers))
}

/// A message to the user: the server waits until a match record appears at `path`. `None` if a record is
/// there already. Fails if no record can ever appear there.
fn waits_for(path: &Path) -> anyhow::Result<Option<String>> {
    let name = path.display();
    if path.is_dir() {
        let is_record = |file: PathBuf| file.extension().is_some_and(|extension| extension == "json");
        let mut files = path.read_dir().with_context(|| format!("cannot read {name}"))?;
        let is_empty = !files.any(|file| file.is_ok_and(|file| is_record(file.path())));
        return Ok(is_empty.then(|| format!("waiting for a record, NAME.json, in {name}")));
    }
    if path.exists() {
        return Ok(None);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        bail!("cannot watch {name}: there is no folder {}", folder.display());
    }
    Ok(Some(format!("waiting for {name}")))
}
