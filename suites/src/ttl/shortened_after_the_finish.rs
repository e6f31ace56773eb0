//! A time to live that is made shorter while it runs.

use crate::words::*;

/// A finished Job whose time to live is shortened goes when the new time is over, and does not stay for the old one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "API Object",
                says: "the field may be changed after the Job has finished",
            },
            requirements: &["TTL-002", "TTL-003", "TTL-009"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).ttl(3600)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await?;
        scene.linger(Duration::from_secs(1), "the hour must have begun before it is cut short").await?;
        scene.patch("job", json!({"spec": {"ttlSecondsAfterFinished": 2}})).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let removed = job().is_deleting();
        let shortened = job().object("has a time to live of two seconds".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.ttl_seconds_after_finished == Some(2))
        });
        let in_time = eventually_within(Duration::from_secs(12), removed.clone());
        Expectations::from([
            ("it stays while it has an hour", before(&shortened, never(removed.clone()))),
            ("the new time is not cut short", whenever(&removed, job().is_deleted_past_its_end_by(1))),
            ("when it is over the Job is removed", after(&shortened, in_time)),
        ])
    }
}
