//! Mutations of pods: too many, too late, not as they should be.

use super::{
    asked::twin,
    history::{History, is_finished, is_terminal, number, text},
    operator::Operator,
};
use serde_json::{Value, json};

const TRACKING: &str = "batch.kubernetes.io/job-tracking";

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "create a pod after the end",
        spares: "Jobs that do not finish",
        mutants: |history| {
            let mut mutants = Vec::new();
            for pod in history.pods() {
                let job = text(history.raw(pod[0]), "/metadata/ownerReferences/0/uid");
                let finish = history.jobs().into_iter().flatten().find(|place| {
                    is_finished(history.raw(*place)) && text(history.raw(*place), "/metadata/uid") == job
                });
                mutants.extend(finish.map(|finish| history.inserted(finish, twin(history.raw(pod[0])))));
            }
            mutants
        },
    },
    Operator {
        name: "create a pod beyond parallelism",
        spares: "moments at which fewer pods live than parallelism allows, and histories with a crash",
        mutants: |history| {
            let is_full = |pod: &&Vec<usize>| {
                let job = history.job_of(pod[0]).map(|job| history.raw(job));
                job.is_some_and(|job| live(history, pod[0]) >= number(job, "/spec/parallelism")) && !history.is_upset()
            };
            let pods = history.pods();
            pods.iter().filter(is_full).map(|pod| history.inserted(pod[0], twin(history.raw(pod[0])))).collect()
        },
    },
    Operator {
        name: "create a second pod for an index",
        spares: "histories with a crash, and Jobs without indexes",
        mutants: |history| {
            let is_indexed = |pod: &&Vec<usize>| !history.is_upset() && !index(history.raw(pod[0])).is_empty();
            let pods = history.pods();
            pods.iter().filter(is_indexed).map(|pod| history.inserted(pod[0], twin(history.raw(pod[0])))).collect()
        },
    },
    Operator {
        name: "keep the tracking finalizer",
        spares: "pods whose Job does not finish, pods that are gone before it does, and pods that are released",
        mutants: |history| {
            let mut mutants = Vec::new();
            for pod in history.pods() {
                let held = |place: &usize| history.raw(*place)["metadata"]["finalizers"].to_string().contains(TRACKING);
                let released: Vec<usize> = pod.iter().copied().filter(|place| !held(place)).collect();
                let owner = text(history.raw(pod[0]), "/metadata/ownerReferences/0/uid");
                let finish = history.jobs().into_iter().flatten().find(|place| {
                    is_finished(history.raw(*place)) && text(history.raw(*place), "/metadata/uid") == owner
                });
                let is_there = |finish: &usize| {
                    history.revision(*pod.last().unwrap()) > history.revision(*finish) || !history.is_gone(&pod)
                };
                if held(&pod[0])
                    && !released.is_empty()
                    && history.is_kept(&pod)
                    && finish.as_ref().is_some_and(is_there)
                {
                    mutants.push(history.edit_all(&released, |pod| pod["metadata"]["finalizers"] = json!([TRACKING])));
                }
            }
            mutants
        },
    },
    Operator {
        name: "create a pod without the tracking finalizer",
        spares: "nothing",
        mutants: |history| born(history, |pod| pod["metadata"]["finalizers"] = json!([])),
    },
    Operator {
        name: "create a pod with another Job's label",
        spares: "Jobs with a selector of the user's own",
        mutants: |history| {
            let is_usual = |pod: &&Vec<usize>| {
                let job = history.job_of(pod[0]).map(|job| history.raw(job));
                job.is_some_and(|job| job["spec"]["manualSelector"] != true)
            };
            let moved = |pod: &Vec<usize>| {
                history.edit(pod[0], |pod| {
                    pod["metadata"]["labels"]["batch.kubernetes.io/controller-uid"] = "x".into();
                })
            };
            history.pods().iter().filter(is_usual).map(moved).collect()
        },
    },
    Operator {
        name: "create a pod without its index",
        spares: "Jobs without indexes",
        mutants: |history| {
            let places =
                history.pods().into_iter().map(|pod| pod[0]).filter(|place| !index(history.raw(*place)).is_empty());
            places
                .map(|place| {
                    history.edit(place, |pod| {
                        let annotations = pod["metadata"]["annotations"].as_object_mut().unwrap();
                        annotations.remove("batch.kubernetes.io/job-completion-index");
                    })
                })
                .collect()
        },
    },
    Operator {
        name: "create a pod with another image",
        spares: "nothing",
        mutants: |history| born(history, |pod| pod["spec"]["containers"][0]["image"] = "mutant".into()),
    },
    Operator {
        name: "let another controller take a pod over",
        spares: "pods with one version, and those that are released later",
        mutants: |history| {
            let pods = history.pods();
            let aged = pods.iter().filter(|pod| pod.len() > 1 && history.is_kept(pod));
            aged.map(|pod| {
                history.edit_all(&pod[1..], |pod| pod["metadata"]["ownerReferences"][0]["uid"] = "thief".into())
            })
            .collect()
        },
    },
    Operator {
        name: "run on when the Job ends",
        spares: "pods whose Job does not finish, pods that are gone before it does, and pods that are released",
        mutants: |history| {
            let mut mutants = Vec::new();
            for pod in history.pods() {
                let owner = text(history.raw(pod[0]), "/metadata/ownerReferences/0/uid");
                let ends =
                    history.jobs().into_iter().flatten().any(|place| {
                        is_finished(history.raw(place)) && text(history.raw(place), "/metadata/uid") == owner
                    });
                let ended: Vec<usize> = pod.iter().copied().filter(|place| is_terminal(history.raw(*place))).collect();
                if ends && !ended.is_empty() && history.is_kept(&pod) && !history.is_gone(&pod) && !history.is_upset() {
                    mutants.push(history.edit_all(&ended, |pod| pod["status"]["phase"] = "Running".into()));
                }
            }
            mutants
        },
    },
    Operator {
        name: "serve a Job that is managed elsewhere",
        spares: "Jobs that were not touched, and histories without the gate",
        mutants: |history| {
            let jobs = history.jobs();
            let is_touched = |versions: &&Vec<usize>| {
                let has_started = |place: &usize| history.raw(*place)["status"].get("startTime").is_some();
                history.has("JobManagedBy") && versions.iter().any(has_started)
            };
            let moved = |versions: &Vec<usize>| {
                history.edit_all(versions, |job| job["spec"]["managedBy"] = "example.com/other".into())
            };
            jobs.iter().filter(is_touched).map(moved).collect()
        },
    },
];

fn born(history: &History, change: impl Fn(&mut Value)) -> Vec<History> {
    history.pods().into_iter().map(|pod| history.edit(pod[0], &change)).collect()
}

fn index(pod: &Value) -> String {
    text(pod, "/metadata/annotations/batch.kubernetes.io~1job-completion-index")
}

/// Pods of the same Job that live right after this place.
fn live(history: &History, place: usize) -> i64 {
    let (revision, job) = (history.revision(place), history.job_of(place));
    let is_live = |pod: &Vec<usize>| {
        let now = pod.iter().copied().rfind(|version| history.revision(*version) <= revision);
        now.is_some_and(|now| {
            let object = history.raw(now);
            let is_over = is_terminal(object) || object["metadata"].get("deletionTimestamp").is_some();
            let is_gone = history.is_gone(pod) && pod.last() == Some(&now);
            !is_over && !is_gone && history.job_of(now).is_some() == job.is_some()
        })
    };
    i64::try_from(history.all_pods().iter().filter(|pod| is_live(pod)).count()).unwrap()
}
