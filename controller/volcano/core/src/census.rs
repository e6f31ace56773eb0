//! The pods of a job, sorted.

use std::collections::{BTreeMap, BTreeSet};

use crate::goals::TaskGoal;
use crate::pod::PodPhase;
use crate::{PodView, Snapshot, Tally, Uid, names, status};

/// Pods that this very job controls: a namesake's do not count (VJ-137).
#[derive(Clone, Debug)]
pub(crate) struct Census<'a> {
    /// The oldest first.
    pub pods: Vec<&'a PodView>,
    by_name: BTreeMap<&'a str, &'a PodView>,
}

impl<'a> Census<'a> {
    pub fn take(seen: &Snapshot<'a>) -> Self {
        let uid = names::uid(seen.job);
        let mut pods: Vec<&PodView> = seen.pods.iter().copied().filter(|pod| *pod.job_uid == *uid).collect();
        pods.sort_by(|a, b| (a.created, &a.name).cmp(&(b.created, &b.name)));
        let by_name = pods.iter().map(|pod| (&*pod.name, *pod)).collect();
        Self { pods, by_name }
    }

    pub fn named(&self, name: &str) -> Option<&'a PodView> {
        self.by_name.get(name).copied()
    }

    pub fn of_task(&self, task: &str) -> impl Iterator<Item = &'a PodView> {
        self.pods.iter().copied().filter(move |pod| pod.task == task)
    }

    /// The counters, with these pods as good as deleted.
    pub fn tally(&self, killed: &BTreeSet<Uid>) -> Tally {
        let mut tally = Tally::default();
        for pod in &self.pods {
            tally.enter(pod, pod.deleting || killed.contains(&pod.uid));
        }
        tally
    }

    /// Successes of a task that the status tells of and whose pods somebody deleted since: they need not be repeated. No
    /// more than there are places without a pod that counts (VJ-127, issue 3296).
    pub fn lost_successes(&self, seen: &Snapshot<'_>, task: &TaskGoal) -> i32 {
        let recorded = status::recorded(seen.job).of_task(&task.name, PodPhase::Succeeded).unwrap_or_default();
        if recorded == 0 {
            return 0;
        }
        let counts = |pod: &&PodView| pod.index.is_some_and(|index| index < task.replicas) && !vanishes(pod);
        let (mut succeeded, mut taken) = (0i32, 0i32);
        for pod in self.of_task(&task.name).filter(counts) {
            taken = taken.saturating_add(1);
            succeeded = succeeded.saturating_add(i32::from(pod.phase == PodPhase::Succeeded));
        }
        recorded.saturating_sub(succeeded).clamp(0, task.replicas.saturating_sub(taken).max(0))
    }
}

/// A pod that succeeded and is deleted by somebody else.
fn vanishes(pod: &PodView) -> bool {
    pod.deleting && !pod.out_of_sync && pod.phase == PodPhase::Succeeded
}
