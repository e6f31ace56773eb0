//! A pod that no node ever took.

use crate::words::*;

/// With policy Failed a pod that is deleted while it waits for a node keeps its place until the pod garbage collector has ended
/// it; then it counts and is replaced, though nothing of it ever ran. The collector comes at times of its own: the end of the
/// first pod says that it has just been there, so the second one stays on its way out long enough to be told of.
pub struct This;

/// The pod garbage collector looks every 20 s; the delay after a failure is 10 s.
const LIMIT: Duration = Duration::from_secs(60);

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "kubernetes#115331",
                says: "a pod that is deleted before it started reaches an end too, and its Job is not stuck",
            },
            requirements: &["PRP-002", "PRP-004"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| (manners.start, manners.stop) = (When::OnWord, When::OnWord));
        let nowhere = json!({"jobsworth.invalid/no-such-node": "true"});
        let draft = indexed(2).backoff_limit(6).replaces_only_failed().pod_spec("nodeSelector", nowhere);
        scene.submit(draft).await?;
        scene.wait(job().active(2)).await?;
        scene.pod(0).is_deleted().await?;
        scene.wait_up_to(LIMIT, job().failed(1)).await?;
        scene.pod(1).is_deleted().await?;
        scene.wait(job().terminating(1)).await?;
        scene.wait_up_to(LIMIT, job().failed(2).and(job().active(2))).await
    }

    fn expects(&self) -> Expectations {
        let leaving = index(1).any(terminating());
        Expectations::from([
            ("the pod on its way out is told of", eventually(job().terminating(1).and(leaving.clone()))),
            ("it is no failure yet", never(job().failed_at_least(2).and(leaving.clone()))),
            ("nor is its index free", never(index(1).created().and(leaving.clone()))),
            (
                "when it has been ended it counts",
                after(&leaving, eventually(job().failed(2).and(job().terminating(0)))),
            ),
            ("and is replaced", after(&leaving, eventually(index(1).created()))),
        ])
    }
}
