//! Conversion of a player's observations to joint moves.

use ggp_game::{Move, Observation, PlayError, StateMachine};

/// The error of a player that is asked for a move before its match has started.
pub(crate) fn not_started() -> PlayError {
    PlayError::Unable("the match has not been started".to_owned())
}

/// The texts of the observed joint move. `None` if the match has just started, so that nothing has been observed.
///
/// # Errors
/// If the observation holds percepts instead of moves (GDL-II).
pub(crate) fn joint_texts(observation: Observation<'_>) -> Result<Option<&[String]>, PlayError> {
    match observation {
        Observation::Start => Ok(None),
        Observation::Percepts { .. } => Err(PlayError::Unable(
            "this player needs joint moves and cannot play from percepts (GDL-II)".to_owned(),
        )),
        Observation::Moves(texts) => Ok(Some(texts)),
    }
}

/// Parses the observed joint move. `None` if the match has just started.
///
/// # Errors
/// If the machine does not know the joint move, or if the observation holds percepts.
pub(crate) fn observed<M: StateMachine>(
    machine: &mut M,
    observation: Observation<'_>,
) -> Result<Option<Vec<Move>>, PlayError> {
    Ok(joint_texts(observation)?.map(|texts| machine.parse_joint(texts)).transpose()?)
}
