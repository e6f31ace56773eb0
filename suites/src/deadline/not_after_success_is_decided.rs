//! A deadline that passes after the success.

use crate::words::*;

/// A deadline that passes while a successful Job waits for its last pod does not make it fail.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "activeDeadlineSeconds",
                says: "a Job whose end is decided has no deadline",
            },
            requirements: &["DLN-008", "STA-001", "STA-003", "SUC-018"],
            needs: Needs { gates: &["JobSuccessPolicy", "JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(indexed(2).succeeds_when(indexes("0")).deadline(20)).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().has(SuccessCriteriaMet)).await?;
        scene.linger(Duration::from_secs(21), "the deadline passes while a pod lingers").await?;
        scene.mark("deadline passed").await?;
        scene.pod(1).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (declared, over) = (job().has(SuccessCriteriaMet), passed("deadline passed"));
        Expectations::from([
            ("success is declared before the deadline", before(&over, eventually(declared.clone()))),
            ("the Job still waits when it has passed", before(&over, never(job().is_finished()))),
            ("it is complete in the end", after(&over, eventually(job().has(Complete.because("SuccessPolicy"))))),
            ("its failure is never decided", after(&declared, never(job().has(FailureTarget)))),
            ("nor does it fail", after(&declared, never(job().has(Failed)))),
        ])
    }
}
