//! The check of every request. A page of another site can cause a browser to send requests to this server;
//! the check refuses such requests.
//!
//! As a protection against DNS rebinding, the `Host` header must contain an IP address, `localhost` or a
//! configured name. As a protection against cross-site request forgery, a request other than `GET` and `HEAD`
//! must come from a page of this server or from no page. In addition, a `POST` body must be JSON, which no
//! form can send. Every response gets headers that forbid framing, MIME sniffing and reading by other sites,
//! and a content security policy that allows only scripts of this server. A response that sets its own policy
//! keeps it.

use crate::app::App;
use crate::reply::Failure;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

/// The server must finish a response within this time. Event streams have no such limit.
const LONGEST: Duration = Duration::from_secs(120);

/// The default content security policy.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Middleware: answers a refused request with the reason and passes every other request on. Adds the security
/// headers to every response.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let streams = request.uri().path().ends_with("/events");
    let mut response = match refusal(&request, &app.config.hosts) {
        Some(failure) => failure.into_response(),
        None if streams => next.run(request).await,
        None => {
            let in_time = tokio::time::timeout(LONGEST, next.run(request)).await;
            in_time.unwrap_or_else(|_| {
                let error = format!("the server gave this up: it takes more than {} s", LONGEST.as_secs());
                Failure::new(StatusCode::REQUEST_TIMEOUT, error).into_response()
            })
        }
    };
    let headers = response.headers_mut();
    let policy = [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ];
    for (name, value) in policy {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for (name, value) in [(header::CONTENT_SECURITY_POLICY, POLICY), (header::CACHE_CONTROL, "no-store")] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

fn refusal(request: &Request, known: &[String]) -> Option<Failure> {
    let headers = request.headers();
    let host = text(headers, "host")?.to_ascii_lowercase();
    if !is_known(&host, known) {
        let error = format!("this server is not known as {host}; `ggp web --host NAME` tells it a name");
        return Some(Failure::new(StatusCode::MISDIRECTED_REQUEST, error));
    }
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let foreign = || Some(Failure::new(StatusCode::FORBIDDEN, "the request comes from another site"));
    if let Some(origin) = text(headers, "origin") {
        let place = origin.split_once("://").map(|(_, place)| place.to_ascii_lowercase());
        if place.as_deref() != Some(host.as_str()) {
            return foreign();
        }
    }
    if text(headers, "sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none") {
        return foreign();
    }
    let json = text(headers, "content-type").is_some_and(|kind| kind.starts_with("application/json"));
    if *request.method() == Method::POST && !json {
        return Some(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "JSON is wanted"));
    }
    None
}

/// The text of the header `name`. If the header is missing, the result is `None`, except that a missing
/// `Host` header gives an empty text, which [`is_known`] rejects.
fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    match headers.get(name) {
        Some(value) => Some(value.to_str().unwrap_or("?")),
        None if name == "host" => Some(""),
        None => None,
    }
}

/// Whether `host`, with or without a port, is an IP address, `localhost` or a name in `known`.
fn is_known(host: &str, known: &[String]) -> bool {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split_once(']').is_some_and(|(ip, _)| ip.parse::<Ipv6Addr>().is_ok());
    }
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    name == "localhost"
        || name.parse::<IpAddr>().is_ok()
        || known.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::is_known;

    #[test]
    fn names_of_others_are_not_ours() {
        for ours in
            ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "192.168.0.7", "games.lan:80"]
        {
            assert!(is_known(ours, &["games.lan".to_owned()]), "{ours}");
        }
        for other in
            ["", "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil", "[evil]"]
        {
            assert!(!is_known(other, &[]), "{other}");
        }
    }
}
