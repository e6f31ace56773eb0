//! S06: the completion time belongs to Complete (STA-010, VST-113 to VST-116).
//!
//! STA-010 says that it equals the transition time of Complete. The built-in controller takes it a moment
//! earlier, when it decides to add that condition, so over the border of a second the two differ
//! (seen on 1.36.3, see `docs/differences.md`). What must hold is the order: decision, completion, Complete.

use super::{Invariant, findings::Findings, job_history::JobHistories, reading, tampering::Part};
use crate::{history::Version, property::Check, timeline::Timeline};
use jobsworth_api::ConditionKind::{Complete, SuccessCriteriaMet};
use k8s_openapi::api::batch::v1::Job;

pub(super) struct CompletionTime;

impl Invariant for CompletionTime {
    fn id(&self) -> &'static str {
        "S06"
    }

    fn says(&self) -> &'static str {
        "completionTime is set exactly for Complete Jobs, between the decision and that condition, and never changes"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["STA-010"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Decision, Part::Start, Part::Completion]).own {
            for version in &history.job.versions {
                belongs_to_complete(&mut findings, history.name(), version);
            }
            for (before, after) in history.job.steps() {
                let (was, is) = (reading::completion_time(&before.object), reading::completion_time(&after.object));
                if was.is_some() && was != is {
                    let (was, is) = (reading::shown(was), reading::shown(is));
                    let observed = format!("Job {}: completionTime {was} → {is}", history.name());
                    findings.breach(after, "completionTime never changes", observed);
                }
            }
        }
        findings.conclude(timeline, "no Job of the subject is complete")
    }
}

fn belongs_to_complete(findings: &mut Findings, name: &str, version: &Version<Job>) {
    let complete = reading::held(&version.object, Complete);
    match (complete, reading::completion_time(&version.object)) {
        (None, None) => {}
        (None, Some(time)) => {
            let observed = format!("Job {name}: completionTime {time} without Complete=True");
            findings.breach(version, "only a Complete Job has a completionTime", observed);
        }
        (Some(_), None) => {
            let observed = format!("Job {name}: Complete=True without completionTime");
            findings.breach(version, "a Complete Job has a completionTime", observed);
        }
        (Some(complete), Some(time)) => {
            findings.occasion();
            if reading::start_time(&version.object).is_some_and(|start| time < start) {
                let start = reading::shown(reading::start_time(&version.object));
                let observed = format!("Job {name}: startTime {start}, completionTime {time}");
                findings.breach(version, "completionTime is not before startTime", observed);
            }
            let decided = reading::held(&version.object, SuccessCriteriaMet).and_then(reading::transition);
            let completed = reading::transition(complete);
            if decided.is_some_and(|decided| time < decided) || completed.is_some_and(|completed| time > completed) {
                let (decided, completed) = (reading::shown(decided), reading::shown(completed));
                let observed =
                    format!("Job {name}: decided {decided}, completionTime {time}, Complete since {completed}");
                findings.breach(version, "completionTime lies between the decision and Complete", observed);
            }
        }
    }
}
