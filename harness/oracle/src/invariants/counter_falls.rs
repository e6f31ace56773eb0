//! S08: what was counted stays counted (STA-012, STA-013, VST-102, VST-103).
//!
//! `succeeded` of an Indexed Job may fall by the indexes that an elastic scale-down took away (IDX-022).

use super::{
    Invariant,
    findings::{Findings, lost_jobs},
    job_history::JobHistories,
    reading,
    tampering::Part,
};
use crate::{history::Version, property::Check, timeline::Timeline};
use k8s_openapi::api::batch::v1::Job;

pub(super) struct CounterFalls;

impl Invariant for CounterFalls {
    fn id(&self) -> &'static str {
        "S08"
    }

    fn says(&self) -> &'static str {
        "failed never falls; succeeded falls only by the indexes that a scale-down removed"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["STA-012", "STA-013"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::EndedPods, Part::Ledger, Part::Indexes]).own {
            for (before, after) in history.job.steps().filter(|_| !lost_jobs(timeline)) {
                let (was, is) = (reading::failed(&before.object), reading::failed(&after.object));
                judge(&mut findings, history.name(), "failed", (was, is, was), after);
                let (was, is) = (reading::succeeded(&before.object), reading::succeeded(&after.object));
                judge(
                    &mut findings,
                    history.name(),
                    "succeeded",
                    (was, is, floor(&before.object, &after.object)),
                    after,
                );
            }
        }
        findings.conclude(timeline, "no pod was counted")
    }
}

fn judge(findings: &mut Findings, job: &str, field: &str, (was, is, floor): (i32, i32, i32), after: &Version<Job>) {
    if was > 0 {
        findings.occasion();
    }
    if is < floor {
        let observed = format!("Job {job}: status.{field} {was} → {is}");
        findings.breach(after, format!("status.{field} is at least {floor}"), observed);
    }
}

/// The least value of `succeeded` that the new version may have.
fn floor(before: &Job, after: &Job) -> i32 {
    if !reading::is_indexed(after) {
        return reading::succeeded(before);
    }
    let left = reading::completed(before).clipped(reading::index_bound(after)).len();
    reading::succeeded(before).min(i32::try_from(left).unwrap_or(i32::MAX))
}
