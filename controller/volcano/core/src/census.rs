//! The pods of a job, sorted.

use std::collections::{BTreeMap, BTreeSet};

use crate::{PodView, Snapshot, Tally, Uid, names};

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
}
