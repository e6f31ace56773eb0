//! Two gates switched in one go.

use crate::words::*;

/// With two gates off at once each of their policies rests; with both on again each counts.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "feature gates",
                says: "gates do not depend on one another",
            },
            requirements: &["UPG-001", "UPG-002", "UPG-005"],
            needs: Needs { flips: &["JobBackoffLimitPerIndex", "JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let both = |on| {
            Change::Gates([("JobBackoffLimitPerIndex".to_owned(), on), ("JobSuccessPolicy".to_owned(), on)].into())
        };
        scene.submit(indexed(4).succeeds_when(any(2)).backoff_limit_per_index(0)).await?;
        scene.wait(pods().running(4)).await?;
        scene.change(both(false)).await?;
        scene.pod(0).ends(End::exited_long_ago(1)).await?;
        scene.wait(job().failed(1).and(pods().running(4))).await?;
        scene.change(both(true)).await?;
        scene.pod(1).ends(End::exited_long_ago(1)).await?;
        scene.wait(job().failed_indexes("1")).await?;
        scene.pod(0).succeeds().await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let off = changing("JobBackoffLimitPerIndex off, JobSuccessPolicy off");
        let on = changing("JobBackoffLimitPerIndex on, JobSuccessPolicy on");
        Expectations::from([
            ("with both off a failed index is tried again", after(&off, before(&on, eventually(index(0).created())))),
            ("and none is failed", before(&on, never(job().failed_indexes("0")))),
            ("with both on again an index fails", after(&on, eventually(job().failed_indexes("1")))),
            ("and the policy decides", after(&on, eventually(job().has(SuccessCriteriaMet.because("SuccessPolicy"))))),
            (
                "the Job is complete by it",
                eventually(job().has(Complete.because("SuccessPolicy")).and(job().succeeded(2))),
            ),
        ])
    }
}
