//! A finalizer on the Job.

use crate::words::*;

/// An expired Job with a finalizer is deleted like any other, and stays until the finalizer is gone.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Finalizers",
                says: "finalizers of the Job are honoured",
            },
            requirements: &["TTL-010"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).ttl(1).metadata("finalizers", json!(["example.com/hold"]))).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_deleting()).await?;
        scene.wait(pods().count(0)).await?;
        scene.linger(Duration::from_secs(2), "a Job that goes in spite of its finalizer must have its chance").await?;
        scene.mark("hold lifted").await?;
        scene.patch("job", json!({"metadata": {"finalizers": null}})).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let (removed, lifted) = (job().is_deleting(), passed("hold lifted"));
        let pods_go = after(&removed, eventually(pods().count(0)));
        Expectations::from([
            ("the Job is told to go when its time is over", whenever(&removed, job().is_deleted_past_its_end_by(0))),
            ("its pods go", before(&lifted, pods_go)),
            ("it stays while it is held", before(&lifted, stable(&removed))),
            ("and goes when it is not", after(&lifted, eventually(job().is_gone()))),
        ])
    }
}
