//! Fields whose gates are off.

use crate::{
    draft::Draft,
    table::{self, Fault::Invalid, Row, row},
    words::*,
};

/// A field whose gate is off is dropped without a word, when a Job is created and when it is updated.
///
/// What a field does that was stored before its gate was switched off takes a server with two lives, which a
/// table has not.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "fields behind feature gates",
                says: "a field behind a gate that is off is dropped silently and not validated",
            },
            requirements: &["DEF-002", "DEF-005", "VAL-025", "VAL-031", "VAL-032"],
            needs: Needs {
                gates_off: &["JobManagedBy", "JobBackoffLimitPerIndex", "JobSuccessPolicy", "JobPodReplacementPolicy"],
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows())
    }
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [creations(), unvalidated(), updates()].concat()
}

/// A Job that the controller under test has nothing to do for.
fn idle(job: Draft) -> Draft {
    job.suspended()
}

fn creations() -> Vec<Row> {
    let rules = "/spec/podFailurePolicy/rules";
    let failing = idle(indexed(3).backoff_limit_per_index(1));
    vec![
        row("VAL-031 a manager is dropped", idle(counted(1, 1))).has("/spec/managedBy", ()).and("/spec/suspend", true),
        row("VAL-031 a success policy is dropped", idle(indexed(3).succeeds_when(any(1))))
            .has("/spec/successPolicy", ()),
        row("VAL-031 a limit per index is dropped, and a limit of failed indexes with it", {
            failing.clone().spec("maxFailedIndexes", 1)
        })
        .has("/spec/backoffLimitPerIndex", ())
        .and("/spec/maxFailedIndexes", ()),
        row("VAL-031 rules that fail an index are dropped, others stay", {
            failing.clone().when_a_pod(exits(&[1]).fail_index()).when_a_pod(exits(&[2]).ignore())
        })
        .has("/spec/podFailurePolicy/rules/0/action", "Ignore")
        .and("/spec/podFailurePolicy/rules/1", ()),
        row("VAL-031 a policy of nothing but such rules has none left", {
            failing.clone().when_a_pod(exits(&[1]).fail_index())
        })
        .has(rules, json!([])),
        row("VAL-031 a replacement policy is dropped", idle(counted(1, 1).replaces_only_failed()))
            .has("/spec/podReplacementPolicy", ()),
        row("VAL-031 the failure policy, whose gate cannot be off, stays", {
            idle(counted(1, 1).when_a_pod(exits(&[1]).ignore()))
        })
        .has("/spec/podFailurePolicy/rules/0/action", "Ignore"),
        // Defaults come before the dropping: what was made for the dropped limit stays.
        row("DEF-002 the backoff limit is as good as none although the limit per index is dropped", failing)
            .has("/spec/backoffLimit", i32::MAX),
        row("DEF-005 without its gate, the replacement policy has no default", idle(counted(1, 1)))
            .has("/spec/podReplacementPolicy", ()),
    ]
}

fn unvalidated() -> Vec<Row> {
    vec![
        row("VAL-031 a manager that is no path is dropped all the same", idle(counted(1, 1).managed_by("nobody")))
            .has("/spec/managedBy", ()),
        row("VAL-031 a success policy that no index could meet is dropped all the same", {
            idle(indexed(3).succeeds_when(indexes("9")))
        })
        .has("/spec/successPolicy", ()),
        row("VAL-031 an unknown replacement policy is dropped all the same", {
            idle(counted(1, 1).spec("podReplacementPolicy", "Never"))
        })
        .has("/spec/podReplacementPolicy", ()),
        row("VAL-031 a negative limit per index is dropped all the same", {
            idle(indexed(3).spec("backoffLimitPerIndex", -1))
        })
        .has("/spec/backoffLimitPerIndex", ()),
        row("VAL-031 a field without a gate is held to its rules", idle(counted(1, 1).spec("parallelism", -1)))
            .refused(Invalid, "spec.parallelism"),
    ]
}

fn updates() -> Vec<Row> {
    let policy = json!({"rules": [{"succeededCount": 1}]});
    vec![
        row("VAL-032 a success policy does not come by an update", idle(indexed(3)))
            .then(json!({"spec": {"successPolicy": policy}}))
            .has("/spec/successPolicy", ()),
        row("VAL-032 a limit per index does not come by an update", idle(indexed(3)))
            .then(json!({"spec": {"backoffLimitPerIndex": 1, "maxFailedIndexes": 1}}))
            .has("/spec/backoffLimitPerIndex", ())
            .and("/spec/maxFailedIndexes", ()),
        row("VAL-032 a replacement policy does not come by an update", idle(counted(1, 1)))
            .then(json!({"spec": {"podReplacementPolicy": "Failed"}}))
            .has("/spec/podReplacementPolicy", ()),
        // An update does not drop this one; that it may not change is then said.
        row("VAL-025 a manager does not come by an update, and the update is refused", idle(counted(1, 1)))
            .then(json!({"spec": {"managedBy": "example.com/other"}}))
            .refused_saying(Invalid, "spec.managedBy", "field is immutable"),
    ]
}
