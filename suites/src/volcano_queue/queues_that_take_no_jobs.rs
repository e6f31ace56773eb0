//! Queues that are not there, or not open, or not leaves.

use crate::volcano_words::*;

/// A Job goes to an open queue without queues below it, and to no other.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "refusals by the validating webhook on CREATE",
            "the queue of a Job must be there, open, not the root, and without children",
            &["VJ-078", "VJ-079", "VJ-080", "VJ-081"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let here = scene.namespace().to_owned();
        let (open, above, below) = (format!("{here}-open"), format!("{here}-above"), format!("{here}-below"));
        scene.must(queue(&open, "root")).await?;
        scene.must(queue(&above, "root")).await?;
        scene.wait(queue_is(&open, "Open").and(queue_is(&above, "Open"))).await?;
        scene.must(queue(&below, &above)).await?;
        scene.wait(queue_is(&below, "Open")).await?;
        let to = |queue: &str| Write::create_of(&Resource::VOLCANO_JOBS, gang(1).spec("queue", queue).json()).dry_run();
        scene.attempt("to an open queue", to(&open)).await?;
        scene.attempt("to a queue that is not there", to(&format!("{here}-none"))).await?;
        scene.attempt("to the root", to("root")).await?;
        scene.attempt("to a queue with children", to(&above)).await?;
        scene.attempt("to a child", to(&below)).await?;
        scene.must(queue_order(&open, "CloseQueue")).await?;
        scene.wait(queue_is(&open, "Closed")).await?;
        scene.attempt("to a closed queue", to(&open)).await?;
        scene.must(queue_order(&open, "OpenQueue")).await?;
        scene.wait(queue_is(&open, "Open")).await?;
        scene.attempt("to a queue that was opened again", to(&open)).await?;
        for name in [open, below, above] {
            scene.must(no_queue(&name)).await?;
        }
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let refused = |to: &'static str, text: &'static str| eventually(answer(to).is_refused_as(400, text));
        let taken = |to: &'static str| eventually(answer(to).is_accepted());
        Expectations::from([
            ("an open queue takes Jobs", taken("to an open queue")),
            (
                "a queue that is not there takes none",
                refused("to a queue that is not there", "unable to find job queue"),
            ),
            ("the root takes none", refused("to the root", "can not submit job to root queue;")),
            ("a queue with children takes none", refused("to a queue with children", "has 1 child queues;")),
            ("a child takes Jobs", taken("to a child")),
            (
                "a closed queue takes none",
                refused("to a closed queue", "can only submit job to queue with state `Open`"),
            ),
            ("a queue that was opened again takes Jobs", taken("to a queue that was opened again")),
        ])
    }
}
