//! A time to live that is taken away while it runs.

use crate::words::*;

/// A finished Job whose time to live is taken away before it is over stays for good.
pub struct This;

const TIME: u32 = 12;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Algorithm",
                says: "a time to live that is removed cancels the deletion",
            },
            requirements: &["TTL-004", "TTL-008", "TTL-009"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        // So much that none of it is missing if the end is heard of late and the request takes long.
        scene.submit(counted(1, 1).ttl(TIME)).await?;
        scene.submit(counted(1, 1).named("other").ttl(TIME)).await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job().is_finished()).await?;
        scene.linger(Duration::from_secs(2), "some of the time is over when it is taken away").await?;
        scene.patch("job", json!({"spec": {"ttlSecondsAfterFinished": null}})).await?;
        // It ends later, so when its time is over, the first one's would be over too.
        scene.pod_of("other").succeeds().await?;
        scene.wait(job_named("other").is_gone()).await?;
        scene.linger(Duration::from_secs(2), "a late removal must have its chance").await
    }

    fn expects(&self) -> Expectations {
        let other = job_named("other");
        // One that is told to go already is too late for that.
        let untimed = job().object("has no time to live".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.ttl_seconds_after_finished.is_none())
        });
        let there = job().exists().and(job().is_deleting().negated());
        let cleared = job().is_finished().and(untimed).and(there.clone());
        Expectations::from([
            ("a Job that keeps its time goes when it is over", after(&cleared, eventually(other.is_gone()))),
            ("the Job without one stays", after(&cleared, stable(&there))),
        ])
    }
}
