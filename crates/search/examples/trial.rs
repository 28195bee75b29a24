//! Trial.
use ggp_game::{Game, Role, StateMachine, rng::Sequence, Goals};
use ggp_propnet::{GroundLimits, PropNet, PropNetMachine};
use ggp_search::{Limits, MctsOptions, PlayerSpec, Search};
use std::path::Path; use std::sync::Arc;
type State = <PropNetMachine as StateMachine>::State;
fn load(file: &str) -> (Arc<Game>, PropNetMachine) {
    let text = std::fs::read(file).unwrap();
    let game = Arc::new(Game::new(ggp_gdl::parse(&text).unwrap()).unwrap());
    let net = PropNet::ground(&game, &GroundLimits::default(), &ggp_game::StopToken::new()).unwrap();
    let m = PropNetMachine::new(net).unwrap(); (game, m)
}
fn opts(spec: &str, seed: u64) -> MctsOptions {
    match spec.parse::<PlayerSpec>().unwrap().with_seed(seed) { PlayerSpec::Mcts(o) => o, _ => panic!() }
}
fn name(f: &str) -> String { Path::new(f).file_stem().unwrap().to_string_lossy().into_owned() }
fn random_joint(game: &Game, m: &mut PropNetMachine, s: &State, r: &mut Sequence) -> Vec<ggp_game::Move> {
    let mut legal = Vec::new();
    game.roles().map(|role| { m.legal_moves(s, role, &mut legal).unwrap(); legal[r.below(legal.len())] }).collect()
}
/// a position after `plies`: 2 random, the rest by a short search
fn position(game: &Game, m: &PropNetMachine, plies: usize, seed: u64) -> Option<State> {
    let mut r = Sequence::new(seed * 977 + plies as u64); let mut w = m.clone();
    let mut s = w.initial_state().unwrap();
    for ply in 0..plies {
        if w.is_terminal(&s).unwrap() { return None }
        let joint = if ply < 3 { random_joint(game, &mut w, &s, &mut r) } else {
            let mut q = Search::from_state(m.clone(), &opts("mcts:mast=off", seed), s.clone()).unwrap();
            q.run(&Limits::iterations(300));
            game.roles().map(|role| q.best_move(role).unwrap().unwrap()).collect() };
        s = w.next_state(&s, &joint).unwrap();
    }
    (!w.is_terminal(&s).unwrap()).then_some(s)
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args[0].as_str() {
        "dev" => { // dev ITER SPECS, FILES
            let iters: u64 = args[1].parse().unwrap(); let specs: Vec<&str> = args[2].split(';').collect();
            let mut all = vec![Vec::new(); specs.len()];
            for f in &args[3..] { let (game, m) = load(f);
                for (i, spec) in specs.iter().enumerate() { let mut devs = Vec::new(); let mut sc = Vec::new(); let mut agree = 0.0; let clock = std::time::Instant::now();
                    for (k, ply) in [8, 12, 16, 20, 24, 14].into_iter().enumerate() { let Some(s) = position(&game, &m, ply, k as u64 + 1) else { continue };
                        let mut v = Vec::new(); let mut bests = Vec::new();
                        for seed in 0..6 { let mut q = Search::from_state(m.clone(), &opts(spec, seed + 50), s.clone()).unwrap();
                            let role = game.roles().find(|&r| q.choices(r).unwrap() > 1).unwrap_or(Role(0));
                            q.run(&Limits::iterations(iters)); let rep = q.report(role);
                            if rep.candidates.iter().any(|c| c.proven == Some(100)) || rep.candidates.iter().all(|c| c.proven.is_some()) { v.clear(); break }
                            let n: f64 = rep.candidates.iter().map(|c| c.visits as f64).sum();
                            let t: f64 = rep.candidates.iter().map(|c| c.visits as f64 * c.score.unwrap_or(0.0)).sum();
                            bests.push(rep.candidates[0].mv.clone()); v.push(t / n); }
                        if v.len() < 6 { continue }
                        let mean = v.iter().sum::<f64>() / 6.0; let d = (v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 5.0).sqrt();
                        let top = bests.iter().map(|b| bests.iter().filter(|c| *c == b).count()).max().unwrap(); agree += top as f64 / 6.0;
                        devs.push(d); sc.push(mean); all[i].push(d); }
                    let show = |v: &[f64]| v.iter().map(|x| format!("{x:5.1}")).collect::<Vec<_>>().join(" ");
                    println!("{:<22} {:<28} dev {} | score {} | agree {:.2} {:.1}s", name(f), spec, show(&devs), show(&sc), agree / devs.len().max(1) as f64, clock.elapsed().as_secs_f64()); } }
            for (spec, v) in specs.iter().zip(&mut all) { v.sort_by(f64::total_cmp); if v.is_empty() { continue } println!("ALL {spec:<28} n {} median {:.2} p90 {:.2}", v.len(), v[v.len()/2], v[(v.len()*9/10).min(v.len()-1)]); }
        }
        "duel" => { // duel A B FROM TO FILES
            let (from, to): (u64, u64) = (args[3].parse().unwrap(), args[4].parse().unwrap());
            let (mut n, mut sum, mut sq) = (0.0, 0.0, 0.0);
            for f in &args[5..] { let (game, m) = load(f); let (mut gn, mut gs, mut gq) = (0.0, 0.0, 0.0);
                for pair in from..to { let mut both = 0.0;
                    for seat in 0..2usize { let mut r = Sequence::new(pair * 31 + 7); let mut w = m.clone(); let mut s = w.initial_state().unwrap();
                        for _ in 0..3 { let j = random_joint(&game, &mut w, &s, &mut r); let t = w.next_state(&s, &j).unwrap(); if w.is_terminal(&t).unwrap() { break } s = t; }
                        let o = [opts(&args[1], pair * 2 + seat as u64), opts(&args[2], pair * 2 + seat as u64 + 1000)];
                        let who = |role: Role| usize::from(role.index() != seat);
                        let mut qs: Vec<_> = game.roles().map(|role| Search::from_state(m.clone(), &o[who(role)], s.clone()).unwrap()).collect();
                        while !w.is_terminal(&s).unwrap() { let mut joint = Vec::new();
                            for (role, q) in game.roles().zip(&mut qs) { if q.choices(role).unwrap() > 1 { q.run(&Limits::iterations(o[who(role)].iterations.unwrap()).for_role(role)); } joint.push(q.best_move(role).unwrap().unwrap()); }
                            s = w.next_state(&s, &joint).unwrap(); for q in &mut qs { q.advance(&joint).unwrap(); } }
                        let mut goals = vec![Goals::None; game.role_count()]; w.goals(&s, &mut goals).unwrap(); both += goals[seat].score().share() / 2.0; }
                    gn += 1.0; gs += both; gq += both * both; n += 1.0; sum += both; sq += both * both; }
                println!("{:<22} {:.3} ±{:.3} in {} pairs", name(f), gs / gn, ((gq / gn - (gs / gn).powi(2)).max(0.0) / (gn - 1.0f64).max(1.0)).sqrt(), gn); }
            println!("ALL {} | {} {:.3} ±{:.3} in {n} pairs", args[1], args[2], sum / n, ((sq / n - (sum / n).powi(2)).max(0.0) / (n - 1.0f64).max(1.0)).sqrt());
        }
        "kept" => kept(&args),
        "forecast" => for f in &args[3..] { let (game, m) = load(f);
            for (k, ply) in [8, 12, 16, 20].into_iter().enumerate() { let Some(s) = position(&game, &m, ply, k as u64 + 1) else { continue };
                let mut q = Search::from_state(m.clone(), &opts(&args[2], 5), s).unwrap(); q.run(&Limits::iterations(args[1].parse().unwrap()));
                println!("{:<20} ply {ply:2} {}", name(f), q.trial_forecast()); } },
        _ => panic!(),
    }
}
// kept SPEC MATCHES DEEP FILES: choices by part 2, 4, 8, 32 and by a fresh search, judged by a search of each child
fn kept(args: &[String]) {
    let matches: u64 = args[2].parse().unwrap(); let deep: u64 = args[3].parse().unwrap();
    let parts = [2u64, 4, 8, 32];
    for f in &args[4..] { let (game, m) = load(f);
        let mut gain = vec![(0.0f64, 0.0f64, 0.0f64); parts.len() + 1]; let mut turns = 0;
        for number in 0..matches { let mut r = Sequence::new(number * 31 + 7); let mut w = m.clone(); let mut s = w.initial_state().unwrap();
            for _ in 0..3 { let j = random_joint(&game, &mut w, &s, &mut r); let t = w.next_state(&s, &j).unwrap(); if w.is_terminal(&t).unwrap() { break } s = t; }
            let o = opts(&args[1], number);
            let mut qs: Vec<_> = game.roles().map(|_| Search::from_state(m.clone(), &o, s.clone()).unwrap()).collect();
            while !w.is_terminal(&s).unwrap() { let mut joint = Vec::new(); let mut turn = None;
                for (role, q) in game.roles().zip(&mut qs) { if q.choices(role).unwrap() > 1 { q.run(&Limits::iterations(o.iterations.unwrap()).for_role(role)); turn = Some(role); } joint.push(q.best_move(role).unwrap().unwrap()); }
                if let Some(role) = turn { let rep = qs[role.index()].report(role);
                    if rep.candidates.len() > 1 && rep.candidates.iter().all(|c| c.proven.is_none()) { turns += 1;
                        let most = rep.candidates.iter().map(|c| c.visits).max().unwrap();
                        let by = |part: u64| { let mut best = None; for c in &rep.candidates { if c.visits < (most / part).max(1) { continue }
                            let low = c.score.unwrap() / 100.0 - 4.0 / (c.visits as f64).sqrt(); if best.as_ref().is_none_or(|&(b, _)| low > b) { best = Some((low, c.mv.clone())) } } best.unwrap().1 };
                        let mut choices: Vec<String> = parts.iter().map(|&p| by(p)).collect();
                        let mut q = Search::from_state(m.clone(), &opts(&args[1], number + 900), s.clone()).unwrap(); q.run(&Limits::iterations(o.iterations.unwrap()).for_role(role));
                        choices.push(q.report(role).candidates[0].mv.clone());
                        let mut known: Vec<(String, f64)> = Vec::new();
                        if choices.iter().any(|c| *c != choices[0]) {
                            for c in &choices { if !known.iter().any(|k| k.0 == *c) { let mut j = joint.clone(); j[role.index()] = w.parse_move(c).unwrap(); let t = w.next_state(&s, &j).unwrap();
                                let v = if w.is_terminal(&t).unwrap() { let mut g = vec![Goals::None; game.role_count()]; w.goals(&t, &mut g).unwrap(); g[role.index()].score().share() } else {
                                    let mut q = Search::from_state(m.clone(), &opts("mcts:mast=off", 3), t).unwrap(); q.run(&Limits::iterations(deep));
                                    let other = game.roles().find(|&r| q.choices(r).unwrap() > 1).unwrap_or(Role(0)); let rep = q.report(other); let c = &rep.candidates[0];
                                    let v = c.proven.map_or(c.score.unwrap_or(50.0) / 100.0, |g| f64::from(g) / 100.0); if other == role { v } else { 1.0 - v } };
                                known.push((c.clone(), v)); } }
                            let val = |c: &String| known.iter().find(|k| k.0 == *c).unwrap().1;
                            for (i, c) in choices[1..].iter().enumerate() { if *c != choices[0] { let d = 100.0 * (val(c) - val(&choices[0])); gain[i].0 += 1.0; gain[i].1 += d; gain[i].2 += d * d; } } }
                    } }
                s = w.next_state(&s, &joint).unwrap(); for q in &mut qs { q.advance(&joint).unwrap(); } } }
        let show: Vec<String> = gain[..parts.len()].iter().zip(["part4", "part8", "part32", "fresh"]).map(|(g, n)| { let mean = g.1 / g.0.max(1.0); format!("{n}: {} differ, {:.2} ±{:.2}", g.0, mean, ((g.2 / g.0.max(1.0) - mean * mean) / g.0.max(1.0)).max(0.0).sqrt()) }).collect();
        println!("{:<20} {} turns {} | {}", name(f), args[1], turns, show.join(" | ")); }
}
