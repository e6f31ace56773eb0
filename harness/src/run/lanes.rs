//! The clusters of a cell side by side. Most cases bear company and share one; while they wait for each other there, what bears none
//! beside it goes through others, and what changes its cluster through one of its own.

use super::Turn;
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// As many turns that bear no other beside them are done while one more cluster comes and goes.
const WORTH_A_CLUSTER: usize = 4;

/// The turns of a cell by what may be beside them.
pub(crate) struct Lanes<'c> {
    /// Those that share a cluster.
    pub together: Vec<Turn<'c>>,
    /// Those that bear no other beside them.
    pub alone: Queue<'c>,
    /// Those that have a cluster of their own.
    pub own: Vec<Turn<'c>>,
}

impl<'c> Lanes<'c> {
    /// Each turn in exactly one lane, in the order of the plan.
    pub fn of(turns: &[Turn<'c>]) -> Self {
        let has_its_own = |turn: &Turn<'_>| turn.case.about().needs.has_its_own_cluster();
        let runs_alone = |turn: &Turn<'_>| turn.case.about().needs.runs_alone();
        let (own, shared): (Vec<_>, Vec<_>) = turns.iter().copied().partition(has_its_own);
        let (alone, together): (Vec<_>, Vec<_>) = shared.into_iter().partition(runs_alone);
        Self { together, alone: Queue(Mutex::new(alone.into())), own }
    }

    /// How many clusters for what runs alone save more than they take, beside the first one, where a cell may have `clusters` there.
    pub fn alone_clusters(&self, clusters: usize) -> usize {
        if self.together.is_empty() {
            return 0;
        }
        (self.alone.len().saturating_sub(1) / WORTH_A_CLUSTER).min(clusters.saturating_sub(1))
    }
}

/// Turns that wait for whichever cluster is free first.
pub(crate) struct Queue<'c>(Mutex<VecDeque<Turn<'c>>>);

impl<'c> Queue<'c> {
    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting().len()
    }

    /// The next one, which is then nobody else's.
    pub fn next(&self) -> Option<Turn<'c>> {
        self.waiting().pop_front()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Turn<'c>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AnyCase,
        case::sample::{FLIPPING, RESTARTING, SOCIABLE},
    };
    use rstest::rstest;

    fn turns(of: &'static dyn AnyCase, count: u32) -> Vec<Turn<'static>> {
        (1..=count).map(|attempt| Turn { case: of, attempt }).collect()
    }

    #[test]
    fn every_turn_is_in_one_lane_and_keeps_its_place() {
        let mixed = [turns(&SOCIABLE, 2), turns(&RESTARTING, 2), turns(&FLIPPING, 1)].concat();
        let lanes = Lanes::of(&mixed);
        let attempts = |turns: &[Turn<'_>]| turns.iter().map(|turn| turn.attempt).collect::<Vec<_>>();
        assert_eq!((attempts(&lanes.together), attempts(&lanes.own)), (vec![1, 2], vec![1]));
        assert_eq!(lanes.alone.next().map(|turn| turn.attempt), Some(1));
        assert_eq!(lanes.alone.next().map(|turn| turn.attempt), Some(2));
        assert!(lanes.alone.is_empty());
    }

    #[rstest]
    #[case::many_that_wait_for_others_are_worth_one(1, 5, 2, 1)]
    #[case::more_of_them_are_worth_two(1, 9, 3, 2)]
    #[case::each_has_enough_to_do(1, 8, 3, 1)]
    #[case::one_place_stays_for_what_changes_its_cluster(1, 100, 3, 2)]
    #[case::a_few_are_done_sooner_than_it_comes(1, 4, 2, 0)]
    #[case::nobody_waits_where_nothing_else_runs(0, 5, 2, 0)]
    #[case::where_clusters_follow_each_other_there_is_none(1, 5, 1, 0)]
    fn clusters_for_what_runs_alone(
        #[case] together: u32,
        #[case] alone: u32,
        #[case] clusters: usize,
        #[case] wanted: usize,
    ) {
        let mixed = [turns(&SOCIABLE, together), turns(&RESTARTING, alone)].concat();
        assert_eq!(Lanes::of(&mixed).alone_clusters(clusters), wanted);
    }
}
