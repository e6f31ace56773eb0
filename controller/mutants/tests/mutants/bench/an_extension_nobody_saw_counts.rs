//! A fresh look before the last step.

use jobsworth_suites::words::*;

/// A time to live that is extended in time keeps the Job, also when the controller learns of it too late.
///
/// Meant for an outage in which Jobs are seen later than their time to live is over.
pub struct AnExtensionNobodySawCounts;

impl Case for AnExtensionNobodySawCounts {
    fn about(&self) -> About {
        About {
            id: "bench/an-extension-nobody-saw-counts",
            claim: Claim {
                source: Source::Kep(592),
                section: "Finished Jobs",
                says: "a Job is read anew before it is removed",
            },
            requirements: &["TTL-004"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).ttl(6)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await?;
        scene.linger(Duration::from_secs(2), "the end and the extension must be told apart").await?;
        scene.patch("job", json!({"spec": {"ttlSecondsAfterFinished": 600}})).await?;
        scene.mark("extended").await?;
        scene.linger(Duration::from_secs(10), "the old time must pass, and be noticed").await?;
        scene.mark("the old time is over").await
    }

    fn expects(&self) -> Expectations {
        let extended = passed("extended");
        Expectations::from([
            ("the Job completes", before(&extended, eventually(job().has(Complete)))),
            ("it is still there when it is extended", before(&extended, never(job().is_deleting()))),
            ("and stays", after(&extended, never(job().is_deleting()))),
            ("beyond its old time", eventually(passed("the old time is over").and(job().exists()))),
        ])
    }
}
