//! Mutations of what a pod is: its index, its names, its owner, its template.

use super::{
    asked::on_owners,
    history::{History, number, text},
    operator::Operator,
};
use serde_json::{Value, json};

const INDEX: &str = "batch.kubernetes.io/job-completion-index";
const FAILURES: &str = "batch.kubernetes.io/job-index-failure-count";

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "create a pod for an index out of range",
        spares: "Jobs without indexes, and those that have so many",
        mutants: |history| {
            let is_out = |pod: &&Vec<usize>| {
                history.job_of(pod[0]).is_some_and(|job| number(history.raw(job), "/spec/completions") <= 4711)
            };
            let indexed = indexed(history);
            let moved = |pod: &Vec<usize>| {
                history.edit_all(pod, |pod| {
                    let job = text(pod, "/metadata/ownerReferences/0/name");
                    pod["metadata"]["annotations"][INDEX] = "4711".into();
                    pod["metadata"]["labels"][INDEX] = "4711".into();
                    pod["metadata"]["generateName"] = format!("{job}-4711-").into();
                    pod["metadata"]["name"] = format!("{job}-4711-tw2n4").into();
                    pod["spec"]["hostname"] = format!("{job}-4711").into();
                })
            };
            indexed.iter().filter(is_out).map(moved).collect()
        },
    },
    Operator {
        name: "label a pod with another index than its own",
        spares: "Jobs without indexes, and histories without the label",
        mutants: |history| {
            let labelled = |pod: &&Vec<usize>| history.raw(pod[0])["metadata"]["labels"].get(INDEX).is_some();
            let other = |pod: &Vec<usize>| history.edit_all(pod, |pod| pod["metadata"]["labels"][INDEX] = "77".into());
            indexed(history).iter().filter(labelled).map(other).collect()
        },
    },
    Operator {
        name: "give a pod the host name of another index",
        spares: "Jobs without indexes",
        mutants: |history| all_of(history, &indexed(history), |pod| pod["spec"]["hostname"] = "job-77".into()),
    },
    Operator {
        name: "name a pod without its index",
        spares: "Jobs without indexes",
        mutants: |history| {
            all_of(history, &indexed(history), |pod| {
                let job = text(pod, "/metadata/ownerReferences/0/name");
                pod["metadata"]["generateName"] = format!("{job}-").into();
                pod["metadata"]["name"] = format!("{job}-tw2n4").into();
            })
        },
    },
    Operator {
        name: "name a pod of a Job without indexes as if it had one",
        spares: "Jobs with indexes",
        mutants: |history| {
            let plain: Vec<_> =
                history.pods().into_iter().filter(|pod| index(history.raw(pod[0])).is_empty()).collect();
            all_of(history, &plain, |pod| {
                let job = text(pod, "/metadata/ownerReferences/0/name");
                pod["metadata"]["generateName"] = format!("{job}--1-").into();
                pod["metadata"]["name"] = format!("{job}--1-tw2n4").into();
            })
        },
    },
    Operator {
        name: "do not tell a container its index",
        spares: "Jobs without indexes",
        mutants: |history| {
            all_of(history, &indexed(history), |pod| {
                if let Some(env) = pod["spec"]["containers"][0]["env"].as_array_mut() {
                    env.retain(|variable| variable["name"] != "JOB_COMPLETION_INDEX");
                }
            })
        },
    },
    Operator {
        name: "do not tell how often an index has failed",
        spares: "Jobs without a limit for each index",
        mutants: |history| {
            let told: Vec<_> =
                history.pods().into_iter().filter(|pod| failures(history.raw(pod[0])).is_some()).collect();
            all_of(history, &told, |pod| {
                pod["metadata"]["annotations"].as_object_mut().map(|all| all.remove(FAILURES));
            })
        },
    },
    Operator {
        name: "count the failures of an index anew",
        spares: "indexes that have not failed, and control planes that change meanwhile",
        mutants: |history| {
            let is_counted = |pod: &Vec<usize>| failures(history.raw(pod[0])).is_some_and(|count| count != "0");
            let counted: Vec<_> =
                history.pods().into_iter().filter(|pod| is_counted(pod) && !history.is_rebuilt()).collect();
            all_of(history, &counted, |pod| pod["metadata"]["annotations"][FAILURES] = "0".into())
        },
    },
    Operator {
        name: "let a Job go while its pod is there",
        spares: "nothing",
        mutants: |history| {
            all_of(history, &history.pods(), |pod| on_owners(pod, |owner| owner["blockOwnerDeletion"] = false.into()))
        },
    },
    Operator {
        name: "leave out the label with the Job's name",
        spares: "pods whose template has none",
        mutants: |history| {
            let label = "batch.kubernetes.io/job-name";
            let has_it = |pod: &Vec<usize>| history.raw(pod[0])["metadata"]["labels"].get(label).is_some();
            let labelled: Vec<_> = history.pods().into_iter().filter(has_it).collect();
            all_of(history, &labelled, |pod| {
                pod["metadata"]["labels"].as_object_mut().map(|all| all.remove(label));
            })
        },
    },
    Operator {
        name: "create a pod that restarts otherwise",
        spares: "nothing",
        mutants: |history| {
            all_of(history, &history.pods(), |pod| {
                let other = if pod["spec"]["restartPolicy"] == "Never" { "OnFailure" } else { "Never" };
                pod["spec"]["restartPolicy"] = other.into();
            })
        },
    },
    Operator {
        name: "create a pod with a variable of its own",
        spares: "nothing",
        mutants: |history| {
            all_of(history, &history.pods(), |pod| {
                let container = &mut pod["spec"]["containers"][0];
                let mut all = container["env"].as_array().cloned().unwrap_or_default();
                all.push(json!({"name": "MUTANT", "value": "1"}));
                container["env"] = all.into();
            })
        },
    },
];

fn indexed(history: &History) -> Vec<Vec<usize>> {
    history.pods().into_iter().filter(|pod| !index(history.raw(pod[0])).is_empty()).collect()
}

fn all_of(history: &History, pods: &[Vec<usize>], change: impl Fn(&mut Value)) -> Vec<History> {
    pods.iter().map(|pod| history.edit_all(pod, &change)).collect()
}

fn index(pod: &Value) -> String {
    text(pod, "/metadata/annotations/batch.kubernetes.io~1job-completion-index")
}

fn failures(pod: &Value) -> Option<&str> {
    pod["metadata"]["annotations"].get(FAILURES)?.as_str()
}
