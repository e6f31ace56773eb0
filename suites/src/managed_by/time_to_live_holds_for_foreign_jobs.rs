//! A time to live on another controller's Job.

use crate::words::*;
use serde_json::Value;

/// The status of a Job that was complete when it was created, as its controller may write it.
fn complete(created: &Value) -> Value {
    let condition =
        |kind: &str| json!({"type": kind, "status": "True", "reason": "Done", "lastTransitionTime": created});
    json!({
        "startTime": created,
        "completionTime": created,
        "conditions": [condition("SuccessCriteriaMet"), condition("Complete")],
    })
}

/// A foreign Job is removed when its time to live is over, and not while its controller has not finished it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Proposal",
                says: "cleaning up finished Jobs does not ask who manages them",
            },
            requirements: &["MGB-009", "TTL-001"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).named("unfinished").managed_by("example.com/other").ttl(0)).await?;
        let created = scene.attempt("create", counted(1, 1).managed_by("example.com/other").ttl(4).create()).await?;
        let status = complete(&created.body["metadata"]["creationTimestamp"]);
        scene.must(Write::patch_job_status("job", status)).await?;
        scene.wait(job().is_gone()).await?;
        scene.linger(Duration::from_secs(1), "the unfinished Job must have its chance to go").await
    }

    fn expects(&self) -> Expectations {
        let (unfinished, removed) = (job_named("unfinished"), job().is_deleting());
        let in_time = eventually_within(Duration::from_secs(14), removed.clone());
        Expectations::from([
            ("its controller has finished it", before(&removed, eventually(job().has(Complete.because("Done"))))),
            ("its time is not cut short", whenever(&removed, job().is_deleted_past_its_end_by(3))),
            ("when it is over the Job is removed", after(&job().is_finished(), in_time)),
            ("a Job that is not finished stays", never(unfinished.is_deleting())),
            ("for good", stable(&unfinished.exists())),
        ])
    }
}
