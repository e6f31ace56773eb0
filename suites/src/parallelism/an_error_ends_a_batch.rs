//! A quota that has room for some of the pods.

use crate::{bare_pod::bare_pod, quota, words::*};

/// Pods are asked for in batches that double; the one with an error is the last of its sync, and what was refused is not counted.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "slow start",
                says: "batches of 1, 2, 4 ... while nothing is refused; after an error none follows",
            },
            requirements: &["PAR-011", "PAR-012", "PAR-027", "PAR-028", "PAR-021", "EVT-002"],
            needs: Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let probe = || bare_pod("probe").create();
        quota::close(scene, "pods", probe()).await?;
        quota::open(scene, "pods", 3).await?;
        while scene.attempt("room", probe().dry_run()).await?.code != 201 {}
        scene.submit(counted(10, 10)).await?;
        scene.wait(job().active(3)).await?;
        scene.mark("three are there").await?;
        quota::open(scene, "pods", 20).await?;
        scene.wait(job().active(10)).await
    }

    fn expects(&self) -> Expectations {
        let three = passed("three are there");
        let told = job().active(3);
        Expectations::from([
            // One, then two, then four of which none has room.
            ("seven are asked for", before(&told, eventually(requests("create", "pods").at_least(7)))),
            ("not all ten", before(&told, never(requests("create", "pods").more_than(7)))),
            ("those that have room are counted", eventually(told.clone())),
            ("and no other", before(&three, never(active_beyond(3)))),
            ("the refusals are told", eventually(notice("FailedCreate").saying("exceeded quota").was_written())),
            ("all are made when there is room", after(&three, eventually(job().active(10)))),
            ("a refusal is no failure", never(job().failed_at_least(1))),
        ])
    }
}

fn active_beyond(most: i32) -> Predicate {
    job().status(format!("counts more than {most} active pods"), move |status| status.active.unwrap_or(0) > most)
}
