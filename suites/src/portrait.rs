//! A Job in one line: what can be compared between two runs and two controllers.

use jobsworth_api::ConditionKind;
use jobsworth_oracle::{
    World,
    history::controller,
    vocabulary::pods::{is_stopping, is_terminal, is_tracked, phase},
};
use k8s_openapi::api::batch::v1::JobStatus;
use std::collections::BTreeSet;

/// Longer lists of indexes are told by their beginning and their length.
const LONG: usize = 24;
const KINDS: [ConditionKind; 5] = [
    ConditionKind::Suspended,
    ConditionKind::SuccessCriteriaMet,
    ConditionKind::FailureTarget,
    ConditionKind::Complete,
    ConditionKind::Failed,
];

/// What the Job of this name looks like: conditions that hold, with their reasons; counters that are not 0; lists of
/// indexes; its pods by state; and the reasons of its events, each once; of a Job without any of it, whether it has
/// started. Names, times and messages are left out.
#[must_use]
pub fn portrait(world: &World, name: &str) -> String {
    let Some(job) = world.job(name) else { return "gone".to_owned() };
    let mut parts = job.status.as_ref().map(conditions).unwrap_or_default();
    parts.extend(job.status.as_ref().map(counts).unwrap_or_default());
    let own = || world.pods().filter(|pod| controller(&pod.metadata) == job.metadata.uid.as_deref());
    let pods = [
        ("pending", own().filter(|pod| !is_stopping(pod) && phase(pod) == "Pending").count()),
        ("running", own().filter(|pod| !is_stopping(pod) && phase(pod) == "Running").count()),
        ("stopping", own().filter(|pod| is_stopping(pod) && !is_terminal(pod)).count()),
        ("ended", own().filter(|pod| is_terminal(pod) && !is_tracked(pod)).count()),
        ("ended and not let go", own().filter(|pod| is_terminal(pod) && is_tracked(pod)).count()),
    ];
    parts.extend(pods.into_iter().filter(|(_, n)| *n > 0).map(|(state, n)| format!("{n} {state}")));
    let about = format!("Job/{name}");
    let events = world.notices().iter().filter(|notice| notice.about == about).map(|notice| notice.reason.as_str());
    parts.extend(events.collect::<BTreeSet<_>>().into_iter().map(|reason| format!("*{reason}")));
    let has_started = job.status.as_ref().is_some_and(|status| status.start_time.is_some());
    match parts.is_empty() && has_started {
        true => "started".to_owned(),
        false => parts.join(", "),
    }
}

fn conditions(status: &JobStatus) -> Vec<String> {
    let held = || status.conditions.iter().flatten().filter(|condition| condition.status == "True");
    let known = |kind: &str| KINDS.iter().any(|known| known.as_str() == kind);
    let mut parts: Vec<String> = KINDS
        .iter()
        .flat_map(|kind| held().filter(|condition| condition.type_ == kind.as_str()))
        .map(|condition| format!("{}({})", condition.type_, condition.reason.as_deref().unwrap_or_default()))
        .collect();
    let others = held().filter(|condition| !known(&condition.type_)).count();
    parts.extend((others > 0).then(|| format!("{others} other conditions")));
    parts
}

fn counts(status: &JobStatus) -> Vec<String> {
    let counters = [
        ("active", status.active),
        ("ready", status.ready),
        ("terminating", status.terminating),
        ("succeeded", status.succeeded),
        ("failed", status.failed),
    ];
    let counters = counters.into_iter().filter_map(|(what, n)| Some((what, n.filter(|n| *n != 0)?)));
    let mut parts: Vec<String> = counters.map(|(what, n)| format!("{what} {n}")).collect();
    let lists = [("completedIndexes", &status.completed_indexes), ("failedIndexes", &status.failed_indexes)];
    parts.extend(lists.into_iter().filter_map(|(what, list)| {
        let list = list.as_deref().filter(|list| !list.is_empty())?;
        Some(if list.len() > LONG {
            let start: String = list.chars().take(LONG).collect();
            format!("{what} {start}... of {} bytes", list.len())
        } else {
            format!("{what} {list}")
        })
    }));
    let uncounted = status
        .uncounted_terminated_pods
        .iter()
        .map(|lists| lists.succeeded.as_ref().map_or(0, Vec::len) + lists.failed.as_ref().map_or(0, Vec::len));
    parts.extend(uncounted.filter(|n| *n > 0).map(|n| format!("{n} uncounted")));
    parts
}

#[cfg(test)]
mod tests {
    use super::portrait;
    use jobsworth_oracle::{Fact, Seen, World, fact::Notice};
    use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
    use rstest::rstest;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn world(facts: Vec<Fact>) -> World {
        let mut world = World::default();
        for fact in facts {
            world.apply(1, Duration::ZERO, &fact);
        }
        world
    }

    fn pod(name: &str, metadata: &Value, phase: &str) -> Fact {
        let owner = json!({"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "u", "controller": true});
        let mut object = json!({"metadata": metadata, "status": {"phase": phase}});
        object["metadata"]["name"] = name.into();
        object["metadata"]["uid"] = name.into();
        object["metadata"]["ownerReferences"] = json!([owner]);
        Fact::there::<Pod>(Seen::new(object).unwrap())
    }

    #[test]
    fn a_job_that_is_not_there_is_gone() {
        assert_eq!(portrait(&World::default(), "job"), "gone");
    }

    #[rstest]
    #[case::nobody_has_looked_at_it(json!({}), "")]
    #[case::it_waits(json!({"startTime": "2026-01-01T00:00:00Z", "active": 0}), "started")]
    fn a_job_without_anything(#[case] status: Value, #[case] expected: &str) {
        let job = json!({"metadata": {"name": "job", "uid": "u"}, "status": status});
        assert_eq!(portrait(&world(vec![Fact::there::<Job>(Seen::new(job).unwrap())]), "job"), expected);
    }

    #[test]
    fn a_job_is_told_by_what_is_not_nothing() {
        let long = (0..40).map(|n| (2 * n).to_string()).collect::<Vec<_>>().join(",");
        let conditions = json!([
            {"type": "Complete", "status": "False"},
            {"type": "Failed", "status": "True", "reason": "DeadlineExceeded"},
            {"type": "example.com/a", "status": "True"},
        ]);
        let status = json!({
            "conditions": conditions, "active": 0, "failed": 2, "completedIndexes": long, "failedIndexes": "7",
            "uncountedTerminatedPods": {"failed": ["one", "two"]},
        });
        let told = |reason: &str, about: &str| {
            let (kind, message) = ("Normal".to_owned(), String::new());
            Fact::Notice(Notice { kind, reason: reason.to_owned(), message, about: about.to_owned(), count: 1 })
        };
        let tracked = json!({"finalizers": ["batch.kubernetes.io/job-tracking"]});
        let facts = vec![
            Fact::there::<Job>(Seen::new(json!({"metadata": {"name": "job", "uid": "u"}, "status": status})).unwrap()),
            pod("a", &json!({}), "Running"),
            pod("b", &tracked, "Failed"),
            pod("c", &json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}), "Running"),
            told("SuccessfulCreate", "Job/job"),
            told("SuccessfulCreate", "Job/job"),
            told("Other", "Job/other"),
        ];
        let expected = "Failed(DeadlineExceeded), 1 other conditions, failed 2, \
                        completedIndexes 0,2,4,6,8,10,12,14,16,18... of 114 bytes, failedIndexes 7, 2 uncounted, \
                        1 running, 1 stopping, 1 ended and not let go, *SuccessfulCreate";
        assert_eq!(portrait(&world(facts), "job"), expected);
    }
}
