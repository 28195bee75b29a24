//! The keywords of GDL: their spelling, arity and syntax.
//!
//! Invariant: keywords are case-insensitive; all other names are case-sensitive. See the specification,
//! section 2.2. `base` and `input` were added to GDL later; `sees` belongs to GDL-II (Thielscher 2010).

/// A relation whose name GDL reserves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Keyword {
    /// `(role ROLE)`: a role of the game.
    Role,
    /// `(init PROPOSITION)`: the proposition holds in the initial state.
    Init,
    /// `(true PROPOSITION)`: the proposition holds in the current state.
    True,
    /// `(next PROPOSITION)`: the proposition holds in the next state.
    Next,
    /// `(legal ROLE MOVE)`: the role may make the move in the current state.
    Legal,
    /// `(does ROLE MOVE)`: the role makes the move in the current step.
    Does,
    /// `(goal ROLE NUMBER)`: the number, from 0 to 100, is the value of the current state for the role.
    Goal,
    /// `terminal`: the current state ends the game.
    Terminal,
    /// `(base PROPOSITION)`: the proposition can hold in some state.
    Base,
    /// `(input ROLE MOVE)`: the role can make the move in some state.
    Input,
    /// `(sees ROLE PERCEPT)`: the role perceives the percept after the moves.
    Sees,
}

impl Keyword {
    /// All keywords.
    pub const ALL: [Keyword; 11] = [
        Keyword::Role,
        Keyword::Init,
        Keyword::True,
        Keyword::Next,
        Keyword::Legal,
        Keyword::Does,
        Keyword::Goal,
        Keyword::Terminal,
        Keyword::Base,
        Keyword::Input,
        Keyword::Sees,
    ];

    /// The keyword that `word` spells, in upper or lower case; `None` if `word` is not a keyword.
    pub fn of(word: &str) -> Option<Keyword> {
        Self::ALL.into_iter().find(|k| k.name().eq_ignore_ascii_case(word))
    }

    /// The spelling of the keyword, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Keyword::Role => "role",
            Keyword::Init => "init",
            Keyword::True => "true",
            Keyword::Next => "next",
            Keyword::Legal => "legal",
            Keyword::Does => "does",
            Keyword::Goal => "goal",
            Keyword::Terminal => "terminal",
            Keyword::Base => "base",
            Keyword::Input => "input",
            Keyword::Sees => "sees",
        }
    }

    /// The number of arguments that the keyword takes.
    pub fn arity(self) -> usize {
        match self {
            Keyword::Terminal => 0,
            Keyword::Role | Keyword::Init | Keyword::True | Keyword::Next | Keyword::Base => 1,
            Keyword::Legal | Keyword::Does | Keyword::Goal | Keyword::Input | Keyword::Sees => 2,
        }
    }

    /// The syntax of the keyword, with placeholders in upper case.
    pub fn syntax(self) -> &'static str {
        match self {
            Keyword::Role => "(role ROLE)",
            Keyword::Init => "(init PROPOSITION)",
            Keyword::True => "(true PROPOSITION)",
            Keyword::Next => "(next PROPOSITION)",
            Keyword::Legal => "(legal ROLE MOVE)",
            Keyword::Does => "(does ROLE MOVE)",
            Keyword::Goal => "(goal ROLE NUMBER)",
            Keyword::Terminal => "terminal",
            Keyword::Base => "(base PROPOSITION)",
            Keyword::Input => "(input ROLE MOVE)",
            Keyword::Sees => "(sees ROLE PERCEPT)",
        }
    }

    /// What a fact, a rule or a condition with the keyword says, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Keyword::Role => "ROLE is a role of the game.",
            Keyword::Init => "PROPOSITION holds in the initial state.",
            Keyword::True => "PROPOSITION holds in the current state.",
            Keyword::Next => {
                "PROPOSITION holds in the next state. A proposition that no `next` rule keeps does not hold there."
            }
            Keyword::Legal => "ROLE may make MOVE in the current state.",
            Keyword::Does => "ROLE makes MOVE in this step.",
            Keyword::Goal => "The current state is worth NUMBER, from 0 to 100, to ROLE.",
            Keyword::Terminal => "The game ends in the current state.",
            Keyword::Base => "PROPOSITION can hold in some state.",
            Keyword::Input => "ROLE can make MOVE in some state.",
            Keyword::Sees => "ROLE perceives PERCEPT after the moves of this step (GDL-II).",
        }
    }

    /// A help text for diagnostics: the syntax of the keyword and an example.
    pub fn usage(self) -> String {
        format!("it is written `{}`, for example `{}`", self.syntax(), self.example())
    }

    /// An example of a fact, rule or condition with the keyword.
    pub fn example(self) -> &'static str {
        match self {
            Keyword::Role => "(role white)",
            Keyword::Init => "(init (cell 1 1 blank))",
            Keyword::True => "(true (cell 1 1 blank))",
            Keyword::Next => "(<= (next (cell 1 1 x)) (does white (mark 1 1)))",
            Keyword::Legal => "(<= (legal white noop) (true (control black)))",
            Keyword::Does => "(does white (mark 1 1))",
            Keyword::Goal => "(<= (goal white 100) (line x))",
            Keyword::Terminal => "(<= terminal (line x))",
            Keyword::Base => "(base (cell 1 1 blank))",
            Keyword::Input => "(input white noop)",
            Keyword::Sees => "(<= (sees white (moved ?m)) (does black ?m))",
        }
    }
}

/// A reserved word that forms rules and conditions, such as `<=` or `not`. It is not a relation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Connective {
    /// `(<= HEAD CONDITION…)`: a rule, whose head holds if all conditions hold.
    If,
    /// `(not CONDITION)`: the condition does not hold.
    Not,
    /// `(or CONDITION…)`: at least one of the conditions holds.
    Or,
    /// `(and CONDITION…)`: all conditions hold.
    And,
    /// `(distinct TERM TERM)`: the two terms differ.
    Distinct,
}

impl Connective {
    /// The connective that `word` spells, in upper or lower case; `None` if `word` is not a connective.
    pub fn of(word: &str) -> Option<Connective> {
        Self::ALL.into_iter().find(|c| c.name().eq_ignore_ascii_case(word))
    }

    /// The spelling of the connective, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Connective::If => "<=",
            Connective::Not => "not",
            Connective::Or => "or",
            Connective::And => "and",
            Connective::Distinct => "distinct",
        }
    }

    /// The syntax of the connective, with placeholders in upper case.
    pub fn syntax(self) -> &'static str {
        match self {
            Connective::If => "(<= HEAD CONDITION ...)",
            Connective::Not => "(not CONDITION)",
            Connective::Or => "(or CONDITION ...)",
            Connective::And => "(and CONDITION ...)",
            Connective::Distinct => "(distinct TERM TERM)",
        }
    }

    /// What the connective says, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Connective::If => "HEAD holds if all conditions hold.",
            Connective::Not => {
                "CONDITION does not hold. Its variables need values from other, positive conditions."
            }
            Connective::Or => "At least one of the conditions holds.",
            Connective::And => "All conditions hold.",
            Connective::Distinct => {
                "The two terms differ. Their variables need values from other, positive conditions."
            }
        }
    }

    /// An example of a rule with the connective.
    pub fn example(self) -> &'static str {
        match self {
            Connective::If => "(<= (goal white 100) (line x))",
            Connective::And => "(<= terminal (or (line x) (and full (not more))))",
            Connective::Not => "(<= (free ?x) (square ?x) (not (taken ?x)))",
            Connective::Or => "(<= terminal (or (line x) (line o)))",
            Connective::Distinct => "(<= (opponent ?a ?b) (role ?a) (role ?b) (distinct ?a ?b))",
        }
    }

    /// All connectives.
    pub const ALL: [Connective; 5] =
        [Connective::If, Connective::Not, Connective::Or, Connective::And, Connective::Distinct];
}
