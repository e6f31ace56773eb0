//! A name is not an identity.

use jobsworth_suites::words::*;

/// A Job under the name of one that is gone is not removed in its stead, also when the controller learns late that it is
/// another.
///
/// Meant for an outage in which Jobs are seen later than the first one's time to live is over: then the controller
/// still knows the first one while the second one is there.
pub struct TheNamesakeOfAnExpiredJobStays;

impl Case for TheNamesakeOfAnExpiredJobStays {
    fn about(&self) -> About {
        About {
            id: "bench/the-namesake-of-an-expired-job-stays",
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
        scene.submit(counted(1, 1).ttl(6)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone()).await?;
        scene.submit(counted(1, 1).ttl(600)).await?;
        scene.mark("the namesake is there").await?;
        scene.linger(Duration::from_secs(10), "the first one's time must pass, and be noticed").await?;
        scene.mark("the time is over").await
    }

    fn expects(&self) -> Expectations {
        let there = passed("the namesake is there");
        Expectations::from([
            ("the namesake is not removed", after(&there, never(job().is_deleting()))),
            ("and stays", eventually(passed("the time is over").and(job().exists()))),
        ])
    }
}
