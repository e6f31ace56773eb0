//! Success policies of new and old Jobs while the gate is off.

use crate::words::*;

/// With the gate off a policy is dropped from new Jobs and kept on those that have it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Feature Enablement and Rollback",
                says: "the API server drops the field on creation and keeps what is stored",
            },
            requirements: &["UPG-002", "SUC-015"],
            needs: Needs { flips: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).named("old").succeeds_when(indexes("0"))).await?;
        scene.wait(pods().of("old").running(2)).await?;
        scene.change(Change::gate("JobSuccessPolicy", false)).await?;
        scene.submit(indexed(2).named("new").succeeds_when(indexes("0"))).await?;
        scene.wait(pods().of("new").running(2)).await?;
        scene.patch("old", json!({"metadata": {"labels": {"edited": "meanwhile"}}})).await?;
        scene.change(Change::gate("JobSuccessPolicy", true)).await?;
        scene.submit(indexed(1).named("latest").succeeds_when(indexes("0"))).await?;
        scene.pod_of("latest").succeeds().await?;
        scene.wait(job_named("latest").is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let with_policy = |name: &str| {
            job_named(name).object("has its policy".to_owned(), |job| {
                job.spec.as_ref().is_some_and(|spec| spec.success_policy.is_some())
            })
        };
        let [old, new, latest] = ["old", "new", "latest"].map(job_named);
        let edited = old.object("is edited".to_owned(), |job| {
            job.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key("edited"))
        });
        Expectations::from([
            ("a Job that has a policy keeps it", stable(&with_policy("old"))),
            ("also when it is edited", after(&edited, always(with_policy("old")))),
            ("a new one loses it", after(&new.exists(), never(with_policy("new")))),
            ("for good", after(&changed("JobSuccessPolicy on"), never(with_policy("new")))),
            ("with the gate on again new Jobs have it", after(&latest.exists(), always(with_policy("latest")))),
            ("and end by it", eventually(latest.has(Complete.because("SuccessPolicy")))),
        ])
    }
}
