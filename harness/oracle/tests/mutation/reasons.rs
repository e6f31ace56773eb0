//! Mutations of what a Job says about itself: reasons, words, and the order in which it says them.

use super::{
    history::{History, held, is_finished, on_condition, text},
    operator::Operator,
};
use serde_json::Value;

const DECISIONS: [(&str, &str); 2] = [("SuccessCriteriaMet", "Complete"), ("FailureTarget", "Failed")];

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "end in other words than decided",
        spares: "ends without a decision",
        mutants: |history| {
            decided(history, |job, _, end| {
                on_condition(job, end, |condition| condition["message"] = "Mutant".into());
            })
            .into_iter()
            .filter(|(_, last)| is_finished(last))
            .map(|(mutant, _)| mutant)
            .collect()
        },
    },
    Operator {
        name: "name the end before the decision",
        spares: "ends without a decision",
        mutants: |history| {
            decided(history, |job, _, _| {
                if is_finished(job) {
                    job["status"]["conditions"].as_array_mut().into_iter().for_each(|all| all.reverse());
                }
            })
            .into_iter()
            .filter(|(_, last)| is_finished(last))
            .map(|(mutant, _)| mutant)
            .collect()
        },
    },
    Operator {
        name: "decide for a reason that there is not",
        spares: "Jobs that are not decided",
        mutants: |history| {
            decided(history, |job, interim, end| {
                for kind in [interim, end] {
                    on_condition(job, kind, |condition| condition["reason"] = "Mutant".into());
                }
            })
            .into_iter()
            .map(|(mutant, _)| mutant)
            .collect()
        },
    },
    Operator {
        name: "decide by a rule that the Job does not have",
        spares: "Jobs that are not decided, and those that have a rule of every kind",
        mutants: |history| {
            decided(history, |job, interim, end| {
                let Some(reason) = absent_rule(job, interim) else { return };
                for kind in [interim, end] {
                    on_condition(job, kind, |condition| condition["reason"] = reason.into());
                }
            })
            .into_iter()
            .filter(|(_, last)| {
                DECISIONS.iter().any(|(kind, _)| held(last, kind).is_some() && absent_rule(last, kind).is_some())
            })
            .map(|(mutant, _)| mutant)
            .collect()
        },
    },
    Operator {
        name: "decide in the future",
        spares: "Jobs that are not decided",
        mutants: |history| {
            decided(history, |job, interim, end| {
                for kind in [interim, end] {
                    on_condition(job, kind, |condition| {
                        condition["lastTransitionTime"] = "2040-01-01T00:00:00Z".into()
                    });
                }
            })
            .into_iter()
            .map(|(mutant, _)| mutant)
            .collect()
        },
    },
    Operator {
        name: "drop Suspended in a version after it",
        spares: "nothing",
        mutants: |history| {
            suspended_twice(history, |job| {
                let conditions = job["status"]["conditions"].as_array_mut().into_iter();
                conditions.for_each(|all| all.retain(|condition| condition["type"] != "Suspended"));
            })
        },
    },
    Operator {
        name: "say Suspended twice",
        spares: "nothing",
        mutants: |history| {
            suspended_twice(history, |job| {
                let conditions = job["status"]["conditions"].as_array_mut().into_iter();
                conditions.for_each(|all| {
                    let again = all.iter().find(|condition| condition["type"] == "Suspended").cloned();
                    all.extend(again);
                });
            })
        },
    },
    Operator {
        name: "suspend for a reason that there is not",
        spares: "nothing",
        mutants: |history| {
            let named = |condition: &mut Value| condition["reason"] = "Mutant".into();
            suspended_twice(history, |job| on_condition(job, "Suspended", named))
        },
    },
];

/// A mutant for each Job that is decided, changed in all its versions, with its last version as it was.
fn decided(history: &History, change: impl Fn(&mut Value, &str, &str)) -> Vec<(History, &Value)> {
    let mut mutants = Vec::new();
    for versions in history.jobs() {
        let last = history.raw(*versions.last().expect("a Job has a version"));
        for (interim, end) in DECISIONS {
            if held(last, interim).is_some() {
                mutants.push((history.edit_all(&versions, |job| change(job, interim, end)), last));
            }
        }
    }
    mutants
}

/// A reason that needs a field which this Job does not have.
fn absent_rule(job: &Value, decision: &str) -> Option<&'static str> {
    let candidates: &[(&str, &str)] = match decision {
        "SuccessCriteriaMet" => &[("successPolicy", "SuccessPolicy")],
        _ => &[
            ("activeDeadlineSeconds", "DeadlineExceeded"),
            ("podFailurePolicy", "PodFailurePolicy"),
            ("maxFailedIndexes", "MaxFailedIndexesExceeded"),
        ],
    };
    candidates.iter().find(|(field, _)| job["spec"].get(*field).is_none()).map(|(_, reason)| *reason)
}

/// A mutant for each version that has Suspended, as the one before had.
fn suspended_twice(history: &History, change: impl Fn(&mut Value)) -> Vec<History> {
    let has_it = |place: usize| {
        let conditions = history.raw(place)["status"]["conditions"].as_array();
        conditions.is_some_and(|all| all.iter().any(|condition| text(condition, "/type") == "Suspended"))
    };
    let jobs = history.jobs();
    let pairs = jobs.iter().flat_map(|versions| versions.windows(2));
    pairs.filter(|pair| has_it(pair[0]) && has_it(pair[1])).map(|pair| history.edit(pair[1], &change)).collect()
}
