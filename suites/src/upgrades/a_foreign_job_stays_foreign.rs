//! Another controller's Job across a change of version.

use crate::words::*;
use k8s_openapi::api::batch::v1::JobStatus;

/// A Job that names another controller is not touched before, while and after Kubernetes is changed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Upgrade / Downgrade Strategy",
                says: "who manages a Job is in its spec, for every version that knows the field",
            },
            requirements: &["UPG-007", "MGB-002"],
            needs: Needs { gates: &["JobManagedBy"], other_version: Some(Neighbour::Any), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).managed_by("example.com/other")).await?;
        scene.change_version().await?;
        scene.submit(counted(1, 1).named("witness")).await?;
        scene.pod_of("witness").succeeds().await?;
        scene.wait(job_named("witness").is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let status = job().status("has a status".to_owned(), |status| status != &JobStatus::default());
        let named = job().object("names its manager".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.managed_by.is_some())
        });
        Expectations::from([
            ("it names its manager for good", stable(&named)),
            ("it gets no pods", after(&job().exists(), never(pods().of("job").created()))),
            ("and no status", after(&job().exists(), never(status))),
            (
                "while the controller works",
                after(&changed("the other Kubernetes"), eventually(job_named("witness").has(Complete))),
            ),
        ])
    }
}
