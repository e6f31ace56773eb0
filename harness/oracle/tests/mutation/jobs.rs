//! Mutations of a Job's status: its counts of pods, its lists of indexes.

use super::{
    asked::on_owners,
    history::{History, ledger, text},
    operator::Operator,
};
use jobsworth_api::IndexSet;
use serde_json::Value;

/// More than any of the histories has.
const MANY: u32 = 100_000;

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "count more terminating pods than there ever were",
        spares: "versions without a status, and histories without the field",
        mutants: |history| match history.has("JobPodReplacementPolicy") && !history.is_rebuilt() {
            true => each(history, has_begun, |job| job["status"]["terminating"] = MANY.into()),
            false => Vec::new(),
        },
    },
    Operator {
        name: "count more active pods than there ever were",
        spares: "versions without a status",
        mutants: |history| each(history, has_begun, |job| job["status"]["active"] = MANY.into()),
    },
    Operator {
        name: "do not say how many pods are ready",
        spares: "versions without it",
        mutants: |history| {
            let says = |job: &Value| has_begun(job) && job["status"].get("ready").is_some();
            each(history, says, |job| drop(job["status"].as_object_mut().map(|status| status.remove("ready"))))
        },
    },
    Operator {
        name: "complete an index of a Job without indexes",
        spares: "Jobs with indexes",
        mutants: |history| {
            let is_plain = |job: &Value| has_begun(job) && job["spec"]["completionMode"] == "NonIndexed";
            each(history, is_plain, |job| job["status"]["completedIndexes"] = "0".into())
        },
    },
    Operator {
        name: "fail an index of a Job without a limit for each",
        spares: "Jobs with such a limit",
        mutants: |history| {
            let has_none = |job: &Value| has_begun(job) && job["spec"].get("backoffLimitPerIndex").is_none();
            each(history, has_none, |job| job["status"]["failedIndexes"] = "0".into())
        },
    },
    Operator {
        name: "fail an index that is completed",
        spares: "Jobs without a limit for each index, and versions without a completed one",
        mutants: |history| {
            let is_limited = |job: &Value| {
                job["spec"].get("backoffLimitPerIndex").is_some()
                    && job["status"].get("failedIndexes").is_some()
                    && !set(job, "completedIndexes").is_empty()
            };
            each(history, is_limited, |job| {
                let mut failed = set(job, "failedIndexes");
                if let Some(completed) = set(job, "completedIndexes").iter().next() {
                    failed.insert(completed);
                }
                job["status"]["failedIndexes"] = failed.to_string().into();
            })
        },
    },
    Operator {
        name: "forget a failed index in a version after it",
        spares: "control planes that change meanwhile, and Jobs that are made smaller",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in history.jobs().into_iter().filter(|_| !history.is_rebuilt()) {
                for pair in versions.windows(2) {
                    let (was, is) = (history.raw(pair[0]), history.raw(pair[1]));
                    let both = !set(was, "failedIndexes").is_empty() && !set(is, "failedIndexes").is_empty();
                    if both && was["spec"]["completions"] == is["spec"]["completions"] {
                        mutants.push(history.edit(pair[1], |job| job["status"]["failedIndexes"] = "".into()));
                    }
                }
            }
            mutants
        },
    },
    Operator {
        name: "write indexes backwards",
        spares: "lists with fewer than two parts",
        mutants: |history| {
            written(history, |list| list.contains(','), |list| list.split(',').rev().collect::<Vec<_>>().join(","))
        },
    },
    Operator {
        name: "write two neighbours as a range",
        spares: "lists without two neighbours that stand alone",
        mutants: |history| {
            let pair = |list: &str| {
                let parts: Vec<Option<u32>> = list.split(',').map(|part| part.parse().ok()).collect();
                let is_pair = |pair: &[Option<u32>]| pair[0].is_some() && pair[0].map(|first| first + 1) == pair[1];
                parts.windows(2).position(is_pair)
            };
            written(
                history,
                |list| pair(list).is_some(),
                |list| {
                    let mut parts: Vec<String> = list.split(',').map(str::to_owned).collect();
                    let place = pair(list).expect("it has one");
                    let second = parts.remove(place + 1);
                    parts[place] = format!("{}-{second}", parts[place]);
                    parts.join(",")
                },
            )
        },
    },
    Operator {
        name: "list a success among the failures",
        spares: "pods that were Failed as well, and versions without a success in the ledger",
        mutants: |history| {
            let versions = history.pods().into_iter().flatten().map(|place| history.raw(place));
            let failed: Vec<String> = versions
                .filter(|pod| pod["status"]["phase"] == "Failed")
                .map(|pod| text(pod, "/metadata/uid"))
                .collect();
            let listed = |job: &Value| {
                let first = text(job, "/status/uncountedTerminatedPods/succeeded/0");
                !first.is_empty() && !failed.contains(&first)
            };
            each(history, listed, |job| {
                let lists = &mut job["status"]["uncountedTerminatedPods"];
                let first = lists["succeeded"].as_array_mut().map(|uids| uids.remove(0)).unwrap_or_default();
                let mut failed = lists["failed"].as_array().cloned().unwrap_or_default();
                failed.push(first);
                lists["failed"] = failed.into();
            })
        },
    },
    Operator {
        name: "count a pod of another Job",
        spares: "pods that are not in the ledger",
        mutants: |history| {
            let listed: Vec<String> =
                history.jobs().into_iter().flatten().flat_map(|place| ledger(history.raw(place))).collect();
            let pods = history.pods();
            let counted = pods.iter().filter(|pod| listed.contains(&text(history.raw(pod[0]), "/metadata/uid")));
            counted
                .map(|pod| {
                    history.edit_all(pod, |pod| {
                        on_owners(pod, |owner| (owner["uid"], owner["name"]) = ("other".into(), "other".into()));
                    })
                })
                .collect()
        },
    },
];

pub fn has_begun(job: &Value) -> bool {
    job["status"].get("startTime").is_some()
}

fn set(job: &Value, field: &str) -> IndexSet {
    text(job, &format!("/status/{field}")).parse().unwrap_or_default()
}

/// A mutant for each version that is such a one.
fn each(history: &History, is_place: impl Fn(&Value) -> bool, change: impl Fn(&mut Value)) -> Vec<History> {
    let places = history.jobs().into_iter().flatten().filter(|place| is_place(history.raw(*place)));
    places.map(|place| history.edit(place, &change)).collect()
}

/// A mutant for each Job with a version that is such a one, changed in all versions.
pub fn all(history: &History, is_place: impl Fn(&Value) -> bool, change: impl Fn(&mut Value)) -> Vec<History> {
    let jobs = history.jobs();
    let such = jobs.iter().filter(|versions| versions.iter().any(|place| is_place(history.raw(*place))));
    such.map(|versions| history.edit_all(versions, &change)).collect()
}

/// A mutant for each list of indexes that is such a one, written otherwise.
fn written(history: &History, is_such: impl Fn(&str) -> bool, otherwise: impl Fn(&str) -> String) -> Vec<History> {
    let mut mutants = Vec::new();
    for field in ["completedIndexes", "failedIndexes"] {
        let pointer = format!("/status/{field}");
        mutants.extend(each(
            history,
            |job| is_such(&text(job, &pointer)),
            |job| job["status"][field] = otherwise(&text(job, &pointer)).into(),
        ));
    }
    mutants
}
