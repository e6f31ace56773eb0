//! Pods that take their time.

use crate::words::*;

/// After the decision the Job waits for pods that are still stopping before it is complete.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Transition of status.conditions",
                says: "Complete is added only when all pods have ended",
            },
            requirements: &[
                "SUC-007", "SUC-008", "SUC-009", "PRP-003", "PRP-008", "STA-002", "STA-010", "STA-020", "STA-022",
            ],
            needs: Needs { one_gate_of: DELAYED_END, gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(3).succeeds_when(indexes("1"))).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(pods().that_are(terminating()).count(2).and(job().terminating(2))).await?;
        scene.linger(Duration::from_secs(3), "two syncs must pass without an end").await?;
        scene.mark("two still linger").await?;
        scene.pod(0).is_let_go(End::Exited(143)).await?;
        scene.wait(job().terminating(1)).await?;
        scene.mark("one still lingers").await?;
        scene.pod(2).is_let_go(End::Exited(143)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let met = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        let complete = job().has(Complete);
        Expectations::from([
            ("the decision does not wait", before(&passed("two still linger"), eventually(met.clone()))),
            (
                "the pods on their way out are counted",
                after(&met, eventually(job().terminating(2).and(job().active(0)))),
            ),
            (
                "by the very status that no longer counts them as active",
                whenever(&job().active(0).and(pods().that_are(terminating()).count(2)), job().terminating(2)),
            ),
            ("no pod is let go before the decision stands", before(&met, never(pods().any(untracked())))),
            ("the pod that decided is let go after it", after(&met, eventually(index(1).all(untracked())))),
            ("the Job is not complete while two linger", before(&passed("two still linger"), never(complete.clone()))),
            ("nor while one does", before(&passed("one still lingers"), never(complete.clone()))),
            ("with the last pod it is", after(&passed("one still lingers"), eventually(complete.clone()))),
            (
                "lingering pods are neither failures nor successes",
                whenever(&complete, job().failed(0).and(job().succeeded(1)).and(job().terminating(0))),
            ),
            ("the decision comes before the end", whenever(&complete, met)),
            // They lingered for three seconds after it, and times are whole seconds.
            ("and the time of completion is the end's", whenever(&complete, job().completed_past_its_decision_by(2))),
        ])
    }
}
