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

    /// Where a write after the first deletion does not come about, the built-in controller counts the workers that it has stopped
    /// as failures of theirs, though the leader's success is stored and was never declared.
    fn known_end(&self) -> Option<KnownEnd> {
        let (since, until) = (Minor::new(1, 35), Some(Minor::new(1, 37)));
        let (breaks, source) = (&["Job job ends Complete"], "docs/differences.md#done-before-it-is-told");
        let known = KnownDeviation { subject: "builtin", since, until, mended_in: &[], unless: None, breaks, source };
        let shows = job()
            .has(Failed.because("BackoffLimitExceeded"))
            .and(job().has(SuccessCriteriaMet).negated())
            .and(job().completed_indexes("0"))
            .and(job().failed_at_least(1))
            .and(job().failed_at_least(5).negated());
        Some(KnownEnd { known, shows })
    }
}
