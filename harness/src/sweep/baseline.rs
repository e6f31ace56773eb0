//! What a case does where nothing happens to it, read from its timeline.

use jobsworth_api::{ConditionKind, Resource};
use jobsworth_oracle::{Ending, ObjectHistory, Timeline, recorded::volcano};
use k8s_openapi::api::batch::v1::Job;
use std::collections::BTreeMap;

/// Phases in which a Volcano Job stays for good (VJ-182). An Aborted one can be resumed.
const FINISHED: [&str; 3] = ["Completed", "Failed", "Terminated"];

/// A case without faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// Verb and resource of each write of the controller, in the order in which they came; Events and Leases are left out.
    pub writes: Vec<String>,
    /// How its Jobs ended, by name: those of the API that is judged.
    pub ends: BTreeMap<String, End>,
}

/// How a Job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this condition.
    With(ConditionKind),
    /// In this phase, as Volcano's Jobs do.
    In(&'static str),
    /// It is gone.
    Gone,
}

impl Baseline {
    /// What a timeline shows; nothing where the script did not come to its end.
    #[must_use]
    pub fn of(timeline: &Timeline) -> Option<Self> {
        if timeline.ending != Ending::Complete {
            return None;
        }
        let mut writes: Vec<_> = timeline.requests().map(|(_, request)| request).collect();
        writes.retain(|request| request.writes() && !matches!(request.on.as_str(), "events" | "leases"));
        writes.sort_by_key(|request| request.sent_us);
        let ends = match timeline.setting.is_about(&Resource::VOLCANO_JOBS) {
            true => ends(&timeline.histories::<volcano::Job>(), phase),
            false => ends(&timeline.jobs(), condition),
        };
        let words = writes.iter().map(|request| format!("{} {}", request.verb, request.on)).collect();
        Some(Self { writes: words, ends })
    }
}

fn ends<K>(jobs: &[ObjectHistory<K>], end_of: impl Fn(&K) -> Option<End>) -> BTreeMap<String, End> {
    let named = |job: &ObjectHistory<K>| {
        let end = if job.gone.is_some() { Some(End::Gone) } else { end_of(&job.last().object) };
        end.map(|end| (job.name.clone(), end))
    };
    jobs.iter().filter_map(named).collect()
}

fn condition(job: &Job) -> Option<End> {
    let is = |kind: &ConditionKind| {
        let mut conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
        conditions.any(|held| held.status == "True" && held.type_ == kind.as_str())
    };
    [ConditionKind::Complete, ConditionKind::Failed].into_iter().find(is).map(End::With)
}

fn phase(job: &volcano::Job) -> Option<End> {
    FINISHED.into_iter().find(|phase| *phase == job.phase()).map(End::In)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cluster::subject_kind::JobApi, sweep::sample};
    use rstest::rstest;
    use serde_json::{Value, json};

    fn in_phase(phase: &str) -> Value {
        json!({"state": {"phase": phase}})
    }

    fn with(condition: &str) -> Value {
        json!({"conditions": [{"type": condition, "status": "True"}]})
    }

    #[rstest]
    #[case::a_job_completes(JobApi::Batch, with("Complete"), Some(End::With(ConditionKind::Complete)))]
    #[case::a_job_fails(JobApi::Batch, with("Failed"), Some(End::With(ConditionKind::Failed)))]
    #[case::a_job_is_about_to_fail(JobApi::Batch, with("FailureTarget"), None)]
    #[case::a_volcano_job_completes(JobApi::Volcano, in_phase("Completed"), Some(End::In("Completed")))]
    #[case::a_volcano_job_fails(JobApi::Volcano, in_phase("Failed"), Some(End::In("Failed")))]
    #[case::a_volcano_job_is_terminated(JobApi::Volcano, in_phase("Terminated"), Some(End::In("Terminated")))]
    #[case::a_volcano_job_can_be_resumed(JobApi::Volcano, in_phase("Aborted"), None)]
    #[case::a_volcano_job_runs(JobApi::Volcano, in_phase("Running"), None)]
    fn how_a_job_ends(#[case] api: JobApi, #[case] status: Value, #[case] end: Option<End>) {
        let found = |is_gone| Baseline::of(&sample::timeline(api, vec![sample::job(api, &status, is_gone)])).unwrap();
        assert_eq!(found(false).ends.get("job").copied(), end);
        assert_eq!(found(true).ends.get("job"), Some(&End::Gone), "a Job that went ended so, whatever it was before");
    }
}
