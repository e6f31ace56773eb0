//! S19: one live pod per index (PAR-005, IDX-008, IDX-012).
//!
//! Judged at each creation, but for pods that were under way when the subject was started again, and their namesakes (S17; where the
//! requests were not recorded, nothing is judged for half a minute); and whatever their cause, two live pods of one index do not last.
//! That the younger one goes is not judged: readiness and phase come first in the order of deletion (PAR-010), and the controller may
//! have seen other ones.

use super::{
    Invariant,
    census::{Creation, births},
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    upheavals::UPHEAVAL,
};
use crate::{
    history::{ObjectHistory, Version, controller},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::{completion_index, is_stopping, is_terminal},
};
use k8s_openapi::api::core::v1::Pod;
use std::{collections::BTreeMap, time::Duration};

pub(super) struct OnePodPerIndex;

impl Invariant for OnePodPerIndex {
    fn id(&self) -> &'static str {
        "S19"
    }

    fn says(&self) -> &'static str {
        "no second live pod is created for an index, and duplicates do not last"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["IDX-012"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let histories = JobHistories::resting_on(timeline, &[]);
        let end = timeline.entries().last().map_or(Duration::ZERO, |entry| entry.at);
        for history in histories.own.iter().filter(|history| reading::is_indexed(&history.job.first().object)) {
            for birth in births(&history.job, &history.pods) {
                findings.occasion();
                let version = birth.pod.first();
                if birth.namesakes > 0 && has_known_namesake(&histories, history, &birth) {
                    let index = reading::shown(completion_index(&version.object));
                    let (name, pod) = (history.name(), &birth.pod.name);
                    let observed = format!("Job {name}: pod {pod} for index {index}, which has a live pod");
                    findings.breach(version, "at most one live pod per index", observed);
                }
            }
            duplicates_go(&mut findings, history, end);
        }
        findings.conclude(timeline, "no pod was created for an Indexed Job of the subject")
    }
}

/// Whether the subject knew of a live pod of that index when it made another.
fn has_known_namesake(histories: &JobHistories, history: &JobHistory, birth: &Creation<'_>) -> bool {
    let unknown = histories.unknown(history, birth);
    unknown.is_some_and(|unknown| !unknown.is_itself && birth.namesakes > unknown.namesakes)
}

fn duplicates_go(findings: &mut Findings, history: &JobHistory, end: Duration) {
    let mut by_index: BTreeMap<u32, Vec<&ObjectHistory<Pod>>> = BTreeMap::new();
    for pod in &history.pods {
        if let Some(index) = completion_index(&pod.first().object) {
            by_index.entry(index).or_default().push(pod);
        }
    }
    for (index, pods) in by_index {
        for (place, one) in pods.iter().enumerate() {
            for other in &pods[place + 1..] {
                let from = one.first().at.max(other.first().at);
                let to = death(history, one).min(death(history, other)).map_or(end, |death| death.at);
                if to > from + UPHEAVAL {
                    let (name, one, lasting) = (history.name(), &one.name, (to - from).as_secs());
                    let observed =
                        format!("Job {name}: pods {one} and {} of index {index} for {lasting} s", other.name);
                    findings.breach(other.last(), "two live pods of one index do not last", observed);
                }
            }
        }
    }
}

/// A moment, ordered by arrival; a pod that lives on comes after all others.
fn death<'a>(history: &JobHistory, pod: &'a ObjectHistory<Pod>) -> Death<'a> {
    let is_out = |version: &&Version<Pod>| {
        let object = &version.object;
        let is_its = controller(&object.metadata) == Some(history.job.uid.as_str());
        !is_its || is_terminal(object) || is_stopping(object) || pod.gone == Some(version.revision)
    };
    Death(pod.versions.iter().find(is_out))
}

struct Death<'a>(Option<&'a Version<Pod>>);

impl<'a> Death<'a> {
    fn min(self, other: Self) -> Option<&'a Version<Pod>> {
        match (self.0, other.0) {
            (Some(one), Some(two)) => Some(if one.at <= two.at { one } else { two }),
            (one, two) => one.or(two),
        }
    }
}
