//! Jobs whose pods are scheduled together.

use crate::words::*;

/// A Job that was given a gang of pods does not change its parallelism; one without a gang may.
///
/// Held in the alpha of 1.36 alone: 1.37 lets gangs change.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Alpha of 1.36",
                says: "the parallelism of a Job for which a gang was inferred is immutable",
            },
            requirements: &["VAL-039"],
            needs: Needs {
                gates: &["GenericWorkload", "WorkloadWithJob"],
                since: Some(Minor::new(1, 36)),
                until: Some(Minor::new(1, 36)),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).named("gang")).await?;
        scene.submit(indexed(3).parallelism(2).named("crowd")).await?;
        // The gang is made before its first pod.
        scene.wait(pods().running(4)).await?;
        scene.linger(Duration::from_millis(500), "the API server hears of gangs by a watch of its own").await?;
        let parallelism = |pods: u32| json!({"spec": {"parallelism": pods}});
        scene.attempt("a smaller gang", Write::patch_job("gang", parallelism(1))).await?;
        scene
            .attempt(
                "a gang with a deadline",
                Write::patch_job("gang", json!({"spec": {"activeDeadlineSeconds": 600}})),
            )
            .await?;
        scene.attempt("a smaller crowd", Write::patch_job("crowd", parallelism(1))).await?;
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let immutable = answer("a smaller gang").is_refused_as(403, "cannot change parallelism for a Job");
        Expectations::from([
            ("a gang does not change its parallelism", eventually(immutable)),
            ("a gang may change otherwise", eventually(answer("a gang with a deadline").is_accepted())),
            ("a Job that has no gang changes its parallelism", eventually(answer("a smaller crowd").is_accepted())),
        ])
    }
}
