//! Statuses as rows write them: a builder whose every step names one field.

use crate::words::*;
use jobsworth_api::ConditionKind;
use serde_json::Value;

/// When the Jobs of the tables were started.
pub const START: &str = "2026-01-01T10:00:00Z";
/// One minute later.
pub const LATER: &str = "2026-01-01T10:01:00Z";

/// A status that is going to be merged into a Job's own.
#[derive(Clone, Debug)]
pub struct Status(Value);

/// A status of this field alone.
#[must_use]
pub fn with(field: &str, value: impl Into<Value>) -> Status {
    Status(json!({})).with(field, value)
}

/// A Job that was started.
#[must_use]
pub fn started() -> Status {
    with("startTime", START)
}

/// These conditions with status True, and no others.
#[must_use]
pub fn only(kinds: &[ConditionKind]) -> Status {
    with("conditions", kinds.iter().map(|kind| condition(kind.as_str(), "True")).collect::<Vec<_>>())
}

/// A complete Job, in order.
#[must_use]
pub fn complete() -> Status {
    only(&[SuccessCriteriaMet, Complete]).with("startTime", START).with("completionTime", LATER)
}

/// A failed Job, in order.
#[must_use]
pub fn failed() -> Status {
    only(&[FailureTarget, Failed]).with("startTime", START)
}

/// One condition.
#[must_use]
pub fn condition(kind: &str, status: &str) -> Value {
    json!({"type": kind, "status": status, "reason": "Told", "lastTransitionTime": START})
}

impl Status {
    /// And this field.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0[field] = value.into();
        self
    }

    /// Without this field, whatever the Job had in it.
    #[must_use]
    pub fn without(self, field: &str) -> Self {
        self.with(field, ())
    }

    /// As JSON.
    #[must_use]
    pub fn json(self) -> Value {
        self.0
    }

    /// And this condition, with this status.
    #[must_use]
    pub fn holding(mut self, kind: ConditionKind, status: &str) -> Self {
        match self.0["conditions"].as_array_mut() {
            Some(conditions) => conditions.push(condition(kind.as_str(), status)),
            None => self.0["conditions"] = json!([condition(kind.as_str(), status)]),
        }
        self
    }
}

impl From<Status> for Value {
    fn from(status: Status) -> Self {
        status.0
    }
}
