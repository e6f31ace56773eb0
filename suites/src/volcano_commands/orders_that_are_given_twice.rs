//! A Job that is suspended and resumed by people who make sure.

use crate::volcano_words::*;

/// An order that is given a second time, as by somebody who cannot know whether the first was heard, does no more than one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "commands",
            "suspending a Job twice suspends it, and resuming it twice resumes it",
            &["VJ-307", "VJ-178", "VJ-179", "VJ-187"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).max_retry(9)).await?;
        scene.wait(job().is("Running").and(job().running(2))).await?;
        for _ in 0..2 {
            scene.order_as_owner("job", "AbortJob").await?;
        }
        scene.wait(job().is("Aborted").and(pods().count(0)).and(commands().count(0))).await?;
        scene.mark("suspended").await?;
        for _ in 0..2 {
            scene.order_as_owner("job", "ResumeJob").await?;
        }
        scene.wait(job().is("Running").and(job().running(2)).and(commands().count(0))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.wait(job().is("Completed")).await
    }

    fn expects(&self) -> Expectations {
        let suspended = passed("suspended");
        Expectations::from([
            ("it is suspended", before(&suspended, eventually(job().is("Aborted").and(pods().count(0))))),
            ("and not resumed by that", before(&suspended, never(job().has_been("Restarting")))),
            ("it is resumed", after(&suspended, eventually(job().is("Running").and(job().running(2))))),
            ("and not suspended again", after(&suspended, never(job().is("Aborting")))),
            ("it completes", eventually(job().is("Completed"))),
        ])
    }
}
