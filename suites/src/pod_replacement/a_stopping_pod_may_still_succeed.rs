//! A pod that finishes its work on its way out.

use crate::words::*;

/// With policy Failed a deleted pod that ends with success has succeeded, and is not replaced.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Implementation",
                says: "what a terminating pod comes to is known only at its end",
            },
            requirements: &["PRP-002", "PRP-006", "STA-009"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(1, 1).replaces_only_failed()).await?;
        scene.wait(job().ready(1)).await?;
        scene.some_pod().is_deleted().await?;
        scene.wait(job().terminating(1)).await?;
        scene.some_pod().is_let_go(End::Exited(0)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let leaving = pods().any(terminating());
        let complete = job().has(Complete);
        Expectations::from([
            ("the Job waits for its end", after(&leaving, eventually(job().terminating(1).and(job().active(0))))),
            ("its success counts", after(&leaving, eventually(job().succeeded(1)))),
            ("its deletion does not", never(job().failed_at_least(1))),
            ("it is not replaced", after(&leaving, never(pods().created()))),
            ("the Job is complete", after(&leaving, eventually(complete.clone()))),
            ("with nothing on its way out", whenever(&complete, job().terminating(0))),
        ])
    }
}
