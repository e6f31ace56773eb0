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
    let seconds: u64 = cells.iter().map(|cell| u64::from(cell.seconds(costs))).sum();
    let clusters = cells.iter().map(Shape::clusters).max().unwrap_or(0).max(1);
    Estimate { time: Duration::from_secs(seconds), memory: costs.memory * clusters }
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
    /// Of these, those for what bears no other beside it.
    for_alone: u32,
}

impl Shape {
    fn of(plan: &CellPlan<'_>, run: &RunPlan<'_>) -> Self {
        let lanes = Lanes::of(&plan.turns);
        let jobs = u32::try_from(run.jobs.max(1)).unwrap_or(u32::MAX);
        Self {
            together: count(lanes.together.len()).div_ceil(jobs),
            alone: count(lanes.alone.len()),
            own: count(lanes.own.len()),
            beside: count(run.clusters),
            for_alone: count(lanes.alone_clusters(run.clusters)),
        }
    }

    fn seconds(&self, costs: &Costs) -> u32 {
        let all = self.together + self.alone;
        let turns = self.together.max(all.div_ceil(1 + self.for_alone));
        let up = if all > 0 { costs.up_and_down } else { 0 };
        let shared = up + turns * costs.case;
        let each = costs.up_and_down + costs.changes;
        match self.beside {
            0 | 1 => shared + self.own * each,
            beside => {
                let at_a_time = beside.saturating_sub(self.for_alone).max(1);
                shared.max(self.own.div_ceil(at_a_time) * each)
            }
        }
    }

    fn clusters(&self) -> u32 {
        let shared = u32::from(self.together + self.alone > 0);
        let others = (self.for_alone + self.own).min(self.beside);
        if self.beside > 1 { shared + others } else { shared.max(others) }
    }
}

fn count(turns: usize) -> u32 {
    u32::try_from(turns).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AnyCase,
        case::sample::{FLIPPING, RESTARTING, SOCIABLE},
        cluster::ClusterSpec,
        run::{Cell, Flaky, Keep, Turn},
        scene::Patience,
        subject::Subject,
    };
    use rstest::rstest;

    /// Each digit of a sum tells what took the time.
    const COSTS: Costs = Costs { up_and_down: 100, case: 10, changes: 1000, side_by_side: 2, memory: 700 };

    /// Turns that bear company, that bear none, and that change their cluster.
    type Counts = [u32; 3];

    fn cell([together, alone, own]: Counts) -> CellPlan<'static> {
        let turns = |case: &'static dyn AnyCase, count: u32| (1..=count).map(move |attempt| Turn { case, attempt });
        let turns = turns(&SOCIABLE, together).chain(turns(&RESTARTING, alone)).chain(turns(&FLIPPING, own));
        let spec = ClusterSpec::of("1.37.1".parse().expect("it is a version"));
        let cell = Cell::of("1.37.1-builtin".to_owned(), "local", &Subject::built_in(), spec);
        CellPlan { cell, turns: turns.collect(), skips: Vec::new() }
    }

    /// Seconds and MiB of a run of these cells, four cases side by side.
    fn estimated(cells: &[Counts], clusters: usize, costs: &Costs) -> (u64, u32) {
        let run = RunPlan {
            id: "id".to_owned(),
            cells: cells.iter().copied().map(cell).collect(),
            jobs: 4,
            clusters,
            seed: 7,
            keep: Keep::Never,
            max_fail: None,
            flaky: Flaky::default(),
            patience: Patience::default(),
            objectives: Vec::new(),
        };
        let Estimate { time, memory } = estimate(&run, costs);
        (time.as_secs(), memory)
    }

    #[rstest]
    #[case::nothing_takes_no_time_and_the_room_of_a_cluster([0, 0, 0], 2, (0, 700))]
    #[case::one_case([1, 0, 0], 2, (110, 700))]
    #[case::cases_that_bear_company_go_four_at_a_time([8, 0, 0], 2, (120, 700))]
    #[case::the_last_of_them_takes_as_long_as_four([9, 0, 0], 2, (130, 700))]
    #[case::those_that_bear_none_follow_each_other([8, 4, 0], 2, (160, 700))]
    #[case::a_second_cluster_takes_half_of_many([8, 12, 0], 2, (170, 1400))]
    #[case::or_all_of_them_while_the_others_take_longer([40, 5, 0], 2, (200, 1400))]
    #[case::a_third_one_a_third([8, 22, 0], 3, (180, 2100))]
    #[case::without_one_they_follow_each_other([8, 12, 0], 1, (240, 700))]
    #[case::a_cluster_of_ones_own_is_up_beside_the_first([1, 0, 1], 2, (1100, 1400))]
    #[case::two_of_them_are_up_at_a_time([1, 0, 2], 2, (1100, 2100))]
    #[case::and_a_third_comes_after_them([1, 0, 3], 2, (2200, 2100))]
    #[case::beside_a_second_cluster_there_is_room_for_one([1, 5, 2], 2, (2200, 2100))]
    #[case::where_clusters_follow_each_other_times_add_up([1, 0, 2], 1, (2310, 700))]
    #[case::nobody_needs_the_first([0, 0, 1], 2, (1100, 700))]
    fn a_cell_takes(#[case] counts: Counts, #[case] clusters: usize, #[case] wanted: (u64, u32)) {
        assert_eq!(estimated(&[counts], clusters, &COSTS), wanted);
    }

    #[test]
    fn cells_follow_each_other_in_the_room_of_the_largest() {
        assert_eq!(estimated(&[[1, 0, 0], [1, 0, 1], [8, 0, 0]], 2, &COSTS), (110 + 1100 + 120, 1400));
    }

    #[test]
    fn cells_that_take_a_century_each_take_two_together() {
        let century = Costs { up_and_down: 3_155_760_000, ..COSTS };
        assert_eq!(estimated(&[[1, 0, 0], [1, 0, 0]], 2, &century), (2 * 3_155_760_010, 700));
    }
}
