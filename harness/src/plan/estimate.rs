//! How long a run will take, and how much memory it needs: a guess from runs on a machine of two cores.

use crate::run::{CellPlan, RunPlan};
use std::time::Duration;

/// What is known about clusters of a provider; times in seconds, memory in MiB.
struct Costs {
    /// Until it is up, and until it is gone.
    up_and_down: u32,
    /// A case; most of it is waiting, so cases run side by side without getting in each other's way.
    case: u32,
    /// A case that changes its cluster, the changes alone.
    changes: u32,
    /// How many clusters there are at a time for those.
    side_by_side: u32,
    memory: u32,
}

/// 121 cases took 92 s, eight side by side; a switch of a gate 4 s and three of them a case.
const LOCAL: Costs = Costs { up_and_down: 6, case: 6, changes: 20, side_by_side: 2, memory: 700 };
/// A switch of a gate takes a minute: kubelets restart static pods in their own time.
const KIND: Costs = Costs { up_and_down: 45, case: 12, changes: 180, side_by_side: 1, memory: 1_500 };

/// As processes, and a container more to start for each.
const CONTAINERS: Costs = Costs { up_and_down: 12, changes: 30, ..LOCAL };
/// It is up already, and answers so many requests a second and no more; at the end its namespaces go.
const EXISTING: Costs = Costs { up_and_down: 30, case: 15, changes: 0, side_by_side: 1, memory: 0 };

/// A guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// From the first cluster to the last report; without building programs or images.
    pub time: Duration,
    /// Memory of the clusters that are up at the same time, in MiB.
    pub memory: u32,
}

/// What a plan takes on this provider. Cells run one after the other.
#[must_use]
pub fn estimate(run: &RunPlan, provider: &str) -> Estimate {
    let costs = match provider {
        "kind" => &KIND,
        "containers" => &CONTAINERS,
        "existing" => &EXISTING,
        _ => &LOCAL,
    };
    let seconds: u32 = run.cells.iter().map(|cell| seconds(cell, run.jobs, costs)).sum();
    let own = run.cells.iter().any(|cell| changing(cell) > 0);
    let clusters = if own { costs.side_by_side } else { 1 };
    Estimate { time: Duration::from_secs(seconds.into()), memory: costs.memory * clusters }
}

fn seconds(plan: &CellPlan, jobs: usize, costs: &Costs) -> u32 {
    let needs = || plan.turns.iter().map(|turn| turn.case.about().needs);
    let own = changing(plan);
    let alone = count(needs().filter(|needs| needs.runs_alone() && !needs.changes_cluster()));
    let together = count(needs()) - own - alone;
    let jobs = u32::try_from(jobs.max(1)).unwrap_or(u32::MAX);
    let shared = together.div_ceil(jobs) * costs.case + alone * costs.case;
    let up = if together + alone > 0 { costs.up_and_down } else { 0 };
    up + shared + (own * (costs.up_and_down + costs.changes)).div_ceil(costs.side_by_side)
}

fn changing(plan: &CellPlan) -> u32 {
    count(plan.turns.iter().filter(|turn| turn.case.about().needs.changes_cluster()))
}

fn count<T>(all: impl Iterator<Item = T>) -> u32 {
    u32::try_from(all.count()).unwrap_or(u32::MAX)
}
