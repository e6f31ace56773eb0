//! A mark of older releases.

use crate::words::*;

/// A Job with the annotation by which old releases told that its pods are tracked is served as any other.
pub struct This;

const OLD: &str = "batch.kubernetes.io/job-tracking";

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2307),
                section: "Graduation",
                says: "the annotation of the years of transition is not looked at any more",
            },
            requirements: &["FIN-017"],
            needs: Needs { binaries_since: Some(Minor::new(1, 27)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let marked = |text: &str| counted(1, 1).metadata("annotations", json!({OLD: text}));
        scene.submit(marked("")).await?;
        scene.submit(marked("no").named("otherwise")).await?;
        scene.submit(counted(1, 1).named("without")).await?;
        let names = ["job", "otherwise", "without"];
        for name in names {
            scene.pod_of(name).succeeds().await?;
        }
        for name in names {
            scene.wait(job_named(name).is_finished()).await?;
        }
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let is_tracked = |name| eventually(pods().of(name).that_are(tracked()).count(1));
        let completes = |name| eventually(job_named(name).has(Complete).and(pods().of(name).all(untracked())));
        Expectations::from([
            ("the pod of a Job with it is tracked", is_tracked("job")),
            ("whatever it says", is_tracked("otherwise")),
            ("as that of one without", is_tracked("without")),
            ("the first completes", completes("job")),
            ("the second, too", completes("otherwise")),
            ("and the third", completes("without")),
        ])
    }
}
