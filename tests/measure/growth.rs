//! The growth of build time, memory and speed with the size of a game.
//!
//! Each game is built in a process of its own, so that its CPU time and its largest memory are its own. The table
//! has the form of Markdown.

mod chart;

use crate::speed;
use ggp_tests::families::{self, Family};
use ggp_tests::power_law::exponent;
use ggp_tests::readiness::{self, Readiness};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The option with which the program starts itself for one game: the family and the size follow.
const ALONE: &str = "--alone";

/// The limit of CPU time for one build.
const LIMIT: Duration = Duration::from_secs(60);

/// The shortest build whose time is compared. The start of a process and the clock blur shorter ones.
const SHORTEST: f64 = 0.02;

/// The number of sizes that an exponent needs.
const ENOUGH: usize = 3;

/// The number of the largest sizes that have an exponent of their own. A process takes some time and memory even for
/// the smallest game, which makes growth over all sizes look slower.
const LAST: usize = 3;

/// The number of playouts per call of the machine.
const BATCH: usize = 4096;

/// The largest size whose playouts are measured. A batch on a larger board takes up to ten seconds.
const LARGEST_PLAYED: usize = 19;

/// The measurement of one game in one process.
#[derive(Serialize, Deserialize)]
struct Sample {
    readiness: Readiness,
    /// Playouts per second of CPU time. `None` without a network, or on a board that is not played.
    playouts: Option<f64>,
}

/// The medians of the samples of one game, all of which have a network.
struct Row {
    n: usize,
    instances: u64,
    seconds: f64,
    /// `None` if the system does not report it.
    mib: Option<f64>,
    gates: usize,
    /// `None` on a board that is not played.
    playouts: Option<f64>,
}

/// The command line.
struct Options {
    families: Vec<&'static Family>,
    svg: Option<String>,
    runs: usize,
}

impl Options {
    fn parse(args: &[String]) -> Options {
        let mut options = Options { families: Vec::new(), svg: None, runs: 3 };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--svg" => options.svg = Some(args.next().expect("--svg wants a file").clone()),
                "--runs" => {
                    let runs = args.next().and_then(|text| text.parse().ok()).filter(|&runs| runs > 0);
                    options.runs = runs.expect("--runs wants a number from 1");
                }
                name => options.families.push(family(name)),
            }
        }
        if options.families.is_empty() {
            options.families = const { &families::ALL }.iter().collect();
        }
        options
    }
}

fn family(name: &str) -> &'static Family {
    Family::named(name).unwrap_or_else(|| {
        let names: Vec<&str> = families::ALL.iter().map(|family| family.name).collect();
        panic!("there is no family `{name}`, but {}", names.join(", "))
    })
}

pub(crate) fn run(args: &[String]) {
    if let [option, name, n] = args
        && option == ALONE
    {
        let sample = measure(family(name), n.parse().expect("a size")).unwrap_or_else(|why| panic!("{why}"));
        println!("{}", serde_json::to_string(&sample).expect("a measurement becomes JSON"));
        return;
    }
    let options = Options::parse(args);
    println!("| family | n | ground rules | build CPU s | peak MiB | gates per step | playouts per CPU s |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let mut all: Vec<(&Family, Vec<Row>)> = Vec::new();
    for family in options.families {
        let mut rows = Vec::new();
        for &n in family.sizes {
            match row(family, n, options.runs) {
                Ok(row) => {
                    row.print(family.name);
                    rows.push(row);
                }
                Err(why) => println!("| {} | {n} | {why} |", family.name),
            }
        }
        all.push((family, rows));
    }
    println!("\n| family | build time, all sizes | largest three | memory, all sizes | largest three |");
    println!("|---|--:|--:|--:|--:|");
    for (family, rows) in &all {
        print_exponents(family.name, rows);
    }
    if let Some(file) = options.svg {
        let lines: Vec<chart::Line> = all
            .iter()
            .map(|(family, rows)| chart::Line {
                name: family.name,
                points: rows.iter().map(|row| (row.instances as f64, row.seconds)).collect(),
            })
            .collect();
        std::fs::write(&file, chart::draw(&lines)).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}

/// Measures a game in this process.
fn measure(family: &Family, n: usize) -> Result<Sample, String> {
    let load = || ggp::parse(&family.rulesheet(n)).map_err(|error| error.to_string());
    let (readiness, reasoner) = Readiness::measure(load, LIMIT)?;
    let played = reasoner.as_network().filter(|_| n <= LARGEST_PLAYED);
    let playouts = played.map(|network| speed::bare(network.clone(), BATCH));
    Ok(Sample { readiness, playouts })
}

/// Measures a game in `runs` processes, one after the other. The error is the reason why it has no network.
fn row(family: &Family, n: usize, runs: usize) -> Result<Row, String> {
    let size = n.to_string();
    let mut samples: Vec<Sample> = Vec::new();
    for _ in 0..runs {
        let args = ["growth", ALONE, family.name, &size];
        samples.push(readiness::of_child(args.map(AsRef::as_ref))?);
    }
    let first = &samples[0].readiness;
    let (Some(instances), Some(gates)) = (first.instances, first.gates_per_step) else {
        return Err(format!("no network: {}", first.fallback.as_deref().unwrap_or_default()));
    };
    let of = |value: fn(&Sample) -> Option<f64>| median(samples.iter().filter_map(value).collect());
    Ok(Row {
        n,
        instances,
        gates,
        seconds: of(|sample| Some(sample.readiness.seconds)).unwrap_or(0.0),
        mib: of(|sample| sample.readiness.mib),
        playouts: of(|sample| sample.playouts),
    })
}

/// The middle one of `values`; the upper one of two.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

impl Row {
    fn print(&self, family: &str) {
        let mib = self.mib.map_or_else(|| "–".to_owned(), |mib| format!("{mib:.0}"));
        let playouts = self.playouts.map_or_else(|| "–".to_owned(), |rate| grouped(rate.round() as u64));
        println!(
            "| {family} | {} | {} | {:.3} | {mib} | {} | {playouts} |",
            self.n,
            grouped(self.instances),
            self.seconds,
            grouped(self.gates as u64),
        );
    }
}

/// A number with a comma before each three digits.
fn grouped(number: u64) -> String {
    if number < 1000 {
        return number.to_string();
    }
    format!("{},{:03}", grouped(number / 1000), number % 1000)
}

/// The points (ground rules, `value`) of the games that take long enough to compare.
fn points(rows: &[Row], value: fn(&Row) -> Option<f64>) -> Vec<(f64, f64)> {
    let compared = rows.iter().filter(|row| row.seconds >= SHORTEST);
    compared.filter_map(|row| Some((row.instances as f64, value(row)?))).collect()
}

fn print_exponents(family: &str, rows: &[Row]) {
    let text = |all: &[(f64, f64)], fitted: &[(f64, f64)]| match exponent(fitted) {
        Some(exponent) if all.len() >= ENOUGH => format!("{exponent:.2}"),
        _ => "too small".to_owned(),
    };
    let both = |all: &[(f64, f64)]| {
        format!("{} | {}", text(all, all), text(all, &all[all.len().saturating_sub(LAST)..]))
    };
    let (seconds, mib) = (points(rows, |row| Some(row.seconds)), points(rows, |row| row.mib));
    println!("| {family} | {} | {} |", both(&seconds), both(&mib));
}
