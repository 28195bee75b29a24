//! scratch
use ggp_arena::report::{ReportHead, html};
use ggp_arena::*;
use ggp_game::*;
use ggp_search::*;
use std::sync::Arc;
use std::time::Duration;
struct Local;
impl Players for Local {
    fn player(
        &self,
        entrant: &Entrant,
        _game: &Arc<Game>,
        seat: &SeatRequest<'_>,
    ) -> Result<Box<dyn Player>, PlayError> {
        if let Some(command) = entrant.spec.strip_prefix("cmd:") {
            return Ok(Box::new(CommandPlayer::spawn(command, seat.match_id, seat.grace)?));
        }
        let spec: PlayerSpec = entrant.spec.parse().map_err(|e| PlayError::Unable(format!("{e}")))?;
        Ok(match spec.with_seed(seat.seed) {
            PlayerSpec::Mcts(o) => {
                Box::new(MctsPlayer::new(o, |game: &Arc<Game>, _, _: &StopToken| Ok(Interpreter::new(game))))
            }
            PlayerSpec::Random(o) => Box::new(RandomPlayer::new(&o, |game: &Arc<Game>, _, _: &StopToken| {
                Ok(Interpreter::new(game))
            })),
        })
    }
    fn referee(&self, game: &Arc<Game>) -> Result<Box<dyn Referee>, PlayError> {
        Ok(Box::new(MachineReferee::new(Interpreter::new(game))))
    }
}
fn main() {
    let mut entrants = vec![];
    let mut contests = vec![];
    let mut run = Run::new(100);
    let mut clock = 0.0;
    let mut sprt = None;
    let mut html_out = None;
    let mut plies = 2;
    let mut on = OnFault::Random;
    let mut grace = 500;
    let mut seed = 1;
    for a in std::env::args().skip(1) {
        if a.ends_with(".kif") {
            let g = Game::new(ggp_gdl::parse(&std::fs::read(&a).unwrap()).unwrap()).unwrap();
            contests.push(Contest {
                name: a.rsplit('/').next().unwrap().trim_end_matches(".kif").into(),
                game: Arc::new(g),
            });
        } else {
            let (k, v) = a.split_once('=').unwrap();
            match k {
                "-n" => run.matches = v.parse().unwrap(),
                "-j" => run.concurrency = v.parse().unwrap(),
                "-o" => run.out = Some(v.into()),
                "-clock" => clock = v.parse().unwrap(),
                "-sprt" => {
                    sprt = Some(v.to_string());
                    run.sprt = Some(v.parse().unwrap())
                }
                "-html" => html_out = Some(v.to_string()),
                "-save" => run.save = Some(v.into()),
                "-plies" => plies = v.parse().unwrap(),
                "-onfault" => on = v.parse().unwrap(),
                "-grace" => grace = v.parse().unwrap(),
                "-seed" => seed = v.parse().unwrap(),
                "-resume" => run.resume = true,
                _ => entrants.push(Entrant { name: k.into(), spec: v.into() }),
            }
        }
    }
    let d = if clock > 0.0 { Duration::from_secs_f64(clock) } else { Duration::MAX };
    let t = Tournament {
        entrants: entrants.clone(),
        contests,
        pairing: Pairing::RoundRobin,
        seed,
        clocks: Clocks { start: d, play: d },
        grace: Duration::from_millis(grace),
        on_fault: on,
        opening_plies: plies,
        parallel: false,
        max_steps: 10000,
    };
    let mut n = 0;
    let r = t
        .run(
            &Local,
            &run,
            &mut |e| match e {
                Event::Warning(w) => eprintln!("warning: {w}"),
                Event::Ended { progress, sprt, .. } => {
                    n += 1;
                    if n % 500 == 0 || (n % 20 == 0 && clock > 0.0) {
                        eprintln!(
                            "{}/{} {:?} {:?}",
                            progress.done,
                            progress.total,
                            progress.time_left(),
                            sprt.map(|s| s.llr)
                        );
                    }
                }
                Event::Ready { .. } => {}
            },
            &StopToken::new(),
        )
        .unwrap();
    let s = r.standings.summary();
    eprintln!("{:?} {:?} {:?}", r.finish, r.progress, r.sprt);
    for p in &s.players {
        println!(
            "{} {:?} goal {:?} {}-{}-{} faults {:?} moves {} mean {:.4} longest {:.4} overshot {} p99 {:?} worst {:?}",
            p.name,
            p.rating,
            p.goal,
            p.wins,
            p.draws,
            p.losses,
            p.faults,
            p.time.moves,
            p.time.seconds / p.time.moves.max(1) as f64,
            p.time.longest,
            p.time.overshot,
            p.time.overshoot_quantile(0.99),
            p.time.overshoots.iter().take(10).collect::<Vec<_>>()
        );
    }
    for p in &s.pairs {
        println!("{:?} {:?} {:?}", p.players, p.pentanomial, p.difference);
    }
    if let Some(f) = html_out {
        std::fs::write(
            f,
            html(
                &s,
                &ReportHead {
                    title: "Five games, three players".into(),
                    facts: vec![
                        (
                            "games".into(),
                            t.contests.iter().map(|c| c.name.clone()).collect::<Vec<_>>().join(", "),
                        ),
                        ("play clock".into(), format!("{clock} s")),
                        ("seed".into(), seed.to_string()),
                        ("openings".into(), format!("{plies} random plies, each in all seatings")),
                    ],
                    specs: entrants.iter().map(|e| (e.name.clone(), e.spec.clone())).collect(),
                    sprt: sprt.zip(r.sprt),
                },
            ),
        )
        .unwrap();
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    for l in status.lines().filter(|l| l.starts_with("VmHWM")) {
        eprintln!("{l}");
    }
}
