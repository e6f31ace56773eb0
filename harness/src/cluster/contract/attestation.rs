//! What was asked of a cluster's components about themselves, and whether it is what was wanted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Component;
use super::reading::Reading;

/// What was wanted and what was found, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attestation {
    /// One row per fact.
    pub rows: Vec<Row>,
}

/// One fact about one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Which component says so.
    pub component: Component,
    /// What the fact is about, for example `gate JobSuccessPolicy`.
    pub what: String,
    /// What the cell asks for.
    pub wanted: String,
    /// What the component says; `-` for nothing.
    pub found: String,
    /// Whether they agree.
    pub ok: bool,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} is {} instead of {}", self.what, self.component, self.found, self.wanted)
    }
}

impl Attestation {
    /// Whether every row agrees. Nothing found is no proof.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| row.ok)
    }

    /// The rows that do not agree.
    pub fn doubts(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.ok)
    }

    /// The Job gates as the API server has them.
    #[must_use]
    pub fn gates(&self) -> BTreeMap<String, bool> {
        let rows = self.rows.iter().filter(|row| row.component == Component::ApiServer);
        let gate = |row: &Row| Some((row.what.strip_prefix("gate ")?.to_owned(), row.found.starts_with("true")));
        rows.filter_map(gate).collect()
    }
}

/// What tells a controller under test from another one: which release, made of what, called how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Mark {
    /// Which of its programs.
    pub component: Component,
    /// What it is about, for example `flags`.
    pub what: String,
    /// What is so.
    pub says: String,
}

impl Mark {
    /// Of this program, about this.
    pub fn new(component: Component, what: &str, says: impl Into<String>) -> Self {
        Self { component, what: what.to_owned(), says: says.into() }
    }
}

/// What a cluster said when the plan was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The API server's `/version`, with whatever a vendor adds.
    pub version: String,
    /// The API server's metrics, if they may be read.
    pub says: Option<Reading>,
    /// Components that are not asked, and why.
    pub unasked: Vec<(Component, String)>,
    /// What tells the controller under test from another one, where that was there already.
    pub marks: Vec<Mark>,
}
