//! What the API server fills in when a Job is created, and what it does not.

use crate::{
    table::{self, Row, row},
    words::*,
};

/// Fields left out get their documented defaults, and fields without a default stay absent.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "defaults and generated fields",
                says: "fields left out of a new Job get their documented defaults, and no others",
            },
            requirements: &[
                "DEF-001", "DEF-002", "DEF-003", "DEF-004", "DEF-005", "DEF-006", "DEF-008", "DEF-009", "DEF-010",
                "DEF-011", "DEF-012",
            ],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
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
    [counts(), modes(), policies(), labels(), generation(), none()].concat()
}

fn counts() -> Vec<Row> {
    let per_index = indexed(3).backoff_limit_per_index(1);
    vec![
        row("DEF-001 without both counts, a Job is one pod", work_queue(1).without("parallelism"))
            .has("/spec/completions", 1)
            .and("/spec/parallelism", 1),
        row("DEF-001 five completions without a parallelism run one at a time", counted(5, 1).without("parallelism"))
            .has("/spec/completions", 5)
            .and("/spec/parallelism", 1),
        row("DEF-001 a parallelism alone leaves completions absent", work_queue(3))
            .has("/spec/completions", ())
            .and("/spec/parallelism", 3),
        row("DEF-001 a parallelism of 0 is no missing one", work_queue(0)).has("/spec/parallelism", 0),
        row("DEF-002 the backoff limit is 6", counted(1, 1).without("backoffLimit")).has("/spec/backoffLimit", 6),
        row("DEF-002 a backoff limit of 0 is no missing one", counted(1, 1).backoff_limit(0))
            .has("/spec/backoffLimit", 0),
        row("DEF-002 with a limit per index, the backoff limit is as good as none", per_index.clone())
            .has("/spec/backoffLimit", i32::MAX),
        row("DEF-002 with a limit per index, a given backoff limit stays", per_index.backoff_limit(2))
            .has("/spec/backoffLimit", 2),
    ]
}

fn modes() -> Vec<Row> {
    vec![
        row("DEF-003 the completion mode is NonIndexed", counted(1, 1)).has("/spec/completionMode", "NonIndexed"),
        row("DEF-003 a given completion mode stays", indexed(1)).has("/spec/completionMode", "Indexed"),
        row("DEF-004 a Job is not suspended", counted(1, 1)).has("/spec/suspend", false),
        row("DEF-004 a Job that asks to be suspended is", counted(1, 1).suspended()).has("/spec/suspend", true),
        row("DEF-008 the selector is not a manual one", counted(1, 1)).has("/spec/manualSelector", false),
    ]
}

fn policies() -> Vec<Row> {
    let pattern = |pattern| json!({"rules": [{"action": "Ignore", "onPodConditions": [pattern]}]});
    let condition = "/spec/podFailurePolicy/rules/0/onPodConditions/0/status";
    let ignoring = counted(1, 1).when_a_pod(exits(&[1]).ignore());
    vec![
        row("DEF-005 pods are replaced when they terminate or fail", counted(1, 1))
            .has("/spec/podReplacementPolicy", "TerminatingOrFailed"),
        row("DEF-005 with a failure policy, pods are replaced when they failed", ignoring)
            .has("/spec/podReplacementPolicy", "Failed"),
        row("DEF-005 a given replacement policy stays", counted(1, 1).replaces_only_failed())
            .has("/spec/podReplacementPolicy", "Failed"),
        row(
            "DEF-006 a pod condition is looked for with status True",
            counted(1, 1).spec("podFailurePolicy", pattern(json!({"type": "DisruptionTarget"}))),
        )
        .has(condition, "True"),
        row(
            "DEF-006 a given status of a pod condition stays",
            counted(1, 1).spec("podFailurePolicy", pattern(json!({"type": "Ready", "status": "False"}))),
        )
        .has(condition, "False"),
    ]
}

fn labels() -> Vec<Row> {
    let labelled = counted(1, 1).pod_metadata("labels", json!({"app": "a"}));
    vec![
        row("DEF-009 a Job without labels takes those of its template", labelled.clone())
            .has("/metadata/labels/app", "a"),
        row("DEF-009 a Job with labels keeps just its own", labelled.metadata("labels", json!({"mine": "b"})))
            .has("/metadata/labels", json!({"mine": "b"})),
        row("DEF-009 a template without labels leaves the Job the generated ones", counted(1, 1))
            .has_same("/metadata/labels", "/spec/template/metadata/labels"),
        row("DEF-010 the selector asks for the Job's UID", counted(1, 1))
            .has_same("/spec/selector/matchLabels/batch.kubernetes.io~1controller-uid", "/metadata/uid"),
        row("DEF-010 the template is labelled with the Job's UID", counted(1, 1))
            .has_same("/spec/template/metadata/labels/batch.kubernetes.io~1controller-uid", "/metadata/uid"),
        row("DEF-010 the template is labelled with the Job's UID in the old way", counted(1, 1))
            .has_same("/spec/template/metadata/labels/controller-uid", "/metadata/uid"),
        row("DEF-010 the template is labelled with the Job's name", counted(1, 1))
            .has_same("/spec/template/metadata/labels/batch.kubernetes.io~1job-name", "/metadata/name"),
        row("DEF-010 the template is labelled with the Job's name in the old way", counted(1, 1))
            .has_same("/spec/template/metadata/labels/job-name", "/metadata/name"),
        row("DEF-010 a manual selector and its template stay as they are", counted(1, 1).selects_app("a"))
            .has("/spec/selector", json!({"matchLabels": {"app": "a"}}))
            .and("/spec/template/metadata/labels", json!({"app": "a"})),
    ]
}

fn generation() -> Vec<Row> {
    vec![
        row("DEF-011 a status in the creation is dropped", counted(1, 1))
            .carrying_status(json!({"active": 7, "startTime": "2026-01-01T00:00:00Z"}))
            .has("/status", json!({})),
        row("DEF-011 a Job begins with generation 1", counted(1, 1).metadata("generation", 7))
            .has("/metadata/generation", 1),
        row("DEF-011 a change of the spec is a new generation", counted(1, 1))
            .then(json!({"spec": {"parallelism": 2}}))
            .has("/metadata/generation", 2),
        row("DEF-011 an update without a change is no new generation", counted(1, 1))
            .then(json!({"spec": {"parallelism": 1}}))
            .has("/metadata/generation", 1),
        row("DEF-011 a change of labels is no new generation", counted(1, 1))
            .then(json!({"metadata": {"labels": {"mine": "b"}}}))
            .has("/metadata/generation", 1),
        row("DEF-011 a change of the status is no new generation", counted(1, 1))
            .status(json!({"active": 1}))
            .has("/metadata/generation", 1)
            .and("/status/active", 1),
        row("DEF-011 a status in an update of the Job is ignored", counted(1, 1))
            .status(json!({"active": 1}))
            .then(json!({"status": {"active": 7}}))
            .has("/status/active", 1),
    ]
}

fn none() -> Vec<Row> {
    vec![
        row("DEF-012 a Job has no success policy of itself", indexed(3)).has("/spec/successPolicy", ()),
        row("DEF-012 a rule gets no count of itself", indexed(3).succeeds_when(indexes("0")))
            .has("/spec/successPolicy/rules/0/succeededCount", ()),
        row("DEF-012 a rule gets no indexes of itself", indexed(3).succeeds_when(any(2)))
            .has("/spec/successPolicy/rules/0/succeededIndexes", ()),
        row("DEF-012 a limit per index brings no limit of failed indexes", indexed(3).backoff_limit_per_index(1))
            .has("/spec/maxFailedIndexes", ()),
        row("DEF-012 a Job has no manager of itself", counted(1, 1)).unmanaged().has("/spec/managedBy", ()),
        row("DEF-012 a Job has no time to live and no deadline of itself", counted(1, 1))
            .has("/spec/ttlSecondsAfterFinished", ())
            .and("/spec/activeDeadlineSeconds", ()),
    ]
}
