//! A queue that is closed while it has a Job.

use crate::volcano_words::*;

/// A queue that is closed takes no more Jobs, and is Closing while it has some.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "commands",
            "OpenQueue and CloseQueue are orders to queues, and a closed queue with groups is Closing",
            &["VJ-310"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let here = scene.namespace().to_owned();
        scene.must(queue(&here, "root")).await?;
        scene.wait(queue_is(&here, "Open")).await?;
        scene.submit(gang(1).spec("queue", here.as_str())).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await?;
        scene.must(queue_order(&here, "CloseQueue")).await?;
        scene.wait(queue_is(&here, "Closing")).await?;
        scene.mark("closing").await?;
        let another =
            Write::create_of(&Resource::VOLCANO_JOBS, gang(1).named("another").spec("queue", here.as_str()).json());
        scene.attempt("a Job to a queue that closes", another).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.wait(job().is("Completed")).await?;
        scene.wait(queue_is(&here, "Closed")).await?;
        scene.mark("closed").await?;
        scene.must(no_queue(&here)).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            (
                "a queue that closes takes no Job",
                eventually(
                    answer("a Job to a queue that closes")
                        .is_refused_as(400, "can only submit job to queue with state `Open`"),
                ),
            ),
            ("a Job that it has goes on", after(&passed("closing"), eventually(job().is("Completed")))),
            ("then it is closed", eventually(passed("closed"))),
        ])
    }
}
