//! Which indexes run first.

use crate::words::*;
use jobsworth_oracle::vocabulary::pods::completion_index;

/// With fewer pods than indexes the lowest indexes that have not ended run first.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2214),
                section: "Pod creation",
                says: "new pods are made for the lowest indexes that have neither ended nor a pod",
            },
            requirements: &["IDX-008", "PAR-001", "PAR-005"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        // As texts 10 comes before 2.
        scene.submit(indexed(11).parallelism(2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(index(2).running(1)).await?;
        scene.mark("index 2 runs").await?;
        for index in [0, 2, 3, 4, 5, 6, 7, 8, 9, 10] {
            scene.pod(index).succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let second = passed("index 2 runs");
        let beyond = pods().that_are(word("of an index above 2", |pod| completion_index(pod).is_some_and(|it| it > 2)));
        Expectations::from([
            (
                "indexes 0 and 1 begin",
                before(&index(2).created(), eventually(index(0).running(1).and(index(1).running(1)))),
            ),
            (
                "no higher index is tried before one of them ends",
                before(&index(1).all(stopped()).and(index(1).at_least(1)), never(index(2).created())),
            ),
            ("the next one follows", eventually(index(2).created())),
            ("and nothing beyond it", before(&second, never(beyond.created()))),
            ("no higher index is tried before it", never(beyond.created().and(index(2).count(0)))),
            ("there are never more than two at work", never(pods().that_are(live()).at_least(3))),
            ("all come to their turn", eventually(job().has(Complete).and(job().completed_indexes("0-10")))),
        ])
    }
}
