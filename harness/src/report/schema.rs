//! The wire form of a run: `run.json`, schema `jobsworth/run/v1`.
//!
//! Fields may be added under the same number; a removed or changed one needs a new number. Readers of
//! ours refuse another schema and ignore fields that they do not know.

mod breakdown;
mod cases;
pub mod events;
#[cfg(test)]
pub(crate) mod sample;
pub mod verdicts;

pub use breakdown::{BreakdownRecord, What};
pub use cases::{Breach, CaseRecord, DeviationRecord, Failure, Source, Verdict};

use crate::{
    cluster::{UnexpectedExit, attest::Attestation},
    run::{Flaky, Outcome},
    slo::answer::Finding,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The schema of `run.json`.
pub const RUN: &str = "jobsworth/run/v1";

/// One run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Always `jobsworth/run/v1`.
    #[schemars(extend("const" = RUN))]
    pub schema: String,
    /// Id of the run; also the name of its folder unless another was chosen.
    pub id: String,
    /// Whether the run has ended. A file that still says `running` was left by a program that was killed.
    pub state: State,
    /// The program that ran and judged.
    pub program: Program,
    /// The command line.
    pub argv: Vec<String>,
    /// Wall clock at the beginning.
    #[schemars(with = "String")]
    pub started: Timestamp,
    /// How long it took, in milliseconds of a monotonic clock; at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// What was to be run, with defaults filled in.
    pub plan: PlanRecord,
    /// Seed of everything random.
    pub seed: u64,
    /// The machine.
    pub host: Host,
    /// The cells, in the order of the plan.
    pub cells: Vec<CellRecord>,
    /// The cases, sorted by cell, id and attempt.
    pub cases: Vec<CaseRecord>,
    /// How it came out.
    pub outcome: Tally,
    /// The exit code and all that led to it; at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<ExitRecord>,
    /// Things that are worth a line but changed no verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Whether a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Not yet, or never in order.
    Running,
    /// It has.
    Finished,
}

/// The program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Program {
    /// `jobsworth`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The resolved plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlanRecord {
    /// Name of the plan, if one was named.
    pub name: Option<String>,
    /// Ids of cases and suites that were named.
    pub names: Vec<String>,
    /// The filter.
    pub filter: String,
    /// How many cases side by side.
    pub jobs: usize,
    /// How often each case.
    pub repeat: u32,
    /// What flaky cases come to.
    #[serde(default)]
    pub flaky: Flaky,
    /// Which clusters stay: `never`, `failed` or `always`.
    pub keep: String,
    /// Stop after so many failed cases.
    pub max_fail: Option<u32>,
    /// The shard.
    pub partition: Option<String>,
    /// The provider and why it was chosen.
    pub provider: String,
    /// How many turns of cases were planned over all cells.
    pub turns: usize,
}

/// The machine of a run: what makes its times comparable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// Cores that the program may use.
    pub cores: usize,
    /// Memory in bytes; 0 if unknown.
    pub memory_bytes: u64,
    /// Release of the kernel.
    pub kernel: String,
    /// Model of the processor.
    pub cpu: String,
}

/// One cell: what was wanted and what was found.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CellRecord {
    /// Id of the cell.
    pub id: String,
    /// The provider.
    pub provider: String,
    /// The controller under test.
    pub subject: String,
    /// What was asked for.
    pub wanted: Wanted,
    /// What the components said; absent when the cell did not get that far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attested: Option<Attested>,
    /// SHA-256 of each program, by file name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub binaries: BTreeMap<String, String>,
    /// Why the cell has no verdict, if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Lost>,
    /// Every death of the controller under test and every panic that it survived, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breakdowns: Vec<BreakdownRecord>,
    /// Service levels, as far as the components' metrics say something about them; they change no verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objectives: Vec<Finding>,
    /// Name of the cluster, if it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Every change that cases made to a cluster of the cell, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeRecord>,
    /// How long the cluster took to come up, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_ms: Option<u64>,
}

/// One change of a running cluster, attested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeRecord {
    /// Id of the case whose script made it.
    pub case: String,
    /// Which repetition, from 1.
    pub attempt: u32,
    /// What is so since then, for example `JobSuccessPolicy off`.
    pub to: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// What a cell asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Wanted {
    /// Version of the binaries.
    pub kubernetes: String,
    /// The version to which cases may change them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The version they emulate.
    pub emulated: Option<String>,
    /// Feature gates that were set.
    pub gates: BTreeMap<String, bool>,
    /// The flags that name the controller, where its name alone does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controller: Vec<String>,
    /// The flags that name the provider, and the cluster where there is one already, if a command without them would go elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provider: Vec<String>,
}

/// The proof that the cluster is what was asked for.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Attested {
    /// Whether everything agrees.
    pub holds: bool,
    /// One row per fact.
    pub rows: Vec<AttestedRow>,
}

/// One fact about one component.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AttestedRow {
    /// Which component says so.
    pub component: String,
    /// What the fact is about.
    pub what: String,
    /// What was asked for.
    pub wanted: String,
    /// What the component says; `-` for nothing.
    pub found: String,
    /// Whether they agree.
    pub ok: bool,
}

/// Why a cell cannot give verdicts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Lost {
    /// In words.
    pub because: String,
    /// The component that ended unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What it wrote last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<String>,
}

/// How a run came out, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Cases that passed, counting repetitions.
    pub passed: u32,
    /// Cases that failed.
    pub failed: u32,
    /// Cases, not turns, that held at least once and failed at least once in the same cell.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flaky: u32,
    /// Cases in which a known deviation of the controller showed, and nothing else was wrong.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub deviating: u32,
    /// Cases whose evidence did not suffice.
    pub inconclusive: u32,
    /// Cases that did not apply.
    pub skipped: u32,
    /// Cases that did not get to their end, or never began.
    pub incomplete: u32,
    /// Cells without a verdict.
    pub lost_cells: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The exit code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExitRecord {
    /// The number that the process ends with.
    pub code: u8,
    /// Everything that leads to a code other than 0, the one that decides first.
    pub causes: Vec<Cause>,
}

/// One cause of an exit code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The code it leads to.
    pub code: u8,
    /// In words.
    pub says: String,
}

impl From<&Attestation> for Attested {
    fn from(attestation: &Attestation) -> Self {
        let row = |row: &crate::cluster::attest::Row| AttestedRow {
            component: row.component.to_string(),
            what: row.what.clone(),
            wanted: row.wanted.clone(),
            found: row.found.clone(),
            ok: row.ok,
        };
        Self { holds: attestation.holds(), rows: attestation.rows.iter().map(row).collect() }
    }
}

impl Lost {
    /// What is known about a lost cell.
    #[must_use]
    pub fn of(because: &str, unexpected_exit: Option<&UnexpectedExit>) -> Self {
        Self {
            because: because.to_owned(),
            component: unexpected_exit.map(|unexpected_exit| unexpected_exit.component.to_string()),
            status: unexpected_exit.map(|unexpected_exit| unexpected_exit.status.clone()),
            last_lines: unexpected_exit.map(|unexpected_exit| unexpected_exit.last_lines.clone()).unwrap_or_default(),
        }
    }
}

impl From<&Outcome> for Tally {
    fn from(outcome: &Outcome) -> Self {
        Self {
            passed: outcome.passed,
            failed: outcome.failed,
            // Known at the end of the run only.
            flaky: 0,
            deviating: outcome.deviating,
            inconclusive: outcome.inconclusive,
            skipped: outcome.skipped,
            incomplete: outcome.incomplete,
            lost_cells: outcome.lost_cells,
        }
    }
}

/// The JSON schema of `run.json`.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(Run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_valid_by_its_own_schema_and_survives_being_written_down() {
        let run = sample::nasty();
        let written = serde_json::to_value(&run).unwrap();
        let validator = jsonschema::validator_for(json_schema().as_value()).unwrap();
        let mistakes: Vec<String> = validator.iter_errors(&written).map(|error| error.to_string()).collect();
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let read: Run = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), written);
    }
}
