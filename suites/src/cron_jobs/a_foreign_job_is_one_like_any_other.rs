//! Another controller's Job, for everybody else.

use super::clock;
use crate::bare_pod::bare_pod;
use crate::quota;
use crate::words::*;

/// CronJobs, quotas and the garbage collector treat a Job that another controller manages as any other.
pub struct This;

const OTHER: &str = "example.com/other";

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Proposal",
                says: "who manages a Job is nothing to a CronJob, a quota or the garbage collector",
            },
            requirements: &["MGB-010"],
            needs: Needs { gates: &["JobManagedBy"], stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        clock::plan(scene, counted(1, 1).managed_by(OTHER), json!({"successfulJobsHistoryLimit": 0})).await?;
        clock::comes_due(scene).await?;
        clock::has_active(scene, 1).await?;
        let made = scene.world().jobs().find_map(|job| job.metadata.name.clone()).unwrap_or_default();
        scene.must(Write::patch_job_status(&made, complete())).await?;
        scene.wait(Predicate::new("the CronJob's Job is gone", |world| world.jobs().count() == 0)).await?;
        // Counted by a quota, and refused beyond it.
        let quota = json!({"metadata": {"name": "one"}, "spec": {"hard": {"count/jobs.batch": "1"}}});
        scene.must(Write::create("api/v1", "resourcequotas", quota)).await?;
        let look = Look::at("/api/v1/namespaces/{ns}/resourcequotas/one");
        let known = |answer: &jobsworth_oracle::Answer| answer.body.pointer("/status/used").is_some();
        scene.look_until("quota", look, "the quota to be in force", Duration::from_secs(60), known).await?;
        let owner = scene.attempt("first", counted(1, 1).managed_by(OTHER).create()).await?;
        let second = counted(1, 1).named("second").managed_by(OTHER).create();
        quota::is_full(scene, "count/jobs.batch", 1, second.clone()).await?;
        scene.attempt("second", second).await?;
        scene.must(bare_pod("worker").controlled_by(&owner).create()).await?;
        scene.wait(pods().running(1)).await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone().and(pods().count(0))).await
    }

    fn expects(&self) -> Expectations {
        let worker = pod_named("worker");
        let made = Predicate::new("a Job is there that names its manager", |world| {
            let manager =
                |job: &k8s_openapi::api::batch::v1::Job| job.spec.as_ref().and_then(|spec| spec.managed_by.clone());
            world.jobs().any(|job| manager(job).as_deref() == Some(OTHER))
        });
        Expectations::from([
            ("a CronJob makes it", eventually(made.clone())),
            ("has it for active", after(&made, eventually(answer("cron").is_accepted()))),
            (
                "and clears it away when its controller has finished it",
                after(&made, eventually(made.clone().negated())),
            ),
            ("a quota has room for one", eventually(answer("first").is_accepted())),
            ("and not for two", eventually(answer("second").is_refused_as(403, "exceeded quota"))),
            ("its pods go with it", after(&worker.at_least(1), eventually(worker.count(0)))),
        ])
    }
}

/// The status of a Job that its controller has finished long ago.
fn complete() -> serde_json::Value {
    let time = "2024-01-01T00:00:00Z";
    let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "Done", "lastTransitionTime": time});
    json!({
        "startTime": time,
        "completionTime": time,
        "conditions": [condition("SuccessCriteriaMet"), condition("Complete")],
    })
}
