//! A failure that is listed and cannot be counted yet.

use super::plain;
use crate::words::*;

/// A failed pod that cannot be let go of is not counted, but its failure is known: the next one exceeds a limit of 1 at once.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "backoffLimit",
                says: "failures that are counted, listed or new are compared with the limit together",
            },
            requirements: &["BKO-003", "BKO-001", "FIN-008"],
            needs: plain(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2).backoff_limit(1)).await?;
        scene.wait(pods().running(2)).await?;
        let veto = scene.refuse(Veto::of_release()).await?;
        scene.some_pod().fails(1).await?;
        scene.wait_for_refusal(&veto).await?;
        scene.some_pod().fails(1).await?;
        // The failure must be decided while neither pod can be let go of.
        scene.wait(job().has(FailureTarget)).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let both = pods().that_are(failed()).at_least(2);
        let listed = job().status("lists a failure".to_owned(), |status| {
            let listed = status.uncounted_terminated_pods.as_ref().and_then(|lists| lists.failed.as_ref());
            listed.is_some_and(|uids| !uids.is_empty())
        });
        let told = job().has(FailureTarget.because("BackoffLimitExceeded"));
        // A second or two, and what a slow machine needs. Who counts first waits for as long as the script does, a minute.
        let soon = Duration::from_secs(30);
        Expectations::from([
            ("the first failure is listed", before(&both, eventually(listed))),
            ("and forgiven", before(&both, never(job().has(FailureTarget)))),
            ("the second one is one too many", after(&both, eventually_within(soon, told))),
            (
                "both are counted when they are let go of",
                eventually(job().has(Failed.because("BackoffLimitExceeded")).and(job().failed_at_least(2))),
            ),
        ])
    }
}
