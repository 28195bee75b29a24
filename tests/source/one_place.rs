//! What has one place: a second reader of joint moves, splitter of terms, reader of match records or watchdog fails here.

use crate::syntax::{crates, sources};

/// Something that only certain files may do.
struct Rule {
    /// What it is.
    what: &'static str,
    /// Texts that show that a file does it.
    signs: &'static [&'static str],
    /// The files that may, each with the reason.
    allowed: &'static [(&'static str, &'static str)],
    /// What to use instead.
    instead: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        what: "a reader of joint moves from text",
        signs: &[
            "|text| machine.parse_move(",
            "|text| self.machine.parse_move(",
            "|mv| machine.parse_move(",
            "fn parse_joint",
        ],
        allowed: &[
            ("crates/game/src/machine.rs", "the one place: `StateMachine::parse_joint` and its relatives"),
            (
                "crates/server/src/player/tracked_state.rs",
                "passes the texts on, with the legal moves that it keeps",
            ),
            ("crates/cli/src/record.rs", "splits the text of one joint move; the machine reads the moves"),
        ],
        instead: "`StateMachine::parse_joint` or `parse_legal_joint`",
    },
    Rule {
        what: "a function that splits terms",
        signs: &["b'(' => depth += 1"],
        allowed: &[("crates/game/src/fact.rs", "the one place: `split_term`")],
        instead: "`ggp_game::split_term`",
    },
    Rule {
        what: "a reader of match records",
        signs: &["moves: Vec<Vec<String>>"],
        allowed: &[
            ("crates/arena/src/record.rs", "the one place: `Record::read` and `read_steps`"),
            (
                "crates/cli/src/simulate/refutation.rs",
                "reads nothing: the joint moves of a refutation, to be written",
            ),
        ],
        instead: "`ggp_arena::Record::read` or `read_steps`",
    },
    Rule {
        what: "a watchdog",
        signs: &["recv_timeout("],
        allowed: &[
            ("crates/game/src/watchdog.rs", "the one place: `Watchdog`"),
            ("crates/arena/src/command.rs", "waits for a line of another program"),
            ("crates/server/src/player/lines.rs", "waits for a line of another program"),
            ("crates/arena/src/run.rs", "waits for the results of the workers"),
            ("crates/cli/src/progress.rs", "shows a progress line after a while; stops nothing"),
            ("crates/cli/src/person.rs", "waits for a line of the keyboard"),
        ],
        instead: "`ggp_game::Watchdog`",
    },
    Rule {
        what: "a clock of CPU time",
        signs: &["schedstat", "ProcessCPUTime"],
        allowed: &[
            ("crates/game/src/cpu_clock.rs", "the one place for threads"),
            ("crates/cli/src/meter.rs", "the one place for the process"),
        ],
        instead: "`Watchdog::or_after_cpu_time` or the meter of the command",
    },
    Rule {
        what: "a generator of random numbers",
        signs: &["6_364_136_223_846_793_005", "wrapping_mul(0xbf58_476d_1ce4_e5b9)"],
        allowed: &[("crates/game/src/rng.rs", "the one place: `mix`, `Stream` and `Sequence`")],
        instead: "`ggp_game::rng`",
    },
    Rule {
        what: "a diagnostic of safety or stratification",
        signs: &[
            "Diagnostic::error(\"unsafe",
            "Diagnostic::error(\"safety",
            "Diagnostic::error(\"unstratified",
        ],
        allowed: &[
            ("crates/gdl/src/check/safety.rs", "the one place for safety"),
            ("crates/gdl/src/check/stratification.rs", "the one place for stratification"),
        ],
        instead: "`ggp_gdl::check`",
    },
];

#[test]
fn what_has_one_place_is_done_nowhere_else() {
    let mut faults = Vec::new();
    for krate in crates() {
        for file in sources(&krate) {
            for rule in RULES {
                let sign = rule.signs.iter().find(|&&sign| file.text.contains(sign));
                if let Some(sign) = sign
                    && !rule.allowed.iter().any(|(name, _)| *name == file.name)
                {
                    let Rule { what, instead, .. } = rule;
                    faults.push(format!("{}: `{sign}` is {what}; use {instead}", file.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_exception_is_still_needed() {
    let mut stale = Vec::new();
    for rule in RULES {
        for (name, _) in rule.allowed {
            let krate = name.split('/').nth(1).expect("crates/NAME/…");
            let needed = sources(krate)
                .iter()
                .any(|file| file.name == *name && rule.signs.iter().any(|sign| file.text.contains(sign)));
            if !needed {
                stale.push(format!("{name}: no longer {}", rule.what));
            }
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}
