//! Mutations of what a Job is decided to be.

use super::{
    history::{History, held, is_finished, on_condition, text},
    operator::Operator,
};
use serde_json::{Value, json};

const DECISIONS: [&str; 4] = ["SuccessCriteriaMet", "FailureTarget", "Complete", "Failed"];

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "remove the decision wherever it is",
        spares: "Jobs that do not finish: they were only not decided yet",
        mutants: |history| {
            let finished = |versions: &&Vec<usize>| is_finished(history.raw(*versions.last().unwrap()));
            let decided = |versions: &Vec<usize>| {
                history.edit_all(versions, |job| {
                    let conditions = job["status"]["conditions"].as_array_mut().into_iter();
                    conditions.for_each(|all| {
                        all.retain(|c| c["type"] != "SuccessCriteriaMet" && c["type"] != "FailureTarget");
                    });
                })
            };
            history.jobs().iter().filter(finished).map(decided).collect()
        },
    },
    Operator {
        name: "withdraw a condition in a version after it",
        spares: "nothing",
        mutants: |history| {
            withdrawn(history, |job, kind| on_condition(job, kind, |condition| condition["status"] = "False".into()))
        },
    },
    Operator {
        name: "drop a condition in a version after it",
        spares: "nothing",
        mutants: |history| {
            withdrawn(history, |job, kind| {
                let conditions = job["status"]["conditions"].as_array_mut().into_iter();
                conditions.for_each(|all| all.retain(|condition| condition["type"] != kind));
            })
        },
    },
    Operator {
        name: "append a condition once more",
        spares: "nothing",
        mutants: |history| {
            each_held(history, |job, kind| {
                let again = held(job, kind).cloned().unwrap();
                job["status"]["conditions"].as_array_mut().unwrap().push(again);
            })
        },
    },
    Operator {
        name: "complete a Job that fails, fail one that completes",
        spares: "nothing",
        mutants: |history| {
            each_held(history, |job, kind| {
                let other = match kind {
                    "Complete" => "Failed",
                    "Failed" => "Complete",
                    "FailureTarget" => "SuccessCriteriaMet",
                    _ => "FailureTarget",
                };
                let condition = json!({"type": other, "status": "True", "reason": "Mutant"});
                job["status"]["conditions"].as_array_mut().unwrap().push(condition);
            })
        },
    },
    Operator {
        name: "end for another reason than decided",
        spares: "ends without a decision",
        mutants: |history| {
            ends(history, |job, kind| on_condition(job, kind, |condition| condition["reason"] = "Mutant".into()))
        },
    },
    Operator {
        name: "end before the decision",
        spares: "ends without a decision",
        mutants: |history| {
            ends(history, |job, kind| {
                on_condition(job, kind, |condition| {
                    condition["lastTransitionTime"] = "2020-01-01T00:00:00Z".into();
                });
            })
        },
    },
    Operator {
        name: "refresh the time of a condition in a version after it",
        spares: "nothing",
        mutants: |history| {
            withdrawn(history, |job, kind| {
                on_condition(job, kind, |condition| condition["lastTransitionTime"] = "2040-01-01T00:00:00Z".into());
            })
        },
    },
    Operator {
        name: "name another rule of the success policy",
        spares: "Jobs without the reason SuccessPolicy",
        mutants: |history| {
            let is_by_policy = |place: &usize| {
                held(history.raw(*place), "SuccessCriteriaMet").is_some_and(|c| c["reason"] == "SuccessPolicy")
            };
            let renamed = |versions: &Vec<usize>| {
                let places: Vec<usize> = versions.iter().copied().filter(is_by_policy).collect();
                (!places.is_empty()).then(|| {
                    history.edit_all(&places, |job| {
                        for kind in ["SuccessCriteriaMet", "Complete"] {
                            on_condition(job, kind, |c| c["message"] = "Matched rules at index 7".into());
                        }
                    })
                })
            };
            history.jobs().iter().filter_map(renamed).collect()
        },
    },
    Operator {
        name: "exceed a backoff limit that is far away",
        spares: "Jobs that fail for another reason",
        mutants: |history| {
            let is_exceeded = |versions: &&Vec<usize>| {
                versions.iter().any(|place| {
                    held(history.raw(*place), "FailureTarget").is_some_and(|c| c["reason"] == "BackoffLimitExceeded")
                })
            };
            let patient =
                |versions: &Vec<usize>| history.edit_all(versions, |job| job["spec"]["backoffLimit"] = 99.into());
            history.jobs().iter().filter(is_exceeded).map(patient).collect()
        },
    },
    Operator {
        name: "declare completions that are not there",
        spares: "Jobs that end otherwise than by their completions, and those without completions",
        mutants: |history| {
            let is_reached = |versions: &&Vec<usize>| {
                let last = history.raw(*versions.last().unwrap());
                held(last, "SuccessCriteriaMet").is_some_and(|c| c["reason"] == "CompletionsReached")
                    && last["spec"].get("completions").is_some()
            };
            let more =
                |versions: &Vec<usize>| history.edit_all(versions, |job| job["spec"]["completions"] = 1000.into());
            history.jobs().iter().filter(is_reached).map(more).collect()
        },
    },
];

/// A mutant for each condition that is True in a version and was in the one before.
fn withdrawn(history: &History, change: impl Fn(&mut Value, &str)) -> Vec<History> {
    let mut mutants = Vec::new();
    for versions in history.jobs() {
        for pair in versions.windows(2) {
            for kind in DECISIONS {
                if held(history.raw(pair[0]), kind).is_some() && held(history.raw(pair[1]), kind).is_some() {
                    mutants.push(history.edit(pair[1], |job| change(job, kind)));
                }
            }
        }
    }
    mutants
}

/// A mutant for each condition that is True in a version.
fn each_held(history: &History, change: impl Fn(&mut Value, &str)) -> Vec<History> {
    let mut mutants = Vec::new();
    for place in history.jobs().into_iter().flatten() {
        for kind in DECISIONS.iter().filter(|kind| held(history.raw(place), kind).is_some()) {
            mutants.push(history.edit(place, |job| change(job, kind)));
        }
    }
    mutants
}

/// A mutant for each end that comes with its decision, changed in all versions.
fn ends(history: &History, change: impl Fn(&mut Value, &str)) -> Vec<History> {
    let mut mutants = Vec::new();
    for versions in history.jobs() {
        for (interim, kind) in [("SuccessCriteriaMet", "Complete"), ("FailureTarget", "Failed")] {
            let last = history.raw(*versions.last().unwrap());
            if held(last, interim).is_some() && held(last, kind).is_some() {
                assert!(!text(last, "/metadata/uid").is_empty());
                mutants.push(history.edit_all(&versions, |job| change(job, kind)));
            }
        }
    }
    mutants
}
