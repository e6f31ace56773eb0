//! S24: where only failed pods are replaced, a pod that is told to stop keeps its place (PRP-002, PRP-005, PFP-014).
//!
//! The policy may change at any time (PRP-009): it must have been in force for some seconds. What was under way when the subject was
//! started again does not count (S17); where the requests were not recorded, nothing is judged for half a minute.

use super::{
    Invariant,
    census::births,
    findings::{Findings, hole},
    job_history::JobHistories,
    reading,
};
use crate::{property::Check, timeline::Timeline};

pub(super) struct ReplacedTooEarly;

impl Invariant for ReplacedTooEarly {
    fn id(&self) -> &'static str {
        "S24"
    }

    fn says(&self) -> &'static str {
        "with podReplacementPolicy Failed no replacement is created while the old pod has not stopped"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["PRP-002", "PRP-005"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let histories = JobHistories::resting_on(timeline, &[]);
        for history in &histories.own {
            for birth in births(&history.job, &history.pods) {
                let version = birth.pod.first();
                let gate = timeline.regimes().gate("JobPodReplacementPolicy", version.revision) == Some(true);
                let waits = |job: &_| reading::replaces_only_failed(gate, job);
                let is_in_force = history.in_sight(version.revision, version.at).all(|version| waits(&version.object));
                let Some(unknown) = histories.unknown(history, &birth).filter(|_| is_in_force) else { continue };
                if birth.stopping > 0 {
                    findings.occasion();
                }
                let parallelism = history.largest(version.revision, version.at, reading::parallelism);
                let bound = parallelism.saturating_add(unknown.live + unknown.stopping);
                let (live, stopping) = (birth.live, birth.stopping);
                let (name, pod) = (history.name(), &birth.pod.name);
                if stopping > 0 && live + stopping > bound {
                    let observed = format!("Job {name}: pod {pod} makes {live} live and {stopping} stopping pods");
                    findings.breach(version, format!("at most {bound} pods that have not stopped"), observed);
                }
                if !unknown.is_itself && birth.stopping_namesakes > unknown.stopping_namesakes {
                    let observed = format!("Job {name}: pod {pod} created while another of its index is stopping");
                    findings.breach(version, "an index is free once its pod has stopped", observed);
                }
            }
        }
        findings.conclude(timeline, "no pod was created next to a stopping one under podReplacementPolicy Failed")
    }
}
