//! The wire form of a comparison of records of `load`: schema `jobsworth/compare-load/v1`.

use crate::compare::wire::Difference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema of a comparison of records of `load`.
pub const SCHEMA: &str = "jobsworth/compare-load/v1";

/// Two records of `load` side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadComparison {
    /// Always `jobsworth/compare-load/v1`.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// The record that is compared with.
    pub base: LoadSide,
    /// The record that is compared.
    pub head: LoadSide,
    /// Whether both were made on one machine; if not, only ratios are compared.
    pub machine: Machine,
    /// What else is not the same.
    pub differences: Vec<Difference>,
    /// What makes the comparison say less than it could.
    pub cautions: Vec<String>,
    /// The test in words.
    pub test: String,
    /// The level that all tests of a family together keep.
    pub level: f64,
    /// How much worse, in percent of BASE's median, a figure must be to be told.
    pub percent: f64,
    /// How many pairs in each record allow a statement, where those that there are do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs_needed: Option<usize>,
    /// Every figure that both have.
    pub figures: Vec<FigureChange>,
    /// How many are worse in HEAD; above 0 the exit code is 1.
    pub regressions: usize,
}

/// One of the two records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoadSide {
    /// Wall clock at its beginning.
    pub started: String,
    /// The version of the program that measured.
    pub program: String,
    /// Version of Kubernetes.
    pub kubernetes: String,
    /// The controller that ratios are made with.
    pub yardstick: String,
    /// The controller that was measured.
    pub controller: String,
}

/// Where the two records were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Machine {
    /// On one machine: times compare.
    Same,
    /// On two: only ratios do.
    Other,
}

/// What a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// Measured controller over yardstick, pair by pair.
    Ratio,
    /// The measured controller.
    Controller,
    /// The other one: where it is slower, too, the machine is.
    Yardstick,
}

/// What became of a figure. All of them are better when they are smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// It is larger.
    Worse,
    /// It is smaller.
    Better,
    /// Neither, as far as so many samples can tell.
    Alike,
    /// The samples are too few for any statement.
    TooFew,
}

/// One figure of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureChange {
    /// The workload.
    pub workload: String,
    /// The figure.
    pub figure: String,
    /// What it is of.
    pub of: Of,
    /// What became of it.
    pub word: Word,
    /// Whether that is a regression of the measured controller.
    pub regression: bool,
    /// Median of BASE.
    pub base: f64,
    /// Median of HEAD.
    pub head: f64,
    /// Pairs or trials of BASE.
    pub base_samples: usize,
    /// Pairs or trials of HEAD.
    pub head_samples: usize,
    /// The chance of it where nothing is different, Holm's correction included; 1 where nothing was found.
    pub chance: f64,
    /// Whether there is a goal for it.
    pub has_goal: bool,
}

/// The JSON schema of a comparison of records of `load`.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(LoadComparison)
}
