//! Mutations of recorded histories of Volcano's Jobs.

use super::{
    asked::on_owners,
    history::{History, is, number, text},
    operator::Operator,
};
use jobsworth_oracle::recorded::volcano::Job;
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

const VERSION: &str = "volcano.sh/job-version";
const ENDS: [&str; 3] = ["Completed", "Failed", "Terminated"];

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "Volcano: run again after the end",
        spares: "Jobs that do not end",
        mutants: |history| {
            let ended = |versions: &Vec<usize>| versions.iter().copied().find(|place| has_ended(history.raw(*place)));
            let again = |place: usize| {
                let mut job = history.raw(place).clone();
                job["status"]["state"]["phase"] = "Running".into();
                history.inserted(place, job)
            };
            jobs(history).iter().filter_map(ended).map(again).collect()
        },
    },
    Operator {
        name: "Volcano: be Completed and then Terminated",
        spares: "Jobs that do not end",
        mutants: |history| {
            let ended = |versions: &Vec<usize>| versions.iter().copied().find(|place| has_ended(history.raw(*place)));
            let otherwise = |place: usize| {
                let mut job = history.raw(place).clone();
                let phase = text(&job, "/status/state/phase");
                let other = if phase == "Completed" { "Terminated" } else { "Completed" };
                job["status"]["state"]["phase"] = other.into();
                history.inserted(place, job)
            };
            jobs(history).iter().filter_map(ended).map(otherwise).collect()
        },
    },
    Operator {
        name: "Volcano: let the version fall",
        spares: "versions of 0, and the first write that raises it",
        mutants: |history| fallen(history, "/status/version", |job| job["status"]["version"] = json!(0)),
    },
    Operator {
        name: "Volcano: forget a retry",
        spares: "Jobs without one, and the first write that counts it",
        mutants: |history| fallen(history, "/status/retryCount", |job| job["status"]["retryCount"] = json!(0)),
    },
    Operator {
        name: "Volcano: count a retry that nobody made",
        spares: "steps to or from another phase, and Jobs that were aborted: either count of a resumption is allowed",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in jobs(history) {
                let phase = |place: usize| text(history.raw(place), "/status/state/phase");
                if versions.iter().any(|place| phase(*place).starts_with("Abort")) {
                    continue;
                }
                for (number_of, pair) in versions.windows(2).enumerate() {
                    let is_same = phase(pair[0]) == phase(pair[1])
                        && !phase(pair[0]).is_empty()
                        && history.raw(pair[0])["status"]["version"] == history.raw(pair[1])["status"]["version"]
                        && history.raw(pair[0])["status"]["retryCount"] == history.raw(pair[1])["status"]["retryCount"];
                    if is_same {
                        mutants.push(history.edit_all(&versions[number_of + 1..], |job| {
                            job["status"]["retryCount"] = (number(job, "/status/retryCount") + 1).into();
                        }));
                    }
                }
            }
            mutants
        },
    },
    Operator {
        name: "Volcano: count more running pods than there ever were",
        spares: "versions without a status",
        mutants: |history| {
            let places = jobs(history).into_iter().flatten().filter(|place| history.raw(*place)["status"].is_object());
            places.map(|place| history.edit(place, |job| job["status"]["running"] = 100_000.into())).collect()
        },
    },
    Operator {
        name: "Volcano: write the newest condition twice",
        spares: "versions without a condition",
        mutants: |history| {
            conditions(history, 1, |all| {
                let last = all.last().cloned();
                all.extend(last);
            })
        },
    },
    Operator {
        name: "Volcano: lose the newest condition",
        spares: "versions with one condition, which then have none",
        mutants: |history| conditions(history, 2, |all| drop(all.pop())),
    },
    Operator {
        name: "Volcano: make a pod for another version",
        spares: "nothing",
        mutants: |history| {
            let other = |pod: &mut Value| pod["metadata"]["annotations"][VERSION] = "77".into();
            pods(history).iter().map(|pod| history.edit_all(pod, other)).collect()
        },
    },
    Operator {
        name: "Volcano: make a pod under another name",
        spares: "nothing",
        mutants: |history| {
            let other = |pod: &mut Value| {
                pod["metadata"]["name"] = format!("{}-x", text(pod, "/metadata/name")).into();
            };
            pods(history).iter().map(|pod| history.edit_all(pod, other)).collect()
        },
    },
    Operator {
        name: "Volcano: make a pod that a Job of another API owns",
        spares: "nothing",
        mutants: |history| {
            let other = |pod: &mut Value| on_owners(pod, |owner| owner["apiVersion"] = "batch/v1".into());
            pods(history).iter().map(|pod| history.edit_all(pod, other)).collect()
        },
    },
    Operator {
        name: "Volcano: make a pod after the end",
        spares: "Jobs that do not end, and pods that are there at the end: two of one name there cannot be",
        mutants: |history| {
            let mut mutants = Vec::new();
            for versions in jobs(history) {
                let uid = text(history.raw(versions[0]), "/metadata/uid");
                let Some(end) = versions.iter().copied().find(|place| has_ended(history.raw(*place))) else { continue };
                for pod in pods(history).iter().filter(|pod| owner(history.raw(pod[0])) == uid) {
                    let is_over = |place: &&usize| history.revision(**place) > history.revision(end);
                    if history.is_gone(pod) && !pod.iter().any(|place| is_over(&place)) {
                        let mut again = history.raw(pod[0]).clone();
                        again["metadata"]["uid"] = "late".into();
                        mutants.push(history.inserted(end, again));
                    }
                }
            }
            mutants
        },
    },
];

fn has_ended(job: &Value) -> bool {
    ENDS.contains(&text(job, "/status/state/phase").as_str())
}

fn owner(pod: &Value) -> String {
    text(pod, "/metadata/ownerReferences/0/uid")
}

/// Places of the versions of each of Volcano's Jobs that the script has left alone.
fn jobs(history: &History) -> Vec<Vec<usize>> {
    let is_tampered = |place: &usize| {
        let writers = history.raw(*place)["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        writers.iter().any(|entry| entry["manager"] == "jobsworth-script" && entry["subresource"] == "status")
    };
    let all = history.versions(is::<Job>);
    all.into_iter().filter(|versions| !versions.iter().any(is_tampered)).collect()
}

/// Places of the versions of each pod that was made for such a Job.
fn pods(history: &History) -> Vec<Vec<usize>> {
    let uids: Vec<String> =
        jobs(history).iter().map(|versions| text(history.raw(versions[0]), "/metadata/uid")).collect();
    let all = history.versions(is::<Pod>);
    all.into_iter().filter(|pod| uids.contains(&owner(history.raw(pod[0])))).collect()
}

/// A mutant for each version in which this number is above 0, as it was in the one before.
fn fallen(history: &History, pointer: &str, change: impl Fn(&mut Value)) -> Vec<History> {
    let is_raised = |place: usize| number(history.raw(place), pointer) > 0;
    let jobs = jobs(history);
    let pairs = jobs.iter().flat_map(|versions| versions.windows(2));
    pairs.filter(|pair| is_raised(pair[0]) && is_raised(pair[1])).map(|pair| history.edit(pair[1], &change)).collect()
}

/// A mutant for each version with so many conditions.
fn conditions(history: &History, least: usize, change: impl Fn(&mut Vec<Value>)) -> Vec<History> {
    let has_them =
        |place: &usize| history.raw(*place)["status"]["conditions"].as_array().is_some_and(|all| all.len() >= least);
    let places = jobs(history).into_iter().flatten().filter(has_them);
    let changed = |place: usize| {
        history.edit(place, |job| job["status"]["conditions"].as_array_mut().into_iter().for_each(&change))
    };
    places.map(changed).collect()
}
