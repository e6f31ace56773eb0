//! The pods of another controller's Job.

use crate::bare_pod::{bare_pod, reference};
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

/// The built-in controller does not let go of a foreign Job's pods, not even when that Job is finished: neither of one that it finds by the
/// Job's selector nor of one that ends later.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Design Details",
                says: "finalizers on pods of foreign Jobs are their controller's to remove",
            },
            requirements: &["FIN-015", "FIN-016"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let created = scene.attempt("create", counted(1, 1).managed_by("example.com/other").create()).await?;
        let owner = reference(&created, true);
        for name in ["theirs", "late"] {
            scene.must(bare_pod(name).made_for(&owner).create()).await?;
        }
        scene.pod_named("theirs").succeeds().await?;
        let status = complete(&created.body["metadata"]["creationTimestamp"]);
        scene.must(Write::patch_job_status("job", status)).await?;
        scene.wait(job().is_finished()).await?;
        scene.pod_named("late").succeeds().await?;
        scene.must(bare_pod("loose").tracked().create()).await?;
        scene.wait(pod_named("loose").that_are(tracked()).count(0)).await?;
        scene.linger(Duration::from_secs(2), "a removal that must not be needs its chance").await?;
        scene.mark("time is over").await
    }

    fn expects(&self) -> Expectations {
        let over = passed("time is over");
        let (theirs, late, loose) = (pod_named("theirs"), pod_named("late"), pod_named("loose"));
        let let_go = after(&loose.that_are(tracked()).count(1), eventually(loose.that_are(tracked()).count(0)));
        let (of_theirs, of_late) = (theirs.that_are(tracked()).count(1), late.that_are(tracked()).count(1));
        Expectations::from([
            ("the foreign Job is finished", before(&over, eventually(job().has(Complete)))),
            ("a pod that is nobody's is let go of", before(&over, after(&job().has(Complete), let_go))),
            ("the foreign Job's pod is not", before(&over, stable(&of_theirs))),
            ("nor one that ends when the Job is finished", before(&over, stable(&of_late))),
        ])
    }
}
