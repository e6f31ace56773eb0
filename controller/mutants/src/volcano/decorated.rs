//! The Volcano core with a bug around it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_volcano::controller::parts::Decide;
use jobsworth_volcano_api::Job;
use jobsworth_volcano_core::{Awaiting, Decision, Limits, Memory, Outcome, Snapshot};

use super::{Bug, Look};
use crate::Notes;

/// Decides as the core does, but for what the bug changes.
pub struct DecoratedCore {
    bug: Arc<dyn Bug>,
    /// What the sync that is under way saw, by the job's UID.
    looks: Notes<BTreeMap<String, Arc<Look>>>,
}

impl DecoratedCore {
    /// With this bug.
    #[must_use]
    pub fn new(bug: Arc<dyn Bug>) -> Self {
        Self { bug, looks: Notes::default() }
    }
}

impl fmt::Debug for DecoratedCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DecoratedCore")
    }
}

impl Decide for DecoratedCore {
    fn sync(&self, seen: &Snapshot<'_>, memory: &Memory, now: Timestamp, limits: &Limits) -> Decision {
        let mut look = Look::of(seen, memory, now, limits);
        self.bug.see(&mut look);
        let mut decision = look.decision();
        self.bug.say(&look, &mut decision);
        self.looks.open().insert(uid(seen.job), Arc::new(look));
        decision
    }

    fn after(&self, job: &Job, awaiting: Awaiting, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        let look = self.looks.open().get(&uid(job)).cloned();
        let Some(look) = look else { return awaiting.after(outcomes, now) };
        let mut outcomes = outcomes.to_vec();
        self.bug.hear(&look, &mut outcomes);
        let mut decision = awaiting.after(&outcomes, now);
        self.bug.say(&look, &mut decision);
        decision
    }
}

fn uid(job: &Job) -> String {
    job.metadata.uid.clone().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jobsworth_volcano::controller::parts::Core;
    use jobsworth_volcano_core::{Call, Profile};
    use serde_json::json;

    use super::*;
    use crate::volcano::{NoBug, Say, See};

    /// The first calls of a sync about a job that nobody has looked at yet, decided like this.
    fn calls(decide: &dyn Decide) -> Vec<Call> {
        let task = json!({"name": "a", "replicas": 1, "template": {"spec": {"containers": [{"name": "c"}]}}});
        let metadata = json!({"name": "job", "namespace": "n", "uid": "u", "resourceVersion": "7"});
        let spec = json!({"tasks": [task], "minAvailable": 1, "queue": "default", "maxRetry": 3});
        let api = "batch.volcano.sh/v1alpha1";
        let job = serde_json::from_value(json!({"apiVersion": api, "kind": "Job", "metadata": metadata, "spec": spec}));
        let (claims, priorities) = (BTreeSet::new(), BTreeMap::new());
        let seen = Snapshot {
            job: &Arc::new(job.unwrap()),
            pods: &[],
            group: None,
            queue_exists: true,
            claims: &claims,
            priorities: &priorities,
            commands: &[],
            requests: &[],
            failures: 0,
        };
        let limits = Limits::of(Profile::Strict);
        let decision = decide.sync(&seen, &Memory::default(), Timestamp::UNIX_EPOCH, &limits);
        decision.batches.into_iter().flatten().collect()
    }

    #[test]
    fn without_a_bug_it_decides_as_the_core() {
        let plain = calls(&Core);
        assert!(!plain.is_empty());
        assert_eq!(calls(&DecoratedCore::new(Arc::new(NoBug))), plain);
    }

    #[test]
    fn a_bug_changes_what_is_decided() {
        let silent = Say(|_, decision| decision.batches.clear());
        assert!(calls(&DecoratedCore::new(Arc::new(silent))).is_empty());
    }

    #[test]
    fn a_bug_changes_what_is_seen() {
        let going = See(|look| {
            let now = k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(look.now);
            look.job_mut().metadata.deletion_timestamp = Some(now);
        });
        assert!(calls(&DecoratedCore::new(Arc::new(going))).is_empty());
    }
}
