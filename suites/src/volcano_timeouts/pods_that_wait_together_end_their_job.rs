//! Several pods that find no place.

use crate::volcano_words::*;

/// A Job whose pods wait too long is aborted, however many they are.
pub struct This;

/// To Volcano each pod has a timer whose kill is followed by a sync.
const ABORTED: &str = "the Job is aborted";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "seen when the real one was run",
            "PodPending with a timeout ends a Job of several pods",
            &["VJ-323"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.submit(gang(3).policy(on_after("PodPending", "1s", "AbortJob"))).await?;
        scene.wait(pods().count(3)).await?;
        scene.wait_up_to(Duration::from_secs(20), job().is("Aborted")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("all pods are there", eventually(pods().count(3))),
            (ABORTED, eventually(job().is("Aborted"))),
            ("and stays so", stable(&job().is("Aborted"))),
        ])
        .known(known(&[ABORTED], "volcano-sh/volcano#4743"))
    }
}
