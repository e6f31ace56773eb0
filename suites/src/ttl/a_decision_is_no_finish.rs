//! A Job that is decided and still waits for a pod.

use crate::words::*;

/// The time to live of a Job begins when it has failed, not when it is decided that it will.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "API Object",
                says: "the time is counted from the condition Complete or Failed",
            },
            requirements: &["TTL-001", "TTL-003", "STA-006"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(counted(2, 2).ttl(4)).await?;
        scene.wait(job().ready(2)).await?;
        scene.some_pod().fails(1).await?;
        scene.wait(job().has(FailureTarget).and(pods().that_are(terminating()).count(1))).await?;
        scene.linger(Duration::from_secs(3), "a time that began at the decision would be nearly over").await?;
        scene.pod_of("job").is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let (failed, removed) = (job().has(Failed), job().is_deleting());
        let in_time = eventually_within(Duration::from_secs(14), removed.clone());
        Expectations::from([
            ("the Job is decided first", before(&failed, eventually(job().has(FailureTarget)))),
            ("it has failed before it is removed", before(&removed, eventually(failed.clone()))),
            ("its time is not cut short", whenever(&removed, job().is_deleted_past_its_end_by(3))),
            ("when it is over the Job is removed", after(&failed, in_time)),
        ])
    }
}
