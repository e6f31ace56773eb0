//! Words about a Job.

use super::last_write;
use crate::{predicate::Predicate, success_rule::first_met, world::World};
use std::collections::BTreeSet;

use jobsworth_api::ConditionKind;
use k8s_openapi::api::batch::v1::{Job, JobCondition, JobStatus};

/// A Job of the case, by name.
#[derive(Clone, Debug)]
pub struct JobWord {
    name: String,
}

/// A condition that is True, perhaps for a certain reason.
#[derive(Clone, Debug)]
pub struct ConditionWord {
    kind: ConditionKind,
    status: &'static str,
    reason: Option<&'static str>,
    message: Option<Message>,
}

/// What a condition's message must be.
#[derive(Clone, Debug)]
enum Message {
    Exactly(String),
    Like(&'static str),
}

/// The Job of the case: the one that drafts are named after unless they say otherwise.
#[must_use]
pub fn job() -> JobWord {
    job_named("job")
}

/// A Job by name, for cases with more than one.
#[must_use]
pub fn job_named(name: &str) -> JobWord {
    JobWord { name: name.to_owned() }
}

/// Gives condition kinds their words: `Complete.because("SuccessPolicy")`.
pub trait ConditionWords {
    /// The condition is True for this reason.
    fn because(self, reason: &'static str) -> ConditionWord;
    /// The condition is there, with status False.
    #[expect(clippy::wrong_self_convention, reason = "kinds are copied; it reads `Suspended.is_false()` in claims")]
    fn is_false(self) -> ConditionWord;
}

impl ConditionWords for ConditionKind {
    fn because(self, reason: &'static str) -> ConditionWord {
        ConditionWord { reason: Some(reason), ..self.into() }
    }

    fn is_false(self) -> ConditionWord {
        ConditionWord { status: "False", ..self.into() }
    }
}

impl From<ConditionKind> for ConditionWord {
    fn from(kind: ConditionKind) -> Self {
        Self { kind, status: "True", reason: None, message: None }
    }
}

impl ConditionWord {
    /// The condition also has this message.
    #[must_use]
    pub fn saying(self, message: impl Into<String>) -> Self {
        Self { message: Some(Message::Exactly(message.into())), ..self }
    }

    /// The condition also has a message like this one, where `*` stands for any text: for messages that
    /// name pods.
    #[must_use]
    pub fn saying_like(self, pattern: &'static str) -> Self {
        Self { message: Some(Message::Like(pattern)), ..self }
    }

    /// The condition also has this reason.
    #[must_use]
    pub fn because(self, reason: &'static str) -> Self {
        Self { reason: Some(reason), ..self }
    }

    fn words(&self) -> String {
        let reason = self.reason.map(|reason| format!(" because {reason}")).unwrap_or_default();
        let message = self.message.as_ref().map(|message| format!(" saying “{message}”")).unwrap_or_default();
        format!("{}={}{reason}{message}", self.kind, self.status)
    }

    fn is(&self, condition: &JobCondition) -> bool {
        condition.type_ == self.kind.as_str()
            && condition.status == self.status
            && self.reason.is_none_or(|reason| condition.reason.as_deref().unwrap_or("") == reason)
            && self.message.as_ref().is_none_or(|message| message.is(condition.message.as_deref().unwrap_or("")))
    }
}

impl Message {
    fn is(&self, text: &str) -> bool {
        match self {
            Self::Exactly(wanted) => text == wanted,
            Self::Like(pattern) => is_like(pattern, text),
        }
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exactly(text) => f.write_str(text),
            Self::Like(pattern) => f.write_str(pattern),
        }
    }
}

/// Whether `text` is `pattern` with any text in place of each `*`.
fn is_like(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(tail) = text.strip_prefix(first) else { return false };
    tail.char_indices().map(|(at, _)| at).chain([tail.len()]).any(|at| is_like(rest, &tail[at..]))
}

impl JobWord {
    /// The Job has this condition.
    pub fn has(&self, condition: impl Into<ConditionWord>) -> Predicate {
        let condition = condition.into();
        self.status(format!("has {}", condition.words()), move |status| {
            status.conditions.iter().flatten().any(|seen| condition.is(seen))
        })
    }

    /// The Job has this condition, and not for `reason`.
    #[must_use]
    pub fn has_for_another_reason(&self, kind: ConditionKind, reason: &'static str) -> Predicate {
        let is = ConditionWord::from(kind);
        self.status(format!("has {} for another reason than {reason}", is.words()), move |status| {
            let mut conditions = status.conditions.iter().flatten();
            conditions.any(|seen| is.is(seen) && seen.reason.as_deref() != Some(reason))
        })
    }

    /// The Job is complete or failed.
    #[must_use]
    pub fn is_finished(&self) -> Predicate {
        self.has(ConditionKind::Complete)
            .or(self.has(ConditionKind::Failed))
            .named(format!("{} is finished", self.name))
    }

    /// There is no Job of this name (any more).
    #[must_use]
    pub fn is_gone(&self) -> Predicate {
        let name = self.name.clone();
        Predicate::new(format!("{} is gone", self.name), move |world| world.job(&name).is_none())
    }

    /// The Job exists.
    #[must_use]
    pub fn exists(&self) -> Predicate {
        self.object("exists".to_owned(), |_| true)
    }

    /// The Job has a deletion timestamp.
    #[must_use]
    pub fn is_deleting(&self) -> Predicate {
        self.object("is being deleted".to_owned(), |job| job.metadata.deletion_timestamp.is_some())
    }

    /// The Job has a deletion timestamp that lies `seconds` or more after its end.
    #[must_use]
    pub fn is_deleted_past_its_end_by(&self, seconds: i64) -> Predicate {
        self.object(format!("is deleted {seconds} s or more after its end"), move |job| {
            let deleted = job.metadata.deletion_timestamp.as_ref().map(|time| time.0);
            let conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
            let mut ends =
                conditions.filter(|c| c.status == "True" && matches!(c.type_.as_str(), "Complete" | "Failed"));
            let end = ends.find_map(|condition| condition.last_transition_time.as_ref()).map(|time| time.0);
            deleted.zip(end).is_some_and(|(deleted, end)| deleted.duration_since(end).as_secs() >= seconds)
        })
    }

    /// The condition is True, and became so `seconds` or more after `status.startTime`.
    #[must_use]
    pub fn has_past_its_start_by(&self, kind: ConditionKind, seconds: i64) -> Predicate {
        self.status(format!("has {kind} {seconds} s or more after its start"), move |status| {
            let mut conditions = status.conditions.iter().flatten();
            let found = conditions.find(|condition| condition.type_ == kind.as_str() && condition.status == "True");
            let at = found.and_then(|condition| condition.last_transition_time.as_ref()).map(|time| time.0);
            let start = status.start_time.as_ref().map(|time| time.0);
            at.zip(start).is_some_and(|(at, start)| at.duration_since(start).as_secs() >= seconds)
        })
    }

    /// `status.completionTime` lies `seconds` or more after `SuccessCriteriaMet` became True.
    #[must_use]
    pub fn completed_past_its_decision_by(&self, seconds: i64) -> Predicate {
        let kind = ConditionKind::SuccessCriteriaMet;
        self.status(format!("has a completion time {seconds} s or more after {kind}"), move |status| {
            let mut conditions = status.conditions.iter().flatten();
            let met = conditions.find(|condition| condition.type_ == kind.as_str() && condition.status == "True");
            let met = met.and_then(|condition| condition.last_transition_time.as_ref()).map(|time| time.0);
            let end = status.completion_time.as_ref().map(|time| time.0);
            end.zip(met).is_some_and(|(end, met)| end.duration_since(met).as_secs() >= seconds)
        })
    }

    /// Every condition has both of its times, `lastProbeTime` and `lastTransitionTime`, and they are the same.
    #[must_use]
    pub fn dates_its_conditions(&self) -> Predicate {
        self.status("has both times in every condition, alike".to_owned(), |status| {
            let mut conditions = status.conditions.iter().flatten();
            conditions.all(|it| it.last_probe_time.is_some() && it.last_probe_time == it.last_transition_time)
        })
    }

    /// The condition is True, and became so when the deadline that the Job has was over, counted from `status.startTime`.
    #[must_use]
    pub fn has_past_its_deadline(&self, kind: ConditionKind) -> Predicate {
        self.object(format!("has {kind} when its deadline was over"), move |job| {
            let mut conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
            let found = conditions.find(|condition| condition.type_ == kind.as_str() && condition.status == "True");
            let at = found.and_then(|condition| condition.last_transition_time.as_ref()).map(|time| time.0);
            let start = job.status.as_ref().and_then(|status| status.start_time.as_ref()).map(|time| time.0);
            let deadline = job.spec.as_ref().and_then(|spec| spec.active_deadline_seconds);
            at.zip(start).zip(deadline).is_some_and(|((at, start), all)| at.duration_since(start).as_secs() >= all)
        })
    }

    /// The condition is True, and became so `seconds` or less after the spec was last written. How late either was heard of does
    /// not matter.
    #[must_use]
    pub fn has_since_its_spec_within(&self, kind: ConditionKind, seconds: i64) -> Predicate {
        self.object(format!("has {kind} {seconds} s or less after its spec was written"), move |job| {
            let mut conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
            let found = conditions.find(|condition| condition.type_ == kind.as_str() && condition.status == "True");
            let at = found.and_then(|condition| condition.last_transition_time.as_ref()).map(|time| time.0);
            let written = last_write(&job.metadata, None);
            at.zip(written).is_some_and(|(at, written)| at.duration_since(written).as_secs() <= seconds)
        })
    }

    /// The Job is complete since a time that was still to come when that was written.
    #[must_use]
    pub fn completes_later_than_written(&self) -> Predicate {
        self.object("is complete from a time that is still to come".to_owned(), |job| {
            let completed = job.status.as_ref().and_then(|status| status.completion_time.as_ref()).map(|time| time.0);
            completed.zip(last_write(&job.metadata, Some("status"))).is_some_and(|(completed, told)| told < completed)
        })
    }

    /// `status.startTime` is set.
    #[must_use]
    pub fn has_started(&self) -> Predicate {
        self.status("has a start time".to_owned(), |status| status.start_time.is_some())
    }

    /// `status.active` is `n`.
    #[must_use]
    pub fn active(&self, n: i32) -> Predicate {
        self.status(format!("has active {n}"), move |status| status.active.unwrap_or(0) == n)
    }

    /// `status.ready` is `n`.
    #[must_use]
    pub fn ready(&self, n: i32) -> Predicate {
        self.status(format!("has ready {n}"), move |status| status.ready.unwrap_or(0) == n)
    }

    /// `status.terminating` is `n`.
    #[must_use]
    pub fn terminating(&self, n: i32) -> Predicate {
        self.status(format!("has terminating {n}"), move |status| status.terminating.unwrap_or(0) == n)
    }

    /// `status.succeeded` is `n`.
    #[must_use]
    pub fn succeeded(&self, n: i32) -> Predicate {
        self.status(format!("has succeeded {n}"), move |status| status.succeeded.unwrap_or(0) == n)
    }

    /// `status.failed` is `n`.
    #[must_use]
    pub fn failed(&self, n: i32) -> Predicate {
        self.status(format!("has failed {n}"), move |status| status.failed.unwrap_or(0) == n)
    }

    /// `status.failed` is `n` or more.
    #[must_use]
    pub fn failed_at_least(&self, n: i32) -> Predicate {
        self.status(format!("has failed {n} or more"), move |status| status.failed.unwrap_or(0) >= n)
    }

    /// `status.completedIndexes` reads exactly so.
    #[must_use]
    pub fn completed_indexes(&self, text: &'static str) -> Predicate {
        self.status(format!("has completedIndexes \"{text}\""), move |status| {
            status.completed_indexes.as_deref().unwrap_or("") == text
        })
    }

    /// `status.failedIndexes` reads exactly so; it must be there.
    #[must_use]
    pub fn failed_indexes(&self, text: &'static str) -> Predicate {
        self.status(format!("has failedIndexes \"{text}\""), move |status| {
            status.failed_indexes.as_deref() == Some(text)
        })
    }

    /// So many managers or more have written to the status, as `metadata.managedFields` has it.
    #[must_use]
    pub fn has_writers_of_status(&self, n: usize) -> Predicate {
        self.object(format!("has {n} or more writers of its status"), move |job| {
            let entries = job.metadata.managed_fields.iter().flatten();
            let writers = entries.filter(|entry| entry.subresource.as_deref() == Some("status"));
            let names: BTreeSet<&str> = writers.filter_map(|entry| entry.manager.as_deref()).collect();
            names.len() >= n
        })
    }

    /// The indexes that it has completed satisfy a rule of its success policy (SUC-001 to SUC-005).
    #[must_use]
    pub fn meets_its_success_policy(&self) -> Predicate {
        self.object("meets its success policy".to_owned(), |job| {
            let policy = job.spec.as_ref().and_then(|spec| spec.success_policy.as_ref());
            policy.is_some_and(|policy| first_met(policy, job).is_some())
        })
    }

    /// Any other question about the status, in the case's own words.
    pub fn status(&self, words: String, ask: impl Fn(&JobStatus) -> bool + Send + Sync + 'static) -> Predicate {
        self.object(words, move |job| job.status.as_ref().is_some_and(&ask))
    }

    /// Any other question about the Job, in the case's own words.
    pub fn object(&self, words: String, ask: impl Fn(&Job) -> bool + Send + Sync + 'static) -> Predicate {
        let name = self.name.clone();
        Predicate::new(format!("{} {words}", self.name), move |world: &World| {
            world.job(&name).is_some_and(|job| ask(job))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{is_like, job};
    use crate::{Seen, fact::Fact, world::World};
    use jobsworth_api::ConditionKind::FailureTarget;
    use k8s_openapi::api::batch::v1::Job;
    use rstest::rstest;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn world(deleted: Value, status: Value) -> World {
        let mut object = json!({"metadata": {"name": "job", "uid": "u"}, "status": status});
        object["metadata"]["deletionTimestamp"] = deleted;
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::there::<Job>(Seen::new(object).unwrap()));
        world
    }

    fn condition(kind: &str, at: &str) -> Value {
        json!({"type": kind, "status": "True", "lastTransitionTime": at})
    }

    #[rstest]
    #[case::to_the_second(json!("2026-01-01T00:00:07Z"), "Complete", true)]
    #[case::a_failure_is_an_end(json!("2026-01-01T00:00:07Z"), "Failed", true)]
    #[case::too_soon(json!("2026-01-01T00:00:06Z"), "Complete", false)]
    #[case::an_interim_condition_is_no_end(json!("2026-01-01T00:00:07Z"), "FailureTarget", false)]
    #[case::not_deleted(Value::Null, "Complete", false)]
    fn a_deletion_two_seconds_past_the_end(#[case] deleted: Value, #[case] kind: &str, #[case] holds: bool) {
        let status = json!({"conditions": [condition(kind, "2026-01-01T00:00:05Z")]});
        assert_eq!(job().is_deleted_past_its_end_by(2).holds(&world(deleted, status)), holds);
    }

    #[rstest]
    #[case::to_the_second("2026-01-01T00:00:03Z", true)]
    #[case::too_soon("2026-01-01T00:00:04Z", false)]
    fn a_decision_two_seconds_past_the_start(#[case] start: &str, #[case] holds: bool) {
        let status = json!({"startTime": start, "conditions": [condition("FailureTarget", "2026-01-01T00:00:05Z")]});
        assert_eq!(job().has_past_its_start_by(FailureTarget, 2).holds(&world(Value::Null, status)), holds);
    }

    #[rstest]
    #[case::to_the_second("SuccessCriteriaMet", "2026-01-01T00:00:07Z", true)]
    #[case::too_soon("SuccessCriteriaMet", "2026-01-01T00:00:06Z", false)]
    #[case::nothing_was_decided("Complete", "2026-01-01T00:00:07Z", false)]
    fn a_completion_two_seconds_past_the_decision(#[case] kind: &str, #[case] end: &str, #[case] holds: bool) {
        let status = json!({"completionTime": end, "conditions": [condition(kind, "2026-01-01T00:00:05Z")]});
        assert_eq!(job().completed_past_its_decision_by(2).holds(&world(Value::Null, status)), holds);
    }

    #[rstest]
    #[case::alike(json!("2026-01-01T00:00:05Z"), true)]
    #[case::not_alike(json!("2026-01-01T00:00:06Z"), false)]
    #[case::one_is_missing(Value::Null, false)]
    fn the_times_of_a_condition(#[case] probe: Value, #[case] holds: bool) {
        let mut complete = condition("Complete", "2026-01-01T00:00:05Z");
        complete["lastProbeTime"] = probe;
        let status = json!({"conditions": [complete]});
        assert_eq!(job().dates_its_conditions().holds(&world(Value::Null, status)), holds);
    }

    #[rstest]
    #[case::it_has_that_reason("FailureTarget", "One", false)]
    #[case::it_has_another("FailureTarget", "Other", true)]
    #[case::another_condition_has_another("Failed", "Other", false)]
    fn a_reason_that_is_not_the_one(#[case] kind: &str, #[case] reason: &str, #[case] holds: bool) {
        let status = json!({"conditions": [{"type": kind, "status": "True", "reason": reason}]});
        assert_eq!(job().has_for_another_reason(FailureTarget, "One").holds(&world(Value::Null, status)), holds);
    }

    #[rstest]
    #[case::to_the_second(json!(2), true)]
    #[case::too_soon(json!(3), false)]
    #[case::there_is_none(Value::Null, false)]
    fn a_decision_past_the_deadline(#[case] deadline: Value, #[case] holds: bool) {
        let conditions = [condition("FailureTarget", "2026-01-01T00:00:05Z")];
        let object = json!({
            "metadata": {"name": "job", "uid": "u"},
            "spec": {"activeDeadlineSeconds": deadline, "template": {}},
            "status": {"startTime": "2026-01-01T00:00:03Z", "conditions": conditions},
        });
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::there::<Job>(Seen::new(object).unwrap()));
        assert_eq!(job().has_past_its_deadline(FailureTarget).holds(&world), holds);
    }

    fn written(part: Option<&str>, at: &str, status: Value) -> World {
        let object = json!({"metadata": {"name": "job", "uid": "u", "managedFields": [
            {"manager": "m", "subresource": part, "time": at}]}, "status": status});
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::there::<Job>(Seen::new(object).unwrap()));
        world
    }

    #[rstest]
    #[case::to_the_second("2026-01-01T00:00:03Z", true)]
    #[case::too_late("2026-01-01T00:00:02Z", false)]
    fn a_decision_two_seconds_after_the_spec(#[case] spec: &str, #[case] holds: bool) {
        let world = written(None, spec, json!({"conditions": [condition("FailureTarget", "2026-01-01T00:00:05Z")]}));
        assert_eq!(job().has_since_its_spec_within(FailureTarget, 2).holds(&world), holds);
    }

    #[rstest]
    #[case::it_was("2026-01-01T00:00:04Z", true)]
    #[case::it_had_come("2026-01-01T00:00:05Z", false)]
    fn an_end_that_was_still_to_come(#[case] told: &str, #[case] holds: bool) {
        let world = written(Some("status"), told, json!({"completionTime": "2026-01-01T00:00:05Z"}));
        assert_eq!(job().completes_later_than_written().holds(&world), holds);
    }

    #[test]
    fn without_a_start_nothing_lies_past_it() {
        let status = json!({"conditions": [condition("FailureTarget", "2026-01-01T00:00:05Z")]});
        assert!(!job().has_past_its_start_by(FailureTarget, 0).holds(&world(Value::Null, status)));
    }

    #[rstest]
    #[case::without_a_star_it_is_the_text("as it is", "as it is", true)]
    #[case::no_more_and_no_less("as it is", "as it is.", false)]
    #[case::a_star_is_any_text("pod */job-1-* failed", "pod space/job-1-x8k2c failed", true)]
    #[case::also_none("a*b", "ab", true)]
    #[case::what_stands_between_is_kept("pod */job-1-* failed", "pod space/job-2-x8k2c failed", false)]
    #[case::to_the_end("a*b", "a to b and on", false)]
    fn a_pattern(#[case] pattern: &str, #[case] text: &str, #[case] like: bool) {
        assert_eq!(is_like(pattern, text), like);
    }
}
