//! A suspension that ends before its pods do.

use crate::words::*;

/// A Job that replaces only pods at their end, and is resumed while those of the suspension still stop, waits for them.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Story 1",
                says: "there are never two pods for one index, not even while the old one stops",
            },
            requirements: &["SUS-003", "SUS-002", "PRP-002"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(indexed(2).replaces_only_failed()).await?;
        scene.wait(job().ready(2)).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job().has(Suspended).and(pods().that_are(terminating()).count(2))).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(job().has(Suspended.is_false())).await?;
        scene.linger(Duration::from_secs(2), "a pod too early needs its chance").await?;
        scene.mark("the old pods may go").await?;
        for index in 0..2 {
            scene.pod(index).is_let_go(End::Exited(143)).await?;
        }
        scene.wait(job().ready(2)).await?;
        for index in 0..2 {
            scene.pod(index).succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let go = passed("the old pods may go");
        let two = |at: u32| index(at).that_are(stopped().negated()).at_least(2);
        Expectations::from([
            ("it is suspended", before(&go, eventually(job().has(Suspended)))),
            ("and resumed while they stop", before(&go, eventually(job().has(Suspended.is_false())))),
            ("no index has two pods", never(two(0).or(two(1)).named("an index has two pods"))),
            ("new ones run when the old ones have gone", after(&go, eventually(pods().running(2)))),
            ("the old ones are no failures", never(job().failed_at_least(1))),
            ("the Job completes", eventually(job().has(Complete).and(job().completed_indexes("0,1")))),
        ])
    }
}
