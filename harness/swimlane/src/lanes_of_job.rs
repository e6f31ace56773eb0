//! The lanes of one Job: itself, its conditions, the numbers and index lists of its status.

use crate::{
    lane::{Lane, LaneKind, Sign, Tone},
    plain,
    step::Step,
};
use k8s_openapi::api::batch::v1::{Job, JobSpec, JobStatus, SuccessPolicy, SuccessPolicyRule};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// Conditions that say how a Job ends, and how they are drawn.
const ENDS: [(&str, Tone); 4] =
    [("SuccessCriteriaMet", Tone::Good), ("Complete", Tone::Good), ("FailureTarget", Tone::Bad), ("Failed", Tone::Bad)];

/// What the API server fills in for `backoffLimit`.
const UNLESS_SAID: i32 = 6;

pub(crate) struct JobLanes {
    pub uid: String,
    own: Lane,
    conditions: Vec<(String, Lane)>,
    counters: Vec<(&'static str, Lane)>,
}

impl JobLanes {
    pub fn new(uid: &str, name: &str) -> Self {
        let own = Lane::new(LaneKind::Job, format!("Job {name}"), uid);
        Self { uid: uid.to_owned(), own, conditions: Vec::new(), counters: Vec::new() }
    }

    pub fn take(&mut self, step: &Step<'_>, job: &Job) {
        let Step { number, at, is_gone, .. } = *step;
        self.own.point(at, if is_gone { Sign::Gone } else { Sign::Dot }, number);
        if is_gone {
            let others = self.conditions.iter_mut().map(|(_, lane)| lane);
            let others = others.chain(self.counters.iter_mut().map(|(_, lane)| lane));
            others.chain([&mut self.own]).for_each(|lane| lane.set(at, None, number));
            return;
        }
        self.own.set(at, Some(itself(job)), number);
        if let Some(status) = &job.status {
            self.conditions(step, status);
            self.counters(step, status);
        }
    }

    fn conditions(&mut self, step: &Step<'_>, status: &JobStatus) {
        let found = status.conditions.as_deref().unwrap_or_default();
        for condition in found {
            let kind = plain::shown(&condition.type_, 60);
            if !self.conditions.iter().any(|(known, _)| *known == kind) {
                let lane = Lane::new(LaneKind::Condition, kind.clone(), &self.uid);
                self.conditions.push((kind, lane));
            }
        }
        for (kind, lane) in &mut self.conditions {
            let condition = found.iter().find(|condition| plain::shown(&condition.type_, 60) == *kind);
            let state = condition.map(|condition| match condition.status.as_str() {
                "True" => {
                    let tone = ENDS.iter().find(|(end, _)| end == kind).map_or(Tone::Waiting, |(_, tone)| *tone);
                    let reason = condition.reason.as_deref().filter(|reason| !reason.is_empty());
                    (tone, plain::shown(reason.unwrap_or("True"), 60))
                }
                other => (Tone::Plain, plain::shown(other, 20)),
            });
            lane.set(step.at, state, step.number);
        }
    }

    fn counters(&mut self, step: &Step<'_>, status: &JobStatus) {
        let waiting = status
            .uncounted_terminated_pods
            .as_ref()
            .map(|pods| pods.succeeded.as_ref().map_or(0, Vec::len) + pods.failed.as_ref().map_or(0, Vec::len));
        let number = |value: Option<i32>| value.filter(|value| *value != 0).map(|value| value.to_string());
        // A list of one index looks like a number.
        let list =
            |value: &Option<String>| value.as_deref().filter(|text| !text.is_empty()).map(|text| format!("{{{text}}}"));
        let time = |value: &Option<Time>| value.as_ref().map(|time| time.0.strftime("%H:%M:%S").to_string());
        let uncounted = waiting.filter(|number| *number > 0).map(|number| number.to_string());
        let values = [
            ("startTime", Tone::Plain, time(&status.start_time)),
            ("active", Tone::Running, number(status.active)),
            ("ready", Tone::Running, number(status.ready)),
            ("terminating", Tone::Leaving, number(status.terminating)),
            ("uncounted", Tone::Waiting, uncounted),
            ("succeeded", Tone::Good, number(status.succeeded)),
            ("failed", Tone::Bad, number(status.failed)),
            ("completedIndexes", Tone::Good, list(&status.completed_indexes)),
            ("failedIndexes", Tone::Bad, list(&status.failed_indexes)),
            ("completionTime", Tone::Plain, time(&status.completion_time)),
        ];
        for (name, tone, value) in values {
            let state = value.map(|value| (tone, plain::shown(&value, 60)));
            if let Some((_, lane)) = self.counters.iter_mut().find(|(known, _)| *known == name) {
                lane.set(step.at, state, step.number);
            } else if state.is_some() {
                let mut lane = Lane::new(LaneKind::Counter, name, &self.uid);
                lane.set(step.at, state, step.number);
                self.counters.push((name, lane));
            }
        }
    }

    /// In the order of the picture: what it is, how it ends, its numbers.
    pub fn finish(self) -> impl Iterator<Item = Lane> {
        let conditions = self.conditions.into_iter().map(|(_, lane)| lane);
        let mut counters: Vec<Lane> = self.counters.into_iter().map(|(_, lane)| lane).collect();
        counters.sort_by_key(|lane| ORDER.iter().position(|name| *name == lane.name));
        std::iter::once(self.own).chain(conditions).chain(counters)
    }
}

const ORDER: [&str; 10] = [
    "startTime",
    "active",
    "ready",
    "terminating",
    "uncounted",
    "succeeded",
    "failed",
    "completedIndexes",
    "failedIndexes",
    "completionTime",
];

fn itself(job: &Job) -> (Tone, String) {
    let spec = job.spec.as_ref();
    let is_suspended = spec.and_then(|spec| spec.suspend).unwrap_or(false);
    let asked = spec.map(asked).unwrap_or_default();
    match (job.metadata.deletion_timestamp.is_some(), is_suspended) {
        (true, _) => (Tone::Leaving, "being deleted".to_owned()),
        (false, true) => (Tone::Waiting, format!("suspended, {asked}")),
        (false, false) => (Tone::Plain, asked),
    }
}

/// What its spec asks for: without it nobody sees whether two pods are too many. What is as by default is left out.
fn asked(spec: &JobSpec) -> String {
    let number = |name: &str, value: Option<i32>| value.map(|value| format!("{name} {value}"));
    let word = |name: &str, is_so: bool| is_so.then(|| name.to_owned());
    let parts = [
        word("Indexed", spec.completion_mode.as_deref() == Some("Indexed")),
        Some(number("completions", spec.completions).unwrap_or_else(|| "no completions".to_owned())),
        number("parallelism", spec.parallelism),
        number("backoffLimit", spec.backoff_limit.filter(|limit| *limit != UNLESS_SAID)),
        number("backoffLimitPerIndex", spec.backoff_limit_per_index),
        number("maxFailedIndexes", spec.max_failed_indexes),
        spec.active_deadline_seconds.map(|seconds| format!("deadline {seconds} s")),
        spec.ttl_seconds_after_finished.map(|seconds| format!("TTL {seconds} s")),
        spec.success_policy.as_ref().map(|policy| format!("success by {}", plain::shown(&rules(policy), 60))),
        word("podFailurePolicy", spec.pod_failure_policy.is_some()),
        word("replaces only failed pods", spec.pod_replacement_policy.as_deref() == Some("Failed")),
        spec.managed_by.as_ref().map(|manager| format!("managed by {}", plain::shown(manager, 40))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What meets a success policy.
fn rules(policy: &SuccessPolicy) -> String {
    let rule = |rule: &SuccessPolicyRule| match (rule.succeeded_count, &rule.succeeded_indexes) {
        (None, Some(indexes)) => format!("all of {{{indexes}}}"),
        (Some(count), Some(indexes)) => format!("{count} of {{{indexes}}}"),
        (Some(count), None) => format!("{count} indexes"),
        (None, None) => "nothing".to_owned(),
    };
    policy.rules.iter().map(rule).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::{Value, json};

    #[rstest]
    #[case::little(json!({"completions": 1, "parallelism": 1, "backoffLimit": 6}), "completions 1, parallelism 1")]
    #[case::a_work_queue(json!({"parallelism": 3}), "no completions, parallelism 3")]
    #[case::indexes(
        json!({"completionMode": "Indexed", "completions": 5, "parallelism": 2, "backoffLimitPerIndex": 1, "maxFailedIndexes": 2}),
        "Indexed, completions 5, parallelism 2, backoffLimitPerIndex 1, maxFailedIndexes 2"
    )]
    #[case::times(
        json!({"completions": 1, "parallelism": 1, "backoffLimit": 0, "activeDeadlineSeconds": 4, "ttlSecondsAfterFinished": 0}),
        "completions 1, parallelism 1, backoffLimit 0, deadline 4 s, TTL 0 s"
    )]
    #[case::a_success_policy(
        json!({"completionMode": "Indexed", "completions": 3, "parallelism": 3, "successPolicy": {"rules": [
            {"succeededIndexes": "0"}, {"succeededCount": 2, "succeededIndexes": "1-2"}, {"succeededCount": 3}
        ]}}),
        "Indexed, completions 3, parallelism 3, success by all of {0} or 2 of {1-2} or 3 indexes"
    )]
    #[case::a_rest(json!({"suspend": true, "completions": 1, "parallelism": 1}), "suspended, completions 1, parallelism 1")]
    fn a_job_says_what_it_asks_for(#[case] spec: Value, #[case] says: &str) {
        let mut spec = spec;
        spec["template"] = json!({});
        let job: Job = serde_json::from_value(json!({"metadata": {"name": "job"}, "spec": spec})).expect("a Job");
        assert_eq!(itself(&job).1, says);
    }
}
