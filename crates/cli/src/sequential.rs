//! The sequential probability ratio test (Wald 1945) on the command line.

use crate::exit::UsageError;
use ggp_arena::elo::{Hypothesis, Sprt, SprtState};

/// Parses `elo0=0 elo1=10 alpha=0.05 beta=0.05`, in any order, as one word or several. A missing parameter
/// has the value shown here. `None` if `words` is `None`.
pub(crate) fn parse(words: Option<&[String]>) -> Result<Option<Sprt>, UsageError> {
    let Some(words) = words else { return Ok(None) };
    let [mut elo0, mut elo1, mut alpha, mut beta] = [0.0, 10.0, 0.05, 0.05];
    let words = words.iter().flat_map(|word| word.split([' ', ','])).filter(|word| !word.is_empty());
    for word in words {
        let wanted = || UsageError(format!("--sprt: `{word}` is none of elo0=E, elo1=E, alpha=P, beta=P"));
        let (name, value) = word.split_once('=').ok_or_else(wanted)?;
        let place = match name {
            "elo0" => &mut elo0,
            "elo1" => &mut elo1,
            "alpha" => &mut alpha,
            "beta" => &mut beta,
            _ => return Err(wanted()),
        };
        *place = value.parse().map_err(|_| wanted())?;
    }
    Sprt::new(elo0, elo1, alpha, beta).map(Some).map_err(|why| UsageError(format!("--sprt: {why}")))
}

/// Reads one word of the option `--sprt`, which takes the words behind it, so a file there is taken for one.
pub(crate) fn term(word: &str) -> Result<String, String> {
    if word.contains('=') {
        Ok(word.to_owned())
    } else {
        Err("a term has the form elo0=0; write FILE before --sprt".to_owned())
    }
}

/// The tested hypotheses: `A minus B: H0 0 Elo, H1 10 Elo, alpha 0.05, beta 0.05`.
pub(crate) fn question(sprt: &Sprt, first: &str, second: &str) -> String {
    let Sprt { elo0, elo1, alpha, beta } = sprt;
    format!("{first} minus {second}: H0 {elo0} Elo, H1 {elo1} Elo, alpha {alpha}, beta {beta}")
}

/// The result of the test in one sentence.
pub(crate) fn verdict(sprt: &Sprt, state: &SprtState, first: &str, second: &str) -> String {
    match state.accepted {
        Some(Hypothesis::H1) => format!("H1 accepted: {}", at_least(sprt.elo1, first, second)),
        Some(Hypothesis::H0) => format!("H0 accepted: {}", at_most(sprt.elo0, first, second)),
        None => "undecided: more matches are needed".to_owned(),
    }
}

/// What it means that `first` is `elo` or more above `second`.
fn at_least(elo: f64, first: &str, second: &str) -> String {
    if elo > 0.0 {
        format!("{first} is {elo} Elo or more above {second}")
    } else if elo < 0.0 {
        format!("{first} is at most {} Elo below {second}", -elo)
    } else {
        format!("{first} is not weaker than {second}")
    }
}

/// What it means that `first` is `elo` or less above `second`.
fn at_most(elo: f64, first: &str, second: &str) -> String {
    if elo > 0.0 {
        format!("{first} is at most {elo} Elo above {second}")
    } else if elo < 0.0 {
        format!("{first} is {} Elo or more below {second}", -elo)
    } else {
        format!("{first} is not stronger than {second}")
    }
}

#[cfg(test)]
mod tests {
    use super::{at_least, at_most, parse};

    #[test]
    fn a_difference_is_told_from_its_own_side() {
        let told = |elo: f64| [at_least(elo, "a", "b"), at_most(elo, "a", "b")];
        assert_eq!(told(10.0), ["a is 10 Elo or more above b", "a is at most 10 Elo above b"]);
        assert_eq!(told(0.0), ["a is not weaker than b", "a is not stronger than b"]);
        assert_eq!(told(-10.0), ["a is at most 10 Elo below b", "a is 10 Elo or more below b"]);
    }

    #[test]
    fn it_is_one_word_or_several() {
        let read = |words: &[&str]| parse(Some(&words.iter().map(|&w| w.to_owned()).collect::<Vec<_>>()));
        let whole = read(&["elo1=20 elo0=5,alpha=0.1", "beta=0.2"]).unwrap().unwrap();
        assert_eq!((whole.elo0, whole.elo1, whole.alpha, whole.beta), (5.0, 20.0, 0.1, 0.2));
        let defaults = read(&[]).unwrap().unwrap();
        assert_eq!((defaults.elo0, defaults.elo1, defaults.alpha, defaults.beta), (0.0, 10.0, 0.05, 0.05));
        assert!(parse(None).unwrap().is_none());
        for bad in ["elo2=1", "elo0", "elo0=x", "elo0=10 elo1=0", "alpha=2"] {
            assert!(read(&[bad]).is_err(), "{bad}");
        }
    }
}
