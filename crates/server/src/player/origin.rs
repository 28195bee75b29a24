//! Whether a message comes from a page in a browser, and from which one. Managers are programs, and send no `Origin`. A
//! browser sends it with what a page asks of another site, or at least says in `Sec-Fetch-Site` that the page is foreign.
//!
//! The `Host` is not looked at: managers send any name, or none.

use crate::http::request::Request;
use std::fmt;
use std::str::FromStr;

/// The origin of pages that may send messages to a player, such as `http://manager.example:8080`.
///
/// `*` stands for every origin, and `null` for pages without one, such as files.
///
/// ```
/// use ggp_server::player::Origin;
/// assert_eq!("http://Manager.example/".parse::<Origin>().unwrap().to_string(), "http://manager.example");
/// assert!("manager.example".parse::<Origin>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(String);

/// The error for a text that is not an [`Origin`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not the origin of a page: write SCHEME://HOST or SCHEME://HOST:PORT, or `*` for every page"
)]
pub struct OriginError(String);

impl Origin {
    const ANY: &'static str = "*";
    const NULL: &'static str = "null";
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Origin, OriginError> {
        let origin = text.strip_suffix('/').unwrap_or(text).to_ascii_lowercase();
        let is_place = |place: &str| {
            !place.is_empty() && place.chars().all(|c| c.is_ascii_alphanumeric() || "-._[]:".contains(c))
        };
        let has_place = origin.split_once("://").is_some_and(|(scheme, place)| {
            is_place(place)
                && !scheme.is_empty()
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        });
        if has_place || [Origin::ANY, Origin::NULL].contains(&origin.as_str()) {
            Ok(Origin(origin))
        } else {
            Err(OriginError(text.to_owned()))
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The page that sends `request`, if it is none of `allowed`: its origin, or `null` if the browser does not name it.
pub(super) fn foreign<'a>(request: &'a Request, allowed: &[Origin]) -> Option<&'a str> {
    let site = request.site.as_deref();
    let is_from_page = site.is_some_and(|site| !["none", "same-origin"].contains(&site));
    let origin = request.origin.as_deref().or(is_from_page.then_some(Origin::NULL))?;
    let is_allowed = |one: &Origin| one.0 == Origin::ANY || one.0.eq_ignore_ascii_case(origin);
    if allowed.iter().any(is_allowed) { None } else { Some(origin) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::limits::{HttpLimits, Memory};
    use crate::http::request::{read_from, tests::Script};
    use std::time::{Duration, Instant};

    fn is_foreign(headers: &str, allowed: &[&str]) -> bool {
        let sent = format!("GET /(info) HTTP/1.1\r\n{headers}\r\n");
        let memory = Memory::new(1000);
        let until = Instant::now() + Duration::from_secs(1);
        let mut script = Script::of(&[Some(sent.as_bytes())]);
        let request = read_from(&mut script, &HttpLimits::default(), &memory, until, || ()).unwrap();
        let allowed: Vec<Origin> = allowed.iter().map(|text| text.parse().unwrap()).collect();
        foreign(&request, &allowed).is_some()
    }

    #[test]
    fn pages_are_foreign_unless_they_are_allowed() {
        // Managers, and an address that a person typed.
        for headers in ["", "Host: anything\r\n", "Sec-Fetch-Site: none\r\n"] {
            assert!(!is_foreign(headers, &[]), "{headers}");
        }
        let page = "Origin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\n";
        // An image has no origin; the player's own name may be an attacker's.
        for headers in [
            page,
            "Sec-Fetch-Site: cross-site\r\n",
            "Origin: null\r\n",
            "Origin:\r\n",
            "Host: a.example:9147\r\nOrigin: http://a.example:9147\r\n",
        ] {
            assert!(is_foreign(headers, &["http://manager.example"]), "{headers}");
            assert!(!is_foreign(headers, &["http://manager.example", "*"]), "{headers}");
        }
        assert!(!is_foreign(page, &["http://evil.example/"]));
        assert!(is_foreign(page, &["https://evil.example", "http://evil.example:81", "http://evil"]));
        assert!(!is_foreign("Origin: null\r\n", &["null"]));
    }

    #[test]
    fn an_origin_has_a_scheme_and_a_host() {
        for good in ["*", "null", "https://a.example:8443", "http://[::1]:80", "chrome-extension://abc"] {
            assert!(good.parse::<Origin>().is_ok(), "{good}");
        }
        for bad in ["", "a.example", "http://", "://a", "http://a/b", "http://a b", "http://a\r\nX: y", "**"]
        {
            assert!(bad.parse::<Origin>().is_err(), "{bad:?}");
        }
    }
}
