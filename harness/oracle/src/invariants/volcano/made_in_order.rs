//! V09: what a pod mounts is there before the pod (VJ-161, VJ-280, VJ-287, VJ-325).
//!
//! Judged are the hosts of plugin `svc` and the keys of plugin `ssh`. One that somebody took away, and not a kill of the
//! Job, the controller may not have missed yet: a few seconds are given for that.

use super::gang_history::{self, GangHistory, UNSEEN, name_of};
use crate::{
    history::{ObjectHistory, Version},
    invariants::{
        Invariant,
        findings::{Findings, hole},
    },
    property::Check,
    recorded::{Recorded, Secret, volcano::Job},
    timeline::Timeline,
};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use std::time::Duration;

pub(in crate::invariants) struct MadeInOrder;

impl Invariant for MadeInOrder {
    fn id(&self) -> &'static str {
        "V09"
    }

    fn says(&self) -> &'static str {
        "no pod of a Volcano Job is made before the ConfigMap and the Secret of its plugins"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-161", "VJ-325"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let (maps, secrets) = (timeline.histories::<ConfigMap>(), timeline.histories::<Secret>());
        for history in gang_history::all(timeline) {
            for (pod, job) in history.births() {
                if job.object.spec.plugins.contains_key("svc") {
                    preceded(&mut findings, &history, pod, &maps, "svc");
                }
                if job.object.spec.plugins.contains_key("ssh") {
                    preceded(&mut findings, &history, pod, &secrets, "ssh");
                }
            }
        }
        findings.conclude(timeline, "no pod was made that mounts what a plugin makes")
    }
}

fn preceded<K: Recorded>(
    findings: &mut Findings,
    history: &GangHistory,
    pod: &Version<Pod>,
    all: &[ObjectHistory<K>],
    plugin: &str,
) {
    findings.occasion();
    let wanted = format!("{}-{plugin}", history.name());
    let mut named = all.iter().filter(|object| object.name == wanted);
    if named.clone().any(|object| object.at(pod.revision).is_some()) || named.any(|o| is_just_missed(history, o, pod)) {
        return;
    }
    let kind = &K::RESOURCE.kind;
    let observed = format!("Job {}: pod {} is made, and no {kind} {wanted}", history.name(), name_of(&pod.object));
    findings.breach(pod, format!("{kind} {wanted} is there before the pods that mount it"), observed);
}

/// Whether somebody took it away shortly before: no kill of the Job came between.
fn is_just_missed<K: Recorded>(history: &GangHistory, object: &ObjectHistory<K>, pod: &Version<Pod>) -> bool {
    let Some(gone) = object.gone.filter(|gone| *gone < pod.revision) else { return false };
    let version = |revision| history.job.at(revision).map(|job: &Version<Job>| job.object.status.version);
    version(gone) == version(pod.revision)
        && version_before(history, object.last().at) == version(pod.revision)
        && pod.at < object.last().at + UNSEEN
}

/// `status.version` a little before: a kill may take things away just before it says so, or just after.
fn version_before(history: &GangHistory, gone_at: Duration) -> Option<i32> {
    let versions = &history.job.versions;
    let in_force = versions.iter().rfind(|version| version.at + UNSEEN <= gone_at).or(versions.first())?;
    Some(in_force.object.status.version)
}
