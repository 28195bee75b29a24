//! `ggp serve`: a player for any game manager.

use crate::console;
use crate::exit::{Exit, UsageError};
use crate::listener::listen;
use crate::logging::Logging;
use crate::number::{seconds, whole};
use crate::play::{any_seed, stop_on_signal};
use crate::reasoner::{self, Reasoning};
use anyhow::Context;
use ggp::{Build, LatePlayer};
use ggp_datalog::Limits;
use ggp_game::{Game, Player, StopToken, rng};
use ggp_propnet::GroundLimits;
use ggp_search::{Knowledge, MctsOptions, PlayerSpec, Technique};
use ggp_server::http::DEFAULT_PORT;
use ggp_server::player::{LineError, Origin, PlayerConfig, serve_lines, serve_player};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Serve a player for game managers, by the GGP protocol over HTTP or on standard input and output
///
/// Prints its address, plays every match that it is asked to play, and ends on Ctrl-C or SIGTERM.
/// Only programs on this machine can reach it, unless --bind allows others. A page that is open in a browser
/// on this machine cannot, unless --allow-origin names it: a game manager may be such a page.
///
/// With --stdio it opens no port: each line of standard input is a message, and the answer is a line of
/// standard output. It ends when its input ends. Such a player is `cmd:ggp serve --stdio` for `ggp match`,
/// so that two builds of ggp can be compared.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp serve --log info
  ggp serve mcts:memory=2000 --port 9148 --name Sprightly
  ggp serve random --port 0
  ggp serve --knowledge my.knowledge
  ggp serve --bind 0.0.0.0 --matches 1
  ggp serve --allow-origin http://manager.example
  ggp match games/hex.kif --player 'a=cmd:old/ggp serve --stdio' --player 'b=cmd:new/ggp serve --stdio'")]
pub(crate) struct Arguments {
    /// The player to serve; `ggp help players` lists the players
    #[arg(value_name = "SPEC", default_value = "mcts")]
    spec: String,
    /// Read messages from standard input and answer on standard output, a line each. The player does not
    /// think in the time of others, since they run on the same machine
    #[arg(long, conflicts_with_all = ["port", "bind"])]
    stdio: bool,
    /// The port; 0 for any free port
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PORT, value_parser = whole(0..=u16::MAX))]
    port: u16,
    /// The address to listen on; 0.0.0.0 for all addresses
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Let pages of this origin, such as `http://manager.example`, send messages from a browser; `*` for every page. May be
    /// given several times
    #[arg(long, value_name = "ORIGIN", conflicts_with = "stdio")]
    allow_origin: Vec<Origin>,
    /// The name that the player gives itself
    #[arg(long, value_name = "X", default_value = "ggp")]
    name: String,
    /// The maximum number of matches at once; the player is busy for further ones
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole(1..=u16::MAX))]
    matches: u16,
    /// Answers leave this many seconds before the end of the clock; with --stdio 0 by default
    #[arg(long, value_name = "S", default_value = "0.2", default_value_if("stdio", "true", "0"), value_parser = seconds)]
    margin: Duration,
    /// About so much memory for the rules of each match; larger rules are refused, or played by the
    /// interpreter. The search has a limit of its own: mcts:memory=MIB, 512 by default
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = whole(16u32..))]
    memory: u32,
    /// The file of what was learnt of games: the player uses what it says of a game, goes on learning in its
    /// start clock and from its matches, and keeps it there; the same as mcts:knowledge=FILE
    #[arg(long, value_name = "FILE")]
    knowledge: Option<PathBuf>,
    #[command(flatten)]
    logging: Logging,
    #[command(flatten)]
    reasoning: Reasoning,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut spec: PlayerSpec = arguments.spec.parse().map_err(|error| UsageError(format!("{error}")))?;
    match (&mut spec, &arguments.knowledge) {
        (PlayerSpec::Mcts(options), Some(file)) => options.knowledge = Some(file.clone()),
        (PlayerSpec::Random(_), Some(_)) => {
            return Err(UsageError("--knowledge is for players that search, such as mcts".to_owned()).into());
        }
        (_, None) => {}
    }
    if let PlayerSpec::Mcts(MctsOptions { knowledge: Some(file), .. }) = &spec {
        // A file that cannot be used is refused now, not in a match.
        Knowledge::read(file).map_err(UsageError::of)?;
    }
    arguments.logging.start();
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    let config = PlayerConfig {
        name: arguments.name.clone(),
        matches: arguments.matches.into(),
        margin: arguments.margin,
        ponder: !arguments.stdio,
        origins: arguments.allow_origin.clone(),
        ..PlayerConfig::default()
    };
    let config = PlayerConfig { rules: within(arguments.memory, &config.rules), ..config };
    let decisive = matches!(&spec, PlayerSpec::Mcts(options) if options.has(Technique::Decisive));
    let limits = GroundLimits::within(arguments.memory.into());
    let choice = arguments.reasoning.choice();
    let build = Build { limits, decisive, ..arguments.reasoning.long_build() };
    let (seed, matches) = (any_seed(), AtomicU64::new(0));
    let make = move |_: &str| -> Box<dyn Player> {
        let number = matches.fetch_add(1, Ordering::Relaxed);
        let spec = spec.clone().with_seed(rng::mix(seed ^ rng::mix(number)));
        let build = build.clone();
        let begin = move |game: &Arc<Game>| Ok(build.begin(game)?.on_notice(reasoner::say));
        Box::new(LatePlayer::new(spec, choice.falls_back(), begin))
    };
    let factory = Arc::new(make);
    if arguments.stdio {
        let complain = |line: u64, error: &LineError| console::say(&format!("error: line {line}: {error}"));
        serve_lines(io::stdin(), io::stdout(), config, factory, &stop, complain)
            .context("the player cannot be served")?;
        return Ok(Exit::Done);
    }
    let listener = listen(arguments.bind, arguments.port)?;
    let mut out = console::stdout();
    let told = writeln!(out, "listening on http://{}/", listener.local_addr()?);
    console::unless_closed(told.and_then(|()| out.flush()))?;
    drop(out);
    serve_player(&listener, config, factory, &stop).context("the player cannot be served")?;
    Ok(Exit::Done)
}

/// The limits of each rule evaluation in a match that may use `mib` MiB of memory for its rules. `default`
/// holds the limits for 1024 MiB; its maximum numbers of terms and tuples are scaled in proportion to `mib`.
/// A match has two evaluators of its rules. Within the limits, each of them takes less than half of `mib`
/// MiB.
fn within(mib: u32, default: &Limits) -> Limits {
    let share = |most: usize| most / 1024 * mib as usize;
    Limits { terms: share(default.terms), tuples: share(default.tuples), ..default.clone() }
}
