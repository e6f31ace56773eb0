//! Stopping pods across a change of version.

use crate::words::*;

/// A pod that is told to stop before Kubernetes is changed keeps its place until it has stopped after it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Upgrade / Downgrade Strategy",
                says: "terminating pods are told from the pods themselves",
            },
            requirements: &["UPG-006", "UPG-017"],
            needs: Needs {
                gates: &["JobPodReplacementPolicy"],
                other_version: Some(Neighbour::Any),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(1).backoff_limit(6).replaces_only_failed()).await?;
        scene.wait(pods().running(1)).await?;
        scene.pod(0).is_deleted().await?;
        scene.wait(job().terminating(1)).await?;
        scene.change_version().await?;
        scene.submit(counted(1, 1).named("witness")).await?;
        scene.pod_of("witness").succeeds().await?;
        scene.wait(job_named("witness").is_finished()).await?;
        scene.pod(0).is_let_go(End::exited_long_ago(143)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let over = changed("the other Kubernetes");
        let leaving = index(0).any(terminating());
        Expectations::from([
            ("the pod is told of before", before(&over, eventually(job().terminating(1)))),
            ("the controller works after", after(&over, eventually(job_named("witness").has(Complete)))),
            ("the place is not taken while the pod stops", never(index(0).created().and(leaving.clone()))),
            ("when it has stopped it is replaced", after(&leaving, eventually(index(0).created()))),
            ("and counted once", eventually(job().has(Complete).and(job().failed(1)).and(job().succeeded(1)))),
        ])
    }
}
