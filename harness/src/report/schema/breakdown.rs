//! What a controller under test must never do, in `run.json` and in events.

use crate::run::Breakdown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A death of the controller under test, or a panic that it survived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BreakdownRecord {
    /// What happened.
    pub what: What,
    /// How it ended, for example `signal: 6 (SIGABRT)`; absent when it went on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What it wrote then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<String>,
    /// The cases that ran: one of them is the cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// Those of them that fail for it: it died while they ran alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blamed: Vec<String>,
}

/// What happened to the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// It ended, and nobody had asked it to.
    Died,
    /// It panicked and went on.
    Panicked,
}

impl From<&Breakdown> for BreakdownRecord {
    fn from(breakdown: &Breakdown) -> Self {
        Self {
            what: if breakdown.died.is_some() { What::Died } else { What::Panicked },
            status: breakdown.died.clone(),
            last_lines: breakdown.lines.clone(),
            cases: breakdown.cases.clone(),
            blamed: breakdown.blamed.clone(),
        }
    }
}
