//! Jobs that are not finished.

use crate::words::*;

/// A time to live is nothing to a Job that runs, is suspended, or is failing but not yet failed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "API Object",
                says: "only Jobs that are complete or failed are cleaned up",
            },
            requirements: &["TTL-001", "TTL-022", "STA-022"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(counted(1, 1).named("busy").ttl(0)).await?;
        scene.submit(counted(1, 1).named("sleeper").ttl(0).suspended()).await?;
        scene.submit(counted(2, 2).named("doomed").ttl(0)).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod_of("doomed").fails(1).await?;
        scene.wait(job_named("doomed").has(FailureTarget)).await?;

        scene.submit(counted(1, 1).named("other").ttl(0)).await?;
        scene.pod_of("other").succeeds().await?;
        scene.wait(job_named("other").is_gone()).await?;
        scene.linger(Duration::from_secs(1), "a removal of the others must have its chance").await?;

        scene.pod_of("doomed").is_let_go(End::Exited(143)).await?;
        scene.wait(job_named("doomed").is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let [busy, sleeper, doomed, other] = ["busy", "sleeper", "doomed", "other"].map(job_named);
        let meanwhile = after(&other.exists(), eventually(other.is_deleting()));
        let failed = doomed.has(Failed);
        Expectations::from([
            ("a finished Job goes while the rest wait", after(&doomed.has(FailureTarget), before(&failed, meanwhile))),
            ("a Job that runs stays", never(busy.is_deleting())),
            ("for good", stable(&busy.exists())),
            ("a suspended Job stays", never(sleeper.is_deleting())),
            ("for good, too", stable(&sleeper.exists())),
            ("a failing Job stays until it has failed", whenever(&doomed.is_deleting(), failed.clone())),
            ("and goes then", after(&failed, eventually(doomed.is_deleting()))),
        ])
    }
}
