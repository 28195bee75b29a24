//! The command line.

use ggp_propnet::GroundLimits;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

pub(crate) const USAGE: &str = "\
usage: corpus [OPTION…] [NAME…]
  --reasoner datalog|compiled|propnet|both   which machine is compared with the reference's answers [datalog];
                   with both, the network, and then also network and interpreter
  --ready          print how soon each game is ready, and on which machine, instead of comparing
  --within S       with --ready: the CPU seconds to which --least refers [10]
  --small          leave out the games whose networks take more than some seconds to build, told by counts
  --walk STEPS     how long the walk of both machines is [250]
  --playouts N     how many playouts both machines play [700]
  --least N        fail unless so many games agree or are ready [1]
  --seconds N      give a game up after so long [60]
  --jobs N         how many games are compared at once [one a processor; with --ready, 1]";

/// The option with which the program starts itself for one rulesheet.
pub(crate) const ALONE: &str = "--alone";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reasoner {
    Datalog,
    Compiled,
    Propnet,
    Both,
}

/// The command line.
pub(crate) struct Options {
    pub(crate) reasoner: Reasoner,
    pub(crate) ready: bool,
    /// The CPU time within which `least` games must be ready.
    pub(crate) within: Duration,
    /// The only rulesheet of this process, which another process of this program measures.
    pub(crate) alone: Option<PathBuf>,
    small: bool,
    pub(crate) walk: usize,
    pub(crate) playouts: usize,
    pub(crate) least: usize,
    pub(crate) seconds: u64,
    jobs: Option<usize>,
    pub(crate) names: Vec<String>,
}

impl Options {
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            reasoner: Reasoner::Datalog,
            ready: false,
            within: Duration::from_secs(10),
            alone: None,
            small: false,
            walk: 250,
            // More playouts than lanes, so that some lanes play a second one.
            playouts: 700,
            least: 1,
            seconds: 60,
            jobs: None,
            names: Vec::new(),
        };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--reasoner" => {
                    options.reasoner = match args.next().as_deref() {
                        Some("datalog") => Reasoner::Datalog,
                        Some("compiled") => Reasoner::Compiled,
                        Some("propnet") => Reasoner::Propnet,
                        Some("both") => Reasoner::Both,
                        _ => return Err("--reasoner wants datalog, compiled, propnet or both".to_owned()),
                    }
                }
                "--ready" => options.ready = true,
                "--within" => {
                    let seconds = number(&arg, args.next())?;
                    options.within = Duration::try_from_secs_f64(seconds)
                        .map_err(|_| format!("{arg} wants a number of seconds"))?;
                }
                ALONE => options.alone = args.next().map(PathBuf::from),
                "--small" => options.small = true,
                "--walk" => options.walk = number(&arg, args.next())?,
                "--playouts" => options.playouts = number(&arg, args.next())?,
                "--least" => options.least = number(&arg, args.next())?,
                "--seconds" => options.seconds = number(&arg, args.next())?,
                "--jobs" => options.jobs = Some(number(&arg, args.next())?),
                _ if arg.starts_with('-') => return Err(format!("there is no option `{arg}`")),
                _ => options.names.push(arg),
            }
        }
        Ok(options)
    }

    /// The number of games that are treated at once, unless the command line says it: one for each processor, or
    /// one if they are measured.
    pub(crate) fn jobs(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(|| if self.ready { 1 } else { all() })
    }

    /// The limits of grounding. `--small` has limits on sizes only, so that the same games are left out
    /// on every computer.
    pub(crate) fn limits(&self) -> GroundLimits {
        if !self.small {
            return GroundLimits::default();
        }
        GroundLimits {
            tuples: 1_000_000,
            rows: 20_000_000,
            instances: 1_000_000,
            nodes: 1_000_000,
            ..GroundLimits::default()
        }
    }
}

fn number<T: FromStr>(option: &str, text: Option<String>) -> Result<T, String> {
    text.and_then(|text| text.parse().ok()).ok_or_else(|| format!("{option} wants a number"))
}
