//! Learning by self-play, and what remains of it from match to match.

use ggp_game::{
    AnonymousRules, Clocks, Deadline, Interpreter, Observation, Player, Role, StateMachine, StopToken,
};
use ggp_gdl::rename::{is_free, rename, words};
use ggp_search::{
    Generation, Knowledge, Learner, Lesson, Limits, MctsOptions, MctsPlayer, Search, SelfPlayMatch,
    Technique, Techniques,
};
use std::collections::BTreeMap;
use std::time::Duration;

fn options() -> MctsOptions {
    MctsOptions { seed: Some(3), memory: 64, ..MctsOptions::default() }
}

/// `text` with every free word read backwards, so that other words come first in the order of the alphabet.
fn backwards(text: &str) -> String {
    let turned: BTreeMap<&str, String> = words(text)
        .filter(|word| is_free(word))
        .map(|word| match word.strip_prefix('?') {
            Some(name) => (word, format!("?q{}", name.chars().rev().collect::<String>())),
            None => (word, format!("q{}", word.chars().rev().collect::<String>())),
        })
        .collect();
    rename(text, |word| turned.get(word).map(String::as_str))
}

/// Options of short searches. Without proofs, matches have many open nodes to learn from.
fn without_proofs() -> MctsOptions {
    MctsOptions {
        iterations: Some(300),
        techniques: Techniques::none().with(Technique::History, true),
        ..options()
    }
}

/// What 240,000 descents teach of the game with the rules `text`.
fn learn(text: &str) -> Lesson {
    let rules = AnonymousRules::new(ggp_tests::game(text).description());
    let mut learner = Learner::new(&ggp_tests::network(rules.text()), &without_proofs(), None).unwrap();
    learner.run(&Limits::iterations(240_000), 1, |_| true).unwrap();
    learner.lesson()
}

#[test]
fn self_play_of_given_descents_repeats_and_so_does_the_search_after_it() {
    let network = ggp_tests::network(&ggp_tests::rulesheet("breakthrough_holes"));
    let run = || {
        let mut search = Search::new(network.clone(), &options()).unwrap();
        let generations = search.learn(&Limits::iterations(20_000)).unwrap();
        search.run(&Limits::iterations(2_000));
        (generations, search.report(Role(0)).candidates)
    };
    let (generations, candidates) = run();
    assert!((2..=7).contains(&generations.len()), "{generations:?}");
    assert!(generations.is_sorted_by_key(|one| one.matches) && generations[0].matches > 0, "{generations:?}");
    assert_eq!(run(), (generations, candidates));
}

#[test]
fn a_policy_predicts_unknown_matches_better_and_serves_scrambled_rules() {
    let text = ggp_tests::rulesheet("nim");
    let other = backwards(&text);
    assert!(text.contains("(heap ") && other.contains("(qpaeh "));
    let lesson = learn(&text);
    let last = lesson.generations().last().unwrap();
    assert!(last.passes() && last.by_policy > last.by_history, "{last:?}");
    assert_eq!(learn(&other), lesson, "the words do not count");

    let mut learner = Learner::new(&ggp_tests::network(&text), &without_proofs(), Some(&lesson)).unwrap();
    assert_eq!(learner.lesson(), lesson);
    learner.try_out(&Limits::iterations(8), 2).unwrap();
    let trial = learner.trial().unwrap();
    assert!(trial.matches == 8 && (0.0..=1.0).contains(&trial.share), "{trial:?}");
    learner.try_out(&Limits::iterations(2), 1).unwrap();
    assert_eq!(learner.trial(), Some(trial), "two matches decide nothing");
    let of_trial = learner.matches_of_trial(100 * last.descents);
    assert!(of_trial.abs_diff(last.matches * 200 / 63) <= 1, "{of_trial} matches of 63/2 times the descents");
    let tried = learner.lesson();
    assert_eq!((tried.trial(), tried.is_used()), (Some(trial), trial.passes()));
    let nothing = Learner::new(&ggp_tests::network(&text), &without_proofs(), None).unwrap().lesson();

    // A few more matches hold out too few positions to judge the policy anew.
    let mut again = Learner::new(&ggp_tests::network(&text), &without_proofs(), Some(&lesson)).unwrap();
    again.run(&Limits::iterations(900), 1, |_| true).unwrap();
    let newest = again.generations().last().unwrap();
    assert!(newest.descents >= last.descents + 900 && newest.matches > last.matches, "{newest:?}");
    let test = |one: &Generation| (one.samples, one.by_history, one.by_policy);
    assert_eq!((test(newest), newest.passes()), (test(last), true));

    for text in [text, other] {
        let searched = |lessons: &[&Lesson]| {
            let mut search = Search::new(ggp_tests::network(&text), &options()).unwrap();
            let is_used: Vec<bool> = lessons.iter().map(|one| search.use_lesson(one).unwrap()).collect();
            search.run(&Limits::iterations(500));
            (is_used, search.report(Role(0)).candidates)
        };
        let (without, with, replaced) =
            (searched(&[]).1, searched(&[&lesson]), searched(&[&lesson, &nothing]));
        assert!(with.0 == [true] && with.1 != without, "{with:?}");
        assert_eq!(replaced, (vec![true, false], without), "the later lesson replaces the earlier one");
    }
}

#[test]
fn a_search_that_waits_for_its_network_uses_the_lesson_on_it() {
    let game = ggp_tests::game(&ggp_tests::rulesheet("nim"));
    let lesson = learn(&ggp_tests::rulesheet("nim"));
    assert!(lesson.is_used());
    let searched = |lesson: Option<&Lesson>| {
        let coming = ggp::Build::default().begin(&game).unwrap();
        let reasoner = ggp::Reasoner::replaced_by(&game, coming.clone());
        let mut search = ggp::Search::new(&reasoner, &options()).unwrap();
        if let Some(lesson) = lesson {
            search.use_lesson(lesson).unwrap();
        }
        assert!(coming.wait(Deadline::never(), &StopToken::new()).is_some());
        search.run(&Limits::iterations(500));
        assert_eq!(search.machine(), "propnet");
        search.report(Role(0)).candidates
    };
    assert_eq!(searched(None), searched(None));
    assert_eq!(searched(Some(&lesson)), searched(Some(&lesson)));
    assert_ne!(searched(None), searched(Some(&lesson)));
}

#[test]
fn matches_played_elsewhere_teach_the_same() {
    let network = ggp_tests::network(&ggp_tests::rulesheet("tic_tac_toe"));
    let short = MctsOptions { iterations: Some(200), ..options() };
    let mut alone = Learner::new(&network, &short, None).unwrap();
    alone.run(&Limits::iterations(40_000), 1, |_| true).unwrap();

    let no_limit = Limits::default();
    let mut learner = Learner::new(&network, &short, None).unwrap();
    let mut played = Vec::new();
    for generation in alone.generations() {
        // Another process knows the lesson alone, and the matches come back as bytes.
        let lesson = Lesson::from_bytes(&learner.lesson().to_bytes()).unwrap();
        let worker = Learner::new(&network, &short, Some(&lesson)).unwrap();
        for number in played.len() as u64..generation.matches {
            played.push(worker.play(number, &no_limit).unwrap().to_bytes());
            assert!(learner.keep(SelfPlayMatch::from_bytes(played.last().unwrap()).unwrap()));
        }
        assert_eq!(learner.end_generation(&no_limit), *generation);
    }
    assert_eq!(learner.lesson(), alone.lesson());

    // A learner that goes on from a lesson gets the matches once more, and counts them once.
    let matches = || played.iter().map(|bytes| SelfPlayMatch::from_bytes(bytes).unwrap()).collect::<Vec<_>>();
    let mut restored = Learner::new(&network, &short, Some(&alone.lesson())).unwrap();
    assert!(restored.recall(matches()));
    let (one, other) = (learner.end_generation(&no_limit), restored.end_generation(&no_limit));
    assert_eq!(one, other);
    assert_eq!(restored.lesson(), learner.lesson());

    // Matches of another game, and damaged ones, are refused.
    let holes = ggp_tests::network(&ggp_tests::rulesheet("breakthrough_holes"));
    let mut of_other = Learner::new(&holes, &short, None).unwrap();
    assert!(!of_other.recall(matches()) && !of_other.keep(matches().pop().unwrap()));
    assert!(SelfPlayMatch::from_bytes(&played[0][..played[0].len() / 2]).is_none());
    assert!(Lesson::from_bytes(b"no lesson").is_none());
}

#[test]
fn a_player_goes_on_learning_from_match_to_match() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games");
    let game = ggp_tests::game(&ggp_tests::rulesheet("breakthrough_holes"));
    let machine = ggp_tests::network(&ggp_tests::rulesheet("breakthrough_holes"));
    let rules = AnonymousRules::new(game.description());
    let second = Duration::from_secs(1);
    let options = MctsOptions {
        knowledge: Some(file.clone()),
        self_play: Some(4_000),
        iterations: Some(200),
        ..options()
    };
    let matches = || {
        let made = machine.clone();
        let mut player = MctsPlayer::new(options.clone(), move |_, _, _| Ok(made.clone()));
        let stop = StopToken::new();
        player
            .start(&game, Role(0), Clocks { start: second, play: second }, Deadline::never(), &stop)
            .unwrap();
        let mv = player.play(Observation::Start, Deadline::never(), &stop).unwrap();
        let mut other = Interpreter::new(&game);
        let state = other.initial_state().unwrap();
        assert!(other.legal_texts(&state, Role(0)).unwrap().contains(&mv));
        player.stop(Observation::Start);
        let knowledge = Knowledge::read(&file).unwrap();
        knowledge.lesson(&rules).unwrap().generations().last().copied().unwrap()
    };
    let (first, second): (Generation, Generation) = (matches(), matches());
    assert!(second.descents >= 2 * 4_000 && second.descents > first.descents && first.descents >= 4_000);
}

#[test]
fn nothing_is_learnt_where_there_are_no_contexts_or_no_opponents() {
    let game = ggp_tests::game(&ggp_tests::rulesheet("breakthrough_holes"));
    assert!(Learner::new(&Interpreter::new(&game), &options(), None).is_none());
    let puzzle = ggp_tests::network(&ggp_tests::rulesheet("eight_puzzle"));
    assert!(Learner::new(&puzzle, &options(), None).is_none(), "one role");
    let mut search = Search::new(puzzle, &options()).unwrap();
    assert!(search.learn(&Limits::iterations(10_000)).unwrap().is_empty());
}
