//! A policy that changes while a pod stops.

use crate::words::*;

/// A Job that waits for its pod to stop does not wait any more once it may replace pods that stop.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "API",
                says: "the replacement policy may change and holds from then on",
            },
            requirements: &["PRP-009", "PRP-001"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(1, 1).backoff_limit(6).replaces_only_failed()).await?;
        scene.wait(job().ready(1)).await?;
        scene.some_pod().is_deleted().await?;
        scene.wait(job().terminating(1)).await?;
        scene.linger(Duration::from_secs(2), "a replacement that must not come needs its chance").await?;
        scene.mark("the policy changes").await?;
        scene.patch("job", json!({"spec": {"podReplacementPolicy": "TerminatingOrFailed"}})).await?;
        scene.wait(pods().that_are(live()).count(1)).await?;
        scene.pod_of("job").is_let_go(End::Exited(143)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let changes = passed("the policy changes");
        let told = job().terminating(1);
        let beside = pods().that_are(live()).count(1).and(pods().that_are(terminating()).count(1));
        Expectations::from([
            ("a pod is told to stop", before(&changes, eventually(told.clone()))),
            ("it keeps its place", after(&told, before(&changes, never(pods().created())))),
            ("until the policy changes", after(&changes, eventually(beside))),
            ("it counts as failed then", after(&changes, eventually(job().failed(1)))),
            ("the Job completes", eventually(job().has(Complete))),
        ])
    }
}
