//! How long a run will take, and how much memory it needs: a guess from runs on a machine of two cores.

use crate::cluster::provider::Costs;
use crate::run::{CellPlan, RunPlan};
use std::time::Duration;

/// A guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// From the first cluster to the last report; without building programs or images.
    pub time: Duration,
    /// Memory of the clusters that are up at the same time, in MiB.
    pub memory: u32,
}

/// What a plan takes where clusters cost that much. Cells run one after the other.
#[must_use]
pub fn estimate(run: &RunPlan<'_>, costs: &Costs) -> Estimate {
    let seconds: u32 = run.cells.iter().map(|cell| seconds(cell, run.jobs, costs)).sum();
    let own = run.cells.iter().any(|cell| changing(cell) > 0);
    let clusters = if own { costs.side_by_side } else { 1 };
    Estimate { time: Duration::from_secs(seconds.into()), memory: costs.memory * clusters }
}

fn seconds(plan: &CellPlan<'_>, jobs: usize, costs: &Costs) -> u32 {
    let needs = || plan.turns.iter().map(|turn| turn.case.about().needs);
    let own = changing(plan);
    let alone = count(needs().filter(|needs| needs.runs_alone() && !needs.changes_cluster()));
    let together = count(needs()) - own - alone;
    let jobs = u32::try_from(jobs.max(1)).unwrap_or(u32::MAX);
    let shared = together.div_ceil(jobs) * costs.case + alone * costs.case;
    let up = if together + alone > 0 { costs.up_and_down } else { 0 };
    up + shared + (own * (costs.up_and_down + costs.changes)).div_ceil(costs.side_by_side)
}

fn changing(plan: &CellPlan<'_>) -> u32 {
    count(plan.turns.iter().filter(|turn| turn.case.about().needs.changes_cluster()))
}

fn count<T>(all: impl Iterator<Item = T>) -> u32 {
    u32::try_from(all.count()).unwrap_or(u32::MAX)
}
