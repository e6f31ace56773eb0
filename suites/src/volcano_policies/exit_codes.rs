//! Policies on exit codes.

use crate::volcano_words::*;

/// An exit code that a policy names does its action, and others do not.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "an entry with an exit code matches that code, and of several entries the first one counts",
            &["VJ-122", "VJ-143", "VJ-145"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let both = |name: &str, first, second| gang(1).named(name).policy(first).policy(second);
        let (code, event) = (|| on_exit(3, "AbortJob"), || on("PodFailed", "TerminateJob"));
        scene.submit(both("code-first", code(), event())).await?;
        scene.submit(both("event-first", event(), code())).await?;
        scene.submit(both("other-code", code(), on_exit(4, "CompleteJob"))).await?;
        scene.submit(gang(2).named("no-code").policy(code())).await?;
        for name in ["code-first", "event-first"] {
            scene.wait(job_named(name).is("Running")).await?;
            scene.pod_named(&format!("{name}-w-0")).fails(3).await?;
        }
        scene.wait(job_named("other-code").is("Running").and(job_named("no-code").is("Running"))).await?;
        scene.pod_named("other-code-w-0").fails(4).await?;
        scene.pod_named("no-code-w-0").fails(5).await?;
        scene.wait(job_named("code-first").is("Aborted").and(job_named("event-first").is("Terminated"))).await?;
        scene.wait(job_named("other-code").is("Completed").and(job_named("no-code").failed(1))).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("an exit code before an event wins", eventually(job_named("code-first").is("Aborted"))),
            ("an event before an exit code wins", eventually(job_named("event-first").is("Terminated"))),
            ("the code of another entry is the other entry's", eventually(job_named("other-code").is("Completed"))),
            ("a code that nobody names does nothing", never(job_named("no-code").is_one_of(&["Aborting", "Aborted"]))),
            ("but the failure is counted", eventually(job_named("no-code").failed(1))),
        ])
    }
}
