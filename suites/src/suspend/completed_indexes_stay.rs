//! Suspending an Indexed Job that is half done.

use crate::words::*;

/// Indexes that completed before a suspension stay so and do not run again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "completions are kept over a suspension",
            },
            requirements: &["SUS-005"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3)).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().completed_indexes("1")).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job().has(Suspended).and(pods().running(0))).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(index(0).running(1).and(index(2).running(1))).await?;
        scene.pod(0).succeeds().await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let suspended = job().has(Suspended);
        let kept = job().completed_indexes("1").and(job().succeeded(1));
        Expectations::from([
            ("the completed index is kept", whenever(&suspended, kept)),
            ("it does not run again", after(&suspended, never(index(1).created()))),
            ("the other indexes do", after(&suspended, eventually(index(0).created()))),
            ("each of them", after(&suspended, eventually(index(2).created()))),
            (
                "the Job is complete with all",
                after(&suspended, eventually(job().has(Complete).and(job().completed_indexes("0-2")))),
            ),
        ])
    }
}
