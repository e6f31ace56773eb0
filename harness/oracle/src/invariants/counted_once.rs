//! S13: each pod is counted exactly once, through the ledger (FIN-002, FIN-003, IDX-018).
//!
//! In each step the counters rise by the UIDs that left the ledger. The successes of an Indexed Job are counted
//! by index and are judged elsewhere. That a UID leaves the ledger only after its finalizer is gone is judged
//! too, but not which of two writers counted it: the history does not show who computed a status.

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{
    history::{Version, controller},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::is_tracked,
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use std::collections::BTreeSet;

pub(super) struct CountedOnce;

impl Invariant for CountedOnce {
    fn id(&self) -> &'static str {
        "S13"
    }

    fn says(&self) -> &'static str {
        "succeeded and failed rise by exactly the UIDs that left the ledger, and none comes back"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["FIN-002", "FIN-003"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::EndedPods, Part::Ledger]).own {
            let mut counted = BTreeSet::new();
            for (before, after) in history.job.steps() {
                if !reading::is_indexed(&after.object) {
                    let lists =
                        (reading::uncounted_succeeded(&before.object), reading::uncounted_succeeded(&after.object));
                    let counts = (reading::succeeded(&before.object), reading::succeeded(&after.object));
                    step(&mut findings, &history, "succeeded", lists, counts, after, &mut counted);
                }
                let lists = (reading::uncounted_failed(&before.object), reading::uncounted_failed(&after.object));
                let counts = (reading::failed(&before.object), reading::failed(&after.object));
                step(&mut findings, &history, "failed", lists, counts, after, &mut counted);
            }
        }
        findings.conclude(timeline, "no pod was counted")
    }
}

fn step<'a>(
    findings: &mut Findings,
    history: &JobHistory,
    field: &str,
    (listed, lists): (&'a [String], &'a [String]),
    (was, is): (i32, i32),
    after: &Version<Job>,
    counted: &mut BTreeSet<&'a str>,
) {
    for uid in lists.iter().filter(|uid| counted.contains(uid.as_str())) {
        let observed = format!("Job {}: UID {uid} is in uncountedTerminatedPods.{field} again", history.name());
        findings.breach(after, "a UID that was counted does not come back", observed);
    }
    let left: Vec<&str> = listed.iter().filter(|uid| !lists.contains(uid)).map(String::as_str).collect();
    if !left.is_empty() || is != was {
        findings.occasion();
    }
    if i32::try_from(left.len()) != Ok(is - was) {
        let observed =
            format!("Job {}: status.{field} {was} → {is} while {} UIDs left the ledger", history.name(), left.len());
        findings.breach(
            after,
            format!("status.{field} rises by the {} UIDs that left the ledger", left.len()),
            observed,
        );
    }
    for uid in &left {
        let held = history.ever.iter().find(|pod| pod.uid == **uid).and_then(|pod| pod.at(after.revision));
        // The garbage collector takes the pods from a Job that is deleted as an owner of orphans; what they hold then is S26's.
        let is_its = |pod: &Pod| controller(&pod.metadata) == Some(history.job.uid.as_str());
        if held.is_some_and(|version| is_tracked(&version.object) && is_its(&version.object)) {
            let observed = format!("Job {}: UID {uid} counted while its pod holds the finalizer", history.name());
            findings.breach(after, "a pod is counted after its tracking finalizer is gone", observed);
        }
    }
    counted.extend(left);
}
