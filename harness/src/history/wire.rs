//! The wire form of a history: schema `jobsworth/history/v1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema of a history.
pub const SCHEMA: &str = "jobsworth/history/v1";

/// How cases did over many runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct History {
    /// Always `jobsworth/history/v1`.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// The runs, oldest first.
    pub runs: Vec<RunLine>,
    /// What was found and is not counted.
    pub left_out: Vec<LeftOut>,
    /// The cases, those that call for attention first.
    pub cases: Vec<CaseHistory>,
}

/// One run that is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunLine {
    /// Id of the run.
    pub run: String,
    /// Its folder below the one that was looked into; `.` for that one itself.
    pub folder: String,
    /// Wall clock at its beginning.
    pub started: String,
    /// The version of the program that ran and judged.
    pub program: String,
    /// The exit code that it ended with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<u8>,
}

/// A folder that is not counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Below the one that was looked into.
    pub folder: String,
    /// Why not.
    pub because: String,
}

/// What a case is called for what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// It held and was broken with the same programs and gates.
    Flaky,
    /// It was broken in every turn that says something.
    Failing,
    /// It held with some programs or gates and was broken with others.
    Changed,
    /// No turn says anything.
    Unjudged,
    /// It held in every turn that says something.
    Steady,
}

/// One case in one cell, over all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseHistory {
    /// Id of the case.
    pub case: String,
    /// The cell.
    pub cell: String,
    /// What it is called.
    pub word: Word,
    /// Turns in which nothing but the known was wrong.
    pub held: u32,
    /// Turns that say something.
    pub judged: u32,
    /// Between this and `high` is the true share, 95 % (Wilson's score interval).
    pub low: f64,
    /// See `low`.
    pub high: f64,
    /// Turns whose evidence did not suffice.
    pub inconclusive: u32,
    /// Turns that did not get to their end.
    pub incomplete: u32,
    /// Runs in which it did not apply.
    pub skipped: u32,
    /// How many combinations of programs and gates it was judged with.
    pub settings: usize,
    /// What each run said that has the case, oldest first.
    pub strip: Vec<Mark>,
}

/// What one run said of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// The place of the run in `runs`, from 0.
    pub run: usize,
    /// How it came out.
    pub said: Said,
}

/// How a case came out in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Said {
    /// Held in every turn that says something.
    Held,
    /// Broken in every turn that says something.
    Failed,
    /// Held at least once and broken at least once.
    Flaky,
    /// No turn says anything.
    Open,
    /// It does not apply.
    Skipped,
}

/// The JSON schema of a history.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(History)
}
