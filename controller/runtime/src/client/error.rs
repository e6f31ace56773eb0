//! What came of a call, as far as it is really known: refused, perhaps applied, or never sent.

use std::time::Duration;

use http::Response;
use serde::Deserialize;

/// What came of a call that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The API server said no; nothing was applied.
    #[error("{message}")]
    Refused {
        /// HTTP status.
        code: u16,
        /// The field `reason` of the `Status` in the answer, for example `AlreadyExists`; empty when it is none.
        reason: String,
        /// The field `message` of that `Status`, else the HTTP status in words.
        message: String,
        /// The answer's `details.causes[].reason`.
        causes: Vec<String>,
        /// After which time the API server wants to be asked again.
        retry_after: Option<Duration>,
        /// Whether it is the API server itself that has too much to do, and not something behind it that says so.
        overloaded: bool,
    },
    /// The request may or may not have been applied.
    #[error("no certain answer: {message}")]
    Unknown {
        /// What is known.
        message: String,
        /// After which time the API server wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// The request did not leave, or came to nothing: it is to be made again after this time.
    #[error("to be asked again after {} s", .0.as_secs_f32())]
    Later(Duration),
    /// The request did not leave.
    #[error("not sent: {0}")]
    NotSent(String),
    /// The answer was a success, but cannot be read.
    #[error("unreadable answer: {0}")]
    Unreadable(String),
}

impl CallError {
    /// The HTTP status of a refusal.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Whether the thing is not there: 404.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(404)
    }

    /// Whether somebody else was faster: 409.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.code() == Some(409)
    }

    /// Whether an object of this name is there already.
    #[must_use]
    pub fn is_name_taken(&self) -> bool {
        matches!(self, Self::Refused { code: 409, reason, .. } if reason == "AlreadyExists")
    }

    /// Whether the version asked for is no longer kept: 410.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.code() == Some(410)
    }

    /// Whether the namespace is on its way out, so that nothing can be created there (PAR-013).
    #[must_use]
    pub fn is_namespace_terminating(&self) -> bool {
        matches!(self, Self::Refused { causes, .. } if causes.iter().any(|cause| cause == "NamespaceTerminating"))
    }

    /// After which time the API server wants to be asked again.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } | Self::Unknown { retry_after, .. } => *retry_after,
            Self::Later(wait) => Some(*wait),
            Self::NotSent(_) | Self::Unreadable(_) => None,
        }
    }

    /// Whether everybody is to leave the API server alone, and not only who asked this.
    ///
    /// Its front door (priority and fairness, the limits of requests in flight, an orderly shutdown) refuses with 429 in plain
    /// text. Whoever is behind it, a webhook for example, is quoted as an object of kind `Status`. The headers
    /// `X-Kubernetes-PF-*` tell nothing: every request that was let in has them, too.
    #[must_use]
    pub fn is_overload(&self) -> bool {
        matches!(self, Self::Refused { overloaded: true, .. })
    }

    /// The same, without asking for time: it has been given time often enough.
    #[must_use]
    pub fn at_last(mut self) -> Self {
        if let Self::Refused { retry_after, .. } | Self::Unknown { retry_after, .. } = &mut self {
            *retry_after = None;
        }
        self
    }

    /// Whether the request may have been applied although the call failed.
    #[must_use]
    pub fn may_have_been_applied(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::Unreadable(_))
    }

    pub(super) fn unknown(message: impl Into<String>) -> Self {
        Self::Unknown { message: message.into(), retry_after: None }
    }
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Answer {
    kind: String,
    reason: String,
    message: String,
    details: Option<Details>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Details {
    retry_after_seconds: u64,
    causes: Vec<Cause>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Cause {
    reason: String,
}

/// A request that got no answer left only if there was a connection to leave by.
pub(super) fn lost(error: kube::Error) -> CallError {
    let text = chain(&error);
    if text.contains("tcp connect error") || text.contains("dns error") {
        return CallError::NotSent(text);
    }
    match error {
        kube::Error::Auth(_) => CallError::NotSent(text),
        _ => CallError::unknown(text),
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

pub(super) fn retry_after<B>(answer: &Response<B>) -> Option<Duration> {
    let seconds = answer.headers().get(http::header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// After a 5xx nobody knows whether the write was applied: a proxy, or a store that was slow, may have said so.
pub(super) fn refusal(code: u16, retry_after: Option<Duration>, body: &[u8]) -> CallError {
    let answer: Answer = serde_json::from_slice(body).unwrap_or_default();
    let overloaded = code == 429 && answer.kind != "Status";
    let message = if answer.message.is_empty() { format!("HTTP status {code}") } else { answer.message };
    let details = answer.details.unwrap_or_default();
    let told = (details.retry_after_seconds > 0).then(|| Duration::from_secs(details.retry_after_seconds));
    let retry_after = retry_after.or(told);
    if code == 408 || code >= 500 {
        return CallError::Unknown { message: format!("{code} {message}"), retry_after };
    }
    CallError::Refused {
        code,
        reason: answer.reason,
        message,
        causes: details.causes.into_iter().map(|cause| cause.reason).collect(),
        retry_after,
        overloaded,
    }
}
