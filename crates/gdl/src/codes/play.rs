//! The pages about what is found when a game is built and played: by `ggp check --simulate`, in an editor, and in the
//! studio.

use super::{Example, Page};

pub(super) const PAGES: &[Page] = &[
    Page {
        code: "no-end",
        summary: "a random playout does not end",
        meaning: "A playout has taken 10000 steps and `terminal` does not hold. If its last states repeat, the joint moves \
                  that lead from a state back to it are shown: nothing in the state counts the steps. A well-formed game \
                  ends whatever the players do.",
        example: Example::Game(
            "(role white)\n(init (lamp left on))\n(init (lamp right off))\n(legal white press)\n\
             (<= (next (lamp ?l off)) (true (lamp ?l on)))\n(<= (next (lamp ?l on)) (true (lamp ?l off)))\n\
             (<= terminal (true (lamp left on)) (true (lamp right on)))\n(goal white 100)",
        ),
        mend: "Make sure that every line of play comes to a state in which `terminal` holds. A counter of steps, with a \
               rule of `terminal` for the last of them, ends every game.",
    },
    Page {
        code: "no-move",
        summary: "a role has no legal move, and the game is not over",
        meaning: "In some state that a random playout comes to, no rule of `legal` gives the role a move, and `terminal` \
                  does not hold. Every role moves at every step, also if it is another one's turn. The rule of `legal` \
                  that comes nearest is shown with the condition that fails.",
        example: Example::Game(
            "(role white)\n(init (step 1))\n(<= (legal white go) (true (step 1)))\n(<= (next (step 2)) (true (step 1)))\n\
             (<= (next (step 3)) (true (step 2)))\n(<= terminal (true (step 3)))\n(goal white 100)",
        ),
        mend: "Give the role a move in that state, such as `noop` for a role that waits, or end the game there by a rule \
               of `terminal`.",
    },
    Page {
        code: "no-goal-at-the-end",
        summary: "a role has no goal in the last state of a playout",
        meaning: "The game is over, and no rule of `goal` gives the role a value. The role scores 0 then. The facts of the \
                  state are shown.",
        example: Example::Game(
            "(role white)\n(init (step 1))\n(legal white left)\n(legal white right)\n\
             (<= (next (at ?m)) (does white ?m))\n(<= terminal (true (at ?m)))\n\
             (<= (goal white 100) (true (at right)))",
        ),
        mend: "Add a rule of `goal` for the role that holds in the state that is shown.",
    },
    Page {
        code: "several-goals-at-the-end",
        summary: "a role has several goals in the last state of a playout",
        meaning: "The game is over, and rules of `goal` give the role more than one value. The largest counts; the \
                  specification wants exactly one.",
        example: Example::Game(
            "(role white)\n(init (step 1))\n(legal white left)\n(legal white right)\n\
             (<= (next (at ?m)) (does white ?m))\n(<= (next (step 2)) (true (step 1)))\n(<= terminal (true (step 2)))\n\
             (<= (goal white 50) (true (step 2)))\n(<= (goal white 100) (true (at right)))\n\
             (<= (goal white 0) (not (true (step 2))))",
        ),
        mend: "Add a condition to one of the rules that excludes the case of the other.",
    },
    Page {
        code: "goal-out-of-range",
        summary: "a goal in the last state of a playout is not a number from 0 to 100",
        meaning: "A rule of `goal` gives a value that does not count: a negative or too large number, or a word. If the role \
                  has no other goal, it scores 0.",
        example: Example::Game(
            "(role white)\n(init (coins 90))\n(legal white take)\n(plus20 90 110)\n\
             (<= (next (coins ?n)) (true (coins ?m)) (plus20 ?m ?n))\n(<= terminal (true (coins 110)))\n\
             (<= (goal white ?n) (true (coins ?n)))",
        ),
        mend: "Give goals from 0 for the worst to 100 for the best outcome. A table of facts such as `(worth 110 100)` \
               turns a count into a goal.",
    },
    Page {
        code: "uninformed",
        summary: "a role cannot know its legal moves, the end or its goal",
        meaning: "Two playouts differ in nothing that the role has seen: its own moves and what `sees` gives it are the same. \
                  Yet its legal moves, the end or its goal differ. A player of a game of hidden information cannot \
                  work out what it may do.",
        example: Example::Game(
            "(role white)\n(role random)\n(init (step 1))\n(coin heads)\n(coin tails)\n\
             (<= (legal random (toss ?c)) (true (step 1)) (coin ?c))\n(<= (legal random wait) (true (step 2)))\n\
             (<= (legal white wait) (true (step 1)))\n(<= (legal white (take ?c)) (true (lies ?c)))\n\
             (<= (next (lies ?c)) (does random (toss ?c)))\n(<= (next (step 2)) (true (step 1)))\n\
             (<= (next (step 3)) (true (step 2)))\n(<= (sees white tossed) (does random (toss ?c)))\n\
             (<= terminal (true (step 3)))\n(goal white 100)",
        ),
        mend: "Tell the role what it needs by a rule of `sees`, or make the rule of `legal`, `terminal` or `goal` depend on \
               what the role knows.",
    },
    Page {
        code: "falling-goals",
        summary: "the goal of a role falls in the middle of a playout",
        meaning: "The specification wants that the goals of a role do not fall from step to step. Most games give goals in \
                  every state although only those of the last state are meant, so this is harmless there, and only \
                  `ggp check --simulate` tells of it.",
        example: Example::Game(
            "(role white)\n(init (step 1))\n(legal white go)\n(<= (next (step 2)) (true (step 1)))\n\
             (<= terminal (true (step 2)))\n(<= (goal white 50) (true (step 1)))\n(<= (goal white 0) (true (step 2)))",
        ),
        mend: "Nothing, if only the goals of the last state are meant. Otherwise give no goal before the last state that is \
               larger than a later one.",
    },
    Page {
        code: "never-fired",
        summary: "a rule fired in no state of the random playouts",
        meaning: "The first condition that failed is shown: with the conditions before it, it held in no state. The rule may be \
                  one for rare cases, which random players do not come to. `ggp check --simulate` lists such rules, and an \
                  editor shows them on demand.",
        example: Example::Game(
            "(role white)\n(init (step 1))\n(legal white go)\n(<= (legal white jump) (true (step 1)) (true (step 3)))\n\
             (<= (next (step 2)) (true (step 1)))\n(<= (next (step 3)) (true (step 2)))\n(<= terminal (true (step 3)))\n\
             (goal white 100)",
        ),
        mend: "Ask for a state in which the condition should hold, and why it does not (`ggp explain FILE ATOM --from RECORD`). \
               Nothing, if the rule is for rare cases: more playouts may come to them.",
    },
    Page {
        code: "slow-to-build",
        summary: "building the game takes too long in an editor",
        meaning: "An editor stops after 15 seconds, so nothing that needs the game is shown: its first state, its legal \
                  moves, what playouts refute. `ggp check` has no such limit.",
        example: Example::None,
        mend: "Look for a relation with very many tuples, such as one with all combinations of five coordinates, and give \
               its rules more conditions. `ggp info FILE` shows the sizes.",
    },
    Page {
        code: "slow-to-play",
        summary: "the playouts take too long in an editor",
        meaning: "An editor stops after 5 seconds. What it would have found later is not shown. `ggp check --simulate` has \
                  no such limit.",
        example: Example::None,
        mend: "Nothing, if the game is slow by nature. Otherwise look for a rule whose conditions have many joint \
               solutions, and put the ones with few solutions first.",
    },
    Page {
        code: "not-playable",
        summary: "playing the game fails",
        meaning: "The rules of a state have too many consequences, or terms that grow without a bound. The message says which \
                  limit they meet.",
        example: Example::Game(
            "(role white)\n(init (has seed))\n(init alive)\n(legal white grow)\n\
             (<= (next (has (left ?x))) (true (has ?x)))\n(<= (next (has (right ?x))) (true (has ?x)))\n\
             (<= (next alive) (true alive))\n(<= terminal (not (true alive)))\n(goal white 100)",
        ),
        mend: "Look for a rule of `next` that makes more facts, or larger terms, from step to step, and bound them.",
    },
    Page {
        code: "too-large",
        summary: "the text is too large for an editor",
        meaning: "The language server keeps texts of a limited size. The largest published rulesheets have 70 KB. `ggp check` \
                  has no such limit.",
        example: Example::None,
        mend: "Write rules for what the facts of a long table have in common, or close other texts.",
    },
];
