//! Two Jobs that select the same pods.

use crate::words::*;
use jobsworth_oracle::vocabulary::pods::job_name;

/// Jobs with one selector leave each other's pods alone; a pod that somebody gives to the other one is missed by the first and too many for the second.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "event handlers",
                says: "who owns a pod is said by its controller reference alone; when that changes both Jobs are looked at",
            },
            requirements: &["SYN-009", "SYN-027", "SYN-008"],
            needs: Needs { stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).named("one").selects_app("a")).await?;
        scene.submit(counted(1, 1).named("two").selects_app("a")).await?;
        scene.wait(job_named("one").ready(1).and(job_named("two").ready(1))).await?;
        scene.linger(Duration::from_secs(2), "whoever takes the other's pod for its own must have its chance").await?;
        scene.mark("one pod is given away").await?;
        let world = scene.world();
        let uid = world.job("two").and_then(|job| job.metadata.uid.clone());
        let owner = json!({
            "apiVersion": "batch/v1", "kind": "Job", "name": "two", "uid": uid, "controller": true, "blockOwnerDeletion": true,
        });
        scene.pod_of("one").is_patched(json!({"metadata": {"ownerReferences": [owner]}})).await?;
        scene.wait(of("one").count(1).and(of("two").count(1))).await?;
        scene.pod_of("one").succeeds().await?;
        scene.pod_of("two").succeeds().await?;
        scene.wait(job_named("one").is_finished().and(job_named("two").is_finished())).await
    }

    fn expects(&self) -> Expectations {
        let given = passed("one pod is given away");
        let both = job_named("one").ready(1).and(job_named("two").ready(1));
        let soon = Duration::from_secs(20);
        Expectations::from([
            ("each has a pod of its own", before(&given, eventually(both.clone()))),
            ("and leaves the other's alone", after(&both, before(&given, never(pods().any(stopping()))))),
            ("the second has two then", after(&given, eventually(of("two").count(2)))),
            ("and lets one go", after(&given, eventually_within(soon, of("two").count(1).and(pods_ever_left())))),
            ("the first makes another one", after(&given, eventually_within(soon, pods().of("one").created()))),
            (
                "nothing is a failure",
                never(job_named("one").failed_at_least(1).or(job_named("two").failed_at_least(1))),
            ),
            ("both complete", eventually(job_named("one").has(Complete).and(job_named("two").has(Complete)))),
        ])
    }
}

fn of(job: &'static str) -> jobsworth_oracle::vocabulary::pods::PodWords {
    pods().of(job).that_are(live())
}

fn pods_ever_left() -> Predicate {
    Predicate::new("every Job has one pod", |world| {
        let owners: Vec<_> = world.pods().filter_map(|pod| job_name(pod).map(str::to_owned)).collect();
        ["one", "two"].iter().all(|job| owners.iter().any(|owner| owner == job))
    })
}
