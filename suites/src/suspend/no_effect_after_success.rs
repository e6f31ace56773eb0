//! Suspending a Job whose success is decided.

use crate::words::*;

/// Suspending a Job that waits only for its last pod changes nothing about its success.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "suspend",
                says: "a decided Job is not suspended any more",
            },
            requirements: &["SUS-004", "SUC-009", "SUC-018"],
            needs: Needs { gates: &["JobSuccessPolicy", "JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(indexed(2).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().has(SuccessCriteriaMet)).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.linger(Duration::from_secs(2), "a suspension that must not be needs its chance").await?;
        scene.pod(1).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let asked = job().object("is asked to be suspended".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.suspend == Some(true))
        });
        let complete = job().has(Complete.because("SuccessPolicy"));
        Expectations::from([
            ("success is decided first", before(&asked, eventually(job().has(SuccessCriteriaMet)))),
            ("the Job is not finished then", before(&asked, never(job().is_finished()))),
            ("it is not suspended", after(&asked, never(job().has(Suspended)))),
            ("but complete", after(&asked, eventually(complete))),
        ])
    }
}
