//! A Job that is only asked for show.

use crate::volcano_words::*;

/// A dry run is answered as a creation is, and leaves nothing behind.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "refusals by the validating webhook on CREATE",
            "dry-run creations are admitted and defaulted in the same way, and nothing is stored",
            &["VJ-090"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.attempt("for show", Write::create_of(&Resource::VOLCANO_JOBS, gang(2).json()).dry_run()).await?;
        let bad = gang(2).min_available(3).json();
        scene.attempt("for show, and wrong", Write::create_of(&Resource::VOLCANO_JOBS, bad).dry_run()).await?;
        scene.look("whether it is there", Look::at("/apis/batch.volcano.sh/v1alpha1/namespaces/{ns}/jobs/job")).await?;
        scene.submit(gang(1).named("real")).await?;
        scene.wait(job_named("real").is("Running")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("what is left out is filled in", eventually(answer("for show").has("/spec/minAvailable", 2))),
            (
                "what is wrong is refused",
                eventually(
                    answer("for show, and wrong").is_refused_as(400, "should not be greater than total replicas"),
                ),
            ),
            ("it is not there", eventually(answer("whether it is there").is_refused_with(404))),
            ("it never was", never(job().exists())),
            ("nor a pod of it", never(pods().at_least(1))),
            ("while a real one is", eventually(job_named("real").is("Running"))),
        ])
    }
}
