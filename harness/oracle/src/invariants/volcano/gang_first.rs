//! V10: pods are made once their gang is let in (VJ-162, VJ-255).
//!
//! A group that was let in and has just gone may still be before the controller's eyes (VJ-341).

use super::gang_history::{self, GangHistory, UNSEEN, name_of};
use crate::{
    history::{ObjectHistory, Version, controller},
    invariants::{
        Invariant,
        findings::{Findings, hole},
    },
    property::Check,
    recorded::volcano::PodGroup,
    timeline::Timeline,
};
use k8s_openapi::api::core::v1::Pod;

pub(in crate::invariants) struct GangFirst;

impl Invariant for GangFirst {
    fn id(&self) -> &'static str {
        "V10"
    }

    fn says(&self) -> &'static str {
        "no pod of a Volcano Job is made before its PodGroup is out of Pending, and a Job has one PodGroup at a time"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-162", "VJ-255"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let groups = timeline.histories::<PodGroup>();
        for history in gang_history::all(timeline) {
            let is_its = |group: &&ObjectHistory<PodGroup>| {
                controller(&group.first().object.metadata) == Some(history.job.uid.as_str())
            };
            let own: Vec<_> = groups.iter().filter(is_its).collect();
            one_at_a_time(&mut findings, &history, &own);
            for pod in &history.pods {
                let born = pod.first();
                findings.occasion();
                if !own.iter().any(|group| lets_in(group, born)) {
                    let observed = format!("Job {}: pod {} is made", history.name(), name_of(&born.object));
                    findings.breach(born, "no pod before the Job's PodGroup is out of Pending", observed);
                }
            }
        }
        findings.conclude(timeline, "no pod of a Volcano Job was made")
    }
}

fn lets_in(group: &ObjectHistory<PodGroup>, pod: &Version<Pod>) -> bool {
    let admitted = |version: &Version<PodGroup>| version.object.is_admitted();
    match group.at(pod.revision) {
        Some(version) => admitted(version),
        None => {
            group.gone.is_some_and(|gone| gone < pod.revision)
                && admitted(group.last())
                && pod.at < group.last().at + UNSEEN
        }
    }
}

fn one_at_a_time(findings: &mut Findings, history: &GangHistory, own: &[&ObjectHistory<PodGroup>]) {
    for group in own {
        let born = group.first();
        let beside = own.iter().find(|other| {
            other.uid != group.uid && other.first().revision < born.revision && other.at(born.revision).is_some()
        });
        if let Some(other) = beside {
            let observed = format!("Job {}: PodGroup {} is made beside {}", history.name(), group.name, other.name);
            findings.breach(born, "one PodGroup for a Job", observed);
        }
    }
}
