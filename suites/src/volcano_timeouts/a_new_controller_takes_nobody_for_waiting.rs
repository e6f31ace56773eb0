//! Pods that run when a controller starts.

use crate::volcano_words::*;

/// Pods that run are not taken for ones that wait, because the controller is new.
pub struct This;

/// To Volcano every pod that it sees for the first time is one that waits.
const SPARED: &str = "its pods run on";
const QUIET: &str = "and nothing is restarted";

impl Case for This {
    fn about(&self) -> About {
        about_restarts(
            case_id!(),
            "timeouts",
            "a policy on PodPending does not strike pods that run when the controller starts",
            &["VJ-201"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).policy(on_after("PodPending", "5s", "RestartJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(2)).and(job().running(2))).await?;
        scene.subject().crash().await?;
        scene.subject().restart().await?;
        scene.linger(Duration::from_secs(7), "a kill that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            (SPARED, after(&again, always(pods().running(2)))),
            (QUIET, after(&again, always(job().version(0).and(job().retry_count(0))))),
        ])
        .known(known(&[SPARED, QUIET], "VJ-201: no report known"))
    }
}
