//! Which Jobs of a workload one of several loads submits, each at the time that it has in the whole.

use super::{Cohort, Workload};
use crate::plan::Partition;

/// Some Jobs of a cohort: one of the first, and from there on each so many-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    first: u32,
    step: u32,
}

impl Cohort {
    /// The numbers of the Jobs that this load submits, in ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        let (first, step) = self.share.map_or((0, 1), |share| (share.first, share.step));
        (first..self.jobs).step_by(step as usize)
    }

    /// How many those are.
    #[must_use]
    pub fn own_jobs(&self) -> u32 {
        self.share.map_or(self.jobs, |share| self.jobs.saturating_sub(share.first).div_ceil(share.step))
    }

    /// Of how many loads this is one: its Jobs come that much more seldom than all of them do.
    #[must_use]
    pub fn slices(&self) -> u32 {
        self.share.map_or(1, |share| share.step)
    }
}

impl Workload {
    /// The part of it that one of several loads does: Jobs are counted through all cohorts in their order, and this has every one
    /// whose number is that of the slice. When each comes does not change.
    #[must_use]
    pub fn slice(mut self, partition: Partition) -> Self {
        let (shard, shards) = (u64::from(partition.shard()), u64::from(partition.shards()));
        let mut before = 0;
        for cohort in &mut self.cohorts {
            // The first number whose place among all, `before + number`, leaves `shard - 1`.
            let first = (shard - 1 + shards - before % shards) % shards;
            let first = u32::try_from(first).unwrap_or(u32::MAX);
            cohort.share = Some(Share { first, step: partition.shards() });
            before += u64::from(cohort.jobs);
        }
        self
    }

    /// All of it, where this is a slice.
    #[must_use]
    pub fn whole(&self) -> Self {
        let mut whole = self.clone();
        whole.cohorts.iter_mut().for_each(|cohort| cohort.share = None);
        whole
    }

    /// Whether this is one of several loads.
    #[must_use]
    pub fn is_slice(&self) -> bool {
        self.cohorts.iter().any(|cohort| cohort.share.is_some())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::load::workload::{Arrivals, Start};
    use crate::load::{pace, sample};

    fn workload(jobs: &[u32]) -> Workload {
        let paced = |(at, jobs): (usize, &u32)| Cohort {
            start: Start::Paced { begin: Duration::ZERO, per_second: 2.0, arrivals: Arrivals::Random },
            ..sample::cohort(&format!("c{at}"), *jobs, 3)
        };
        Workload { cohorts: jobs.iter().enumerate().map(paced).collect(), ..sample::workload("indexed-500") }
    }

    fn slices(of: &Workload, shards: u32) -> Vec<Workload> {
        let first: Partition = format!("slice:1/{shards}").parse().expect("a partition");
        first.all().map(|partition| of.clone().slice(partition)).collect()
    }

    /// The names of Jobs, and when each is due.
    fn schedule(workload: &Workload) -> Vec<(String, Duration)> {
        let of = |cohort: &Cohort| {
            let due = pace::due(cohort, workload.seed).expect("it is paced");
            let one = |number| (format!("{}-{number}", cohort.name), due[number as usize]);
            cohort.numbers().map(one).collect::<Vec<_>>()
        };
        workload.cohorts.iter().flat_map(of).collect()
    }

    #[rstest]
    #[case::more_than_one_each(7, vec![vec![0, 3, 6], vec![1, 4], vec![2, 5]])]
    #[case::one_each(3, vec![vec![0], vec![1], vec![2]])]
    fn jobs_go_to_slices_in_turns(#[case] jobs: u32, #[case] numbers: Vec<Vec<u32>>) {
        let slices = slices(&workload(&[jobs]), 3);
        let found: Vec<Vec<u32>> = slices.iter().map(|slice| slice.cohorts[0].numbers().collect()).collect();
        assert_eq!(found, numbers);
    }

    #[test]
    fn cohorts_of_one_job_are_not_all_of_the_first_slice() {
        let slices = slices(&workload(&[1, 1, 1]), 3);
        assert!(slices.iter().all(|slice| slice.jobs() == 1 && slice.pods() == (3..=3)), "{slices:?}");
    }

    #[test]
    fn a_slice_knows_what_it_is_of() {
        let all = workload(&[4, 5]);
        let slice = all.clone().slice("slice:2/2".parse().expect("a partition"));
        assert!(slice.is_slice() && !all.is_slice());
        assert_eq!((slice.whole(), slice.cohorts[0].slices(), all.cohorts[0].slices()), (all, 2, 1));
    }

    proptest! {
        #[test]
        fn slices_are_a_partition_of_all_jobs_at_unchanged_times(
            jobs in prop::collection::vec(1_u32..40, 1..4), shards in 1_u32..9, seed: u64,
        ) {
            let all = Workload { seed, ..workload(&jobs) };
            let slices = slices(&all, shards);
            let mut together: Vec<(String, Duration)> = slices.iter().flat_map(schedule).collect();
            let mut whole = schedule(&all);
            together.sort();
            whole.sort();
            prop_assert_eq!(together, whole);
            prop_assert_eq!(slices.iter().map(Workload::jobs).sum::<usize>(), all.jobs());
            prop_assert_eq!(slices.iter().map(Workload::pods_at_once).sum::<usize>(), all.pods_at_once());
        }

        #[test]
        fn a_slice_has_the_jobs_that_a_partition_holds(
            jobs in prop::collection::vec(1_u32..20, 1..4), shards in 1_u32..7,
        ) {
            let all = workload(&jobs);
            for (slice, shard) in slices(&all, shards).iter().zip(1_u32..) {
                let partition: Partition = format!("slice:{shard}/{shards}").parse().expect("a partition");
                let names = schedule(&all).into_iter().map(|(name, _)| name).enumerate();
                let held = names.filter(|(at, name)| partition.holds(*at, name)).map(|(_, name)| name);
                let held: Vec<String> = held.collect();
                let own: Vec<String> = schedule(slice).into_iter().map(|(name, _)| name).collect();
                prop_assert_eq!(own, held);
            }
        }
    }
}
