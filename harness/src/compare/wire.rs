//! The wire form of a comparison of runs: schema `jobsworth/compare/v1`.
//!
//! Fields may be added under the same number; a removed or changed one needs a new number.

use crate::{report::flakiness::Turns, statistics::Share};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema of a comparison of runs.
pub const SCHEMA: &str = "jobsworth/compare/v1";

/// Two runs side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunComparison {
    /// Always `jobsworth/compare/v1`.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// The run that is compared with.
    pub base: SideRecord,
    /// The run that is compared.
    pub head: SideRecord,
    /// What else is not the same: versions, gates, programs, machine, selection.
    pub differences: Vec<Difference>,
    /// What makes the comparison say less than it could.
    pub cautions: Vec<String>,
    /// Which cells stand for each other.
    pub cells: Vec<CellPair>,
    /// Cases that did not come out alike, the regressions first.
    pub changes: Vec<Change>,
    /// How many cases of both runs came out alike.
    pub alike: u32,
    /// Claims and invariants that only one of the two programs made of a case; never a regression.
    pub claims: Vec<ClaimChange>,
    /// Controllers that died or panicked, where no case fails for it.
    pub breakdowns: Vec<Breakdowns>,
    /// Times of cases.
    pub durations: Durations,
    /// How many things are worse in HEAD; above 0 the exit code is 1.
    pub regressions: usize,
}

/// One of the two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SideRecord {
    /// Id of the run.
    pub run: String,
    /// Wall clock at its beginning.
    pub started: String,
    /// The version of the program that ran and judged.
    pub program: String,
    /// The exit code that it ended with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<u8>,
}

/// One thing that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// What it is about, with the cell where there are several.
    pub about: String,
    /// In BASE; `–` for nothing.
    pub base: String,
    /// In HEAD; `–` for nothing.
    pub head: String,
}

/// Two cells that stand for each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CellPair {
    /// Id in BASE.
    pub base: String,
    /// Id in HEAD.
    pub head: String,
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It held, and fails every time.
    NewlyFailing,
    /// It was flaky, and holds less often than chance explains.
    FailsMoreOften,
    /// It held every time, and does so no more.
    NewlyFlaky,
    /// It held, and fails only by claims that BASE's program did not make.
    FailsByNewClaims,
    /// It held, and deviates as is known of the controller.
    NewlyDeviating,
    /// It applied, and does no more.
    NewlySkipped,
    /// It was judged, and is no more.
    NoLongerJudged,
    /// It did not apply, and does now.
    NoLongerSkipped,
    /// It was not judged, and is now.
    NowJudged,
    /// It failed, and holds.
    Mended,
    /// It failed every time, and holds now and then.
    PartlyMended,
    /// It was flaky, and held every time.
    NoLongerFlaky,
    /// It deviated as known, and does no more.
    NoLongerDeviating,
    /// It fails as before.
    StillFailing,
    /// It is flaky as before, as far as so many turns can tell.
    StillFlaky,
    /// Only HEAD has it.
    New,
    /// Only BASE has it.
    Gone,
}

/// How a case came out on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Held in every turn that says something.
    Passed,
    /// As passed, but for what is known to deviate.
    Deviates,
    /// Broken in every turn that says something.
    Failed,
    /// Held at least once and broken at least once.
    Flaky,
    /// The evidence did not suffice.
    Inconclusive,
    /// No turn got to its end.
    Incomplete,
    /// It does not apply.
    Skipped,
}

/// One case that did not come out alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// What became of it.
    pub kind: Kind,
    /// Whether that is worse, so that the exit code is 1.
    pub regression: bool,
    /// Id of the case.
    pub case: String,
    /// The cell, as HEAD calls it; as BASE does where the case is gone.
    pub cell: String,
    /// How it came out in BASE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Came>,
    /// How it came out in HEAD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Came>,
    /// What was broken in HEAD, why it was skipped or did not end, why it is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// The chance that HEAD holds as seldom as it does by chance alone (Fisher's exact test), where it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// The command that runs just this again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
}

/// How the turns of a case came out on one side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Came {
    /// In one word.
    pub standing: Standing,
    /// Turns in which nothing but the known was wrong.
    pub held: u32,
    /// Turns that say something.
    pub judged: u32,
    /// Between this and `high` is the true share, 95 % (Wilson's score interval).
    pub low: f64,
    /// See `low`.
    pub high: f64,
}

impl Came {
    /// What turns come to.
    #[must_use]
    pub fn of(turns: Turns) -> Self {
        let share = turns.held();
        let (low, high) = share.interval();
        Self { standing: Standing::of(turns), held: share.of, judged: share.all, low, high }
    }

    /// Its share of turns that held.
    #[must_use]
    pub fn share(&self) -> Share {
        Share { of: self.held, all: self.judged }
    }
}

/// A claim or invariant that only one of the programs made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimChange {
    /// Which of the two.
    pub only: OnlyIn,
    /// `claim`, or the number of the invariant.
    pub source: String,
    /// The claim in words.
    pub says: String,
    /// Ids of the cases that it was made of.
    pub cases: Vec<String>,
}

/// One of the two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnlyIn {
    /// The one that is compared: it was added.
    Head,
    /// The one that is compared with: it was removed, or is said in other words.
    Base,
}

/// How often the controller of a cell died or panicked, where no case fails for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Breakdowns {
    /// The cell, as HEAD calls it.
    pub cell: String,
    /// In BASE.
    pub base: usize,
    /// In HEAD.
    pub head: usize,
    /// Whether it did in HEAD only.
    pub regression: bool,
}

/// Times of cases, and by which test they are told apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Durations {
    /// The test in words.
    pub test: String,
    /// The level that all tests together keep.
    pub level: f64,
    /// How much slower, in percent of BASE's median, a case must be to be told.
    pub percent: f64,
    /// And how much slower in milliseconds.
    pub floor_ms: f64,
    /// Why no times are compared, if none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Cases with enough turns on both sides for a statement.
    pub tested: usize,
    /// Cases with too few.
    pub too_few: usize,
    /// How many turns on each side allow a statement about so many cases, where those that there are do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns_needed: Option<usize>,
    /// Cases that take longer; each a regression.
    pub slower: Vec<Timing>,
    /// Cases that take less time.
    pub faster: Vec<Timing>,
}

/// A case that takes another time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// Id of the case.
    pub case: String,
    /// The cell, as HEAD calls it.
    pub cell: String,
    /// Median of BASE, in milliseconds.
    pub base_ms: f64,
    /// Median of HEAD, in milliseconds.
    pub head_ms: f64,
    /// Turns of BASE.
    pub base_turns: usize,
    /// Turns of HEAD.
    pub head_turns: usize,
    /// The chance of it where nothing is different, Holm's correction included.
    pub chance: f64,
}

/// The JSON schema of a comparison of runs.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(RunComparison)
}
