//! Replacement policies of new and old Jobs while the gate is off.

use crate::words::*;

/// With the gate off the replacement policy is dropped from new Jobs and kept on those that have it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Feature Enablement and Rollback",
                says: "the API server drops the field on creation and keeps what is stored",
            },
            requirements: &["UPG-001", "UPG-006", "PRP-011"],
            needs: Needs { flips: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).named("old").replaces_only_failed()).await?;
        scene.wait(pods().of("old").running(1)).await?;
        scene.change(Change::gate("JobPodReplacementPolicy", false)).await?;
        scene.submit(counted(1, 1).named("new").replaces_only_failed()).await?;
        scene.wait(pods().of("new").running(1)).await?;
        scene.patch("old", json!({"metadata": {"labels": {"edited": "meanwhile"}}})).await?;
        scene.change(Change::gate("JobPodReplacementPolicy", true)).await?;
        scene.submit(counted(1, 1).named("latest").replaces_only_failed()).await?;
        scene.pod_of("latest").succeeds().await?;
        scene.wait(job_named("latest").is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let patient = |name: &str| {
            job_named(name).object("has the policy Failed".to_owned(), |job| {
                job.spec.as_ref().is_some_and(|spec| spec.pod_replacement_policy.as_deref() == Some("Failed"))
            })
        };
        let silent = |name: &str| {
            job_named(name).object("has no policy".to_owned(), |job| {
                job.spec.as_ref().is_some_and(|spec| spec.pod_replacement_policy.is_none())
            })
        };
        let [old, new, latest] = ["old", "new", "latest"].map(job_named);
        let edited = old.object("is edited".to_owned(), |job| {
            job.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key("edited"))
        });
        Expectations::from([
            ("a Job that has a policy keeps it", stable(&patient("old"))),
            ("also when it is edited", after(&edited, always(patient("old")))),
            ("a new one loses it", after(&new.exists(), never(patient("new")))),
            ("and has none, not even the default", eventually(silent("new"))),
            ("with the gate on again new Jobs have it", after(&latest.exists(), always(patient("latest")))),
        ])
    }
}
