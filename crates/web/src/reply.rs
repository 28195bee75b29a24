//! Responses: a JSON value, or an error with a message for the user.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// The error response of a request.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
}

impl Failure {
    pub(crate) fn new(status: StatusCode, error: impl std::fmt::Display) -> Failure {
        Failure { status, body: json!({ "error": error.to_string() }) }
    }

    pub(crate) fn bad(error: impl std::fmt::Display) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, error)
    }

    pub(crate) fn missing(what: &str) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, format!("there is no such {what}"))
    }
}

impl From<crate::session::Refusal> for Failure {
    fn from(refusal: crate::session::Refusal) -> Failure {
        Failure::new(StatusCode::CONFLICT, refusal)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, Json(self.body)).into_response()
    }
}

/// A response whose body is JSON.
#[derive(Debug)]
pub(crate) struct Json(pub(crate) Value);

impl IntoResponse for Json {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.0.to_string()).into_response()
    }
}
