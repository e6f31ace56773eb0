//! Jobs and pods from short texts.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::ConditionKind;
use jobsworth_core::pod::{Exit, FailureCounts, Owner, Phase};
use jobsworth_core::{Condition, JobSpec, JobView, PodView, Status};
use k8s_openapi::api::batch::v1 as api;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

/// The exit code that failure policies of worlds ignore.
pub const IGNORED: i32 = 137;

pub fn start() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

pub fn ago(seconds: i64) -> Timestamp {
    start() - SignedDuration::from_secs(seconds)
}

pub fn has_met(status: &Status) -> bool {
    status.holds(ConditionKind::SuccessCriteriaMet)
}

/// A Job from words like `3 pods, 2 at a time, indexed, limit 1`.
pub fn job(text: &str) -> JobView {
    let mut spec = api::JobSpec {
        selector: Some(LabelSelector {
            match_labels: Some([("job".to_owned(), "j".to_owned())].into()),
            match_expressions: None,
        }),
        ..api::JobSpec::default()
    };
    let (mut deleting, mut generation) = (false, 1);
    for words in text.split(',').map(str::trim).filter(|words| !words.is_empty()) {
        let number = words.split_whitespace().find_map(|word| word.parse::<i32>().ok());
        let last = words.rsplit(' ').next().unwrap();
        match words {
            "indexed" => spec.completion_mode = Some("Indexed".into()),
            "unheard-of mode" => spec.completion_mode = Some("Circular".into()),
            "suspended" => spec.suspend = Some(true),
            "deleting" => deleting = true,
            "of another generation" => generation = 2,
            "restarts containers" => {
                spec.template.spec.get_or_insert_default().restart_policy = Some("OnFailure".into())
            }
            "replaces only failed" => spec.pod_replacement_policy = Some("Failed".into()),
            _ if words.ends_with("pods") => {
                (spec.completions, spec.parallelism) = (number, spec.parallelism.or(number))
            }
            _ if words.ends_with("at a time") => spec.parallelism = number,
            _ if words.starts_with("queue of") => (spec.completions, spec.parallelism) = (None, number),
            _ if words.starts_with("limit per index") => spec.backoff_limit_per_index = number,
            _ if words.starts_with("limit") => spec.backoff_limit = number,
            _ if words.starts_with("failed indexes up to") => spec.max_failed_indexes = number,
            _ if words.starts_with("deadline") => spec.active_deadline_seconds = number.map(i64::from),
            _ if words.starts_with("ttl") => spec.ttl_seconds_after_finished = number,
            _ if words.starts_with("managed by") => spec.managed_by = Some(last.to_owned()),
            _ if words.starts_with("rule:") => {
                spec.success_policy.get_or_insert_default().rules.push(success_rule(&words[5..]));
            }
            _ => spec.pod_failure_policy.get_or_insert_default().rules.push(failure_rule(words)),
        }
    }
    JobView {
        name: "j".into(),
        namespace: "n".into(),
        uid: "job".into(),
        generation,
        revision: 7,
        created: ago(1000),
        deleting,
        spec: Arc::new(JobSpec::parse(&spec).unwrap()),
        status: Status::default(),
        unreadable: None,
    }
}

/// `0-2`, `2 of any` or `2 of 0-4+6`; `+` stands for the comma.
fn success_rule(text: &str) -> api::SuccessPolicyRule {
    let (count, indexes) = match text.trim().split_once(" of ") {
        Some((count, indexes)) => (count.parse().ok(), indexes),
        None => (None, text.trim()),
    };
    let succeeded_indexes = (indexes != "any").then(|| indexes.replace('+', ","));
    api::SuccessPolicyRule { succeeded_count: count, succeeded_indexes }
}

/// `FailJob on 42`, `Ignore on not 42`, `Ignore on Disrupted`.
fn failure_rule(text: &str) -> api::PodFailurePolicyRule {
    let (action, on) = text.split_once(" on ").unwrap_or_else(|| panic!("what is `{text}`?"));
    let mut rule = api::PodFailurePolicyRule { action: action.to_owned(), ..api::PodFailurePolicyRule::default() };
    let (operator, value) = on.strip_prefix("not ").map_or(("In", on), |value| ("NotIn", value));
    match value.parse() {
        Ok(code) => {
            rule.on_exit_codes = Some(api::PodFailurePolicyOnExitCodesRequirement {
                container_name: None,
                operator: operator.to_owned(),
                values: vec![code],
            });
        }
        Err(_) => {
            let pattern =
                api::PodFailurePolicyOnPodConditionsPattern { type_: value.to_owned(), status: Some("True".into()) };
            rule.on_pod_conditions = Some(vec![pattern]);
        }
    }
    rule
}

/// A pending pod of the Job.
pub fn pod(name: &str, job: &JobView) -> PodView {
    PodView {
        uid: name.into(),
        name: name.into(),
        revision: 10,
        created: ago(500),
        deleting: false,
        tracked: true,
        owner: Some(Owner { is_job: true, name: job.name.clone(), uid: job.uid.clone() }),
        labels: [("job".into(), "j".into())].into(),
        index: None,
        failures: FailureCounts::default(),
        phase: Phase::Pending,
        ready: false,
        ready_since: None,
        assigned: false,
        restarts: 0,
        restarts_with_init: 0,
        exits: Vec::new(),
        conditions: Vec::new(),
        finished: ago(0),
    }
}

pub fn end(pod: &mut PodView, code: i32) {
    (pod.ready, pod.ready_since) = (false, None);
    pod.phase = if code == 0 { Phase::Succeeded } else { Phase::Failed };
    if code != 0 {
        pod.exits = vec![Exit { container: "main".into(), code }];
    }
}

/// Pods from words like `0 runs, 1 ok, 1 exits 42 after 2, - stops`: the first word is the index.
pub fn pods(text: &str, job: &JobView) -> Vec<PodView> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.enumerate().map(|(at, words)| one_pod(&format!("p{at}"), words, job)).collect()
}

fn one_pod(name: &str, text: &str, job: &JobView) -> PodView {
    let mut pod = pod(name, job);
    let mut words = text.split_whitespace();
    let index = words.next().and_then(|word| word.parse().ok());
    pod.index = index.filter(|_| job.spec.is_indexed());
    let number = |words: &mut std::str::SplitWhitespace<'_>| words.next().unwrap().parse::<i64>().unwrap();
    let run = |pod: &mut PodView| (pod.phase, pod.assigned) = (Phase::Running, true);
    while let Some(word) = words.next() {
        match word {
            "pending" => {}
            "runs" => run(&mut pod),
            "ready" => {
                run(&mut pod);
                (pod.ready, pod.ready_since) = (true, Some(ago(60)));
            }
            "ok" => end(&mut pod, 0),
            "fails" => end(&mut pod, 1),
            "exits" => end(&mut pod, i32::try_from(number(&mut words)).unwrap()),
            "stops" => {
                run(&mut pod);
                pod.deleting = true;
            }
            "deleted" => pod.deleting = true,
            "untracked" => pod.tracked = false,
            "orphan" => (pod.owner, pod.tracked) = (None, false),
            "stranger" => pod.labels = [("job".into(), "other".into())].into(),
            "disrupted" => pod.conditions = vec![("Disrupted".into(), "True".into())],
            "after" => pod.failures.counted = u32::try_from(number(&mut words)).unwrap(),
            "ignored" => pod.failures.ignored = u32::try_from(number(&mut words)).unwrap(),
            "restarted" => {
                pod.restarts = u32::try_from(number(&mut words)).unwrap();
                pod.restarts_with_init = pod.restarts;
            }
            "born" => pod.created = ago(number(&mut words)),
            "since" => pod.finished = ago(number(&mut words)),
            other => panic!("what is a pod that `{other}`?"),
        }
    }
    pod
}

/// A status from words like `started 20, 2 succeeded, done 0-2, listed failed p1, FailureTarget X`.
pub fn status(text: &str, job: &JobView) -> Status {
    let mut status = api::JobStatus { ready: Some(0), terminating: Some(0), ..api::JobStatus::default() };
    let mut conditions: Vec<Condition> = Vec::new();
    let mut uncounted = api::UncountedTerminatedPods::default();
    let (mut started, mut ended) = (Some(ago(100)), None);
    for words in text.split(',').map(str::trim).filter(|words| !words.is_empty()) {
        let parts: Vec<&str> = words.split(' ').collect();
        let number = |at: usize| parts[at].parse::<i32>().unwrap();
        let list = |at: usize| parts[at..].iter().map(ToString::to_string).collect::<Vec<_>>();
        match parts.as_slice() {
            ["fresh"] => (started, status.ready, status.terminating) = (None, None, None),
            ["unstarted"] => started = None,
            ["started", _] => started = Some(ago(i64::from(number(1)))),
            ["ended", _] => ended = Some(ago(i64::from(number(1)))),
            [_, "active"] => status.active = Some(number(0)),
            [_, "ready"] => status.ready = Some(number(0)),
            [_, "terminating"] => status.terminating = Some(number(0)),
            [_, "succeeded"] => status.succeeded = Some(number(0)),
            [_, "failed"] => status.failed = Some(number(0)),
            ["done", indexes] => {
                status.completed_indexes = Some(indexes.replace('+', ","));
                status.succeeded = status.succeeded.or(Some(1));
            }
            ["lost"] => status.failed_indexes = Some(String::new()),
            ["lost", indexes] => status.failed_indexes = Some(indexes.replace('+', ",")),
            ["listed", "succeeded", ..] => uncounted.succeeded = Some(list(2)),
            ["listed", "failed", ..] => uncounted.failed = Some(list(2)),
            [kind, rest @ ..] => {
                let kind = ConditionKind::ALL.into_iter().find(|known| known.as_str() == *kind).unwrap();
                let value = rest.first().copied().filter(|value| ["False", "True"].contains(value)).unwrap_or("True");
                let reason = rest.last().copied().filter(|reason| *reason != value).unwrap_or("Because");
                conditions.push(Condition::new(kind, value, reason, "so it is", ended.unwrap_or_else(|| ago(50))));
            }
            [] => {}
        }
    }
    status.uncounted_terminated_pods = Some(uncounted);
    let mut status = Status::parse(&status, job.spec.indexes_below());
    if job.spec.is_indexed() {
        status.succeeded = u32::try_from(status.completed.len()).unwrap();
    }
    (status.conditions, status.start_time) = (conditions, started);
    status
}
