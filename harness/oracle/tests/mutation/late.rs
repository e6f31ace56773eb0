//! Mutations of moments: pods that are made when none may be.

use super::{
    history::{History, held, is_finished, is_terminal, number, text},
    operator::Operator,
};
use jobsworth_api::IndexSet;
use std::time::Duration;

const INDEX: &str = "/metadata/annotations/batch.kubernetes.io~1job-completion-index";

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "create a pod after the decision",
        spares: "Jobs that are not decided before they end, and histories with a crash: what was asked for comes late",
        mutants: |history| {
            born_once(history, |job| {
                let is_decided = held(job, "SuccessCriteriaMet").or_else(|| held(job, "FailureTarget")).is_some();
                is_decided && !is_finished(job)
            })
        },
    },
    Operator {
        name: "create a pod while the Job is suspended",
        spares: "Jobs that are not suspended after their first pod, and histories with a crash",
        mutants: |history| {
            born_once(history, |job| {
                held(job, "Suspended").is_some() && job["spec"]["suspend"] == true && !is_finished(job)
            })
        },
    },
    Operator {
        name: "start a completed index again",
        spares: "Jobs whose completions change: an index that comes back runs again; histories with a crash",
        mutants: |history| indexes_again(history, "/status/completedIndexes"),
    },
    Operator {
        name: "start a failed index again",
        spares: "control planes that change meanwhile: without the gate failed indexes are forgotten; histories with a crash",
        mutants: |history| match history.is_rebuilt() {
            true => Vec::new(),
            false => indexes_again(history, "/status/failedIndexes"),
        },
    },
    Operator {
        name: "replace a pod that still stops",
        spares: "Jobs that replace stopping pods, moments with room for a pod more, and histories with a crash",
        mutants: |history| {
            let mut mutants = Vec::new();
            for pod in history.pods() {
                let stops = |place: &&usize| {
                    let pod = history.raw(**place);
                    pod["metadata"].get("deletionTimestamp").is_some() && !is_terminal(pod)
                };
                let Some(place) = pod.iter().find(stops).copied() else { continue };
                let Some(job) = history.job_of(place).map(|job| history.raw(job)) else { continue };
                let waits = job["spec"]["podReplacementPolicy"] == "Failed" && !is_finished(job);
                let is_gone = history.is_gone(&pod) && pod.last() == Some(&place);
                let is_full = occupied(history, place) >= number(job, "/spec/parallelism");
                if waits && is_full && !is_gone && !history.is_upset() && history.has("JobPodReplacementPolicy") {
                    mutants.push(history.with_birth(place, pod[0]));
                }
            }
            mutants
        },
    },
    Operator {
        name: "replace a failed pod at once",
        spares: "failures beside a success, which ends the delay; those that are recorded late, or when the Job is decided or \
                 suspended; histories that the case disturbed",
        mutants: |history| {
            let mut mutants = Vec::new();
            for pod in history.pods() {
                let has_failed = |place: &&usize| text(history.raw(**place), "/status/phase") == "Failed";
                let Some(failure) = pod.iter().find(has_failed).copied() else { continue };
                if let Some(record) = recorded(history, &pod, failure).filter(|_| !history.is_disturbed()) {
                    mutants.push(history.with_birth(record, pod[0]));
                }
            }
            mutants
        },
    },
];

/// A mutant for each pod, made again right after the first version of its Job that is so.
fn born_once(history: &History, is_place: impl Fn(&serde_json::Value) -> bool) -> Vec<History> {
    let mut mutants = Vec::new();
    let jobs = history.jobs();
    for pod in history.pods() {
        let owner = text(history.raw(pod[0]), "/metadata/ownerReferences/0/uid");
        let own = jobs.iter().find(|versions| text(history.raw(versions[0]), "/metadata/uid") == owner);
        let place = own.and_then(|versions| versions.iter().copied().find(|place| is_place(history.raw(*place))));
        let is_older = |place: &usize| history.revision(pod[0]) < history.revision(*place);
        if let Some(place) = place.filter(is_older).filter(|_| !history.is_upset()) {
            mutants.push(history.with_birth(place, pod[0]));
        }
    }
    mutants
}

/// A mutant for each index that is new in such a list: its pod is made again right after.
fn indexes_again(history: &History, list: &str) -> Vec<History> {
    let mut mutants = Vec::new();
    let pods = history.pods();
    for versions in history.jobs() {
        let sizes: Vec<i64> = versions.iter().map(|place| number(history.raw(*place), "/spec/completions")).collect();
        if history.is_upset() || sizes.iter().any(|size| *size != sizes[0]) {
            continue;
        }
        for pair in versions.windows(2) {
            let set = |place: usize| text(history.raw(place), list).parse::<IndexSet>().unwrap_or_default();
            for index in set(pair[1]).minus(&set(pair[0])).iter() {
                let is_its = |pod: &&Vec<usize>| text(history.raw(pod[0]), INDEX) == index.to_string();
                let own = pods.iter().filter(|pod| history.job_of(pod[0]).is_some_and(|job| versions.contains(&job)));
                mutants.extend(own.filter(is_its).map(|pod| history.with_birth(pair[1], pod[0])).next());
            }
        }
    }
    mutants
}

/// How many pods of the same Job run or stop right after this place.
fn occupied(history: &History, place: usize) -> i64 {
    let owner = text(history.raw(place), "/metadata/ownerReferences/0/uid");
    let is_there = |pod: &&Vec<usize>| {
        let now = pod.iter().copied().rfind(|version| history.revision(*version) <= history.revision(place));
        now.is_some_and(|now| {
            let is_gone = history.is_gone(pod) && pod.last() == Some(&now);
            !is_terminal(history.raw(now))
                && !is_gone
                && text(history.raw(now), "/metadata/ownerReferences/0/uid") == owner
        })
    };
    i64::try_from(history.all_pods().iter().filter(is_there).count()).unwrap_or(i64::MAX)
}

/// The version of its Job that knows of a pod's failure, if the delay for it is far from over then.
fn recorded(history: &History, pod: &[usize], failure: usize) -> Option<usize> {
    let (uid, owner) =
        (text(history.raw(pod[0]), "/metadata/uid"), text(history.raw(pod[0]), "/metadata/ownerReferences/0/uid"));
    let jobs = history.jobs();
    let own = jobs.iter().find(|versions| text(history.raw(versions[0]), "/metadata/uid") == owner)?;
    let knows = |place: &usize| {
        let failed = history.raw(*place)["status"]["uncountedTerminatedPods"]["failed"].as_array();
        failed.is_some_and(|uids| uids.iter().any(|listed| listed == uid.as_str()))
    };
    let record = own.iter().copied().find(knows)?;
    let is_soon = history.at(record).saturating_sub(history.at(failure)) < Duration::from_secs(5);
    let has_succeeded = history.all_pods().into_iter().flatten().any(|other| {
        text(history.raw(other), "/status/phase") == "Succeeded"
            && history.revision(other) < history.revision(record)
            && history.at(other) + Duration::from_secs(2) > history.at(failure)
    });
    let is_undecided =
        held(history.raw(record), "FailureTarget").is_none() && history.raw(record)["spec"]["suspend"] != true;
    (is_soon && !has_succeeded && is_undecided).then_some(record)
}
