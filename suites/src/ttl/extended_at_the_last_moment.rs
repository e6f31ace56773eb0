//! A time to live that is made longer while it runs.

use crate::words::*;

/// A finished Job whose time to live is extended before it is over stays for the new time.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Algorithm",
                says: "an extended time to live is looked up afresh before the Job is deleted",
            },
            requirements: &["TTL-003", "TTL-004", "TTL-009"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).named("other").ttl(10)).await?;
        scene.submit(counted(1, 1).ttl(10)).await?;
        scene.pod_of("other").succeeds().await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job_named("other").is_finished()).await?;
        scene.wait(job().is_finished()).await?;
        scene.linger(Duration::from_secs(2), "some of the first time is over when it is extended").await?;
        scene.patch("job", json!({"spec": {"ttlSecondsAfterFinished": 16}})).await?;
        scene.wait(job_named("other").is_gone()).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let (other, removed) = (job_named("other"), job().is_deleting());
        let extended = job().object("has a longer time to live".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.ttl_seconds_after_finished == Some(16))
        });
        // Its pods go first, and how fast is the garbage collector's affair.
        let other_goes = before(&removed, after(&other.exists(), eventually(other.is_deleting())));
        let in_time = eventually_within(Duration::from_secs(26), removed.clone());
        Expectations::from([
            ("it is extended before it is removed", before(&removed, eventually(extended.clone()))),
            ("a Job with the old time goes meanwhile", after(&extended, other_goes)),
            ("the new time is not cut short", whenever(&removed, job().is_deleted_past_its_end_by(15))),
            ("when it is over the Job is removed", after(&job().is_finished(), in_time)),
        ])
    }
}
