//! More pods than one sync may otherwise delete.

use crate::words::*;

/// A suspended Job's pods all go in one step, also where there are more of them than a scale-down would take in one.
pub struct This;

const PODS: u32 = 505;
/// Hundreds of pods come and go at the subject's rate of requests, 100 in a second.
const LIMIT: Duration = Duration::from_secs(90);

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "suspend",
                says: "the most that a sync may delete does not hold for a suspension",
            },
            requirements: &["PAR-009", "SUS-002", "SUS-006", "PAR-017"],
            needs: Needs { fills_rate_limit: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        // Nobody has to run 505 pods: no node takes them, and a pod driver leaves them alone.
        scene.pods_behave(|manners| manners.start = When::OnWord);
        let nowhere = json!({"jobsworth.invalid/no-such-node": "true"});
        scene.submit(counted(PODS, PODS).pod_spec("nodeSelector", nowhere)).await?;
        scene.wait_up_to(LIMIT, job().active(505)).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait_up_to(LIMIT, pods().count(0).and(job().has(Suspended)).and(job().active(0))).await
    }

    fn expects(&self) -> Expectations {
        let there = job().active(505);
        let suspended = job().has(Suspended.because("JobSuspended"));
        let some_left =
            job().status("counts some of the pods".to_owned(), |status| (1..505).contains(&status.active.unwrap_or(0)));
        Expectations::from([
            ("505 pods come", eventually(there.clone())),
            ("it is suspended then", after(&there, eventually(suspended.clone()))),
            ("not after a status that tells of some", after(&there, before(&suspended, never(some_left)))),
            (
                "with all of them on their way out",
                eventually(suspended.and(job().active(0)).and(job().terminating(505))),
            ),
            ("all are gone", after(&there, eventually(pods().count(0)))),
            ("none is a failure", never(job().failed_at_least(1))),
        ])
    }
}
