//! A pod replacement policy across off and on.

use crate::words::*;

/// With the gate off a pod that is told to stop counts as failed and is replaced; with the gate on again the next one is waited for.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Upgrade / Downgrade Strategy",
                says: "with the gate off terminating pods are replaced, with the gate on they are not, and nothing is counted twice",
            },
            requirements: &["UPG-001", "UPG-006", "PRP-011", "PRP-012"],
            needs: Needs { flips: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(1).backoff_limit(6).replaces_only_failed()).await?;
        scene.wait(pods().running(1)).await?;
        scene.pod(0).is_deleted().await?;
        scene.wait(job().terminating(1)).await?;
        scene.change(Change::gate("JobPodReplacementPolicy", false)).await?;
        scene.wait(pods().running(1).and(job().failed(1))).await?;
        scene.pod(0).is_let_go(End::Exited(143)).await?;
        scene.change(Change::gate("JobPodReplacementPolicy", true)).await?;
        scene.wait(job().ready(1)).await?;
        scene.pod(0).is_deleted().await?;
        scene.wait(job().terminating(1)).await?;
        scene.linger(Duration::from_secs(2), "a hasty controller would replace the pod now").await?;
        scene.mark("waited for").await?;
        scene.pod(0).is_let_go(End::exited_long_ago(143)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (begins, on) = (changing("JobPodReplacementPolicy off"), changed("JobPodReplacementPolicy on"));
        let silent = job().status("is silent on terminating pods".to_owned(), |status| status.terminating.is_none());
        let leaving = index(0).any(terminating());
        Expectations::from([
            ("with the gate on the stopping pod is told of", before(&begins, eventually(job().terminating(1)))),
            ("and not replaced", before(&begins, never(index(0).created().and(leaving.clone())))),
            (
                "with the gate off it is replaced while it stops",
                after(&begins, before(&on, eventually(index(0).created().and(leaving.clone())))),
            ),
            ("it counts as failed", after(&begins, before(&on, eventually(job().failed(1).and(leaving.clone()))))),
            ("and the status is silent on it", after(&begins, before(&on, eventually(silent)))),
            ("with the gate on again the next one is told of", after(&on, eventually(job().terminating(1)))),
            ("and not replaced before it has stopped", after(&on, never(index(0).created().and(leaving)))),
            ("each is counted once", eventually(job().has(Complete).and(job().failed(2)).and(job().succeeded(1)))),
        ])
    }
}
