//! Pods that were made while two instances took themselves for the leader, somebody having deleted the Lease. What one of them makes until
//! that is over the other may not know. Each knows what it made itself.

use super::{asked::is_of_status, election::overlaps};
use crate::{history::ObjectHistory, request::Request, timeline::Timeline};
use k8s_openapi::api::core::v1::Pod;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// The pods, and who did what.
#[derive(Default)]
pub(super) struct Beside {
    /// Their UIDs.
    pods: BTreeSet<String>,
    /// When and by whom any pod was asked for, by its UID.
    made: BTreeMap<String, (Duration, String)>,
    /// Who wrote the status of a Job, and when.
    writers: Vec<(Duration, String)>,
}

impl Beside {
    pub(super) fn of(timeline: &Timeline, pods: &[ObjectHistory<Pod>]) -> Self {
        let overlaps = overlaps(timeline);
        if overlaps.is_empty() {
            return Self::default();
        }
        let by = |request: &Request| Some((request.sent(), request.instance.clone()?));
        let creations: BTreeMap<u64, &Request> =
            timeline.requests().filter_map(|(_, request)| Some((request.made?, request))).collect();
        let maker = |pod: &ObjectHistory<Pod>| Some((pod.uid.clone(), by(creations.get(&pod.first().revision)?)?));
        let made: BTreeMap<String, (Duration, String)> = pods.iter().filter_map(maker).collect();
        let is_beside = |sent: &Duration| overlaps.iter().any(|overlap| overlap.contains(sent));
        let beside = made.iter().filter(|(_, (sent, _))| is_beside(sent)).map(|(uid, _)| uid.clone());
        let statuses = timeline
            .requests()
            .map(|(_, request)| request)
            .filter(|request| is_of_status(request) && request.is_taken());
        Self { pods: beside.collect(), writers: statuses.filter_map(by).collect(), made }
    }

    /// Whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }

    /// Whether who wrote a status after this pod was made may not know it.
    pub(super) fn may_be_unknown(&self, pod: &str) -> bool {
        let others = |(made, by): &(Duration, String)| self.writers.iter().any(|(at, who)| made <= at && who != by);
        self.pods.contains(pod) && self.made.get(pod).is_some_and(others)
    }

    /// Whether who made the other pod may not know this one.
    pub(super) fn is_unknown_to_the_maker_of(&self, other: &str, pod: &str) -> bool {
        let by = |uid: &str| self.made.get(uid).map(|(_, by)| by);
        self.pods.contains(pod) && by(pod) != by(other)
    }
}
