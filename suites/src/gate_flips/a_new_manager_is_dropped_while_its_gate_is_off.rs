//! Managers of new and old Jobs while the gate is off.

use crate::words::*;

/// With the gate off the manager is dropped from new Jobs, which are reconciled, and kept on those that name one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Feature Enablement and Rollback",
                says: "the API server drops the field on creation and keeps what is stored",
            },
            requirements: &["UPG-001", "UPG-007", "MGB-007"],
            needs: Needs { flips: &["JobManagedBy"], stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).named("old").managed_by("example.com/other").suspended()).await?;
        scene.change(Change::gate("JobManagedBy", false)).await?;
        scene.submit(counted(1, 1).named("new").managed_by("example.com/other")).await?;
        scene.pod_of("new").succeeds().await?;
        scene.wait(job_named("new").is_finished()).await?;
        scene.patch("old", json!({"metadata": {"labels": {"edited": "meanwhile"}}})).await?;
        scene.change(Change::gate("JobManagedBy", true)).await?;
        scene.submit(counted(1, 1).named("latest").managed_by("example.com/other")).await?;
        scene.submit(counted(1, 1).named("own")).await?;
        scene.pod_of("own").succeeds().await?;
        scene.wait(job_named("own").is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let managed = |name: &str| {
            job_named(name).object("names a manager".to_owned(), |job| {
                job.spec.as_ref().is_some_and(|spec| spec.managed_by.is_some())
            })
        };
        let [old, new, latest] = ["old", "new", "latest"].map(job_named);
        let edited = old.object("is edited".to_owned(), |job| {
            job.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key("edited"))
        });
        Expectations::from([
            ("a Job that names a manager keeps it", stable(&managed("old"))),
            ("also when it is edited", after(&edited, always(managed("old")))),
            ("a new one loses it", after(&new.exists(), never(managed("new")))),
            ("and is reconciled", eventually(new.has(Complete))),
            ("with the gate on again new Jobs have it", after(&latest.exists(), always(managed("latest")))),
            ("and are left alone", after(&latest.exists(), never(pods().of("latest").created()))),
            ("while others run", eventually(job_named("own").has(Complete))),
        ])
    }
}
