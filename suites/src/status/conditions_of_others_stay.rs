//! Custom conditions.

use crate::words::*;

/// A condition that somebody else wrote stays, and a FailureTarget that is not True means nothing.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "status",
                says: "conditions of other writers are kept; interim conditions count only when True",
            },
            requirements: &["STA-018", "PFP-013", "VST-203"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1)).await?;
        scene.wait(pods().running(1).and(job().active(1).and(job().ready(1)))).await?;
        let others = json!([
            {"type": "example.com/Audited", "status": "True", "reason": "ByHand"},
            {"type": "FailureTarget", "status": "False", "reason": "Nothing"},
        ]);
        scene.must(Write::patch_job_status("job", json!({"conditions": others}))).await?;
        scene.mark("conditions of others").await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let audited = job().status("has the custom condition".to_owned(), |status| {
            status
                .conditions
                .iter()
                .flatten()
                .any(|c| c.type_ == "example.com/Audited" && c.reason.as_deref() == Some("ByHand"))
        });
        Expectations::from([
            ("it is there", eventually(audited.clone())),
            ("and stays", stable(&audited)),
            ("a FailureTarget that is False does not fail the Job", never(job().has(Failed))),
            ("the Job completes", after(&passed("conditions of others"), eventually(job().has(Complete)))),
        ])
    }
}
