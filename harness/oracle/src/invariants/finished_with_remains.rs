//! S05: a finished Job has nothing left to do (STA-009, FIN-006, PRP-008, VST-109 to VST-111, VST-121).
//!
//! The status must say so, and it must be true: no pod of the Job is alive when it is declared finished.
//! Without the gates that delay the terminal condition only `active`, the ledger and the start are judged.
//! A pod that a killed controller had asked for may appear unknown to the next one; it is left out, and where the requests were not
//! recorded all pods that were created about that time are.

use super::{
    Invariant,
    findings::{Findings, hole, lost_jobs},
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{
    history::{Version, controller},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::is_terminal,
};
use k8s_openapi::api::batch::v1::Job;

pub(super) struct FinishedWithRemains;

impl Invariant for FinishedWithRemains {
    fn id(&self) -> &'static str {
        "S05"
    }

    fn says(&self) -> &'static str {
        "a finished Job has no active, ready, terminating or uncounted pods, and has a start time"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["FIN-006", "STA-009", "PRP-008"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let histories =
            JobHistories::resting_on(timeline, &[Part::Decision, Part::LivePods, Part::Ledger, Part::Start]);
        for history in &histories.own {
            let Some(finish) = history.finish() else { continue };
            // A Job stays as it was finished, whatever becomes of the gates.
            let waits = reading::waits_for_pods(timeline.regimes(), finish.revision) == Some(true);
            for version in history.job.versions.iter().filter(|version| reading::is_finished(&version.object)) {
                findings.occasion();
                status_is_empty(&mut findings, history.name(), version, waits);
                if !lost_jobs(timeline) {
                    began(&mut findings, history.name(), finish, version);
                }
            }
            if waits && hole(timeline).is_none() {
                no_pod_lives(&mut findings, &histories, history, finish);
            }
        }
        findings.conclude(timeline, "no Job of the subject finished")
    }
}

fn status_is_empty(findings: &mut Findings, name: &str, version: &Version<Job>, waits: bool) {
    let job = &version.object;
    let counters = [
        ("active", reading::counter(job, |status| status.active), true),
        ("ready", reading::counter(job, |status| status.ready), waits),
        ("terminating", reading::counter(job, |status| status.terminating), waits),
    ];
    for (field, value, _) in counters.iter().filter(|(_, value, is_judged)| *is_judged && *value != 0) {
        findings.breach(
            version,
            format!("status.{field} of a finished Job is 0"),
            format!("Job {name}: {field} {value}"),
        );
    }
    let uncounted = reading::uncounted_succeeded(job).len() + reading::uncounted_failed(job).len();
    if uncounted > 0 {
        let observed = format!("Job {name}: {uncounted} UIDs in uncountedTerminatedPods");
        findings.breach(version, "a finished Job has counted all its pods", observed);
    }
}

/// A Job that is suspended and wants nothing ends without having begun (PAR-020, VST-110), and whoever edits it afterwards
/// does not make it begin (SYN-019).
fn began(findings: &mut Findings, name: &str, finish: &Version<Job>, version: &Version<Job>) {
    let never_began = reading::is_suspended(&finish.object)
        && reading::completions(&finish.object) == Some(0)
        && reading::start_time(&finish.object).is_none();
    if reading::start_time(&version.object).is_none() && !never_began {
        findings.breach(version, "a finished Job has a startTime", format!("Job {name}: no startTime"));
    }
}

fn no_pod_lives(findings: &mut Findings, histories: &JobHistories, history: &JobHistory, finish: &Version<Job>) {
    for pod in history.pods.iter().filter(|pod| !histories.may_be_unknown(pod)) {
        let Some(version) = pod.at(finish.revision) else { continue };
        let is_its = controller(&version.object.metadata) == Some(history.job.uid.as_str());
        if is_its && !is_terminal(&version.object) {
            let observed = format!("Job {}: finished while its pod {} had not stopped", history.name(), pod.name);
            findings.breach(finish, "every pod of a Job has stopped when the Job is declared finished", observed);
        }
    }
}
