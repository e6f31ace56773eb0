//! A condition that says no.

use crate::words::*;

/// A FailureTarget condition with status False does not fail the Job.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "kubernetes#125985",
                says: "the interim condition means a decision only when it is True",
            },
            requirements: &["PFP-013", "STA-018"],
            needs: Needs { binaries_since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 1)).await?;
        scene.wait(job().ready(1)).await?;
        let condition = json!({"type": "FailureTarget", "status": "False", "reason": "NoDecision"});
        scene.must(Write::patch_job_status("job", json!({"conditions": [condition]}))).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let denied = job().has(FailureTarget.is_false().because("NoDecision"));
        Expectations::from([
            ("the condition is there", eventually(denied.clone())),
            ("and left alone", stable(&denied)),
            ("it fails nothing", never(job().has(Failed).or(job().has(FailureTarget)))),
            ("pods are started as before", after(&denied, eventually(pods().created()))),
            ("the Job completes", after(&denied, eventually(job().has(Complete).and(job().succeeded(2))))),
        ])
    }
}
