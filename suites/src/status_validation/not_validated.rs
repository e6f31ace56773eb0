//! What a status may say although it is not so.

use super::status::{LATER, complete, condition, failed, only, started, with};
use crate::{
    bare_pod::bare_pod,
    table::{self, Row, row},
    words::*,
};

/// The API server takes a status at its word: counters that do not add up, odd reasons and lingering pods all pass.
///
/// This is why the universal invariants check them in every history.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of JobStatus",
                says: "whether a status is true, adds up or is told in known words is left to its writer",
            },
            requirements: &["VST-206"],
            needs: Needs { gates: &["JobManagedBy", "JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await?;
        let job = counted(1, 1).named("haunted").managed_by("tables.jobsworth.dev/nobody").create();
        let owner = scene.attempt("a Job with a pod", job).await?;
        scene.must(bare_pod("ghost").controlled_by(&owner).create()).await?;
        scene.wait(pod_named("ghost").running(1)).await?;
        scene.attempt("complete with a pod", Write::patch_job_status("haunted", complete().json())).await?;
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let over = answer("complete with a pod").is_accepted().and(pod_named("ghost").running(1));
        table::answers(&rows()).and("VST-206 a Job may be complete while a pod of it runs", eventually(over))
    }
}

/// The table: nothing in it is refused.
#[must_use]
pub fn rows() -> Vec<Row> {
    let told = |says: &str, kind: &str, status: &str| {
        row(says, counted(3, 1)).status(with("conditions", vec![condition(kind, status)])).accepted()
    };
    let earlier = serde_json::json!({
        "type": "SuccessCriteriaMet", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z",
    });
    vec![
        row("VST-206 succeeded need not be the number of completed indexes", indexed(5))
            .status(started().with("completedIndexes", "0").with("succeeded", 5))
            .accepted(),
        row("VST-206 more pods may be active than wanted", counted(3, 1))
            .status(started().with("active", 9))
            .accepted(),
        row("VST-206 more pods may have succeeded than wanted", counted(3, 1))
            .status(started().with("succeeded", 9))
            .accepted(),
        row("VST-206 a Job may be complete without successes", counted(3, 1))
            .status(complete().with("succeeded", 0))
            .accepted(),
        row("VST-206 a Job may be complete with more failures than its limit", counted(3, 1))
            .status(complete().with("failed", 9))
            .accepted(),
        row("VST-206 a Job may fail without failures", counted(3, 1)).status(failed().with("failed", 0)).accepted(),
        row(
            "VST-206 more indexes may fail than the Job tolerates",
            indexed(5).backoff_limit_per_index(1).spec("maxFailedIndexes", 1),
        )
        .status(started().with("failedIndexes", "0-4"))
        .accepted(),
        row("VST-206 success may be announced before a rule of the policy is met", indexed(3).succeeds_when(any(2)))
            .status(only(&[SuccessCriteriaMet]))
            .accepted(),
        told("VST-206 the reason of a condition may be any", "SuccessCriteriaMet", "True"),
        told("VST-206 the status of a condition may be any", "Suspended", "Perhaps"),
        row("VST-206 a condition may stand twice", counted(3, 1)).status(only(&[Suspended, Suspended])).accepted(),
        row("VST-206 the time of a condition may go back", counted(3, 1))
            .status(only(&[SuccessCriteriaMet]))
            .status(with("conditions", vec![earlier]))
            .accepted(),
        row("VST-206 a Job may be suspended and active", counted(3, 1))
            .status(only(&[Suspended]).with("startTime", LATER).with("active", 1))
            .accepted(),
        row("VST-206 a Job may be told to be suspended though it is not to be", counted(3, 1))
            .status(only(&[Suspended]))
            .has("/spec/suspend", false),
    ]
}
