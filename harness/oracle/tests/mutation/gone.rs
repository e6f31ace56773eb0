//! Mutations of ends: what goes too early, or takes with it what is not its own.

use super::{
    history::{History, held, is_finished, number, text},
    operator::Operator,
};
use jiff::Timestamp;
use serde_json::{Value, json};

const TRACKING: &str = "batch.kubernetes.io/job-tracking";

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "take somebody else's finalizer away with the own",
        spares: "pods without another one",
        mutants: |history| {
            let mut mutants = Vec::new();
            for pod in history.pods() {
                for pair in pod.windows(2) {
                    let finalizers = |place: usize| history.raw(place)["metadata"]["finalizers"].clone();
                    let is_own = finalizers(pair[0]).to_string().contains(TRACKING)
                        && !finalizers(pair[1]).to_string().contains(TRACKING);
                    if is_own && finalizers(pair[1]).as_array().is_some_and(|rest| !rest.is_empty()) {
                        let rest: Vec<usize> = pod.iter().copied().filter(|place| *place >= pair[1]).collect();
                        mutants.push(history.edit_all(&rest, |pod| pod["metadata"]["finalizers"] = json!([])));
                    }
                }
            }
            mutants
        },
    },
    Operator {
        name: "delete a Job that is decided and has not ended",
        spares: "Jobs that are deleted anyway",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in history.jobs().into_iter().filter(|versions| !is_deleted(history, versions)) {
                let is_decided = |place: &&usize| {
                    let job = history.raw(**place);
                    held(job, "SuccessCriteriaMet").or_else(|| held(job, "FailureTarget")).is_some()
                        && !is_finished(job)
                };
                let Some(decided) = versions.iter().find(is_decided).copied() else { continue };
                let time = history.clock(history.at(decided));
                let mortal = history.edit_all(&versions, |job| job["spec"]["ttlSecondsAfterFinished"] = 0.into());
                let mut first = mortal.raw(decided).clone();
                delete(&mut first, &time);
                let rest: Vec<usize> = versions.iter().copied().filter(|place| *place > decided).collect();
                mutants.push(mortal.edit_all(&rest, |job| delete(job, &time)).inserted(decided, first));
            }
            mutants
        },
    },
    Operator {
        name: "delete a Job a minute before its time",
        spares: "Jobs that are not deleted when their time is over, and those whose time changes",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in history.jobs() {
                let lives = |place: &usize| history.raw(*place)["spec"].get("ttlSecondsAfterFinished").cloned();
                let is_steady = versions.iter().all(|place| lives(place) == lives(&versions[0]));
                if is_steady && lives(&versions[0]).is_some() && was_due(history, &versions) {
                    let longer = number(history.raw(versions[0]), "/spec/ttlSecondsAfterFinished") + 60;
                    mutants.push(
                        history.edit_all(&versions, |job| job["spec"]["ttlSecondsAfterFinished"] = longer.into()),
                    );
                }
            }
            mutants
        },
    },
];

fn is_deleted(history: &History, versions: &[usize]) -> bool {
    let is_told = |place: &usize| history.raw(*place)["metadata"].get("deletionTimestamp").is_some();
    versions.iter().any(is_told) || history.is_gone(versions)
}

fn delete(job: &mut Value, time: &str) {
    job["metadata"]["deletionTimestamp"] = time.into();
    job["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
}

/// Whether the Job was deleted within three seconds after its time to live, with all that it owns.
fn was_due(history: &History, versions: &[usize]) -> bool {
    let is_told =
        |place: &&usize| history.raw(**place)["metadata"]["finalizers"].to_string().contains("foregroundDeletion");
    let Some(job) = versions.iter().find(is_told).map(|place| history.raw(*place)) else { return false };
    let Some(end) = held(job, "Complete").or_else(|| held(job, "Failed")) else { return false };
    let second = |text: String| text.parse::<Timestamp>().map(Timestamp::as_second).ok();
    let (end, deletion) = (second(text(end, "/lastTransitionTime")), second(text(job, "/metadata/deletionTimestamp")));
    let due = end.map(|end| end + number(job, "/spec/ttlSecondsAfterFinished"));
    due.zip(deletion).is_some_and(|(due, deletion)| (0..=3).contains(&(deletion - due)))
}
