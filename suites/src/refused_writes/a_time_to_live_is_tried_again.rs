//! A finished Job that cannot be deleted at once.

use super::plain;
use crate::words::*;

/// When the deletion of a Job whose time is over is refused once, it is deleted later.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Proposal",
                says: "a finished Job is deleted after its time to live",
            },
            requirements: &["TTL-001", "SYN-005", "TTL-015"],
            needs: Needs { ttl_of_subject: true, ..plain() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).ttl(1)).await?;
        scene.wait(pods().running(1)).await?;
        let veto = scene.refuse(Veto::of_job_deletion()).await?;
        scene.some_pod().succeeds().await?;
        scene.wait_for_refusal(&veto).await?;
        scene.allow(veto).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let (refused, open) = (passed("a write was refused"), passed("writes are let through"));
        Expectations::from([
            ("the Job is finished when its deletion is refused", before(&refused, eventually(job().is_finished()))),
            ("it stays meanwhile", before(&refused, never(job().is_deleting()))),
            ("it is gone later", after(&open, eventually(job().is_gone()))),
        ])
    }
}
