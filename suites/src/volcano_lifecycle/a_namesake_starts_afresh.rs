//! A Job that takes the name of one whose pods still stop.

use crate::volcano_words::*;

/// A new Job under an old name runs, whatever becomes of its predecessor's pods.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "choosing the action",
            "events of pods of a deleted Job do nothing to a Job of the same name",
            &["VJ-137"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(gang(2).policy(on("PodFailed", "AbortJob")).policy(on("PodEvicted", "TerminateJob"))).await?;
        scene.wait(job().is("Running")).await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone().and(pods().that_are(terminating()).count(2))).await?;
        scene.submit(gang(2).policy(on("PodFailed", "AbortJob")).policy(on("PodEvicted", "TerminateJob"))).await?;
        scene.mark("there is a namesake").await?;
        scene.wait(group().is("Inqueue")).await?;
        scene.pod_named("job-w-0").is_let_go(End::Exited(1)).await?;
        scene.pod_named("job-w-1").is_let_go(End::Exited(1)).await?;
        scene.wait(job().is("Running").and(job().running(2))).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("there is a namesake");
        Expectations::from([
            ("the namesake runs", after(&again, eventually(job().is("Running").and(job().running(2))))),
            (
                "it is not aborted for its predecessor's pods",
                after(&again, never(job().is_one_of(&["Aborting", "Aborted"]))),
            ),
            ("nor terminated", after(&again, never(job().is_one_of(&["Terminating", "Terminated"])))),
            ("and it retries nothing", after(&again, never(job().retry_count_at_least(1)))),
        ])
        .known(known(&["the namesake runs"], "volcano-sh/volcano#5973"))
    }
}
