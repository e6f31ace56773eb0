//! How long a run will take, and how much memory it needs: a guess from runs on a machine of two cores.

use crate::cluster::provider::Costs;
use crate::run::{CellPlan, Lanes, RunPlan};
use std::time::Duration;

/// A guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// From the first cluster to the last report; without building programs or images.
    pub time: Duration,
    /// Memory of the clusters that are up at the same time, in MiB.
    pub memory: u32,
}

/// What a plan takes where clusters cost that much. Cells run one after the other, the clusters of a cell side by side.
#[must_use]
pub fn estimate(run: &RunPlan<'_>, costs: &Costs) -> Estimate {
    let cells: Vec<Shape> = run.cells.iter().map(|cell| Shape::of(cell, run)).collect();
    let seconds: u32 = cells.iter().map(|cell| cell.seconds(costs)).sum();
    let clusters = cells.iter().map(Shape::clusters).max().unwrap_or(0).max(1);
    Estimate { time: Duration::from_secs(seconds.into()), memory: costs.memory * clusters }
}

/// A cell in numbers.
struct Shape {
    /// Turns one after the other on the cluster that most share.
    together: u32,
    /// Turns that bear no other beside them.
    alone: u32,
    /// Turns with clusters of their own.
    own: u32,
    /// Clusters beside the shared one.
    beside: u32,
    has_second: bool,
}

impl Shape {
    fn of(plan: &CellPlan<'_>, run: &RunPlan<'_>) -> Self {
        let lanes = Lanes::of(&plan.turns);
        let jobs = u32::try_from(run.jobs.max(1)).unwrap_or(u32::MAX);
        let has_second = lanes.has_second(run.clusters);
        Self {
            together: count(lanes.together.len()).div_ceil(jobs),
            alone: count(lanes.alone.len()),
            own: count(lanes.own.len()),
            beside: count(run.clusters),
            has_second,
        }
    }

    fn seconds(&self, costs: &Costs) -> u32 {
        let all = self.together + self.alone;
        let turns = if self.has_second { self.together.max(all.div_ceil(2)) } else { all };
        let up = if all > 0 { costs.up_and_down } else { 0 };
        let shared = up + turns * costs.case;
        let own = self.own * (costs.up_and_down + costs.changes);
        match self.beside {
            0 | 1 => shared + own,
            beside => shared.max(own.div_ceil(beside)),
        }
    }

    fn clusters(&self) -> u32 {
        let shared = u32::from(self.together + self.alone > 0);
        let others = (u32::from(self.has_second) + self.own).min(self.beside);
        if self.beside > 1 { shared + others } else { shared.max(others) }
    }
}

fn count(turns: usize) -> u32 {
    u32::try_from(turns).unwrap_or(u32::MAX)
}
