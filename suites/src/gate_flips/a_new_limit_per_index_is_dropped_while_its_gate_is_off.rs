//! Limits per index of new and old Jobs while the gate is off.

use crate::words::*;

/// With the gate off the limit per index is dropped from new Jobs and kept on those that have it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Feature Enablement and Rollback",
                says: "the API server drops the fields on creation and keeps what is stored",
            },
            requirements: &["UPG-001", "UPG-005"],
            needs: Needs { flips: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(1).named("old").backoff_limit_per_index(1)).await?;
        scene.wait(pods().of("old").running(1)).await?;
        scene.change(Change::gate("JobBackoffLimitPerIndex", false)).await?;
        scene.submit(indexed(1).named("new").backoff_limit_per_index(1)).await?;
        scene.wait(pods().of("new").running(1)).await?;
        scene.patch("old", json!({"metadata": {"labels": {"edited": "meanwhile"}}})).await?;
        scene.change(Change::gate("JobBackoffLimitPerIndex", true)).await?;
        scene.submit(indexed(1).named("latest").backoff_limit_per_index(0)).await?;
        scene.pod_of("latest").fails(1).await?;
        scene.wait(job_named("latest").is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let limited = |name: &str| {
            job_named(name).object("has its limit per index".to_owned(), |job| {
                job.spec.as_ref().is_some_and(|spec| spec.backoff_limit_per_index.is_some())
            })
        };
        let [old, new, latest] = ["old", "new", "latest"].map(job_named);
        let edited = old.object("is edited".to_owned(), |job| {
            job.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key("edited"))
        });
        Expectations::from([
            ("a Job that has a limit per index keeps it", stable(&limited("old"))),
            ("also when it is edited", after(&edited, always(limited("old")))),
            ("a new one loses it", after(&new.exists(), never(limited("new")))),
            ("with the gate on again new Jobs have it", after(&latest.exists(), always(limited("latest")))),
            ("and fail by it", eventually(latest.has(Failed.because("FailedIndexes")))),
        ])
    }
}
