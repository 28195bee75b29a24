//! The mistakes that authors make: each is made alone in a correct game, and the first finding is at the right place
//! and tells the right cause. Its consequences are folded in, so it is the only finding.
//!
//! The games (`tests/mistakes`) take turns, move simultaneously, have one role and three. The published rulesheets are
//! checked too: every finding about them is listed with the reason why it is genuine.

use ggp::{Limits, Rulesheet, Severity, Strictness};
use ggp_gdl::Diagnostic;
use ggp_gdl::lines::Lines;
use std::collections::BTreeMap;
use std::path::Path;

/// A mistake: the text `old` of a game becomes `new`.
struct Mistake {
    /// The row of the table of mistakes.
    row: u32,
    game: &'static str,
    old: &'static str,
    new: &'static str,
    /// The code of the finding.
    code: &'static str,
    /// The text of the line at which the finding begins.
    line: &'static str,
    /// A part of the message or of the help that tells the cause.
    cause: &'static str,
}

#[rustfmt::skip]
const MISTAKES: &[Mistake] = &[
    Mistake { row: 1, game: "orchard", code: "not-listed",
        old: "(<= (base (turn ?who)) (role ?who))\n",
        new: "",
        line: "(init (turn rose))",
        cause: "`init` gives `(turn rose)`, but `base` lists no such thing" },
    Mistake { row: 1, game: "vault", code: "not-listed",
        old: "(base open)\n",
        new: "",
        line: "(<= (next open)",
        cause: "`next` gives `open`, but `base` lists no such thing" },
    Mistake { row: 1, game: "vault", code: "not-listed",
        old: "(base (clock 0))\n(<= (base (clock ?t)) (tick ?s ?t))\n",
        new: "",
        line: "(init (clock 0))",
        cause: "`init` gives `(clock 0)`, but `base` lists no such thing" },
    Mistake { row: 1, game: "vault", code: "not-listed",
        old: "(<= (base (dial ?d ?digit)) (wheel ?d) (follows ?digit ?other))\n",
        new: "",
        line: "(init (dial left 7))",
        cause: "`init` gives `(dial left 7)`, but `base` lists no such thing" },
    Mistake { row: 1, game: "vault", code: "not-listed",
        old: "(input thief pull)\n",
        new: "",
        line: "(<= (legal thief pull)",
        cause: "`legal` gives `pull`, but `input` lists no such thing: `pull" },
    Mistake { row: 1, game: "ferry", code: "not-listed",
        old: "(<= (base (earned ?c ?n)) (role ?c) (count ?n))\n",
        new: "",
        line: "(init (earned ann 0))",
        cause: "`init` gives `(earned ann 0)`, but `base` lists no such thing" },
    Mistake { row: 1, game: "ferry", code: "not-listed",
        old: "(<= (base (helm ?c)) (role ?c))\n",
        new: "",
        line: "(init (helm ann))",
        cause: "`init` gives `(helm ann)`, but `base` lists no such thing" },
    Mistake { row: 2, game: "orchard", code: "never-produced",
        old: "(<= (goal ?who 100)\n    (wins ?who))",
        new: "(<= (goal ?who 100)\n    (winns ?who))",
        line: "(winns ?who))",
        cause: "did you mean `wins`?" },
    Mistake { row: 2, game: "orchard", code: "never-used",
        old: "(<= room\n",
        new: "(<= rom\n",
        line: "(<= rom",
        cause: "did you mean `room`?" },
    Mistake { row: 2, game: "auction", code: "never-produced",
        old: "(<= (next (purse ?bidder ?purse))\n    (true (purse ?bidder ?purse))\n    (not (takes",
        new: "(<= (next (purse ?bidder ?purse))\n    (true (purse ?bidder ?purse))\n    (not (takse",
        line: "(not (takse ?bidder)))",
        cause: "did you mean `takes`?" },
    Mistake { row: 2, game: "auction", code: "never-used",
        old: "(<= (takes ?bidder)",
        new: "(<= (takse ?bidder)",
        line: "(<= (takse ?bidder)",
        cause: "did you mean `takes`?" },
    Mistake { row: 2, game: "vault", code: "never-produced",
        old: "    aligned)",
        new: "    alinged)",
        line: "alinged)",
        cause: "did you mean `aligned`?" },
    Mistake { row: 2, game: "ferry", code: "never-used",
        old: "(turns bob cyd)",
        new: "(trns bob cyd)",
        line: "(trns bob cyd)",
        cause: "did you mean `turns`?" },
    Mistake { row: 2, game: "ferry", code: "never-matched",
        old: "(true (aboard ?f ?n))\n    (distinct",
        new: "(true (abord ?f ?n))\n    (distinct",
        line: "(true (abord ?f ?n))",
        cause: "did you mean `aboard`?" },
    Mistake { row: 2, game: "ferry", code: "never-read",
        old: "(<= (next (helm ?d))",
        new: "(<= (next (hlem ?d))",
        line: "(<= (next (hlem ?d))",
        cause: "did you mean `helm`?" },
    Mistake { row: 2, game: "ferry", code: "never-used",
        old: "(<= (legal ?c wait)",
        new: "(<= (leagl ?c wait)",
        line: "(<= (leagl ?c wait)",
        cause: "did you mean `legal`?" },
    Mistake { row: 2, game: "vault", code: "never-used",
        old: "(init (clock 0))",
        new: "(int (clock 0))",
        line: "(int (clock 0))",
        cause: "did you mean `init`?" },
    Mistake { row: 2, game: "vault", code: "never-used",
        old: "(<= (next (clock ?t))",
        new: "(<= (nxt (clock ?t))",
        line: "(<= (nxt (clock ?t))",
        cause: "did you mean `next`?" },
    Mistake { row: 2, game: "orchard", code: "never-read",
        old: "(init (turn rose))",
        new: "(init (trun rose))",
        line: "(init (trun rose))",
        cause: "did you mean `turn`?" },
    Mistake { row: 3, game: "orchard", code: "unsafe-variable",
        old: "(<= (planted ?x ?y)\n    (does ?who (plant ?x ?y)))",
        new: "(<= (planted ?x ?z)\n    (does ?who (plant ?x ?y)))",
        line: "(<= (planted ?x ?z)",
        cause: "`?z` has no value: it stands in the head of its rule, but in" },
    Mistake { row: 3, game: "auction", code: "unsafe-variable",
        old: "(<= (next (lot ?after))",
        new: "(<= (next (lot ?afer))",
        line: "(<= (next (lot ?afer))",
        cause: "did you mean `?after`?" },
    Mistake { row: 3, game: "ferry", code: "unsafe-variable",
        old: "(<= (next (helm ?d))",
        new: "(<= (next (helm ?e))",
        line: "(<= (next (helm ?e))",
        cause: "did you mean `?d`?" },
    Mistake { row: 3, game: "vault", code: "unsafe-variable",
        old: "(<= (next (clock ?t))",
        new: "(<= (next (clock ?u))",
        line: "(<= (next (clock ?u))",
        cause: "did you mean `?t`?" },
    Mistake { row: 4, game: "orchard", code: "function-arity",
        old: "    (true (bed ?x ?y soil)))\n(<= (legal rose",
        new: "    (true (bed ?x soil)))\n(<= (legal rose",
        line: "(true (bed ?x soil)))",
        cause: "the function `bed` is used with 2 arguments here and with 3 elsewhere" },
    Mistake { row: 4, game: "orchard", code: "function-arity",
        old: "(init (bed 2 2 soil))",
        new: "(init (bed 2 2))",
        line: "(init (bed 2 2))",
        cause: "did you mean `(bed 2 2 soil)`?" },
    Mistake { row: 4, game: "orchard", code: "relation-arity",
        old: "    (not (planted ?x ?y)))",
        new: "    (not (planted ?x)))",
        line: "(not (planted ?x)))",
        cause: "`planted` is used with 1 argument here and with 2 elsewhere" },
    Mistake { row: 4, game: "auction", code: "relation-arity",
        old: "    (sum ?coins ?left ?purse))",
        new: "    (sum ?coins ?left))",
        line: "(sum ?coins ?left))",
        cause: "`sum` is used with 2 arguments here and with 3 elsewhere" },
    Mistake { row: 4, game: "auction", code: "function-arity",
        old: "(<= (next (shelf ?bidder ?more))",
        new: "(<= (next (shelf ?more))",
        line: "(<= (next (shelf ?more))",
        cause: "the function `shelf` is used with 1 argument here and with 2" },
    Mistake { row: 4, game: "ferry", code: "function-arity",
        old: "    (true (earned ?c ?m))\n    (best",
        new: "    (true (earned ?c ?m ?n))\n    (best",
        line: "(true (earned ?c ?m ?n))",
        cause: "the function `earned` is used with 3 arguments here and with" },
    Mistake { row: 4, game: "ferry", code: "relation-arity",
        old: "(<= (best ?n ?m ?m)",
        new: "(<= (best ?n ?m)",
        line: "(<= (best ?n ?m)",
        cause: "`best` is used with 2 arguments here and with 3 elsewhere" },
    Mistake { row: 4, game: "vault", code: "function-arity",
        old: "    (does thief (spin ?d))\n    (true",
        new: "    (does thief (spin))\n    (true",
        line: "(does thief (spin))",
        cause: "did you mean `(spin ?d)`?" },
    Mistake { row: 4, game: "vault", code: "relation-arity",
        old: "(follows 8 9)",
        new: "(follows 8)",
        line: "(follows 8)",
        cause: "`follows` is used with 1 argument here and with 2 elsewhere" },
    Mistake { row: 4, game: "vault", code: "keyword-arity",
        old: "(<= (goal thief 0)",
        new: "(<= (goal thief)",
        line: "(<= (goal thief)",
        cause: "`goal` takes 2 arguments, not 1" },
    Mistake { row: 5, game: "orchard", code: "not-kept",
        old: "(<= (next (bed ?x ?y ?what))\n    (true (bed ?x ?y ?what))\n    (distinct ?what soil))\n",
        new: "",
        line: "(<= (next (bed ?x ?y ?who))",
        cause: "nothing keeps `bed` from step to step where argument 3 is not `soil`" },
    Mistake { row: 5, game: "orchard", code: "not-kept",
        old: "(<= (next (bed ?x ?y soil))\n    (true (bed ?x ?y soil))\n    (not (planted ?x ?y)))\n",
        new: "",
        line: "(<= (next (bed ?x ?y ?who))",
        cause: "nothing keeps `bed` with `soil` from step to step: only `ini" },
    Mistake { row: 5, game: "auction", code: "not-kept",
        old: "(<= (next (purse ?bidder ?purse))\n    (true (purse ?bidder ?purse))\n    (not (takes ?bidder)))\n",
        new: "",
        line: "(<= (next (purse ?bidder ?left))",
        cause: "nothing keeps `purse` from step to step" },
    Mistake { row: 5, game: "auction", code: "not-kept",
        old: "(<= (next (shelf ?bidder ?lots))\n    (true (shelf ?bidder ?lots))\n    (not (takes ?bidder)))\n",
        new: "",
        line: "(<= (next (shelf ?bidder ?more))",
        cause: "nothing keeps `shelf` from step to step" },
    Mistake { row: 5, game: "vault", code: "not-kept",
        old: "(<= (next (dial ?d ?digit))\n    (true (dial ?d ?digit))\n    (does thief (spin ?e))\n    (distinct ?d ?e))\n",
        new: "",
        line: "(<= (next (dial ?d ?digit))",
        cause: "nothing keeps `dial` after the move `spin`" },
    Mistake { row: 5, game: "vault", code: "not-kept",
        old: "(<= (next (dial ?d ?digit))\n    (true (dial ?d ?digit))\n    (does thief pull))\n",
        new: "",
        line: "(<= (next (dial ?d ?digit))",
        cause: "nothing keeps `dial` after the move `pull`" },
    Mistake { row: 5, game: "ferry", code: "not-kept",
        old: "(<= (next (aboard ?f ?n))\n    (true (aboard ?f ?n))\n    (not (busy ?f)))\n",
        new: "",
        line: "(<= (next (aboard ?f ?m))",
        cause: "nothing keeps `aboard` from step to step" },
    Mistake { row: 5, game: "ferry", code: "not-kept",
        old: "(<= (next (earned ?c ?m))\n    (true (earned ?c ?m))\n    (not (sails ?c)))\n",
        new: "",
        line: "(<= (next (earned ?c ?k))",
        cause: "nothing keeps `earned` from step to step" },
    Mistake { row: 10, game: "orchard", code: "constant-beside-variable",
        old: "(<= (next (bed ?x ?y ?who))\n",
        new: "(<= (next (bed x ?y ?who))\n",
        line: "(<= (next (bed x ?y ?who))",
        cause: "did you mean `?x`?" },
    Mistake { row: 10, game: "orchard", code: "constant-beside-variable",
        old: "    (true (bed ?x 2 ?who))",
        new: "    (true (bed x 2 ?who))",
        line: "(true (bed x 2 ?who))",
        cause: "did you mean `?x`?" },
    Mistake { row: 10, game: "orchard", code: "constant-beside-variable",
        old: "(distinct ?what soil)",
        new: "(distinct what soil)",
        line: "(distinct what soil))",
        cause: "did you mean `?what`?" },
    Mistake { row: 10, game: "auction", code: "constant-beside-variable",
        old: "    (true (lot ?now))",
        new: "    (true (lot now))",
        line: "(true (lot now))",
        cause: "did you mean `?now`?" },
    Mistake { row: 10, game: "auction", code: "constant-beside-variable",
        old: "    (true (shelf ?bidder ?lots))\n    (not",
        new: "    (true (shelf bidder ?lots))\n    (not",
        line: "(true (shelf bidder ?lots))",
        cause: "did you mean `?bidder`?" },
    Mistake { row: 10, game: "auction", code: "constant-beside-variable",
        old: "(<= (next (lot ?after))",
        new: "(<= (next (lot after))",
        line: "(<= (next (lot after))",
        cause: "did you mean `?after`?" },
    Mistake { row: 10, game: "ferry", code: "constant-beside-variable",
        old: "(turns ?c ?d))",
        new: "(turns ?c d))",
        line: "(turns ?c d))",
        cause: "did you mean `?d`?" },
    Mistake { row: 10, game: "ferry", code: "constant-beside-variable",
        old: "(not (busy ?f))",
        new: "(not (busy f))",
        line: "(not (busy f)))",
        cause: "did you mean `?f`?" },
    Mistake { row: 10, game: "ferry", code: "constant-beside-variable",
        old: "(<= (next (earned ?c ?m))",
        new: "(<= (next (earned c ?m))",
        line: "(<= (next (earned c ?m))",
        cause: "did you mean `?c`?" },
    Mistake { row: 10, game: "vault", code: "constant-beside-variable",
        old: "    (distinct ?d ?e))",
        new: "    (distinct ?d e))",
        line: "(distinct ?d e))",
        cause: "did you mean `?e`?" },
    Mistake { row: 10, game: "vault", code: "constant-beside-variable",
        old: "(follows ?shown ?digit))",
        new: "(follows shown ?digit))",
        line: "(follows shown ?digit))",
        cause: "did you mean `?shown`?" },
    Mistake { row: 11, game: "orchard", code: "unclosed-parenthesis",
        old: "    (true (turn ?who))\n",
        new: "    (true (turn ?who)\n",
        line: "(<= (legal ?who (plant ?x ?y))",
        cause: "this `(` is never closed" },
    Mistake { row: 11, game: "auction", code: "surplus-parenthesis",
        old: "(init (lot 1))",
        new: "(init (lot 1)))",
        line: "(init (lot 1)))",
        cause: "this `)` closes nothing" },
    Mistake { row: 11, game: "ferry", code: "unclosed-parenthesis",
        old: "    (turns ?c ?d))",
        new: "    (turns ?c ?d)",
        line: "(<= (next (helm ?d))",
        cause: "this `(` is never closed" },
    Mistake { row: 11, game: "vault", code: "unclosed-parenthesis",
        old: "    aligned)",
        new: "    aligned",
        line: "(<= (next open)",
        cause: "this `(` is never closed" },
    Mistake { row: 12, game: "orchard", code: "misplaced-connective",
        old: "(<= (planted ?x ?y)\n",
        new: "(<= (or (planted ?x ?y) (dug ?x ?y))\n",
        line: "(<= (or (planted ?x ?y) (dug ?x ?y))",
        cause: "`or` cannot be the head of a rule" },
    Mistake { row: 12, game: "auction", code: "misplaced-connective",
        old: "(<= terminal\n",
        new: "(<= (or terminal over)\n",
        line: "(<= (or terminal over)",
        cause: "`or` cannot be the head of a rule" },
    Mistake { row: 12, game: "ferry", code: "misplaced-connective",
        old: "(<= (sails ?c)",
        new: "(<= (or (sails ?c) (busy ?f))",
        line: "(<= (or (sails ?c) (busy ?f))",
        cause: "`or` cannot be the head of a rule" },
    Mistake { row: 13, game: "orchard", code: "unstratified",
        old: "(<= room\n    (true (bed ?x ?y soil)))",
        new: "(<= room\n    (not full))\n(<= full\n    (not room))",
        line: "(not full))",
        cause: "negation through recursion: `full` is negated for `room` and" },
    Mistake { row: 13, game: "auction", code: "unstratified",
        old: "(below ?low ?high))\n",
        new: "(below ?low ?high)\n    (not (passes ?bidder)))\n(<= (passes ?bidder)\n    (role ?bidder)\n    (not (takes ?bidder)))\n",
        line: "(not (passes ?bidder)))",
        cause: "negation through recursion: `(passes ?bidder)` is negated fo" },
    Mistake { row: 13, game: "ferry", code: "unstratified",
        old: "(<= (more ?n ?m)\n    (plus1 ?m ?n))",
        new: "(<= (more ?n ?m)\n    (plus1 ?m ?n)\n    (not (best ?m ?n ?m)))",
        line: "(not (more ?n ?m)))",
        cause: "negation through recursion: `(more ?n ?m)` is negated for `(" },
    Mistake { row: 14, game: "orchard", code: "duplicate-rule",
        old: "(<= (next (turn rose))",
        new: "(<= (next (turn oak))\n    (true (turn rose)))\n(<= (next (turn rose))",
        line: "(<= (next (turn oak))",
        cause: "this rule repeats an earlier one" },
    Mistake { row: 14, game: "auction", code: "duplicate-rule",
        old: "(<= terminal",
        new: "(<= (takes ?b)\n    (does ?b (offer ?h))\n    (does ?r (offer ?l))\n    (below ?l ?h))\n(<= terminal",
        line: "(<= (takes ?b)",
        cause: "this rule repeats an earlier one in other words" },
    Mistake { row: 14, game: "ferry", code: "duplicate-rule",
        old: "(<= (sails ?c)",
        new: "(<= (busy ?ferry)\n    (does ?captain (sail ?ferry)))\n(<= (sails ?c)",
        line: "(<= (busy ?ferry)",
        cause: "this rule repeats an earlier one in other words" },
    Mistake { row: 14, game: "vault", code: "duplicate-rule",
        old: "(follows 8 9)",
        new: "(follows 8 9)\n(follows 7 8)",
        line: "(follows 7 8)",
        cause: "this fact repeats an earlier one" },
    Mistake { row: 15, game: "orchard", code: "unknown-role",
        old: "(init (turn rose))",
        new: "(init (turn ros))",
        line: "(init (turn ros))",
        cause: "did you mean `rose`?" },
    Mistake { row: 15, game: "orchard", code: "never-started",
        old: "(init (turn rose))",
        new: "(init (turn red))",
        line: "(init (turn red))",
        cause: "4 rules never fire: they wait for `oak` or `rose`, and the f" },
    Mistake { row: 15, game: "orchard", code: "unknown-role",
        old: "(<= (legal rose rest)",
        new: "(<= (legal red rest)",
        line: "(<= (legal red rest)",
        cause: "`red` is no role, so nobody gets this `legal`" },
    Mistake { row: 15, game: "orchard", code: "never-matched",
        old: "    (true (turn oak)))\n(<= (legal oak",
        new: "    (true (turn elm)))\n(<= (legal oak",
        line: "(true (turn elm)))",
        cause: "`(true (turn elm))` never holds: no `init` or `next` makes it true" },
    Mistake { row: 15, game: "auction", code: "unknown-role",
        old: "(init (purse ben 3))",
        new: "(init (purse bern 3))",
        line: "(init (purse bern 3))",
        cause: "did you mean `ben`?" },
    Mistake { row: 15, game: "auction", code: "never-started",
        old: "(init (lot 1))",
        new: "(init (lot one))",
        line: "(init (lot one))",
        cause: "2 rules never fire: they wait for `3`, `0`, `1` or `2`, and " },
    Mistake { row: 15, game: "ferry", code: "unknown-role",
        old: "(init (helm ann))",
        new: "(init (helm anna))",
        line: "(init (helm anna))",
        cause: "did you mean `ann`?" },
    Mistake { row: 15, game: "ferry", code: "never-started",
        old: "(init (helm ann))",
        new: "(init (helm dan))",
        line: "(init (helm dan))",
        cause: "1 rule never fires: it waits for `ann`, `bob` or `cyd`, and " },
    Mistake { row: 15, game: "vault", code: "unknown-role",
        old: "(<= (goal thief 100)",
        new: "(<= (goal theif 100)",
        line: "(<= (goal theif 100)",
        cause: "did you mean `thief`?" },
    Mistake { row: 15, game: "vault", code: "unknown-role",
        old: "(<= (legal thief pull)",
        new: "(<= (legal robber pull)",
        line: "(<= (legal robber pull)",
        cause: "did you mean `thief`?" },
    Mistake { row: 15, game: "vault", code: "not-listed",
        old: "(init (dial left 7))",
        new: "(init (dial lefft 7))",
        line: "(init (dial lefft 7))",
        cause: "did you mean `left`?" },
    Mistake { row: 16, game: "orchard", code: "fluent-as-relation",
        old: "    (true (turn ?who))\n",
        new: "    (turn ?who)\n",
        line: "(turn ?who)",
        cause: "`turn` is a part of the state, not a relation, so this condi" },
    Mistake { row: 16, game: "vault", code: "fluent-as-relation",
        old: "(init (clock 0))",
        new: "(clock 0)",
        line: "(clock 0)",
        cause: "`clock` is a part of the state, but this only makes a relati" },
    Mistake { row: 16, game: "ferry", code: "never-matched",
        old: "(turns ?c ?d))",
        new: "(true (turns ?c ?d)))",
        line: "(true (turns ?c ?d)))",
        cause: "`(true (turns ?c ?d))` never holds: no `init` or `next` makes it true" },
];

fn text_of(game: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("mistakes/{game}.kif"));
    std::fs::read_to_string(path).expect("the game can be read")
}

fn findings(text: &str, strictness: Strictness) -> Vec<Diagnostic> {
    Rulesheet::new("game.kif", text).check(strictness, Limits::default()).1
}

/// The games with a mistake in each.
fn mutants() -> impl Iterator<Item = (&'static Mistake, String)> {
    MISTAKES.iter().map(|mistake| {
        let text = text_of(mistake.game);
        assert!(text.contains(mistake.old), "{} has no {:?}", mistake.game, mistake.old);
        (mistake, text.replacen(mistake.old, mistake.new, 1))
    })
}

#[test]
fn the_games_are_correct() {
    for game in ["orchard", "auction", "vault", "ferry"] {
        let text = text_of(game);
        let all = findings(&text, Strictness::Strict);
        assert!(all.is_empty(), "{game}: {:?}", all.iter().map(|f| &f.message).collect::<Vec<_>>());
        let formatted = ggp_gdl::format(text.as_bytes()).expect("it parses");
        assert!(!formatted.is_empty());
    }
}

#[test]
fn each_mistake_gives_one_finding_at_its_place() {
    let mut wrong = String::new();
    for (mistake, text) in mutants() {
        let all = findings(&text, Strictness::Default);
        let lines: Vec<&str> = text.lines().collect();
        let shown = |finding: &Diagnostic| {
            let line = Lines::new(text.as_bytes()).position(finding.span.start).line;
            let help = finding.help.clone().unwrap_or_default();
            (finding.code, lines[line - 1].trim(), format!("{} {help}", finding.message))
        };
        let is_right = match all.as_slice() {
            [only] => {
                let (code, line, words) = shown(only);
                code == mistake.code && line == mistake.line && words.contains(mistake.cause)
            }
            _ => false,
        };
        if !is_right {
            let all: Vec<_> = all.iter().map(shown).collect();
            wrong.push_str(&format!(
                "row {} in {} ({:?}): {all:#?}\n",
                mistake.row, mistake.game, mistake.new
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn each_mistake_is_made_in_three_games() {
    let mut games: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for mistake in MISTAKES {
        games.entry(mistake.row).or_default().push(mistake.game);
    }
    for row in [1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15] {
        let of_row = games.get_mut(&row).expect("the row has mistakes");
        of_row.sort_unstable();
        of_row.dedup();
        // `base` and `input` are optional: one of the games does without.
        assert!(of_row.len() >= 3, "row {row}: {of_row:?}");
    }
}

#[test]
fn a_misspelled_relation_fails_in_strict_mode() {
    for (mistake, text) in mutants().filter(|(mistake, _)| mistake.row == 2) {
        let all = findings(&text, Strictness::Strict);
        assert!(all.iter().any(|finding| finding.severity == Severity::Error), "{:?}", mistake.new);
    }
}

/// The findings about the published rulesheets: game, code, number of findings, and why they are genuine.
#[rustfmt::skip]
const PUBLISHED: &[(&str, &str, usize, &str)] = &[
    ("alexChess.v1.kif", "never-used", 3, "no condition asks for `piecetype` and `straight` and `diagonal`"),
    ("alexChess.v1.kif", "never-matched", 3, "asks for moves of `wk`, `wra`, `wrh`; the moves name `king` and `rook`, so the flags for castling are never set"),
    ("battle.kif", "never-used", 1, "no condition asks for `sum`"),
    ("checkers-cylinder-mustjump.v1.kif", "never-used", 2, "no condition asks for `adjacent` and `even_square`"),
    ("checkers-mustjump.kif", "never-used", 1, "no condition asks for `adjacent`"),
    ("checkers-mustjump.v1.kif", "never-used", 2, "no condition asks for `adjacent` and `even_square`"),
    ("checkers-suicide-cylinder-mustjump.v1.kif", "never-used", 2, "no condition asks for `adjacent` and `even_square`"),
    ("checkers.kif", "never-used", 1, "no condition asks for `adjacent`"),
    ("checkers.v1.kif", "never-used", 1, "no condition asks for `adjacent`"),
    ("checkersSmall.kif", "never-used", 1, "no condition asks for `adjacent`"),
    ("checkersTiny.kif", "never-used", 1, "no condition asks for `adjacent`"),
    ("checkersTiny.v1.kif", "never-used", 1, "no condition asks for `adjacent`"),
    ("chineseCheckers6.kif", "never-used", 1, "no condition asks for `coordinate`"),
    ("connect5.kif", "never-used", 1, "no condition asks for `adjacent_cell`"),
    ("crossers3.kif", "never-used", 1, "no condition asks for `goes`"),
    ("cylinder-checkers.kif", "never-used", 1, "no condition asks for `adjacent`"),
    ("duplicateStateLarge.kif", "duplicate-rule", 14, "the text is there twice"),
    ("duplicateStateSmall.kif", "duplicate-rule", 2, "the text is there twice"),
    ("factoringMutuallyAssuredDestruction.kif", "never-started", 1, "`lightson` is kept as a fluent but made as a relation, so the rule that keeps it never fires"),
    ("four_way_battle.kif", "never-used", 1, "no condition asks for `sum`"),
    ("futoshiki5.kif", "stratified-by-constants", 1, "a goal is negated for another goal of the same relation; only the value keeps them apart"),
    ("gt_two_thirds_2p.kif", "missing-keyword", 1, "the rulesheet has no `init`: its first state is empty, as is meant here"),
    ("hexPie.kif", "stratified-by-constants", 1, "a goal is negated for another goal of the same relation; only the value keeps them apart"),
    ("hidato19.kif", "stratified-by-constants", 1, "a goal is negated for another goal of the same relation; only the value keeps them apart"),
    ("hidato19.kif", "duplicate-rule", 1, "the text is there twice"),
    ("kalaha5x2x3.kif", "never-used", 1, "no condition asks for `some_not_empty`"),
    ("kalaha6x2x4.kif", "never-used", 1, "no condition asks for `some_not_empty`"),
    ("kalaha_2009.kif", "never-used", 1, "no condition asks for `some_not_empty`"),
    ("kalaha_2009.kif", "duplicate-rule", 10, "the text is there twice"),
    ("majorities.kif", "stratified-by-constants", 1, "a goal is negated for another goal of the same relation; only the value keeps them apart"),
    ("majorities.kif", "never-used", 1, "no condition asks for `has_line_majority`"),
    ("mummymaze1p.kif", "never-started", 1, "nothing makes a `cell`, so the rule that keeps it never fires"),
    ("mummymaze1p.kif", "unknown-role", 3, "goals are given to `mummy`, which is no role"),
    ("othello-comp2007.kif", "never-used", 2, "no condition asks for `direction` and `int`"),
    ("othelloSuicide.kif", "never-used", 2, "no condition asks for `direction` and `int`"),
    ("pawnToQueen.kif", "never-used", 2, "no condition asks for `adjacent_two` and `occupied_by_player`"),
    ("point_grab.kif", "constant-beside-variable", 2, "`(distinct ?r opponent)` lacks the `?`"),
    ("quad_5x5.kif", "never-started", 1, "the variant begins without white stones, so the rules about them never fire"),
    ("quad_5x5.kif", "never-used", 1, "no condition asks for `pcol`"),
    ("queens06ug.kif", "stratified-by-constants", 1, "a goal is negated for another goal of the same relation; only the value keeps them apart"),
    ("queens08lg.kif", "stratified-by-constants", 1, "a goal is negated for another goal of the same relation; only the value keeps them apart"),
    ("queens08ug.kif", "stratified-by-constants", 1, "a goal is negated for another goal of the same relation; only the value keeps them apart"),
    ("queens31lg.kif", "stratified-by-constants", 1, "a goal is negated for another goal of the same relation; only the value keeps them apart"),
    ("ruleDepthLinear.kif", "never-used", 1, "no condition asks for `bit`"),
    ("snakeParallel.kif", "never-used", 1, "no condition asks for `dir`"),
    ("speedChess.kif", "never-produced", 1, "`coords` has no rule"),
    ("sudoku.kif", "missing-keyword", 1, "the rulesheet has no `init`: its first state is empty, as is meant here"),
    ("tictactoe_3d_small_2player.kif", "never-used", 1, "no condition asks for `selected_a_cell`"),
    ("ttcc4_2player.kif", "duplicate-rule", 1, "the text is there twice"),
    ("wargame02.kif", "never-matched", 3, "no item has the type, so the rules about it never fire"),
    ("wargame02.kif", "case-collision", 1, "`timeout` and `timeOut` are two names"),
    ("wargame03.kif", "never-matched", 1, "no item has the type, so the rules about it never fire"),
    ("wargame03.kif", "case-collision", 2, "`timeout` and `timeOut`, `verticalTerrorist` and `VerticalTerrorist` are two names each"),
];

#[test]
fn published_rulesheets_show_nothing_that_is_not_genuine() {
    let Some(corpus) = ggp_tests::corpus() else { return };
    let mut found: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for path in ggp_tests::rulesheets_in(&corpus.join("rules")) {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let sheet = Rulesheet::read(&path).expect("it can be read");
        for finding in sheet.check(Strictness::Default, Limits::default()).1 {
            *found.entry((name.clone(), finding.code)).or_default() += 1;
        }
    }
    let listed: BTreeMap<(String, &str), usize> =
        PUBLISHED.iter().map(|&(game, code, count, _)| ((game.to_owned(), code), count)).collect();
    let new: Vec<_> = found.iter().filter(|&(key, count)| listed.get(key) != Some(count)).collect();
    let gone: Vec<_> = listed.iter().filter(|&(key, count)| found.get(key) != Some(count)).collect();
    assert!(new.is_empty() && gone.is_empty(), "new: {new:#?}\ngone: {gone:#?}");
}
