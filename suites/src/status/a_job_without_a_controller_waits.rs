//! Jobs of a control plane in which their controllers do not run.

use crate::words::*;

/// While the controllers of Jobs are away nothing happens to Jobs and their pods; then all of it is made up for.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "status",
                says: "without the Job controller and the TTL controller Jobs are left as they are",
            },
            requirements: &["SYN-030"],
            needs: Needs { restarts_subject: true, stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).named("ended")).await?;
        scene.pod_of("ended").succeeds().await?;
        scene.wait(job_named("ended").is_finished()).await?;
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().of("job").running(2).and(job().active(2)).and(job().ready(2))).await?;
        scene.subject().crash().await?;
        scene.patch("ended", json!({"spec": {"ttlSecondsAfterFinished": 0}})).await?;
        scene.submit(counted(1, 1).named("newborn")).await?;
        scene.pod_of("job").succeeds().await?;
        scene.linger(Duration::from_secs(3), "a touch that must not be needs its chance").await?;
        scene.mark("nobody came").await?;
        scene.subject().restart().await?;
        scene.pod_of("newborn").succeeds().await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job().is_finished().and(job_named("newborn").is_finished()).and(job_named("ended").is_gone())).await
    }

    fn expects(&self) -> Expectations {
        let (away, still) = (passed("subject crashed"), passed("nobody came"));
        let meanwhile = |what| after(&away, before(&still, what));
        let [ended, newborn] = ["ended", "newborn"].map(job_named);
        let written = Predicate::new("job is written to", |world| world.changed_job() == Some("job"));
        Expectations::from([
            ("a pod ends meanwhile", meanwhile(eventually(pods().of("job").any(succeeded())))),
            ("its Job is not written to", meanwhile(never(written))),
            ("and its pod is not let go", meanwhile(never(pods().of("job").any(untracked())))),
            ("a new Job is not started", meanwhile(never(newborn.has_started()))),
            ("and gets no pods", meanwhile(never(pods().created()))),
            ("an expired Job is not removed", meanwhile(never(ended.is_deleting().or(ended.is_gone())))),
            ("then the pod is counted", after(&still, eventually(job().succeeded(2).and(job().has(Complete))))),
            ("the new Job runs", after(&still, eventually(newborn.has(Complete)))),
            ("and the expired one goes", after(&still, eventually(ended.is_gone()))),
        ])
    }
}
