//! The lanes of the propositional network against a naive evaluation of the same network. The random
//! networks have phases, counters, idle roles, states without legal moves, void goals and recursion.

use ggp_game::{
    Batches, EvalError, Fact, Game, Goal, Goals, Hints, Move, PlayoutPlan, Playouts, Preference, Role,
    StateMachine, StopToken, rng::Sequence,
};
use ggp_propnet::{
    Cpu, Fluent, GroundLimits, NetBuilder, NetMove, NetRole, Node, PropNet, PropNetMachine, Signal,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Evaluates a network node by node, one state at a time.
#[derive(Clone)]
struct Naive {
    net: Arc<PropNet>,
    texts: Vec<String>,
}

impl Naive {
    fn new(net: &PropNet) -> Naive {
        let mut texts: Vec<String> = Vec::new();
        for mv in net.roles().iter().flat_map(|role| &role.moves) {
            if !texts.iter().any(|text| **text == *mv.text) {
                texts.push(mv.text.to_string());
            }
        }
        Naive { net: Arc::new(net.clone()), texts }
    }

    fn values(&self, state: &[bool], joint: Option<&[Move]>) -> Vec<bool> {
        let net = &*self.net;
        let mut unknowns: BTreeMap<(u32, u32), bool> = BTreeMap::new();
        // Evaluate the whole network until no unknown changes (fixpoint).
        loop {
            let mut values = vec![false; net.nodes().len()];
            for (number, node) in net.nodes().iter().enumerate() {
                values[number] = match node {
                    Node::False => false,
                    Node::State(fluent) => state[*fluent as usize],
                    Node::MoveSet(set) => joint.is_some_and(|joint| {
                        let set = net.move_set(*set);
                        let text = &self.texts[joint[set.role as usize].index()];
                        let moves = &net.roles()[set.role as usize].moves;
                        set.members.iter().any(|&member| *moves[member as usize].text == **text)
                    }),
                    Node::And(inputs) => {
                        inputs.iter().all(|input| values[input.node()] != input.is_negated())
                    }
                    Node::Variable(unknown) | Node::Fixpoint(unknown) => {
                        *unknowns.get(&(unknown.component, unknown.index)).unwrap_or(&false)
                    }
                };
            }
            let mut grown = false;
            for node in net.nodes() {
                if let Node::Fixpoint(unknown) = node {
                    for (index, body) in net.component(unknown.component).iter().enumerate() {
                        let value = values[body.node()] != body.is_negated();
                        let before = unknowns.insert((unknown.component, index as u32), value);
                        grown |= before.unwrap_or(false) != value;
                    }
                }
            }
            if !grown {
                return values;
            }
        }
    }
}

fn value(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] != signal.is_negated()
}

impl StateMachine for Naive {
    type State = Vec<bool>;

    fn game(&self) -> &Arc<Game> {
        self.net.game()
    }
    fn name(&self) -> &'static str {
        "naive"
    }
    fn initial_state(&mut self) -> Result<Vec<bool>, EvalError> {
        Ok(self.net.fluents().iter().map(|fluent| fluent.initial).collect())
    }
    fn is_terminal(&mut self, state: &Vec<bool>) -> Result<bool, EvalError> {
        Ok(value(&self.values(state, None), self.net.terminal()))
    }
    fn legal_moves(&mut self, state: &Vec<bool>, role: Role, out: &mut Vec<Move>) -> Result<(), EvalError> {
        let values = self.values(state, None);
        let legal = self.net.roles()[role.index()].moves.iter().filter(|mv| value(&values, mv.legal));
        let number =
            |mv: &NetMove| Move(self.texts.iter().position(|text| **text == *mv.text).unwrap() as u32);
        out.clear();
        out.extend(legal.map(number));
        Ok(())
    }
    fn next_state(&mut self, state: &Vec<bool>, joint: &[Move]) -> Result<Vec<bool>, EvalError> {
        let values = self.values(state, Some(joint));
        Ok(self.net.fluents().iter().map(|fluent| value(&values, fluent.next)).collect())
    }
    fn goals(&mut self, state: &Vec<bool>, out: &mut [Goals]) -> Result<(), EvalError> {
        let values = self.values(state, None);
        for (out, role) in out.iter_mut().zip(self.net.roles()) {
            let bad = role.bad_goal.map(|signal| (None, signal));
            let given = role.goals.iter().map(|&(goal, signal)| (Some(goal), signal)).chain(bad);
            let holding = given.filter(|&(_, signal)| value(&values, signal));
            *out = Goals::of(holding.map(|(goal, _)| goal));
        }
        Ok(())
    }
    fn facts(&mut self, state: &Vec<bool>, out: &mut Vec<Fact>) -> Result<(), EvalError> {
        out.clear();
        let fluents = self.net.fluents().iter().zip(state);
        out.extend(fluents.filter(|(_, holds)| **holds).map(|(fluent, _)| fluent.fact.clone()));
        out.sort();
        Ok(())
    }
    fn state_of(&mut self, facts: &[Fact]) -> Result<Vec<bool>, EvalError> {
        Ok(self.net.fluents().iter().map(|fluent| facts.contains(&fluent.fact)).collect())
    }
    fn percepts(
        &mut self,
        state: &Vec<bool>,
        joint: &[Move],
        role: Role,
        out: &mut Vec<Fact>,
    ) -> Result<(), EvalError> {
        let values = self.values(state, Some(joint));
        let sees = self.net.roles()[role.index()].sees.iter();
        out.clear();
        out.extend(sees.filter(|(_, signal)| value(&values, *signal)).map(|(fact, _)| fact.clone()));
        Ok(())
    }
    fn move_text(&self, mv: Move) -> &str {
        &self.texts[mv.index()]
    }
    fn parse_move(&mut self, text: &str) -> Option<Move> {
        self.texts.iter().position(|known| known == text).map(|number| Move(number as u32))
    }
}

impl Batches for Naive {}

impl Hints for Naive {}

fn game(roles: usize) -> Arc<Game> {
    let mut rules = String::from("(init (on)) (<= terminal (not (true (on)))) (<= (next (on)) (true (on)))");
    for role in 0..roles {
        rules += &format!("(role r{role}) (legal r{role} noop) (goal r{role} 100)");
    }
    Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap())
}

/// A random gate with inputs from `pool`.
fn gate(b: &mut NetBuilder, numbers: &mut Sequence, pool: &[Signal]) -> Signal {
    let widest = if numbers.below(4) == 0 { 9 } else { 3 };
    let width = 2 + numbers.below(widest);
    let inputs: Vec<Signal> = (0..width)
        .map(|_| {
            // Prefer recent signals, which makes the network deep.
            let back = numbers.below(pool.len()).min(numbers.below(pool.len()));
            pool[pool.len() - 1 - back].negated_if(numbers.below(3) == 0)
        })
        .collect();
    if numbers.below(2) == 0 { b.and(inputs) } else { b.or(inputs) }
}

/// A random network: a control fluent of short period, a counter, random fluents, a recursive component,
/// and many moves for role 0.
fn random_net(seed: u64) -> PropNet {
    let numbers = &mut Sequence::new(seed);
    let roles = 1 + numbers.below(3);
    let counts: Vec<usize> =
        (0..roles).map(|role| if role == 0 { 2 + numbers.below(40) } else { 1 + numbers.below(6) }).collect();
    let mut b = NetBuilder::new(&game(roles), &counts);
    let period = [1, 2, 3, 4, 5][numbers.below(5)];
    let steps = 3 + numbers.below(12);
    let random = 2 + numbers.below(8);
    let turn: Vec<Signal> = (0..period).map(|i| b.state(i)).collect();
    let step: Vec<Signal> = (0..steps).map(|i| b.state(period + i)).collect();
    let free: Vec<Signal> = (0..random).map(|i| b.state(period + steps + i)).collect();
    let mut pool: Vec<Signal> = turn.iter().chain(&step).chain(&free).copied().collect();
    for _ in 0..5 + numbers.below(30) {
        let new = gate(&mut b, numbers, &pool);
        pool.push(new);
    }
    // A recursive component, monotone in its unknowns. In some networks it reads only lasting fluents, which never
    // become false again, so that its values last too.
    let size = 1 + numbers.below(6);
    let lasting = &free[..random / 2];
    let sources = if numbers.below(2) == 0 { lasting } else { &pool };
    let is_lasting = sources.len() == lasting.len();
    let (component, unknowns) = b.open_fixpoint(size);
    let bodies = (0..size)
        .map(|_| {
            let edges: Vec<Signal> = (0..=numbers.below(3))
                .map(|_| {
                    let from = unknowns[numbers.below(size)];
                    let negate = numbers.below(2) == 0 && !is_lasting;
                    let by = sources[numbers.below(sources.len())].negated_if(negate);
                    b.and([from, by])
                })
                .collect();
            let own = sources[numbers.below(sources.len())];
            let base = if numbers.below(2) == 0 { own } else { Signal::FALSE };
            b.or(edges.into_iter().chain([base]))
        })
        .collect();
    let reached = b.close_fixpoint(component, bodies);
    pool.extend(reached);
    for _ in 0..numbers.below(20) {
        let new = gate(&mut b, numbers, &pool);
        pool.push(new);
    }
    // In some networks the goals cost more than all other gates: the parity of many pairs.
    let costly = numbers.below(4) == 0;
    let mut parity = pool[0];
    for _ in 0..if costly { 300 } else { 0 } {
        let (one, two) = (pool[numbers.below(pool.len())], pool[numbers.below(pool.len())]);
        let both = b.and([one, two.negated_if(numbers.below(2) == 0)]);
        let (more, less) = (b.and([parity, !both]), b.and([!parity, both]));
        parity = b.or([more, less]);
    }
    let mut list: Vec<NetRole> = Vec::new();
    for (role, &count) in counts.iter().enumerate() {
        let idle = turn[role % period];
        let moves = (0..count)
            .map(|mv| {
                let some = pool[numbers.below(pool.len())];
                let legal = match (mv, numbers.below(8)) {
                    (0, 0) => some,
                    (0, 1 | 2) => !idle,
                    (0, _) => Signal::TRUE,
                    (_, 0) => Signal::FALSE,
                    _ => b.and([some, idle]),
                };
                NetMove { text: format!("(m {mv:02})").into(), legal }
            })
            .collect();
        let goals = (0..=numbers.below(4))
            .map(|value| {
                let some = gate(&mut b, numbers, &pool);
                let signal = if costly { b.and([some, parity.negated_if(value % 2 == 1)]) } else { some };
                (Goal::new(value as u8 * 20).unwrap(), signal)
            })
            .collect();
        let bad_goal = (numbers.below(3) == 0).then(|| gate(&mut b, numbers, &pool));
        list.push(NetRole { moves, goals, bad_goal, sees: Vec::new() });
    }
    let ended = gate(&mut b, numbers, &pool);
    let terminal = if numbers.below(3) == 0 { b.or([step[steps - 1], ended]) } else { step[steps - 1] };
    let before_moves = pool.clone();
    for (role, &count) in counts.iter().enumerate() {
        for _ in 0..3 + numbers.below(6) {
            let members: Vec<u32> = (0..count as u32).filter(|_| numbers.below(3) == 0).collect();
            let set = b.move_set(role, &members);
            pool.push(set);
        }
    }
    for _ in 0..20 + numbers.below(60) {
        let new = gate(&mut b, numbers, &pool);
        pool.push(new);
    }
    for (role, role_list) in list.iter_mut().enumerate() {
        let fact = |i: usize| Fact::from_canonical(format!("(seen {role} {i})"));
        role_list.sees = (0..2).map(|i| (fact(i), pool[numbers.below(pool.len())])).collect();
    }
    let mut fluents = Vec::new();
    let add = |fluents: &mut Vec<Fluent>, initial: bool, next: Signal| {
        let fact = Fact::from_canonical(format!("(f {})", fluents.len()));
        fluents.push(Fluent { fact, initial, next });
    };
    for i in 0..period {
        add(&mut fluents, i == 0, turn[(i + period - 1) % period]);
    }
    for i in 0..steps {
        add(&mut fluents, i == 0, if i == 0 { Signal::FALSE } else { step[i - 1] });
    }
    for i in 0..random {
        let next = match numbers.below(8) {
            0 => free[numbers.below(random)].negated_if(numbers.below(2) == 0),
            1 => before_moves[numbers.below(before_moves.len())],
            2 => Signal::constant(numbers.below(2) == 0),
            _ => pool[pool.len() - 1 - numbers.below(pool.len() / 2)],
        };
        let next = if i < lasting.len() { b.or([free[i], next]) } else { next };
        add(&mut fluents, i % 3 == 0, next);
    }
    b.finish(fluents, list, terminal)
}

type Outcome = (Vec<Goals>, u32, Vec<String>, bool);

fn outcomes<M: Playouts>(
    machine: &mut M,
    starts: &[M::State],
    plan: PlayoutPlan,
) -> BTreeMap<usize, Outcome> {
    let mut all = BTreeMap::new();
    let mut moves: Vec<(usize, Vec<Move>)> = Vec::new();
    machine
        .playouts(starts, plan, &mut |playout| {
            let outcome = (playout.goals.to_vec(), playout.steps, Vec::new(), playout.terminal);
            assert!(all.insert(playout.index, outcome).is_none(), "playout {} ended twice", playout.index);
            moves.push((playout.index, playout.moves.to_vec()));
        })
        .unwrap();
    for (index, moves) in moves {
        let texts = moves.iter().map(|&mv| machine.move_text(mv).to_owned()).collect();
        all.get_mut(&index).unwrap().2 = texts;
    }
    all
}

/// The outcomes of every [`SAMPLE`]-th playout of `plan`, each played alone.
fn sample(naive: &mut Naive, start: &[Vec<bool>], plan: PlayoutPlan) -> BTreeMap<usize, Outcome> {
    let numbers = (0..plan.per_start).step_by(SAMPLE);
    let alone = |index: usize| PlayoutPlan { first: plan.first + index as u64, per_start: 1, ..plan };
    let mut played = |index| outcomes(naive, start, alone(index)).remove(&0).expect("it ends");
    numbers.map(|index| (index, played(index))).collect()
}

/// Stride of the playouts that are compared with the naive evaluation. It is odd, so that the sample
/// includes lanes of every word, every bit of a word, and refilled lanes.
const SAMPLE: usize = 11;

/// Prefers about half of the moves of `played`, with probability 3/4. The choice depends on the texts of
/// the moves, not on their numbers.
fn preference<M: StateMachine>(machine: &mut M, played: &BTreeMap<usize, Outcome>) -> Preference {
    let roles = machine.game().role_count();
    let mut preference = Preference::new(roles, 0.75);
    for (_, _, texts, _) in played.values() {
        for (number, text) in texts.iter().enumerate() {
            if text.bytes().map(u32::from).sum::<u32>().is_multiple_of(2) {
                let mv = machine.parse_move(text).expect("a move that was made");
                preference.add(Role((number % roles) as u8), mv);
            }
        }
    }
    preference
}

/// Walks at random and compares all answers in each state. Returns the facts of the visited states.
fn walk(naive: &mut Naive, machine: &mut PropNetMachine, numbers: &mut Sequence) -> Vec<Vec<Fact>> {
    let roles = naive.game().role_count();
    let (mut one, mut two) = (naive.initial_state().unwrap(), machine.initial_state().unwrap());
    let mut met = Vec::new();
    let (mut facts, mut other_facts) = (Vec::new(), Vec::new());
    let (mut goals, mut other_goals) = (vec![Goals::None; roles], vec![Goals::None; roles]);
    for _ in 0..12 {
        naive.facts(&one, &mut facts).unwrap();
        machine.facts(&two, &mut other_facts).unwrap();
        assert_eq!(facts, other_facts);
        assert_eq!(machine.state_of(&facts).unwrap(), two);
        met.push(facts.clone());
        assert_eq!(naive.is_terminal(&one).unwrap(), machine.is_terminal(&two).unwrap());
        naive.goals(&one, &mut goals).unwrap();
        machine.goals(&two, &mut other_goals).unwrap();
        assert_eq!(goals, other_goals);
        let (mut joint, mut other_joint) = (Vec::new(), Vec::new());
        for role in naive.game().clone().roles() {
            let (mut legal, mut other) = (Vec::new(), Vec::new());
            naive.legal_moves(&one, role, &mut legal).unwrap();
            machine.legal_moves(&two, role, &mut other).unwrap();
            let texts: Vec<&str> = legal.iter().map(|&mv| naive.move_text(mv)).collect();
            let others: Vec<&str> = other.iter().map(|&mv| machine.move_text(mv)).collect();
            assert_eq!(texts, others);
            // The joint move need not be legal.
            let moves = naive.net.roles()[role.index()].moves.len();
            let text = match legal.len() {
                0 => naive.net.roles()[role.index()].moves[numbers.below(moves)].text.to_string(),
                n => texts[numbers.below(n)].to_owned(),
            };
            joint.push(naive.parse_move(&text).unwrap());
            other_joint.push(machine.parse_move(&text).unwrap());
        }
        for role in naive.game().clone().roles() {
            naive.percepts(&one, &joint, role, &mut facts).unwrap();
            machine.percepts(&two, &other_joint, role, &mut other_facts).unwrap();
            assert_eq!(facts, other_facts);
        }
        one = naive.next_state(&one, &joint).unwrap();
        two = machine.next_state(&two, &other_joint).unwrap();
    }
    met
}

/// Compares queries about many states at once, more than one batch holds.
fn batches_agree(naive: &mut Naive, machine: &mut PropNetMachine, met: &[Vec<Fact>], numbers: &mut Sequence) {
    let mut joints = (Vec::new(), Vec::new());
    let mut states = (Vec::new(), Vec::new());
    for number in 0..70 {
        let facts = &met[number % met.len()];
        states.0.push(naive.state_of(facts).unwrap());
        states.1.push(machine.state_of(facts).unwrap());
        for role in naive.net.clone().roles() {
            let text = &role.moves[numbers.below(role.moves.len())].text;
            joints.0.push(naive.parse_move(text).unwrap());
            joints.1.push(machine.parse_move(text).unwrap());
        }
    }
    let (one, two): (Vec<_>, Vec<_>) = (states.0.iter().collect(), states.1.iter().collect());
    let (mut next, mut other_next) = (Vec::new(), Vec::new());
    naive.next_states(&one, &joints.0, &mut next).unwrap();
    machine.next_states(&two, &joints.1, &mut other_next).unwrap();
    assert_eq!(next.len(), other_next.len());
    for (state, other) in next.iter().zip(&other_next) {
        let (mut facts, mut others) = (Vec::new(), Vec::new());
        naive.facts(state, &mut facts).unwrap();
        machine.facts(other, &mut others).unwrap();
        assert_eq!(facts, others);
    }
    let (mut over, mut other_over) = (Vec::new(), Vec::new());
    let (mut goals, mut other_goals) = (Vec::new(), Vec::new());
    naive.outcomes(&one, &mut over, &mut goals).unwrap();
    machine.outcomes(&two, &mut other_over, &mut other_goals).unwrap();
    assert_eq!(over, other_over);
    let roles = naive.game().role_count();
    for (number, _) in over.iter().enumerate().filter(|(_, over)| **over) {
        let range = number * roles..(number + 1) * roles;
        assert_eq!(goals[range.clone()], other_goals[range]);
    }
    let (mut legal, mut other_legal) = (Vec::new(), Vec::new());
    naive.all_legal_moves(&one, &mut legal).unwrap();
    machine.all_legal_moves(&two, &mut other_legal).unwrap();
    assert_eq!(legal.len(), other_legal.len());
    for (legal, other) in legal.iter().zip(&other_legal) {
        let texts: Vec<&str> = legal.iter().map(|&mv| naive.move_text(mv)).collect();
        let others: Vec<&str> = other.iter().map(|&mv| machine.move_text(mv)).collect();
        assert_eq!(texts, others);
    }
}

#[test]
fn lanes_agree_with_naive_evaluation_on_random_networks() {
    let (mut phased, mut stuck, mut deferred, mut shared, mut narrowed) = (0, 0, 0, 0, 0);
    for seed in 0..150 {
        let net = random_net(seed);
        let naive = &mut Naive::new(&net);
        let numbers = &mut Sequence::new(seed ^ 0x5eed);
        let mut machine = PropNetMachine::new(net.clone()).unwrap();
        let met = walk(naive, &mut machine, numbers);
        let counts = machine.program_counts();
        phased += usize::from(counts.phases.len() > 1);
        deferred += usize::from(counts.defers_goals);
        shared += usize::from(counts.shares_terminal);

        // From the initial state, with more playouts than lanes, so that lanes are refilled.
        let plan =
            PlayoutPlan { per_start: 700, max_steps: 40, moves: true, first: 5, ..PlayoutPlan::new(seed) };
        let start = [naive.initial_state().unwrap()];
        let expected = sample(naive, &start, plan);
        let start = [machine.initial_state().unwrap()];
        let all = outcomes(&mut machine, &start, plan);
        assert_eq!(all.len(), 700, "seed {seed}");
        for (index, outcome) in &expected {
            assert_eq!(all[index], *outcome, "seed {seed}, playout {index}");
        }
        stuck += all.values().filter(|outcome| !outcome.3 && outcome.1 < 40).count();
        for cpu in Cpu::available() {
            let mut other = PropNetMachine::for_cpu(net.clone(), cpu).unwrap();
            assert_eq!(outcomes(&mut other, &start, plan), all, "seed {seed}, {cpu:?}");
        }

        // With preferred moves.
        let (of_naive, of_machine) = (preference(naive, &expected), preference(&mut machine, &expected));
        let before = expected;
        let start = [naive.initial_state().unwrap()];
        let expected = sample(naive, &start, PlayoutPlan { preferred: Some(&of_naive), ..plan });
        narrowed += usize::from(expected != before);
        let start = [machine.initial_state().unwrap()];
        let plan = PlayoutPlan { preferred: Some(&of_machine), ..plan };
        let all = outcomes(&mut machine, &start, plan);
        for (index, outcome) in &expected {
            assert_eq!(all[index], *outcome, "seed {seed}, playout {index}");
            let first = plan.first + *index as u64;
            let alone = outcomes(&mut machine, &start, PlayoutPlan { first, per_start: 1, ..plan });
            assert_eq!(alone[&0], *outcome, "seed {seed}, playout {index} alone");
        }
        for cpu in Cpu::available() {
            let mut other = PropNetMachine::for_cpu(net.clone(), cpu).unwrap();
            assert_eq!(outcomes(&mut other, &start, plan), all, "seed {seed}, {cpu:?}");
        }

        batches_agree(naive, &mut machine, &met, numbers);

        // From the visited states, in several phases, and from an unreachable state.
        let starts: Vec<Vec<bool>> = met.iter().map(|facts| naive.state_of(facts).unwrap()).collect();
        let others: Vec<_> = met.iter().map(|facts| machine.state_of(facts).unwrap()).collect();
        let plan = PlayoutPlan { per_start: 3, max_steps: 9, moves: true, ..PlayoutPlan::new(seed + 1) };
        let expected = outcomes(naive, &starts, plan);
        assert_eq!(outcomes(&mut machine, &others, plan), expected, "seed {seed}");
        // From non-terminal states, without a terminal check at the start.
        let open: Vec<usize> =
            (0..starts.len()).filter(|&at| !naive.is_terminal(&starts[at]).unwrap()).collect();
        let starts: Vec<_> = open.iter().map(|&at| starts[at].clone()).collect();
        let others: Vec<_> = open.iter().map(|&at| others[at].clone()).collect();
        let expected = outcomes(naive, &starts, plan);
        let plan = PlayoutPlan { no_terminal_start: true, ..plan };
        assert_eq!(outcomes(&mut machine, &others, plan), expected, "seed {seed}");
        let nothing = naive.state_of(&[]).unwrap();
        let other = machine.state_of(&[]).unwrap();
        let expected = outcomes(naive, &[nothing], plan);
        assert_eq!(outcomes(&mut machine, &[other], plan), expected, "seed {seed}");
    }
    // The random networks cover all intended features.
    let varied = narrowed > 100 && phased > 30 && deferred > 5 && (5..140).contains(&shared) && stuck > 100;
    assert!(varied, "{narrowed} {phased} {deferred} {shared} {stuck}");
}

#[test]
fn playouts_one_by_one_are_those_of_the_lanes() {
    for name in ggp_tests::rulesheets() {
        let game = ggp_tests::game(&ggp_tests::rulesheet(&name));
        let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).expect("a network");
        let mut machine = PropNetMachine::new(net).expect("a machine");
        let start = machine.initial_state().expect("a state");
        let mut together = vec![None; 24];
        for max_steps in [ggp_game::MAX_STEPS, 7] {
            let plan = PlayoutPlan { moves: true, max_steps, ..PlayoutPlan::new(3) };
            let note = |p: ggp_game::Playout<'_>| (p.goals.to_vec(), p.steps, p.moves.to_vec(), p.terminal);
            machine
                .playouts(&vec![start.clone(); 24], plan, &mut |p| together[p.index] = Some(note(p)))
                .expect("playable");
            for (number, expected) in together.iter().enumerate() {
                let plan = PlayoutPlan { first: number as u64, ..plan };
                let mut alone = None;
                machine
                    .playouts(std::slice::from_ref(&start), plan, &mut |p| alone = Some(note(p)))
                    .expect("playable");
                assert_eq!(&alone, expected, "{name}, playout {number}");
            }
        }
    }
}

#[test]
fn a_machine_plays_the_game_of_its_network() {
    let net = random_net(1);
    let game = Arc::clone(net.game());
    assert!(Arc::ptr_eq(PropNetMachine::new(net).expect("a machine").game(), &game));
}

#[test]
#[should_panic(expected = "one number of moves for each role of the game")]
fn a_network_has_the_roles_of_its_game() {
    let _ = NetBuilder::new(&game(2), &[1]);
}
