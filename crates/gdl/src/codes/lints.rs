//! The pages about rules that are valid, but probably not what is meant.

use super::{Example, Page};

pub(super) const PAGES: &[Page] = &[
    Page {
        code: "never-produced",
        summary: "a condition asks for a relation that no rule or fact produces",
        meaning: "The condition never holds, or always if it is negated. Often the name is misspelled; then the finding \
                  is an error with `--strict`.",
        example: Example::Rules("(<= (next (step 3)) (opened door) (true (step 2)))"),
        mend: "Correct the name, or add a rule or a fact for the relation.",
    },
    Page {
        code: "never-used",
        summary: "nothing uses a relation",
        meaning: "The rules produce the relation, but no condition asks for it. A misspelled keyword is such a relation; \
                  then the finding is an error with `--strict`.",
        example: Example::Rules("(<= (winner white) (true (step 2)))"),
        mend: "Correct the name, use the relation in a condition, or remove its rules.",
    },
    Page {
        code: "never-read",
        summary: "`init` or `next` makes a fluent that no condition asks for, although one asks for a similar name",
        meaning: "The state has such facts, but they have no effect. Probably the name is misspelled.",
        example: Example::Rules("(<= (next (steps 3)) (true (step 2)))"),
        mend: "Correct the name.",
    },
    Page {
        code: "never-matched",
        summary: "a condition never holds because of a constant or a function",
        meaning: "The domain of an argument is the set of values that the rules can give there; it holds too much rather \
                  than too little. A condition on another value never holds. The rules that never fire as a consequence \
                  are shown with the finding.",
        example: Example::Rules("(<= (next (step 3)) (true (step 7)))"),
        mend: "Compare the constant with the values that the rules give; the help lists them.",
    },
    Page {
        code: "never-joined",
        summary: "a rule never fires because no value of a variable meets all its conditions",
        meaning: "A variable stands in several conditions, and the domains of these places have no value in common.",
        example: Example::Rules("(door left)\n(<= (next (step 3)) (true (step ?x)) (door ?x))"),
        mend: "Check whether the variable is meant in all these places.",
    },
    Page {
        code: "never-started",
        summary: "rules wait for each other, and the first state starts none of them",
        meaning: "Each of the rules needs a fact that only another one of them gives, so none ever fires. Usually `init` \
                  lacks a fact or has a wrong value.",
        example: Example::Rules(
            "(init (turn red))\n(<= (next (turn black)) (true (turn green)))\n(<= (next (turn green)) (true (turn black)))",
        ),
        mend: "Give the first state the value for which the rules wait.",
    },
    Page {
        code: "fluent-as-relation",
        summary: "a part of the state is used like a relation",
        meaning: "Facts of the state are asked by `true` and made by `init` and `next`. Without the keyword the name is a \
                  relation of its own, which nothing produces or nothing uses.",
        example: Example::Rules("(<= (next (step 3)) (step 2))"),
        mend: "Write `(true ...)` in conditions, `(init ...)` for facts, and `(next ...)` in heads.",
    },
    Page {
        code: "not-kept",
        summary: "nothing keeps a fluent from step to step",
        meaning: "A fact of the state that no rule of `next` makes again is gone after a step. A frame rule repeats the \
                  facts that a move leaves as they are. Where it is missing, the facts vanish; the first steps of a few \
                  playouts show whether they do.",
        example: Example::Rules(
            "(init (wall 1))\n(init (wall 2))\n(<= (legal white (climb ?x)) (true (wall ?x)))\n",
        ),
        mend: "Add a rule such as `(<= (next (wall ?x)) (true (wall ?x)))`, with a condition if a move can change it.",
    },
    Page {
        code: "over-at-start",
        summary: "the game is over before the first move",
        meaning: "`terminal` holds in the first state, so nobody ever moves.",
        example: Example::Whole(
            "(role white)\n(init (step 1))\n(<= (next (step 2)) (does white go))\n(legal white go)\n(<= terminal (true (step ?n)))\n(goal white 100)\n",
        ),
        mend: "Compare the conditions of the rule for `terminal` with the facts that `init` gives.",
    },
    Page {
        code: "no-move-at-start",
        summary: "a role has no legal move in the first state, and the game is not over",
        meaning: "In every step each role makes a move, all at once, so nobody can go on while a role has none. A role that \
                  waits for its turn needs a move that does nothing.",
        example: Example::Whole(
            "(role white)\n(role black)\n(init (control white))\n(<= (legal ?role go) (true (control ?role)))\n\
             (<= (next (control black)) (true (control white)))\n(<= terminal (true (control black)))\n\
             (goal white 50)\n(goal black 50)\n",
        ),
        mend: "Add `(<= (legal ?role noop) (role ?role) (not (true (control ?role))))`, with the names of the rulesheet.",
    },
    Page {
        code: "unknown-role",
        summary: "something that is no role stands where a role should",
        meaning: "Moves, goals and percepts are for roles. Rules about anything else have no effect.",
        example: Example::Rules("(<= (goal whit 50) (true (step 2)))"),
        mend: "Write one of the roles; the help names them.",
    },
    Page {
        code: "role-left-out",
        summary: "no rule speaks of the moves or goals of a role",
        meaning: "A role without a legal move brings the game to a halt, and a role without goals scores 0. The role \
                  `random` needs no goals.",
        example: Example::Rules("(role black)\n(goal black 0)"),
        mend: "Add rules of `legal` and `goal` for the role.",
    },
    Page {
        code: "not-listed",
        summary: "`base` or `input` does not list what the rules give",
        meaning: "A rulesheet that has `base` lists every fluent in it, and one that has `input` every move. Other players \
                  rely on it: a fact that is not listed does not exist for them.",
        example: Example::Rules(
            "(base (step 1))\n(base (step 2))\n(init (door shut))\n(<= (next (door shut)) (true (door shut)))",
        ),
        mend: "Add the fluent to `base`, or the move to `input`.",
    },
    Page {
        code: "constant-beside-variable",
        summary: "a constant is probably a variable without `?`",
        meaning: "A variable of the same name stands in the rule, and its values can stand where the constant is, while \
                  nothing else gives the constant there.",
        example: Example::Rules("(succ 1 2)\n(succ 2 3)\n(<= (next (step n)) (true (step ?m)) (succ ?m ?n))"),
        mend: "Add the `?`.",
    },
    Page {
        code: "duplicate-rule",
        summary: "a rule repeats an earlier one",
        meaning: "The rules are equal up to the names of variables and the order of conditions. A second one adds nothing, \
                  so probably something else is meant.",
        example: Example::Rules(
            "(succ 1 2)\n(succ 1 2)\n(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))",
        ),
        mend: "Remove one of the rules, or write what is meant.",
    },
    Page {
        code: "probable-typo",
        summary: "a name that stands once is one letter away from another one",
        meaning: "Four in five misspellings are one letter too many, too few, wrong or swapped. A different digit, one \
                  more letter at an end, or another letter in a short name, such as `king` and `ring`, counts as intended.",
        example: Example::Rules(
            "(init (paint wihte))\n(<= (next (paint ?c)) (true (paint ?c)))\n(<= (legal white stay) (true (paint ?c)))",
        ),
        mend: "Correct the name.",
    },
    Page {
        code: "single-variable",
        summary: "a variable that stands once is one letter away from another one of its rule",
        meaning: "A variable that stands once can be anything, which is often meant: GDL has no sign for a variable without \
                  a use. Beside a variable of nearly the same name it is probably misspelled, so that the two places need \
                  not agree. Names that differ in the first or the last letter or in a digit count as intended.",
        example: Example::Rules(
            "(before 1 2)\n(<= (next (step ?next)) (true (step ?this)) (before ?thsi ?next))",
        ),
        mend: "Correct the name, or give the two variables names that differ more.",
    },
    Page {
        code: "several-goals",
        summary: "a role has two goals at once",
        meaning: "Whenever one of two goal rules applies, the other one does too. The larger goal counts; the specification \
                  wants exactly one.",
        example: Example::Rules("(<= (goal white 50) (true (step 2)))"),
        mend: "Add a condition to the wider rule that excludes the other case.",
    },
];
