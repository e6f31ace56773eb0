//! What can happen to a request on its way.

use serde_json::{Value, json};
use std::fmt;

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// It never reaches the API server; the answer is this.
    Refused(Refusal),
    /// It is applied; the answer is this all the same.
    AppliedThen(Refusal),
    /// It never reaches the API server, and the connection is closed instead of an answer.
    RequestLost,
    /// It is applied, and the connection is closed instead of an answer.
    AnswerLost,
    /// It waits before the API server until it is let go.
    HeldBefore,
    /// It is applied, and its answer waits until it is let go.
    HeldAfter,
}

/// An answer that says no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status.
    pub code: u16,
    /// The reason in the answer, where it is not the one that the API server mostly gives with this status and verb.
    pub reason: Option<&'static str>,
    /// Seconds of `Retry-After`, if there is one.
    pub retry_after: Option<u32>,
}

impl Mishap {
    /// Refused with this status, and nothing is said about when to come back.
    #[must_use]
    pub const fn refused(code: u16) -> Self {
        Self::Refused(Refusal { code, reason: None, retry_after: None })
    }

    /// Refused with this status for so many seconds.
    #[must_use]
    pub const fn refused_for(code: u16, seconds: u32) -> Self {
        Self::Refused(Refusal { code, reason: None, retry_after: Some(seconds) })
    }

    /// Refused for what somebody else has written meanwhile. So are creations, where a quota has changed.
    #[must_use]
    pub const fn conflict() -> Self {
        Self::Refused(Refusal { code: 409, reason: Some("Conflict"), retry_after: None })
    }

    /// Applied, and answered with this status.
    #[must_use]
    pub const fn applied_then(code: u16) -> Self {
        Self::AppliedThen(Refusal { code, reason: None, retry_after: None })
    }
}

impl Refusal {
    /// The Status object of this answer to a request with this verb, as the API server would have given it.
    #[must_use]
    pub fn status(&self, verb: &str) -> Value {
        let usual = match self.code {
            409 if verb == "create" => "AlreadyExists",
            409 => "Conflict",
            410 => "Expired",
            422 => "Invalid",
            429 => "TooManyRequests",
            503 => "ServiceUnavailable",
            504 => "Timeout",
            _ => "InternalError",
        };
        let reason = self.reason.unwrap_or(usual);
        let message = format!("answered by the proxy: {reason}");
        let details = self.retry_after.map_or(json!({}), |seconds| json!({"retryAfterSeconds": seconds}));
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
               "code": self.code, "reason": reason, "message": message, "details": details})
    }
}

impl fmt::Display for Mishap {
    /// For example `refused with 503`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(Refusal { code, retry_after: None, .. }) => write!(f, "refused with {code}"),
            Self::Refused(Refusal { code, retry_after: Some(seconds), .. }) => {
                write!(f, "refused with {code} for {seconds} s")
            }
            Self::AppliedThen(Refusal { code, .. }) => write!(f, "applied, then answered with {code}"),
            Self::RequestLost => f.write_str("lost before it was applied"),
            Self::AnswerLost => f.write_str("applied, its answer lost"),
            Self::HeldBefore => f.write_str("held before it was applied"),
            Self::HeldAfter => f.write_str("applied, its answer held"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_name_that_is_taken(Mishap::refused(409), "create", "AlreadyExists")]
    #[case::a_change(Mishap::refused(409), "update", "Conflict")]
    #[case::a_quota(Mishap::conflict(), "create", "Conflict")]
    #[case::a_timeout(Mishap::applied_then(504), "create", "Timeout")]
    fn an_answer_gives_the_reason_that_the_api_server_gives(
        #[case] mishap: Mishap,
        #[case] verb: &str,
        #[case] reason: &str,
    ) {
        let (Mishap::Refused(refusal) | Mishap::AppliedThen(refusal)) = mishap else { panic!("{mishap} is no answer") };
        assert_eq!(refusal.status(verb)["reason"], reason);
    }
}
