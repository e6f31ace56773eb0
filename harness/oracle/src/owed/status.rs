//! What the status of a Job is to say of its pods and its spec (PRP-003, FIN-002, SUS-001).

use super::{Kind, Owed, Standing};
use crate::{
    reading,
    vocabulary::pods::{is_stopping, is_terminal, is_tracked, phase},
};
use jobsworth_api::ConditionKind::Suspended;
use k8s_openapi::api::core::v1::Pod;

/// What the status does not say as it is.
pub(super) fn owed(standing: &Standing<'_>) -> Vec<Owed> {
    let mut owed = counters(standing);
    owed.extend(uncounted(standing));
    owed.extend(period(standing));
    owed
}

/// Live, ready and stopping pods. `terminating` is told where one of two gates is on.
fn counters(standing: &Standing<'_>) -> Vec<Owed> {
    let on = |name: &str| standing.setting.gate(name);
    let tells_terminating = on("JobManagedBy") || on("JobPodReplacementPolicy");
    let told = |of: fn(&k8s_openapi::api::batch::v1::JobStatus) -> Option<i32>| reading::counter(standing.job, of);
    let live = |pod: &Pod| !is_terminal(pod) && !is_stopping(pod);
    let counters = [
        ("active", told(|status| status.active), standing.count(live), true),
        ("ready", told(|status| status.ready), standing.count(|pod| live(pod) && is_ready(pod)), true),
        (
            "terminating",
            told(|status| status.terminating),
            standing.count(|pod| is_stopping(pod) && !is_terminal(pod)),
            tells_terminating,
        ),
    ];
    let wrong = counters.into_iter().filter(|(_, told, found, is_told)| *is_told && told != found);
    let in_words = wrong.map(|(field, told, found, _)| {
        standing.owed(
            Kind::Status,
            format!("status.{field} is {found}, as many as there are"),
            format!("{field} {told}"),
        )
    });
    in_words.collect()
}

/// A pod that has ended is counted, and what is counted leaves the ledger (FIN-002, FIN-010). Where indexes have limits of their own the
/// last failed pod of an index is held until there is another (BLI-010), which a suspended Job never has.
fn uncounted(standing: &Standing<'_>) -> Option<Owed> {
    let per_index = standing.job.spec.as_ref().is_some_and(|spec| spec.backoff_limit_per_index.is_some());
    let may_wait = |pod: &Pod| per_index && phase(pod) == "Failed";
    if let Some(pod) = standing.pods.iter().find(|pod| is_terminal(pod) && is_tracked(pod) && !may_wait(pod)) {
        let observed = format!("pod {} has ended and is not let go", pod.metadata.name.as_deref().unwrap_or(""));
        return Some(standing.owed(Kind::Status, "a pod that has ended is counted", observed));
    }
    let listed = reading::uncounted_succeeded(standing.job).len() + reading::uncounted_failed(standing.job).len();
    let observed = format!("{listed} UIDs in uncountedTerminatedPods, and no pod of them is held");
    (listed > 0 && standing.count(is_tracked) == 0)
        .then(|| standing.owed(Kind::Status, "what is in the ledger is counted once its finalizer is gone", observed))
}

/// When it began, and whether it is suspended (SUS-001, SUS-003).
fn period(standing: &Standing<'_>) -> Option<Owed> {
    let job = standing.job;
    let (wanted, told) = (reading::is_suspended(job), reading::held(job, Suspended).is_some());
    if wanted != told && !standing.is_decided() {
        let observed = format!("spec.suspend {wanted}, condition Suspended {told}");
        return Some(standing.owed(Kind::Status, "the condition Suspended follows spec.suspend", observed));
    }
    (!wanted && reading::start_time(job).is_none())
        .then(|| standing.owed(Kind::Status, "a Job that is not suspended has a startTime", "no startTime"))
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
}
