//! A Job that is suspended and resumed many times.

use crate::volcano_words::*;

/// A Job can be suspended and resumed as often as somebody likes.
pub struct This;

/// To Volcano a resumption is a retry.
const COUNTS: &str = "no resumption is counted as a retry";
const RUNS: &str = "the fourth resumption leads to Running, too";
const FAILS: &str = "it never fails for it";

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "status", "resuming a Job uses up none of its runs", &["VJ-109", "VJ-187", "VJ-307"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1).max_retry(3)).await?;
        for round in 0..4 {
            scene.wait(job().is("Running").and(pods().running(1))).await?;
            scene.order_as_owner("job", "AbortJob").await?;
            scene.wait(job().is("Aborted").and(pods().count(0))).await?;
            if round == 3 {
                scene.mark("suspended for the last time").await?;
            }
            scene.order_as_owner("job", "ResumeJob").await?;
            scene.wait(job().is_one_of(&["Restarting", "Pending", "Running", "Failed"])).await?;
        }
        scene.wait(job().is_one_of(&["Running", "Failed"])).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            (RUNS, after(&passed("suspended for the last time"), eventually(job().is("Running")))),
            (FAILS, never(job().is("Failed"))),
            (COUNTS, never(job().retry_count_at_least(1))),
        ])
        .known(known(&[RUNS, FAILS, COUNTS], "volcano-sh/volcano#3067"))
    }
}
