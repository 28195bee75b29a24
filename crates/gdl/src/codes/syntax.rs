//! The pages about texts that cannot be read as rules.

use super::{Example, Page};

pub(super) const PAGES: &[Page] = &[
    Page {
        code: "unclosed-parenthesis",
        summary: "a `(` is never closed",
        meaning: "A list begins, but the text ends, or the next rule or fact begins, before its `)`. A `(<=` at the start of \
                  a line always begins a new rule, and a `(` in the first column a new fact, unless the list has \
                  variables. The other rules are checked all the same.",
        example: Example::Rules("(<= (open ?x)\n    (true (door ?x))\n"),
        mend: "Add the missing `)` where the list ends.",
    },
    Page {
        code: "surplus-parenthesis",
        summary: "a `)` closes nothing",
        meaning: "There are more closing than opening parentheses up to here.",
        example: Example::Rules("(init (door shut)))"),
        mend: "Remove the `)`, or add the `(` that it should close.",
    },
    Page {
        code: "nested-too-deeply",
        summary: "parentheses are nested too deeply",
        meaning: "The reader stops at a bound on the nesting, so that no text can exhaust its memory. No published game \
                  comes near it.",
        example: Example::Repeated("", "(", 1_000_000, ""),
        mend: "Write the rules with less nesting.",
    },
    Page {
        code: "not-utf-8",
        summary: "a name holds bytes that are not UTF-8",
        meaning: "Names are text in UTF-8. Only comments may hold other bytes.",
        example: Example::Bytes(b"(role wei\xdf)\n"),
        mend: "Save the file as UTF-8.",
    },
    Page {
        code: "unprintable-character",
        summary: "a name holds a character that cannot be seen",
        meaning: "White space other than that of ASCII, and characters without a shape, would make names that look \
                  alike and differ. They often come from a copied web page.",
        example: Example::Rules("(init (door\u{a0}shut))"),
        mend: "Remove the character, or put a plain blank in its place.",
    },
    Page {
        code: "empty-list",
        summary: "an empty list stands where a relation or function should be applied",
        meaning: "A list begins with the name of a relation, a function or a connective, so it cannot be empty.",
        example: Example::Rules("()"),
        mend: "Remove the parentheses, or put a name and its arguments between them.",
    },
    Page {
        code: "list-as-name",
        summary: "a list stands where a name should",
        meaning: "The first word of a list says what it is. Here a list comes first, often because of one `(` too many.",
        example: Example::Rules("((init (door shut)))"),
        mend: "Remove the surplus pair of parentheses, or write `<=` before the first list if a rule is meant.",
    },
    Page {
        code: "foreign-sign",
        summary: "a sign of another language stands where GDL has its own or none",
        meaning: "A rule begins with `<=`, and its head comes next; a comment begins with `;` and goes to the end of the \
                  line. With another sign, such as `=>`, `:-`, `//` or `#`, the rule would be a fact, and the words of the \
                  comment would be facts. Lists stand in round brackets: `[` is a part of a name. A condition begins with \
                  the name of its relation, so `(?m != ?n)` is none. Clauses of Prolog are no rules. A name that conditions \
                  use is no such sign.",
        example: Example::Rules("(=> (open)\n    (true (step 1)))"),
        mend: "Write `<=` at the start of the rule, `;` before the comment, round brackets around the list, and \
               `(distinct ?m ?n)` for `(?m != ?n)`. The clause `legal(X, noop) :- true(control(Y)).` becomes \
               `(<= (legal ?x noop) (true (control ?y)))`.",
    },
    Page {
        code: "variable-as-relation",
        summary: "a variable stands where a relation should",
        meaning: "GDL is first-order: a variable stands for a term, never for a relation.",
        example: Example::Rules("(<= (door shut) ?x)"),
        mend: "Name the relation.",
    },
    Page {
        code: "variable-as-function",
        summary: "a variable stands where a function should",
        meaning: "GDL is first-order: a variable stands for a whole term, never for the name of a function.",
        example: Example::Rules("(init (?x shut))"),
        mend: "Name the function.",
    },
    Page {
        code: "misplaced-connective",
        summary: "`or`, `and`, `not`, `distinct` or `<=` stands where a relation should",
        meaning: "Connectives join conditions. They are no relations: they cannot be facts or heads, and a rule has one \
                  head only.",
        example: Example::Rules("(<= (or (won white) (drawn white))\n    (true (step 2)))"),
        mend: "Write one rule for each head, with the same conditions.",
    },
    Page {
        code: "connective-arity",
        summary: "a connective has too few or too many parts",
        meaning: "`not` takes one condition, `distinct` two terms, `or` and `and` at least one condition.",
        example: Example::Rules("(<= (open) (not (true (step 1)) (true (step 2))))"),
        mend: "Join several conditions by `and` or `or`, and negate the result.",
    },
    Page {
        code: "nested-rule",
        summary: "a rule stands inside a rule",
        meaning: "`<=` begins a rule of its own. Inside a rule it usually shows that the rule before is not closed.",
        example: Example::Rules("(<= (open) (true (step 1)) (<= (shut) (true (step 2))))"),
        mend: "Close the outer rule before this one.",
    },
    Page {
        code: "rule-without-head",
        summary: "a rule has no head",
        meaning: "A rule is written `(<= HEAD CONDITION ...)`: its head holds if all conditions hold.",
        example: Example::Rules("(<=)"),
        mend: "Write the head after `<=`.",
    },
    Page {
        code: "too-many-alternatives",
        summary: "the `or` conditions of a rule have too many combinations",
        meaning: "`or` is replaced by several rules, one for each combination. The number of combinations is the product \
                  of the numbers of cases, and it is bounded.",
        example: Example::Repeated("(<= (q 1)", " (or (p 1) (p 2) (p 3) (p 4))", 12, ")"),
        mend: "Give the `or` conditions a relation of their own, with one rule for each case.",
    },
    Page {
        code: "term-too-large",
        summary: "equalities make a term that is too large",
        meaning: "`(not (distinct ?x T))` means that `?x` is the term `T`, which is put in its place. Several such \
                  conditions can make a term that grows exponentially.",
        example: Example::Whole(TOO_LARGE),
        mend: "Write the term that is meant in place of the equalities.",
    },
    Page {
        code: "too-many-errors",
        summary: "further errors are not shown",
        meaning: "Only the first hundred syntax errors of a text are kept. One mistake can give many of them.",
        example: Example::Repeated("", ")\n", 101, ""),
        mend: "Mend the first errors and check again.",
    },
];

/// Each equality doubles the size of the term.
const TOO_LARGE: &str = "\
(<= (p ?a)
    (q ?a)
    (not (distinct ?a (f ?b ?b ?b ?b ?b ?b ?b ?b)))
    (not (distinct ?b (f ?c ?c ?c ?c ?c ?c ?c ?c)))
    (not (distinct ?c (f ?d ?d ?d ?d ?d ?d ?d ?d)))
    (not (distinct ?d (f ?e ?e ?e ?e ?e ?e ?e ?e)))
    (not (distinct ?e (f ?g ?g ?g ?g ?g ?g ?g ?g)))
    (not (distinct ?g (f ?h ?h ?h ?h ?h ?h ?h ?h)))
    (not (distinct ?h (f ?i ?i ?i ?i ?i ?i ?i ?i)))
    (not (distinct ?i (f ?j ?j ?j ?j ?j ?j ?j ?j))))
";
