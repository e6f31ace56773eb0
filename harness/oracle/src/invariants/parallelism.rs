//! S17: no pod is created beyond `spec.parallelism` (PAR-001, PAR-005).
//!
//! Judged at each creation, by the largest parallelism of the last seconds; pods that a lowered parallelism
//! makes superfluous are the controller's to remove, not a breach. A subject that was started again cannot know what its
//! predecessor had asked for a moment before: as many more are allowed as were under way then. Where the requests were not recorded,
//! nobody knows how many those were, and twice the parallelism is allowed for half a minute.

use super::{
    Invariant,
    census::births,
    findings::{Findings, hole},
    job_history::JobHistories,
    reading,
};
use crate::{property::Check, timeline::Timeline};

pub(super) struct Parallelism;

impl Invariant for Parallelism {
    fn id(&self) -> &'static str {
        "S17"
    }

    fn says(&self) -> &'static str {
        "no pod is created while as many are alive as parallelism allows"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["PAR-001", "PAR-005"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let histories = JobHistories::resting_on(timeline, &[]);
        for history in &histories.own {
            for birth in births(&history.job, &history.pods) {
                findings.occasion();
                let version = birth.pod.first();
                let parallelism = history.largest(version.revision, version.at, reading::parallelism);
                let unknown = histories.unknown(history, &birth).map_or(parallelism, |unknown| unknown.live);
                let bound = parallelism.saturating_add(unknown);
                if birth.live > bound {
                    let (name, pod, live) = (history.name(), &birth.pod.name, birth.live);
                    let observed = format!("Job {name}: {live} live pods with pod {pod}, parallelism {parallelism}");
                    findings.breach(version, format!("at most {bound} live pods"), observed);
                }
            }
        }
        findings.conclude(timeline, "no pod was created for a Job of the subject")
    }
}
