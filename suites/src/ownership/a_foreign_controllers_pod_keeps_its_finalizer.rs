//! A tracked pod whose controller is no Job.

use crate::bare_pod::bare_pod;
use crate::words::*;

/// The tracking finalizer stays on a pod that something other than a Job controls.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "finalizers",
                says: "only pods of Jobs, or of nobody, lose the finalizer",
            },
            requirements: &["FIN-014", "FIN-016"],
            needs: Needs { since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let owner = json!({"metadata": {"name": "owner"}});
        let owner = scene.attempt("owner", Write::create("api/v1", "configmaps", owner)).await?;
        scene.must(bare_pod("theirs").tracked().controlled_by(&owner).create()).await?;
        scene.must(bare_pod("loose").tracked().create()).await?;
        scene.wait(pod_named("loose").that_are(tracked()).count(0)).await?;
        scene.linger(Duration::from_secs(2), "a removal that must not be needs its chance").await?;
        scene.mark("time is over").await
    }

    fn expects(&self) -> Expectations {
        let over = passed("time is over");
        let (theirs, loose) = (pod_named("theirs"), pod_named("loose"));
        let held = theirs.that_are(tracked()).count(1);
        let let_go = after(&loose.that_are(tracked()).count(1), eventually(loose.that_are(tracked()).count(0)));
        Expectations::from([
            ("a pod that is nobody's is let go of", after(&held, let_go)),
            ("a pod that something else controls is not", before(&over, stable(&held))),
        ])
    }
}
