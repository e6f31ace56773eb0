//! Mutations of the order between what the subject asks for and what it has written down.

use super::{
    asked::{answered_us, refused},
    history::{History, is_finished, ledger, text},
    operator::Operator,
};
use jobsworth_api::IndexSet;
use jobsworth_oracle::Request;
use serde_json::json;

const INDEX: &str = "/metadata/annotations/batch.kubernetes.io~1job-completion-index";
const TRACKING: &str = "batch.kubernetes.io/job-tracking";

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "let a pod go before it is recorded",
        spares: "pods that somebody else let go, and those of an index that another pod may have completed",
        mutants: |history| {
            let releases =
                history.asked(|request| request.verb == "patch" && request.on == "pods" && request.is_taken());
            releases.into_iter().filter_map(|place| let_go_early(history, place)).collect()
        },
    },
    Operator {
        name: "ask for a pod after the end",
        spares: "histories with several Jobs: a creation does not say whose the pod is; those that the case disturbed",
        mutants: |history| {
            let Some(end) = last_word(history).filter(|_| history.has_one_job() && !history.is_disturbed()) else {
                return Vec::new();
            };
            let creation = history.asked(|request| request.verb == "create" && request.on == "pods").into_iter().next();
            let late = |creation: usize| {
                let sent_us = answered_us(&end.1) + 1_500_000;
                let request = history.request(creation).expect("it was found there");
                history.asking(end.0, [refused(request, 403, sent_us)])
            };
            creation.map(late).into_iter().collect()
        },
    },
    Operator {
        name: "ask for another status after the end",
        spares: "histories that the case disturbed",
        mutants: |history| {
            let Some((place, end)) = last_word(history).filter(|_| !history.is_disturbed()) else { return Vec::new() };
            let late = Request { from: end.made, ..refused(&end, 403, answered_us(&end) + 1_500_000) };
            vec![history.asking(place, [late])]
        },
    },
    Operator {
        name: "delete a surplus pod before it is let go",
        spares: "pods that are not let go first, and those that are gone at once",
        mutants: |history| {
            let mut mutants = Vec::new();
            for pod in history.pods() {
                for pair in pod.windows(2) {
                    let (released, deleted) = (history.raw(pair[0]), history.raw(pair[1]));
                    let is_held = released["metadata"]["finalizers"].to_string().contains(TRACKING);
                    let is_new = released["metadata"].get("deletionTimestamp").is_none()
                        && deleted["metadata"].get("deletionTimestamp").is_some();
                    let was_held = pod[0] != pair[0]
                        && history.raw(pod[0])["metadata"]["finalizers"].to_string().contains(TRACKING);
                    if !is_held && is_new && was_held && asked_to_delete(history, pair[1]) {
                        let time = deleted["metadata"]["deletionTimestamp"].clone();
                        let mutant = history.edit(pair[0], |pod| {
                            pod["metadata"]["finalizers"] = json!([TRACKING]);
                            pod["metadata"]["deletionTimestamp"] = time.clone();
                        });
                        mutants.push(mutant.asked_in_other_order(pair[0], pair[1]));
                    }
                }
            }
            mutants
        },
    },
];

/// Whether the subject asked for the deletion of the pod at this place.
fn asked_to_delete(history: &History, place: usize) -> bool {
    let name = text(history.raw(place), "/metadata/name");
    let asked = history.asked(|request| {
        request.verb == "delete" && request.on == "pods" && request.is_taken() && request.name == name
    });
    !asked.is_empty()
}

/// The write that ended a Job, with its place.
fn last_word(history: &History) -> Option<(usize, Request)> {
    let ended: Vec<u64> = history
        .jobs()
        .iter()
        .filter_map(|versions| versions.iter().find(|place| is_finished(history.raw(**place))))
        .map(|place| history.revision(*place))
        .collect();
    let writes = history.status_writes().into_iter();
    let is_end = |request: &Request| request.made.is_some_and(|made| ended.contains(&made));
    writes.filter_map(|place| Some((place, history.request(place)?.clone()))).find(|(_, request)| is_end(request))
}

/// The history in which the pod lost its finalizer just before the status that records it, by the subject's own patch.
fn let_go_early(history: &History, place: usize) -> Option<History> {
    let request = history.request(place)?;
    let pods = history.pods();
    let pod = pods.iter().find(|pod| text(history.raw(pod[0]), "/metadata/name") == request.name)?;
    let is_release = |version: &&usize| Some(history.revision(**version)) == request.made;
    let release = *pod.iter().find(is_release)?;
    let before = *pod.iter().rfind(|version| **version < release)?;
    let record = recorded_at(history, pod)?;
    let is_between =
        history.revision(before) < history.revision(record) && history.revision(record) < history.revision(release);
    let is_held = history.raw(before)["metadata"]["finalizers"].to_string().contains(TRACKING);
    if !is_between || !is_held || !history.is_kept(pod) {
        return None;
    }
    let moved = history.moved_before(release, record).moved_before(place, record);
    let seen_us = u64::try_from(history.at(record).as_micros()).ok()?;
    let sent_us = seen_us.saturating_sub(request.took_us + 50_000);
    let made = moved.revision(release);
    Some(moved.edit_request(place, |request| (request.sent_us, request.made) = (sent_us, Some(made))))
}

/// The first version of its Job that has the pod in its ledger, or its index among the completed ones.
fn recorded_at(history: &History, pod: &[usize]) -> Option<usize> {
    let (uid, index) = (text(history.raw(pod[0]), "/metadata/uid"), text(history.raw(pod[0]), INDEX));
    let job = text(history.raw(pod[0]), "/metadata/ownerReferences/0/uid");
    let jobs = history.jobs();
    let versions = jobs.iter().find(|versions| text(history.raw(versions[0]), "/metadata/uid") == job)?;
    let succeeded = pod.iter().any(|place| text(history.raw(*place), "/status/phase") == "Succeeded");
    let has_sibling =
        history.all_pods().iter().any(|other| other[0] != pod[0] && text(history.raw(other[0]), INDEX) == index);
    let is_credited = |place: usize| {
        let set = text(history.raw(place), "/status/completedIndexes").parse::<IndexSet>().ok();
        let index = index.parse::<u32>().ok().filter(|_| succeeded && !has_sibling);
        index.is_some_and(|index| set.is_some_and(|set| set.contains(index)))
    };
    let is_record = |place: &usize| ledger(history.raw(*place)).contains(&uid) || is_credited(*place);
    versions.iter().copied().find(is_record)
}
