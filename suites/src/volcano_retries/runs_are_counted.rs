//! Jobs that fail until they have no runs left.

use crate::volcano_words::*;

/// A Job of n runs is restarted n - 1 times.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "maxRetry is the number of runs, the first one included",
            &["VJ-017", "VJ-040", "VJ-109", "VJ-174", "VJ-186"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for (name, runs) in [("one", 1), ("two", 2), ("three", 3)] {
            scene.submit(gang(1).named(name).max_retry(runs).policy(on("PodFailed", "RestartJob"))).await?;
            for run in 0..runs {
                let run = i32::try_from(run).unwrap_or(0);
                scene
                    .wait(job_named(name).is("Running").and(pods_of(name).that_are(of_version(run)).running(1)))
                    .await?;
                scene.pod_named(&format!("{name}-w-0")).fails(1).await?;
            }
            scene.wait(job_named(name).is("Failed")).await?;
        }
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let ran = |name: &'static str, version: i32| eventually(pods_of(name).that_are(of_version(version)).running(1));
        let never_ran = |name: &'static str, version: i32| never(pods_of(name).that_are(of_version(version)).created());
        Expectations::from([
            ("one run is one", ran("one", 0)),
            ("and no more", never_ran("one", 1)),
            ("then it has failed once", eventually(job_named("one").is("Failed").and(job_named("one").retry_count(1)))),
            ("two runs are two", ran("two", 1)),
            ("and not three", never_ran("two", 2)),
            ("three runs are three", ran("three", 2)),
            ("and not four", never_ran("three", 3)),
            (
                "then it has failed three times",
                eventually(job_named("three").is("Failed").and(job_named("three").retry_count(3))),
            ),
        ])
    }
}
