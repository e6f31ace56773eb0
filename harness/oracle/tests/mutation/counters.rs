//! Mutations of counters, sets of indexes and the ledger.

use super::{
    history::{History, is_finished, ledger, number, text},
    operator::Operator,
};
use jobsworth_api::IndexSet;
use serde_json::{Value, json};

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "count one less",
        spares: "counters that are 0",
        mutants: |history| counted(history, |count| count > 0, -1),
    },
    Operator { name: "count one more", spares: "nothing", mutants: |history| counted(history, |_| true, 1) },
    Operator {
        name: "list a UID twice",
        spares: "versions with an empty ledger",
        mutants: |history| {
            on_ledger(history, |job, list| {
                let first = job["status"]["uncountedTerminatedPods"][list][0].clone();
                job["status"]["uncountedTerminatedPods"][list].as_array_mut().unwrap().push(first);
            })
        },
    },
    Operator {
        name: "list a UID in the other list, too",
        spares: "versions with an empty ledger",
        mutants: |history| {
            on_ledger(history, |job, list| {
                let other = if list == "failed" { "succeeded" } else { "failed" };
                let first = job["status"]["uncountedTerminatedPods"][list][0].clone();
                job["status"]["uncountedTerminatedPods"][other] = json!([first]);
            })
        },
    },
    Operator {
        name: "list a UID that nobody has",
        spares: "versions with an empty ledger",
        mutants: |history| {
            on_ledger(history, |job, list| job["status"]["uncountedTerminatedPods"][list][0] = "nobody".into())
        },
    },
    Operator {
        name: "drop the version that lists a UID",
        spares: "UIDs that are listed in the version before or after as well: the step is only seen later",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in history.jobs() {
                for triple in versions.windows(3) {
                    let around = [ledger(history.raw(triple[0])), ledger(history.raw(triple[2]))].concat();
                    if ledger(history.raw(triple[1])).iter().any(|uid| !around.contains(uid)) {
                        mutants.push(history.without(triple[1]));
                    }
                }
            }
            mutants
        },
    },
    Operator {
        name: "lose the last completed index and its success",
        spares: "versions before which the index was not there yet, and indexes that were scaled away",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in history.jobs() {
                for pair in versions.windows(2) {
                    let set = |place| text(history.raw(place), "/status/completedIndexes").parse::<IndexSet>().unwrap();
                    let (was, is) = (set(pair[0]), set(pair[1]));
                    let wanted = number(history.raw(pair[1]), "/spec/completions");
                    if let Some(last) = is.last().filter(|last| was.contains(*last) && i64::from(*last) < wanted) {
                        let fewer = is.minus(&[last].into_iter().collect());
                        mutants.push(history.edit(pair[1], |job| credit(job, &fewer)));
                    }
                }
            }
            mutants
        },
    },
    Operator {
        name: "write completed indexes one by one",
        spares: "texts without a range",
        mutants: |history| {
            let is_ranged = |place: &usize| text(history.raw(*place), "/status/completedIndexes").contains('-');
            let places = history.jobs().into_iter().flatten().filter(is_ranged);
            let listed = |job: &mut Value| {
                let set: IndexSet = text(job, "/status/completedIndexes").parse().unwrap();
                let all: Vec<String> = set.iter().map(|index| index.to_string()).collect();
                job["status"]["completedIndexes"] = all.join(",").into();
            };
            places.map(|place| history.edit(place, listed)).collect()
        },
    },
    Operator {
        name: "complete an index that is out of range",
        spares: "Jobs without indexes",
        mutants: |history| {
            let is_indexed = |place: &usize| history.raw(*place)["spec"]["completionMode"] == "Indexed";
            let places = history.jobs().into_iter().flatten().filter(is_indexed);
            let more = |job: &mut Value| {
                let mut set: IndexSet = text(job, "/status/completedIndexes").parse().unwrap();
                set.insert(4711);
                credit(job, &set);
            };
            places.map(|place| history.edit(place, more)).collect()
        },
    },
    Operator {
        name: "complete an index before its pod does",
        spares: "indexes that are completed in the version before: they had their pod",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in history.jobs() {
                for pair in versions.windows(2) {
                    let set = |place| text(history.raw(place), "/status/completedIndexes").parse::<IndexSet>().unwrap();
                    let news = set(pair[1]).minus(&set(pair[0]));
                    if let Some(first) = news.iter().next().filter(|index| !has_ended(history, pair[0], *index)) {
                        let more = set(pair[0]).union(&[first].into_iter().collect());
                        mutants.push(history.edit(pair[0], |job| credit(job, &more)));
                    }
                }
            }
            mutants
        },
    },
    Operator {
        name: "finish with active pods",
        spares: "versions that are not finished",
        mutants: |history| on_finished(history, |job| job["status"]["active"] = 1.into()),
    },
    Operator {
        name: "finish with a UID that is uncounted",
        spares: "versions that are not finished",
        mutants: |history| {
            on_finished(history, |job| job["status"]["uncountedTerminatedPods"] = json!({"failed": ["somebody"]}))
        },
    },
    Operator {
        name: "more ready than active",
        spares: "versions without a status, and histories without strict validation",
        mutants: |history| {
            let has_status =
                |place: &usize| history.has("JobManagedBy") && history.raw(*place)["status"].get("startTime").is_some();
            let places = history.jobs().into_iter().flatten().filter(has_status);
            places
                .map(|place| {
                    history.edit(place, |job| job["status"]["ready"] = (number(job, "/status/active") + 1).into())
                })
                .collect()
        },
    },
    Operator {
        name: "swap two versions of a Job",
        spares: "versions that differ in spec, metadata, active, ready and terminating only: these may go both ways",
        mutants: |history| {
            let lasting = |place: usize| {
                let mut status = history.raw(place)["status"].clone();
                for field in ["active", "ready", "terminating", "uncountedTerminatedPods"] {
                    status.as_object_mut().map(|fields| fields.remove(field));
                }
                (status, ledger(history.raw(place)))
            };
            let jobs = history.jobs();
            let pairs = jobs.iter().flat_map(|versions| versions.windows(2));
            let differ = pairs.filter(|pair| lasting(pair[0]) != lasting(pair[1]));
            differ.map(|pair| history.swapped(pair[0], pair[1])).collect()
        },
    },
];

fn counted(history: &History, is_place: impl Fn(i64) -> bool, by: i64) -> Vec<History> {
    let mut mutants = Vec::new();
    for place in history.jobs().into_iter().flatten() {
        for field in ["succeeded", "failed"] {
            let count = number(history.raw(place), &format!("/status/{field}"));
            if is_place(count) {
                mutants.push(history.edit(place, |job| job["status"][field] = (count + by).into()));
            }
        }
    }
    mutants
}

fn on_ledger(history: &History, change: impl Fn(&mut Value, &str)) -> Vec<History> {
    let mut mutants = Vec::new();
    for place in history.jobs().into_iter().flatten() {
        for list in ["succeeded", "failed"] {
            let uids = history.raw(place)["status"]["uncountedTerminatedPods"][list].as_array();
            if uids.is_some_and(|uids| !uids.is_empty()) {
                mutants.push(history.edit(place, |job| change(job, list)));
            }
        }
    }
    mutants
}

fn on_finished(history: &History, change: impl Fn(&mut Value)) -> Vec<History> {
    let places = history.jobs().into_iter().flatten().filter(|place| is_finished(history.raw(*place)));
    places.map(|place| history.edit(place, &change)).collect()
}

fn credit(job: &mut Value, completed: &IndexSet) {
    job["status"]["completedIndexes"] = completed.to_string().into();
    job["status"]["succeeded"] = completed.len().into();
}

/// Whether a pod of this index had succeeded by then.
fn has_ended(history: &History, place: usize, index: u32) -> bool {
    let key = "/metadata/annotations/batch.kubernetes.io~1job-completion-index";
    history.all_pods().into_iter().flatten().any(|pod| {
        history.revision(pod) < history.revision(place)
            && text(history.raw(pod), key) == index.to_string()
            && text(history.raw(pod), "/status/phase") == "Succeeded"
    })
}
