//! A time to live of zero.

use crate::words::*;

/// What "at once" may take on a busy machine.
const SOON: Duration = Duration::from_secs(10);

/// A Job with a time to live of zero is removed as soon as it is finished, and not before.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "API Object",
                says: "zero means that a finished Job may be deleted at once",
            },
            requirements: &["TTL-001", "TTL-007"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).ttl(0)).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let removed = job().is_deleting();
        Expectations::from([
            ("the Job is complete first", before(&removed, eventually(job().has(Complete)))),
            ("then it is removed at once", after(&job().is_finished(), eventually_within(SOON, removed.clone()))),
            ("never while it is unfinished", whenever(&removed, job().is_finished())),
            ("and it is gone in the end", after(&removed, eventually(job().is_gone()))),
        ])
    }
}
