//! Fast state machine for GDL games: a propositional network, evaluated bit-parallel for 512 playouts at
//! once. [`PropNet`] is the boolean circuit of a grounded game; [`NetBuilder`] builds and simplifies it, and
//! [`PropNet::ground`] makes it from a game's rules. [`PropNetMachine`] compiles a network to gate programs
//! and implements the state machine over [`BitState`]: for single states, for batches of up to 64 states, and
//! for random playouts.
//!
//! The machine agrees with the reference interpreter on every state, legal move, goal and percept. A
//! playout's random draws depend only on the seed, the playout's index and the step. Results therefore do not
//! depend on the processor ([`Cpu`]), the vector width or the number of threads. `unsafe` is confined to the
//! gates, the vector code and the choice between its versions.
//!
//! # Examples
//! ```
//! use ggp_game::{Batches, Game, PlayoutPlan, StateMachine, StopToken};
//! use ggp_propnet::{GroundLimits, PropNet, PropNetMachine};
//! use std::sync::Arc;
//! let rules = b"(role a) (legal a x) (legal a y) (<= (next won) (does a y)) (next over) (<= terminal (true over))
//!     (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))";
//! let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
//! let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap();
//! let mut machine = PropNetMachine::new(net).unwrap();
//! let start = machine.initial_state().unwrap();
//! let (mut played, mut won) = (0, 0);
//! let plan = PlayoutPlan { per_start: 1000, ..PlayoutPlan::new(1) };
//! machine
//!     .playouts(&[start], plan, &mut |playout| {
//!         played += 1;
//!         won += u32::from(playout.goals[0].score().value() == 100);
//!     })
//!     .unwrap();
//! assert_eq!(played, 1000);
//! assert!((400..600).contains(&won));
//! ```

#![allow(
    clippy::inline_always,
    reason = "what kernels call must be compiled with them, once for each kind of processor"
)]

mod allocate;
mod bounds;
mod builder;
mod circuit;
mod context;
mod cpu;
mod decisive;
mod dependence;
mod encoding;
mod equivalence;
mod evaluator;
mod factor;
mod gate;
mod gates;
mod ground;
mod guard;
mod hold;
mod kernels;
mod lanes;
mod latch;
mod leaves;
mod machine;
mod move_set;
mod narrowed;
mod nearness;
mod net;
mod net_form;
mod node;
mod prefer;
mod program;
mod program_form;
mod report;
mod rows;
mod schedule;
mod select;
mod share;
mod single;
mod specialise;
mod state;
mod steps;
mod subgames;
mod successor;
mod transpose;
mod vector;
mod walk;

pub use builder::NetBuilder;
pub use cpu::Cpu;
pub use encoding::DecodeError;
pub use ground::{GroundError, GroundLimits};
pub use lanes::SweepStep;
pub use machine::{Checked, Episodes, IllegalAction, PropNetMachine, Seeds};
pub use move_set::MoveSet;
pub use net::{Fluent, GroundCounts, NetMove, NetRole, PropNet};
pub use node::{Node, Signal, Unknown};
pub use report::{Counts, NetReport, PhaseReport, ProgramCounts};
pub use state::BitState;
pub use steps::Steps;
