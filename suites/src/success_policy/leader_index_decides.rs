//! A policy that names the leader's index.

use crate::words::*;

/// A Job whose policy names index 0 succeeds with index 0, and takes its workers down with it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "User Stories, 1",
                says: "the leader's success ends the Job; lingering pods are stopped",
            },
            requirements: &["SUC-002", "SUC-008", "SUC-009", "SUC-024"],
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(5).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(5)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let declared = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        let complete = job().has(Complete.because("SuccessPolicy").saying("Matched rules at index 0"));
        Expectations::from([
            ("the leader's success is enough", eventually(declared.clone())),
            ("a declared success is never taken back", stable(&declared)),
            ("the workers are told to stop", after(&declared, eventually(pods().all(stopping())))),
            ("no pod is started after that", after(&declared, never(pods().created()))),
            ("the Job then is complete", after(&declared, eventually(complete.clone()))),
            ("which waits for the last pod", whenever(&complete, pods().all(stopped()))),
            (
                "workers that were stopped are no failures",
                never(job().failed(0).negated().and(job().exists()).and(job().has_started())),
            ),
            ("the Job does not also fail", never(job().has(Failed))),
        ])
    }
}
