//! The pages about rules that can be read, but break the specification or cannot be played.

use super::{Example, Page};

pub(super) const PAGES: &[Page] = &[
    Page {
        code: "empty-rulesheet",
        summary: "the text has no rules",
        meaning: "The text is empty or has only comments.",
        example: Example::Whole("; nothing yet\n"),
        mend: "Begin with the roles, such as `(role white)`.",
    },
    Page {
        code: "missing-keyword",
        summary: "the rulesheet lacks `role`, `legal`, `terminal`, `goal`, `init` or `next`",
        meaning: "A game needs roles and legal moves. Without `terminal` it never ends, without `goal` nobody wins, \
                  without `init` and `next` its states are empty.",
        example: Example::Whole(
            "(role white)\n(init (step 1))\n(<= (next (step 2)) (true (step 1)))\n(legal white go)\n(goal white 100)\n",
        ),
        mend: "Add rules for the keyword.",
    },
    Page {
        code: "role",
        summary: "the game has no role, or more roles than can be played",
        meaning: "No fact of `role` holds, or there are more than 255 roles. Roles may come from rules only with `--lenient`. \
                  With `random` as the only role, which is chance, the finding is a warning: nobody plays.",
        example: Example::Whole(
            "(<= (role ?x) (player ?x) (distinct ?x white))\n(player white)\n(legal white go)\n(goal white 100)\nterminal\n",
        ),
        mend: "Give each role by a fact of `role`.",
    },
    Page {
        code: "keyword-arity",
        summary: "a keyword has the wrong number of arguments",
        meaning: "Each keyword has a fixed number of arguments, such as two for `legal`: a role and a move.",
        example: Example::Rules("(<= (legal wait) (true (step 2)))"),
        mend: "Write the keyword as the help shows it.",
    },
    Page {
        code: "keyword-placement",
        summary: "a keyword stands where it may not",
        meaning: "`true` and `does` are asked in conditions only: the state and the moves are given. `init`, `next`, \
                  `base`, `input` and `sees` are heads only. `role` is for facts.",
        example: Example::Rules("(<= (next (step 3)) (next (step 2)))"),
        mend: "Ask what holds by `true`, make what holds next by `next`, and what holds at first by `init`.",
    },
    Page {
        code: "keyword-dependency",
        summary: "a keyword depends on something that is decided later",
        meaning: "`init`, `base` and `input` do not depend on a state. `legal`, `goal` and `terminal` are decided before \
                  the moves are made, so they do not depend on `does`, not even through other relations.",
        example: Example::Rules("(<= (legal white stay) (does white go))"),
        mend: "Remember what was done as a fact of the state by `next`, and ask for that fact.",
    },
    Page {
        code: "keyword-as-function",
        summary: "a keyword stands inside a term",
        meaning: "Within a term a keyword is a name like any other, so `(next (true (step 2)))` makes a fluent `true`.",
        example: Example::Rules("(<= (next (true (step 3))) (true (step 1)))"),
        mend: "Remove one level of nesting.",
    },
    Page {
        code: "relation-arity",
        summary: "a relation is used with different numbers of arguments",
        meaning: "With different numbers of arguments these are two relations, and what the rules say of one has no \
                  effect on the other. The rarer use is marked.",
        example: Example::Rules(
            "(next_to 1 2)\n(next_to 2 3)\n(<= (next (step 3)) (next_to 1) (true (step 1)))",
        ),
        mend: "Give both the same number of arguments, or rename one.",
    },
    Page {
        code: "function-arity",
        summary: "a function is used with different numbers of arguments",
        meaning: "Terms with different numbers of arguments never match, so a condition on the one never finds the other.",
        example: Example::Rules(
            "(<= (next (step 2 3)) (true (step 1)) (true (step 2)))\n(<= (next (step 3)) (true (step 2)))",
        ),
        mend: "Give both the same number of arguments, or rename one.",
    },
    Page {
        code: "unsafe-variable",
        summary: "a variable has no value",
        meaning: "A variable of the head, of a negated condition or of `distinct` must stand in a positive condition, \
                  which says what it can be. A fact has no conditions, so it has no variables.",
        example: Example::Rules("(<= (next (step ?n)) (true (step ?m)))"),
        mend: "Add a positive condition with the variable, or use the variable that the body has. To deny a condition for \
               every value, add a relation for it, such as `(<= some_step (true (step ?n)))`, and ask for `(not some_step)`.",
    },
    Page {
        code: "double-negation",
        summary: "`not` stands directly in `not`",
        meaning: "GDL negates atoms only. Here `(not (not CONDITION))` means `CONDITION` and gives its variables values. Other \
                  players may refuse the rule, or give the variables no value. With `--strict` the finding is an error.",
        example: Example::Rules("(<= (next (step ?n)) (not (not (true (step ?n)))))"),
        mend: "Write `CONDITION` in place of `(not (not CONDITION))`.",
    },
    Page {
        code: "unstratified",
        summary: "a relation depends on its own negation",
        meaning: "What is negated must be known before it is asked. Here a way leads from the negated condition back to \
                  the head of the rule, so neither can be decided first.",
        example: Example::Rules(
            "(<= (free) (true (step 1)) (not (taken)))\n(<= (taken) (true (step 1)) (not (free)))",
        ),
        mend: "Break the cycle: define one of the relations without the other.",
    },
    Page {
        code: "stratified-by-constants",
        summary: "only constants keep a relation apart from its own negation",
        meaning: "The specification forbids that a relation is negated on the way to itself. Here different constants \
                  tell the cases apart, which `ggp` accepts and other players may refuse.",
        example: Example::Rules("(<= (goal white 0) (not (goal white 100)))"),
        mend: "Move one of the cases into a relation of its own.",
    },
    Page {
        code: "recursion-restriction",
        summary: "a recursion may grow without bound",
        meaning: "In a cycle of rules, each argument of a condition on the cycle must be ground, an argument of the head, \
                  or bound by a condition outside of the cycle. The specification does not count values inside of \
                  terms as bound, such as those of a fluent. There the finding is a warning, and an error with \
                  `--strict`.",
        example: Example::Rules(
            "(<= (path ?x ?z) (path ?x ?y) (path ?y ?z))\n(path 1 2)\n(path 2 3)\n(<= (next (step 3)) (path 1 3))",
        ),
        mend: "Let the recursion take one step at a time, by a relation outside of the cycle.",
    },
    Page {
        code: "goal-value",
        summary: "a goal value is not a whole number from 0 to 100",
        meaning: "Other values count as no goal. The numbers have no sign and no leading zero.",
        example: Example::Rules("(<= (goal white 200) (true (step 2)))"),
        mend: "Write a number from 0 to 100.",
    },
    Page {
        code: "case-collision",
        summary: "two names differ only by case",
        meaning: "Names keep their case here, except keywords, so these are two names. Systems that follow KIF take \
                  them for one.",
        example: Example::Rules(
            "(<= (next (step Two)) (true (step 1)))\n(<= (next (step two)) (true (step two)))\n(<= (next (step two)) (true (step 2)))",
        ),
        mend: "Spell the name in one way.",
    },
    Page {
        code: "unbounded",
        summary: "the evaluation of a rule exceeds a bound",
        meaning: "The static facts of the game are too many, or a recursion makes ever larger terms.",
        example: Example::Whole(
            "(role white)\n(digit 0) (digit 1) (digit 2) (digit 3) (digit 4)\n(digit 5) (digit 6) (digit 7) (digit 8) (digit 9)\n(<= (code ?a ?b ?c ?d ?e ?f ?g ?h ?i)\n    (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e)\n    (digit ?f) (digit ?g) (digit ?h) (digit ?i))\n(legal white go)\n(<= (goal white ?a) (code ?a ?b ?c ?d ?e ?f ?g ?h ?i))\nterminal\n",
        ),
        mend: "Give the recursion a limit, or split the relation into smaller ones.",
    },
    Page {
        code: "not-evaluable",
        summary: "the evaluator refuses the rules",
        meaning: "The rules are valid, but a relation has more negated cases than the evaluator tells apart.",
        example: Example::None,
        mend: "Move the negated cases into relations of their own.",
    },
    Page {
        code: "too-many-findings",
        summary: "further findings are not shown",
        meaning: "At most a thousand findings are kept. One mistake can give many of them.",
        example: Example::Repeated("", "(<= (next ?x) (true ?x) (r ?y ?n ?m)) (s ?a ?b)\n", 600, ""),
        mend: "Mend the first findings and check again.",
    },
];
