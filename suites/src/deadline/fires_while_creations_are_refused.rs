//! A deadline and a quota that is used up.

use crate::{bare_pod::bare_pod, quota, words::*};

/// The delay of refused creations is the creations' own: a deadline that falls into it is kept, also by a Job that has no pod at all.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "activeDeadlineSeconds",
                says: "the deadline is kept by a timer of its own, whatever else is waited for",
            },
            requirements: &["DLN-001", "DLN-002", "SYN-005"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        quota::close(scene, "pods", bare_pod("probe").create()).await?;
        quota::open(scene, "pods", 1).await?;
        // Creations are tried after 1, 3, 7 and 15 s, and then not before second 31.
        scene.submit(counted(3, 3).deadline(18)).await?;
        scene.wait(pods().count(1)).await?;
        // The one pod that the quota allows stays until the first deadline; this one passes long before.
        scene.submit(counted(1, 1).named("podless").deadline(4)).await?;
        scene.wait(job_named("podless").is_finished()).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let decided = job().has(FailureTarget.because("DeadlineExceeded"));
        let in_time = eventually_within(Duration::from_secs(25), decided.clone());
        let refused = notice("FailedCreate").on("Job/job").saying("exceeded quota");
        let not_early = job().has_past_its_start_by(FailureTarget, 18);
        let podless = job_named("podless");
        let podless_decided = podless.has(FailureTarget.because("DeadlineExceeded"));
        let either = decided.clone().or(podless_decided.clone());
        let podless_in_time = eventually_within(Duration::from_secs(11), podless_decided);
        Expectations::from([
            ("creations are refused", before(&decided, eventually(refused.was_written()))),
            ("the quota holds", never(pods().at_least(2))),
            ("the deadline decides in time", after(&job().has_started(), in_time)),
            ("not before it has passed", whenever(&job().has(FailureTarget), not_early)),
            (
                "the Job then fails for that reason",
                after(&decided, eventually(job().has(Failed.because("DeadlineExceeded")))),
            ),
            ("a Job without any pod has its deadline, too", after(&podless.has_started(), podless_in_time)),
            ("the quota has kept it without one", before(&either, never(pods().of("podless").created()))),
        ])
    }
}
