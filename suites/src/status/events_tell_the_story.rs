//! Events of a Job that succeeds.

use crate::words::*;

/// A Job that succeeds leaves an event for each pod and one for its end.
pub struct EventsTellTheStory;

#[async_trait]
impl Case for EventsTellTheStory {
    fn about(&self) -> About {
        About {
            id: "status/events-tell-the-story",
            claim: Claim {
                source: Source::JobController,
                section: "events",
                says: "SuccessfulCreate for each pod, Completed once, nothing for interim conditions",
            },
            requirements: &["EVT-001", "EVT-005", "EVT-010", "STA-019"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.some_pod().succeeds().await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished().and(notice("Completed").was_written())).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("every pod is announced", eventually(notice("SuccessfulCreate").saying("Created pod: job-").more_than(1))),
            ("no pod twice", never(notice("SuccessfulCreate").more_than(2))),
            ("the end is announced", eventually(notice("Completed").saying("Job completed").was_written())),
            ("once", never(notice("Completed").more_than(1))),
            ("after it is written", before(&job().has(Complete), never(notice("Completed").was_written()))),
            ("the interim condition is not", never(notice("SuccessCriteriaMet").was_written())),
        ])
    }
}
