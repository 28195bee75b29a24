//! Parsers of numbers on the command line.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;
use std::time::Duration;

/// Parses a number of seconds that is at least 0.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    read_seconds(text).ok_or_else(|| not_seconds("0, or a positive number such as 0.5"))
}

/// Parses a number of seconds that is greater than 0.
pub(crate) fn positive_seconds(text: &str) -> Result<Duration, String> {
    let time = read_seconds(text).filter(|time| !time.is_zero());
    time.ok_or_else(|| not_seconds("a positive number such as 0.5"))
}

/// Parses a number of minutes that is greater than 0.
pub(crate) fn positive_minutes(text: &str) -> Result<Duration, String> {
    let minutes: Option<f64> = text.parse().ok();
    let time = minutes.and_then(|minutes| Duration::try_from_secs_f64(60.0 * minutes).ok());
    let wanted = "not a valid number of minutes; write a positive number such as 0.5";
    time.filter(|time| !time.is_zero()).ok_or_else(|| wanted.to_owned())
}

fn read_seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

fn not_seconds(wanted: &str) -> String {
    format!("not a valid number of seconds; write {wanted}")
}

/// Parses a share of the goal range, from 0 (exclusive) to 1.
pub(crate) fn share_of_range(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "not a valid share; write a number above 0 and up to 1, such as 0.001".to_owned())
}

/// A parser of whole numbers in `range`.
pub(crate) fn whole<T, R>(range: R) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync
where
    T: FromStr + PartialOrd + Display,
    R: RangeBounds<T> + Clone + Send + Sync,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let wanted = match (range.start_bound(), range.end_bound()) {
                (Bound::Included(low), Bound::Included(high)) => format!(" from {low} to {high}"),
                (Bound::Included(low), _) => format!(" from {low} on"),
                _ => String::new(),
            };
            format!("not a valid number; write a whole number{wanted}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{positive_minutes, positive_seconds, seconds, share_of_range, whole};
    use std::time::Duration;

    #[test]
    fn seconds_are_finite_and_not_negative() {
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(positive_seconds("1e-3"), Ok(Duration::from_millis(1)));
        let wanted = "not a valid number of seconds; write 0, or a positive number such as 0.5";
        for bad in ["-1", "1e99", "nan", "inf", "", "5s"] {
            assert_eq!(seconds(bad), Err(wanted.to_owned()), "{bad}");
        }
        let wanted = "not a valid number of seconds; write a positive number such as 0.5";
        for bad in ["0", "-0", "0.0", "1e-99", "-1", "1e99"] {
            assert_eq!(positive_seconds(bad), Err(wanted.to_owned()), "{bad}");
        }
    }

    #[test]
    fn minutes_are_above_0() {
        assert_eq!(positive_minutes("0.5"), Ok(Duration::from_secs(30)));
        for bad in ["0", "-1", "inf", "1e99", "5m", ""] {
            assert!(positive_minutes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn shares_are_above_0_and_at_most_1() {
        assert_eq!(share_of_range("1e-5"), Ok(1e-5));
        assert_eq!(share_of_range("1"), Ok(1.0));
        for bad in ["0", "-0.1", "1.1", "nan", "", "1 %"] {
            assert!(share_of_range(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn whole_numbers_keep_to_their_range() {
        let (open, closed) = (whole(1u64..), whole(1..=64u8));
        assert_eq!(open("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(closed("64"), Ok(64));
        for bad in ["0", "-1", "1.5", "", "99999999999999999999"] {
            assert_eq!(open(bad), Err("not a valid number; write a whole number from 1 on".to_owned()));
            assert_eq!(closed(bad), Err("not a valid number; write a whole number from 1 to 64".to_owned()));
        }
    }
}
