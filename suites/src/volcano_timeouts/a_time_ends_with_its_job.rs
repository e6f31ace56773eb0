//! A Job that is deleted while a time runs, and made anew.

use crate::volcano_words::*;

/// The time of a Job that is gone does nothing to another of its name.
pub struct This;

/// Volcano keeps times by name.
const SPARED: &str = "and is not aborted in its predecessor's name";

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "seen when the real one was run", "a timer does not outlive its Job", &["VJ-320"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1).policy(on_after("PodFailed", "3s", "AbortJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await?;
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.submit(gang(1).named("control").policy(on_after("PodPending", "3s", "AbortJob"))).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone().and(pods().count(0))).await?;
        scene.submit(gang(1)).await?;
        scene.mark("there is another").await?;
        scene.wait(pods().count(1)).await?;
        scene.wait(job_named("control").is("Aborted")).await?;
        scene.linger(Duration::from_secs(2), "an abort that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let another = passed("there is another");
        Expectations::from([
            ("the other Job has a pod", after(&another, eventually(pods().count(1)))),
            (SPARED, after(&another, never(job().is_one_of(&["Aborting", "Aborted"])))),
            ("a time of a Job that is there ends", after(&another, eventually(job_named("control").is("Aborted")))),
        ])
        .known(known(&[SPARED], "VJ-320: no report known"))
    }
}
