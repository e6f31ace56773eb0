//! V03: what has ended stays as it ended (VJ-182, VJ-189c).

use super::{END_PHASES, gang_history};
use crate::{
    invariants::{Invariant, findings::Findings},
    property::Check,
    timeline::Timeline,
};

pub(in crate::invariants) struct EndsStay;

impl Invariant for EndsStay {
    fn id(&self) -> &'static str {
        "V03"
    }

    fn says(&self) -> &'static str {
        "a Volcano Job that is Completed, Failed or Terminated stays so, and is not restarted"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-182", "VJ-189"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in gang_history::all(timeline) {
            let Some(end) = history.job.first_with(|job| END_PHASES.contains(&job.phase())) else { continue };
            let (phase, retries) = (end.object.phase(), end.object.status.retry_count);
            findings.occasion();
            for later in history.job.versions.iter().filter(|version| version.revision > end.revision) {
                let name = history.name();
                if later.object.phase() != phase {
                    let observed = format!("Job {name}: {phase} → {}", later.object.phase());
                    findings.breach(later, format!("{phase} stays"), observed);
                }
                if later.object.status.retry_count != retries {
                    let observed = format!("Job {name}: retryCount {retries} → {}", later.object.status.retry_count);
                    findings.breach(later, format!("no retry after {phase}"), observed);
                }
            }
        }
        findings.conclude(timeline, "no Volcano Job ended")
    }
}
