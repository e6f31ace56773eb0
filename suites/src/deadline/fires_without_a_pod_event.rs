//! A deadline and pods that are silent.

use crate::words::*;

/// A Job fails when its deadline has passed, though nothing is heard of its pods.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "activeDeadlineSeconds",
                says: "the deadline is kept by a timer, not by the next event of a pod",
            },
            requirements: &["DLN-001", "DLN-002", "STA-005"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2).backoff_limit(6).deadline(3)).await?;
        // Its pods are not waited for: on a busy machine they may come and go between two looks.
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let why = "Job was active longer than specified deadline";
        let decided = job().has(FailureTarget.because("DeadlineExceeded").saying(why));
        let failed = job().has(Failed.because("DeadlineExceeded").saying(why));
        let in_time = eventually_within(Duration::from_secs(10), decided.clone());
        let not_early = job().has_past_its_start_by(FailureTarget, 3);
        Expectations::from([
            // A controller that stores the start before it makes pods may be held up in between, and decide without any: that is no
            // breach of what is claimed here, and no occasion for it.
            ("it is decided though its pods are silent", after(&pods().at_least(2), eventually(decided.clone()))),
            ("the deadline decides in time", after(&job().has_started(), in_time)),
            ("not before it has passed", whenever(&job().has(FailureTarget), not_early)),
            ("the pods are told to stop", after(&decided, eventually(pods().all(stopping())))),
            ("none is started after that", after(&decided, never(pods().created()))),
            ("the Job then fails for that reason", after(&decided, eventually(failed))),
        ])
    }
}
