//! A time to live for a Job that is finished already.

use crate::words::*;

/// A finished Job without a time to live stays, and goes when it is given one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Algorithm",
                says: "the field may be set after the Job finished",
            },
            requirements: &["TTL-008", "TTL-009"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1)).await?;
        scene.submit(counted(1, 1).named("other").ttl(1)).await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job().is_finished()).await?;
        scene.pod_of("other").succeeds().await?;
        scene.wait(job_named("other").is_gone()).await?;
        scene.patch("job", json!({"spec": {"ttlSecondsAfterFinished": 1}})).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let (other, removed) = (job_named("other"), job().is_deleting());
        let set = job().object("has a time to live".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.ttl_seconds_after_finished.is_some())
        });
        let other_goes = after(&other.exists(), eventually(other.is_deleting()));
        Expectations::from([
            ("another Job that has a time to live goes", before(&set, other_goes)),
            ("a Job that has none stays", before(&set, never(removed.clone()))),
            ("until it has one", after(&set, eventually_within(Duration::from_secs(10), removed.clone()))),
            ("and then it is gone in the end", after(&removed, eventually(job().is_gone()))),
        ])
    }
}
