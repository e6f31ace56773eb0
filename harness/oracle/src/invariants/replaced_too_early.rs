//! S24: where only failed pods are replaced, a pod that is told to stop keeps its place (PRP-002, PRP-005, PFP-014).
//!
//! The policy may change at any time (PRP-009): it must have been in force for some seconds.

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
            for birth in births(history) {
                let version = birth.pod.first();
                let gate = timeline.regimes().gate("JobPodReplacementPolicy", version.revision) == Some(true);
                let waits = |job: &_| reading::replaces_only_failed(gate, job);
                let is_in_force = history.in_sight(version.revision, version.at).all(|version| waits(&version.object));
                if !is_in_force || histories.is_upset(version.at) {
                    continue;
                }
                if birth.stopping > 0 {
                    findings.occasion();
                }
                let parallelism = history.largest(version.revision, version.at, reading::parallelism);
                let (live, stopping) = (birth.live, birth.stopping);
                let (name, pod) = (history.name(), &birth.pod.name);
                if stopping > 0 && live + stopping > parallelism {
                    let observed = format!("Job {name}: pod {pod} makes {live} live and {stopping} stopping pods");
                    findings.breach(version, format!("at most {parallelism} pods that have not stopped"), observed);
                }
                if birth.stopping_namesakes > 0 {
                    let observed = format!("Job {name}: pod {pod} created while another of its index is stopping");
                    findings.breach(version, "an index is free once its pod has stopped", observed);
                }
            }
        }
        findings.conclude(timeline, "no pod was created next to a stopping one under podReplacementPolicy Failed")
    }
}
