//! What is to be run: cells, and the turns of cases in each.

use super::Flaky;
use crate::{case::AnyCase, cluster::ClusterSpec, scene::Patience, slo::objective::Objective, subject::Subject};
use jobsworth_oracle::Ownership;

/// One combination of version, emulation, gates, subject and provider.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Unique in the run and fit for a folder, for example `1.37.1-builtin` or
    /// `1.35.4-as-1.32-JobSuccessPolicy-off-builtin`.
    pub id: String,
    /// Name of the provider.
    pub provider: &'static str,
    /// Name of the subject, for example `builtin`.
    pub subject: String,
    /// The flags by which a command line names the subject.
    pub subject_flags: Vec<String>,
    /// The flags by which a command line names the provider and its cluster, if they must be named.
    pub provider_flags: Vec<String>,
    /// Which Jobs are the subject's.
    pub ownership: Ownership,
    /// What the cluster is to be like.
    pub spec: ClusterSpec,
}

impl Cell {
    /// The cell of this name in which `subject` is put to the test, in a cluster like `spec` and as the subject needs it.
    #[must_use]
    pub fn of(id: String, provider: &'static str, subject: &Subject, spec: ClusterSpec) -> Self {
        Self {
            id,
            provider,
            subject: subject.name.clone(),
            subject_flags: subject.flags.clone(),
            provider_flags: Vec::new(),
            ownership: subject.ownership(),
            spec: subject.prepare(spec),
        }
    }

    /// The cell with a cluster as this case needs it of its own.
    #[must_use]
    pub(super) fn for_case(&self, case: &dyn AnyCase) -> Self {
        let spec = ClusterSpec { second_instance: case.about().needs.second_instance, ..self.spec.clone() };
        Self { spec, ..self.clone() }
    }
}

/// One cell and what is run in it.
pub struct CellPlan<'c> {
    /// The cell.
    pub cell: Cell,
    /// Which case is run how often, in order.
    pub turns: Vec<Turn<'c>>,
    /// Cases that do not apply in this cell, with the reason.
    pub skips: Vec<(&'c dyn AnyCase, String)>,
}

/// One case, once.
#[derive(Clone, Copy)]
pub struct Turn<'c> {
    /// The case.
    pub case: &'c dyn AnyCase,
    /// Counts the repetitions of the case in the cell, from 1.
    pub attempt: u32,
}

/// Which clusters stay after the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Keep {
    /// None.
    Never,
    /// Those in which a case failed.
    Failed,
    /// All.
    Always,
}

/// All that a run needs to know.
pub struct RunPlan<'c> {
    /// Identifies the run; also the name of its folder.
    pub id: String,
    /// The cells in order.
    pub cells: Vec<CellPlan<'c>>,
    /// How many cases run side by side.
    pub jobs: usize,
    /// How many clusters of a cell there are at a time beside the one that most cases share; with one, they follow each other.
    pub clusters: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Which clusters stay.
    pub keep: Keep,
    /// Stop after so many failed cases over all cells; cases that then did not run are incomplete.
    pub max_fail: Option<u32>,
    /// Whether flaky cases are among the failed ones.
    pub flaky: Flaky,
    /// Whether waits are cut short once many were in vain.
    pub patience: Patience,
    /// Service levels that are told of each controller that shows metrics; they change no verdict.
    pub objectives: Vec<Objective>,
}
