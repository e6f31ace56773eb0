//! The text form of completed indexes.

use crate::words::*;

/// Three neighbours are written as a range, two are listed; the list ascends in whatever order indexes end.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2214),
                section: "API",
                says: "completedIndexes is an ascending list in which three or more neighbours become a range",
            },
            requirements: &["IDX-014", "IDX-016"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(6)).await?;
        scene.wait(pods().running(6)).await?;
        scene.pod(3).succeeds().await?;
        scene.pod(2).succeeds().await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0,2,3")).await?;
        scene.pod(4).succeeds().await?;
        scene.wait(job().completed_indexes("0,2-4")).await?;
        scene.pod(1).succeeds().await?;
        scene.pod(5).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("a pair of neighbours is listed", eventually(job().completed_indexes("0,2,3"))),
            ("three neighbours are a range", eventually(job().completed_indexes("0,2-4"))),
            ("in the end there is one range", eventually(job().completed_indexes("0-5").and(job().has(Complete)))),
        ])
    }
}
