//! More pods than one sync may make, and then more too many than one may delete.

use crate::words::*;
use jobsworth_oracle::vocabulary::pods::is_stopping;

/// One sync makes 500 and deletes 500 (PAR-006, PAR-007), which leaves something to do for a second one.
const PODS: u32 = 505;
/// Hundreds of pods come and go at the subject's rate of requests, 100 in a second.
const LIMIT: Duration = Duration::from_secs(90);

/// A Job of 505 pods gets 500 and then the others; when all are too many it loses 500 at most, says so, and then loses the others.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "parallelism",
                says: "a sync makes or deletes 500 pods at most, and the status is written before the next one",
            },
            requirements: &["PAR-006", "PAR-007", "PRP-003"],
            needs: Needs { fills_rate_limit: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        // Nobody has to run 505 pods: no node takes them, and a pod driver leaves them alone.
        scene.pods_behave(|manners| manners.start = When::OnWord);
        let nowhere = json!({"jobsworth.invalid/no-such-node": "true"});
        scene.submit(counted(PODS, PODS).pod_spec("nodeSelector", nowhere)).await?;
        scene.wait_up_to(LIMIT, job().active(505)).await?;
        scene.mark("all are there").await?;
        scene.patch("job", json!({"spec": {"parallelism": 0}})).await?;
        scene.wait_up_to(LIMIT, pods().count(0).and(job().active(0)).and(job().terminating(0))).await
    }

    fn expects(&self) -> Expectations {
        let there = passed("all are there");
        Expectations::from([
            ("no more than 500 come before the status tells of them", never(counts_none().and(pods().at_least(501)))),
            ("505 pods come", eventually(job().active(505))),
            ("none goes before it is too many", before(&there, never(pods().any(stopping())))),
            (
                "no more than 500 go while the status counts all",
                after(&there, never(job().active(505).and(fewer_than_five_stay()))),
            ),
            (
                "the status tells of the first ones before the last are told to go",
                after(&there, eventually(counts_a_part())),
            ),
            ("the others go, too", after(&there, eventually(job().active(0).and(pods().count(0))))),
            ("nothing is counted as failed", never(job().failed_at_least(1))),
        ])
    }
}

fn counts_none() -> Predicate {
    job().status("counts no active pods".to_owned(), |status| status.active.unwrap_or(0) == 0)
}

/// 500 is the most that one sync deletes, and not what it must: a deletion that comes to nothing (too many requests, a lost
/// connection) leaves its pod to the next one, and the status tells of those that came to something.
fn counts_a_part() -> Predicate {
    job().status("counts 5 to 504 active pods".to_owned(), |status| matches!(status.active, Some(5..=504)))
}

fn fewer_than_five_stay() -> Predicate {
    Predicate::new("fewer than 5 pods are not told to stop", |world| {
        world.pods().filter(|pod| !is_stopping(pod)).count() < 5
    })
}
