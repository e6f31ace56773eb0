//! A Job that takes the name of an expired one.

use crate::words::*;

/// A Job that was made anew under the same name is not removed when its predecessor would have been.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Algorithm",
                says: "a Job of the same name with another UID is not deleted",
            },
            requirements: &["TTL-005", "TTL-006"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).ttl(12)).await?;
        scene.submit(counted(1, 1).named("other").ttl(12)).await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job().is_finished()).await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone()).await?;
        scene.submit(counted(1, 1).ttl(600)).await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job().is_finished()).await?;
        // It ends last, so when its time is over, the predecessor's is over too.
        scene.pod_of("other").succeeds().await?;
        scene.wait(job_named("other").is_gone()).await?;
        scene.linger(Duration::from_secs(1), "a removal in its predecessor's name must have its chance").await
    }

    fn expects(&self) -> Expectations {
        let other = job_named("other");
        let namesake = job().object("is the namesake".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.ttl_seconds_after_finished == Some(600))
        });
        let finished = namesake.clone().and(job().is_finished());
        Expectations::from([
            (
                "the namesake finishes before the old time is over",
                before(&other.is_deleting(), eventually(finished.clone())),
            ),
            ("another Job goes when that time is over", after(&finished, eventually(other.is_gone()))),
            ("the namesake is not removed", after(&namesake, never(job().is_deleting()))),
            ("and stays", stable(&namesake)),
        ])
    }
}
