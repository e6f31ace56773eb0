//! A Job that somebody labels.

use crate::volcano_words::*;

/// A change of labels makes the controller write nothing.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "updates", "changes of metadata alone must not change the status", &["VJ-099", "VJ-120"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1)).await?;
        scene.wait(job().is("Running").and(job().running(1)).and(group().is("Running"))).await?;
        scene.linger(Duration::from_secs(2), "a status that is still to be written must be written").await?;
        let label = json!({"metadata": {"labels": {"a": "b"}}});
        scene.attempt("the label", Write::patch_of(&Resource::VOLCANO_JOBS, "job", label)).await?;
        scene.linger(Duration::from_secs(2), "a write that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let changes = job().object("is labelled".to_owned(), |job| job.metadata.labels.is_some());
        let written = Predicate::new("the Job is written again", |world| {
            let labelled = world
                .answer("the label")
                .and_then(|answer| answer.body.pointer("/metadata/resourceVersion")?.as_str().map(str::to_owned));
            let job = world.changed::<jobsworth_oracle::recorded::volcano::Job>();
            job.is_some_and(|job| job.metadata.resource_version != labelled)
        });
        Expectations::from([
            ("it is labelled", eventually(changes)),
            ("nobody writes to it afterwards", after(&answer("the label").is_accepted(), never(written))),
        ])
    }
}
