//! Two ways to succeed.

use crate::words::*;

/// A Job may succeed with its leader or with a quorum of workers, whichever comes first.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "User Stories, 2",
                says: "either the leader or enough workers decide",
            },
            requirements: &["SUC-024", "SUC-001", "SUC-004"],
            needs: Needs { gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(4).succeeds_when(indexes("0")).succeeds_when(some_of(2, "1-3"))).await?;
        scene.wait(pods().running(4)).await?;
        scene.pod(1).succeeds().await?;
        scene.pod(3).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let quorum = job().has(SuccessCriteriaMet.because("SuccessPolicy").saying("Matched rules at index 1"));
        Expectations::from([
            ("the quorum decides", eventually(quorum.clone())),
            ("the leader is stopped", after(&quorum, eventually(index(0).all(stopping())))),
            (
                "its end is no failure",
                whenever(&job().has(Complete), job().failed(0).and(job().completed_indexes("1,3"))),
            ),
            ("the Job is complete", eventually(job().has(Complete))),
        ])
    }
}
