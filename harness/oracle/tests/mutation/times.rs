//! Mutations of times.

use super::{
    history::{History, held, is_finished, text},
    jobs::{all, has_begun},
    operator::Operator,
};
use serde_json::{Value, json};

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "finish without a completion time",
        spares: "Jobs that are not complete",
        mutants: |history| {
            complete(history, |job| {
                job["status"].as_object_mut().unwrap().remove("completionTime");
            })
        },
    },
    Operator {
        name: "complete before the start",
        spares: "Jobs that are not complete",
        mutants: |history| complete(history, |job| job["status"]["completionTime"] = "2020-01-01T00:00:00Z".into()),
    },
    Operator {
        name: "set the completion time before the end",
        spares: "versions that are complete",
        mutants: |history| {
            let places = started(history).into_iter().filter(|place| held(history.raw(*place), "Complete").is_none());
            places
                .map(|place| history.edit(place, |job| job["status"]["completionTime"] = "2040-01-01T00:00:00Z".into()))
                .collect()
        },
    },
    Operator {
        name: "move the start in a version after it",
        spares: "steps that suspend or resume",
        mutants: |history| moved(history, |job| job["status"]["startTime"] = "2020-01-01T00:00:00Z".into()),
    },
    Operator {
        name: "clear the start in a version after it",
        spares: "steps that suspend or resume",
        mutants: |history| {
            moved(history, |job| {
                job["status"].as_object_mut().unwrap().remove("startTime");
            })
        },
    },
    Operator {
        name: "delete a Job before its time",
        spares: "Jobs that do not finish, and those that are deleted anyway",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in history.jobs() {
                let is_deleted = |place: &usize| history.raw(*place)["metadata"].get("deletionTimestamp").is_some();
                let last = *versions.last().unwrap();
                if !is_finished(history.raw(last)) || versions.iter().any(is_deleted) || history.is_gone(&versions) {
                    continue;
                }
                let mortal = history.edit_all(&versions, |job| job["spec"]["ttlSecondsAfterFinished"] = 3600.into());
                let mut deleted = mortal.raw(last).clone();
                deleted["metadata"]["deletionTimestamp"] = end(&deleted).into();
                deleted["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
                mutants.push(mortal.inserted(last, deleted));
            }
            mutants
        },
    },
    Operator {
        name: "exceed a deadline that is far away",
        spares: "Jobs that fail for another reason",
        mutants: |history| {
            let is_overdue = |versions: &&Vec<usize>| {
                versions.iter().any(|place| {
                    held(history.raw(*place), "FailureTarget").is_some_and(|c| c["reason"] == "DeadlineExceeded")
                })
            };
            let patient = |versions: &Vec<usize>| {
                history.edit_all(versions, |job| job["spec"]["activeDeadlineSeconds"] = 9999.into())
            };
            history.jobs().iter().filter(is_overdue).map(patient).collect()
        },
    },
    Operator {
        name: "complete after the end",
        spares: "Jobs that are not complete",
        mutants: |history| complete(history, |job| job["status"]["completionTime"] = "2040-01-01T00:00:00Z".into()),
    },
    Operator {
        name: "start in the future",
        spares: "Jobs without a start",
        mutants: |history| {
            all(history, has_begun, |job| {
                if has_begun(job) {
                    job["status"]["startTime"] = "2040-01-01T00:00:00Z".into();
                }
            })
        },
    },
    Operator {
        name: "start before the Job is there",
        spares: "Jobs without a start",
        mutants: |history| {
            all(history, has_begun, |job| {
                if has_begun(job) {
                    job["status"]["startTime"] = "2020-01-01T00:00:00Z".into();
                }
            })
        },
    },
    Operator {
        name: "start a Job that waits",
        spares: "Jobs that started before they were suspended, and those that finish",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in history.jobs() {
                // As long as it has not begun.
                let unbegun = versions.iter().take_while(|place| !has_begun(history.raw(**place)));
                for place in unbegun.filter(|place| waits(history.raw(**place))) {
                    let started = |job: &mut Value| {
                        job["status"]["startTime"] = job["metadata"]["creationTimestamp"].clone();
                    };
                    mutants.push(history.edit(*place, started));
                }
            }
            mutants
        },
    },
    Operator {
        name: "move the completion in a version after it",
        spares: "Jobs with one version after their completion",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in history.jobs() {
                let is_complete = |place: &&usize| held(history.raw(**place), "Complete").is_some();
                let later = versions.iter().filter(is_complete).skip(1);
                let moved = |place: &usize| {
                    history.edit(*place, |job| job["status"]["completionTime"] = "2040-01-01T00:00:00Z".into())
                };
                mutants.extend(later.map(moved));
            }
            mutants
        },
    },
    Operator {
        name: "end without a start",
        spares: "Jobs that do not finish",
        mutants: |history| {
            let ends = |job: &Value| is_finished(job) && has_begun(job);
            all(history, ends, |job| {
                if is_finished(job) {
                    drop(job["status"].as_object_mut().map(|status| status.remove("startTime")));
                }
            })
        },
    },
];

fn end(job: &Value) -> String {
    let condition = held(job, "Complete").or_else(|| held(job, "Failed")).unwrap();
    text(condition, "/lastTransitionTime")
}

fn started(history: &History) -> Vec<usize> {
    let has_started = |place: &usize| history.raw(*place)["status"].get("startTime").is_some();
    history.jobs().into_iter().flatten().filter(has_started).collect()
}

fn complete(history: &History, change: impl Fn(&mut Value)) -> Vec<History> {
    let mut mutants = Vec::new();
    for versions in history.jobs() {
        let is_complete = |place: &usize| held(history.raw(*place), "Complete").is_some();
        let places: Vec<usize> = versions.into_iter().filter(is_complete).collect();
        if !places.is_empty() {
            mutants.push(history.edit_all(&places, &change));
        }
    }
    mutants
}

/// A mutant for each version that has a start, as the one before had.
fn moved(history: &History, change: impl Fn(&mut Value)) -> Vec<History> {
    let mut mutants = Vec::new();
    for versions in history.jobs() {
        for pair in versions.windows(2) {
            let is_steady = |place: usize| {
                history.raw(place)["status"].get("startTime").is_some()
                    && history.raw(place)["spec"]["suspend"] != true
                    && held(history.raw(place), "Suspended").is_none()
            };
            if is_steady(pair[0]) && is_steady(pair[1]) {
                mutants.push(history.edit(pair[1], &change));
            }
        }
    }
    mutants
}

/// Whether the Job is suspended, and says so.
fn waits(job: &Value) -> bool {
    held(job, "Suspended").is_some() && job["spec"]["suspend"] == true && !is_finished(job)
}
