//! Time that is spent suspended is not worked.

use jobsworth_suites::words::*;

/// The start time of a Job that is resumed is that of its resumption, not of its creation.
pub struct AResumedJobStartsAnew;

impl Case for AResumedJobStartsAnew {
    fn about(&self) -> About {
        About {
            id: "bench/a-resumed-job-starts-anew",
            claim: Claim {
                source: Source::Kep(2232),
                section: "Design Details",
                says: "startTime is set anew when a Job is resumed",
            },
            requirements: &["SUS-003", "STA-011"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).suspended()).await?;
        scene.wait(job().has(Suspended)).await?;
        scene.linger(Duration::from_secs(3), "resumption and creation must differ by seconds").await?;
        scene.mark("resumed").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let late = job().object("starts two seconds after its creation, or later".to_owned(), |job| {
            let start = job.status.as_ref().and_then(|status| status.start_time.as_ref());
            let pair = start.zip(job.metadata.creation_timestamp.as_ref());
            pair.is_some_and(|(start, created)| start.0.duration_since(created.0).as_secs() >= 2)
        });
        Expectations::from([
            ("it does not start before", before(&passed("resumed"), never(job().has_started()))),
            ("it starts then", after(&passed("resumed"), eventually(job().has_started()))),
            ("at that time", whenever(&job().has_started(), late)),
            ("it completes", eventually(job().has(Complete))),
        ])
    }
}
