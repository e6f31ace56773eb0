//! The end of Jobs before it was delayed.

use crate::words::*;

/// With both gates off that delay the end, a Job that exceeds its limit fails at once, without an interim condition.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "terminal conditions",
                says: "without delayed ends only FailJob rules have an interim condition, and the end does not wait for stopping pods",
            },
            requirements: &["STA-006", "BKO-004", "VST-119"],
            needs: Needs { gates_off: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.some_pod().fails(1).await?;
        scene.wait(job().is_finished()).await?;
        scene.mark("the Job is finished").await?;
        scene.pods_behave(|manners| manners.stop = When::AtOnce);
        let stopping =
            scene.world().pods().find(|pod| terminating().holds(pod)).and_then(|pod| pod.metadata.name.clone());
        match stopping {
            Some(name) => scene.pod_named(&name).is_let_go(End::Exited(143)).await,
            None => Ok(()),
        }
    }

    fn expects(&self) -> Expectations {
        let failed = job().has(Failed.because("BackoffLimitExceeded"));
        Expectations::from([
            ("the Job fails", eventually(failed.clone())),
            ("no interim condition says so before", never(job().has(FailureTarget))),
            (
                "it does not wait for the pod that is still stopping",
                eventually(failed.clone().and(pods().any(terminating()))),
            ),
            ("that pod is counted all the same", whenever(&failed, job().failed(2))),
        ])
    }
}
