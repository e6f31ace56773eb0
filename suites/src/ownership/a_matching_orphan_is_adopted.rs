//! A pod that was there before its Job.

use crate::bare_pod::bare_pod;
use crate::words::*;

/// A Job takes in a pod that nobody controls and its selector matches, with owner and finalizer in one go.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "adoption",
                says: "matching pods without a controller are adopted",
            },
            requirements: &["SYN-010", "SYN-011"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.must(bare_pod("orphan").app("a").create()).await?;
        scene.must(bare_pod("stranger").app("b").create()).await?;
        scene.wait(pods().running(2)).await?;
        // Who knows this Job's later pod knows the orphan, too: only then does it have no reason to make one.
        scene.submit(counted(1, 1).named("witness")).await?;
        scene.wait(job_named("witness").ready(1)).await?;
        scene.submit(counted(1, 1).selects_app("a")).await?;
        scene.wait(job().active(1)).await?;
        scene.pod_named("orphan").succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let adopted = pod_named("orphan").of("job");
        let half = adopted.that_are(live()).that_are(tracked().negated());
        let loose = adopted.that_are(word("no obstacle to the deletion of its Job", |pod| {
            let mut owners = pod.metadata.owner_references.iter().flatten();
            owners.any(|owner| owner.controller == Some(true) && owner.block_owner_deletion != Some(true))
        }));
        Expectations::from([
            ("the orphan is adopted", eventually(adopted.that_are(tracked()).count(1))),
            ("never without the finalizer", after(&adopted.count(1), never(half.at_least(1)))),
            ("it holds back the deletion of its Job", after(&adopted.count(1), never(loose.at_least(1)))),
            ("the Job makes no pod of its own", after(&job().exists(), never(pods().created()))),
            ("the adopted pod's success is the Job's", eventually(job().has(Complete).and(job().succeeded(1)))),
            (
                "a pod that does not match is left alone",
                after(&job().exists(), never(pod_named("stranger").of("job").at_least(1))),
            ),
        ])
    }
}
