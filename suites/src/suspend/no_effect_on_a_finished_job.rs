//! Suspending a Job that is finished.

use crate::words::*;

/// Suspending a finished Job leaves its status as it is.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "suspending a finished Job has no effect",
            },
            requirements: &["SUS-008", "SYN-019"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1)).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.submit(counted(1, 1).named("other").suspended()).await?;
        scene.wait(job_named("other").has(Suspended)).await?;
        scene.linger(Duration::from_secs(1), "a suspension that must not be needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let asked = job().object("is asked to be suspended".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.suspend == Some(true))
        });
        let as_it_was = job().has(Complete).and(job().succeeded(1)).and(job().has_started());
        Expectations::from([
            ("the Job is finished first", before(&asked, eventually(job().has(Complete)))),
            ("another Job is suspended meanwhile", after(&asked, eventually(job_named("other").has(Suspended)))),
            ("the finished one is not", after(&asked, never(job().has(Suspended)))),
            ("it stays as it was", after(&asked, always(as_it_was))),
        ])
    }
}
