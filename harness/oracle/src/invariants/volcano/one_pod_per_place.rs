//! V04: one live pod for each task and index, under the name of both (VJ-189d, VJ-240).
//!
//! The API server keeps names apart; so what would be two pods of one name shows as two pods of one place, or as a pod
//! that is not named after its place. Duplicates are forgiven shortly after a crash or start of the subject.

use super::gang_history::{self, GangHistory, is_alive_at, name_of};
use crate::{
    history::ObjectHistory,
    invariants::{
        Invariant,
        findings::{Findings, hole},
        upheavals::Upheavals,
    },
    property::Check,
    reading::annotation,
    timeline::Timeline,
};
use jobsworth_api::well_known::volcano;
use k8s_openapi::api::core::v1::Pod;

pub(in crate::invariants) struct OnePodPerPlace;

impl Invariant for OnePodPerPlace {
    fn id(&self) -> &'static str {
        "V04"
    }

    fn says(&self) -> &'static str {
        "there is one live pod for each task and index of a Volcano Job, and it is named after them"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-189", "VJ-240"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let upheavals = Upheavals::of(timeline);
        for history in gang_history::all(timeline) {
            for pod in &history.pods {
                findings.occasion();
                named_after_its_place(&mut findings, &history, pod);
                if !upheavals.is_upset(pod.first().at) {
                    alone(&mut findings, &history, pod);
                }
            }
        }
        findings.conclude(timeline, "no pod of a Volcano Job was made")
    }
}

/// Task and index, as the pod has them.
fn place(pod: &Pod) -> (Option<&str>, Option<&str>) {
    let of = |key| annotation(&pod.metadata, key);
    (of(volcano::TASK_SPEC), of(volcano::TASK_INDEX))
}

fn named_after_its_place(findings: &mut Findings, history: &GangHistory, pod: &ObjectHistory<Pod>) {
    let born = pod.first();
    let (task, index) = place(&born.object);
    let expected = format!("{}-{}-{}", history.name(), task.unwrap_or("?"), index.unwrap_or("?"));
    if expected != name_of(&born.object) {
        let observed = format!("Job {}: pod {} is made", history.name(), name_of(&born.object));
        findings.breach(born, format!("it is called {expected}, after its task and its index"), observed);
    }
}

fn alone(findings: &mut Findings, history: &GangHistory, pod: &ObjectHistory<Pod>) {
    let born = pod.first();
    let is_twin = |other: &&ObjectHistory<Pod>| {
        other.uid != pod.uid
            && other.first().revision < born.revision
            && place(&other.first().object) == place(&born.object)
            && is_alive_at(other, born.revision)
    };
    if let Some(twin) = history.pods.iter().find(is_twin) {
        let observed = format!("Job {}: pod {} is made beside {}", history.name(), name_of(&born.object), twin.name);
        findings.breach(born, "one live pod for each task and index", observed);
    }
}
