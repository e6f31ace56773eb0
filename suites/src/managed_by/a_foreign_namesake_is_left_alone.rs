//! A foreign Job under the name of a former one.

use crate::words::*;
use k8s_openapi::api::batch::v1::JobStatus;

/// What was to be done for a deleted Job is not done for a foreign Job that takes its name.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Design Details",
                says: "whether to skip a Job is decided when it is looked at",
            },
            requirements: &["MGB-003", "MGB-002"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone()).await?;
        scene.submit(counted(2, 2).managed_by("example.com/other")).await?;
        scene.submit(counted(1, 1).named("own")).await?;
        scene.pod_of("own").succeeds().await?;
        scene.wait(job_named("own").is_finished()).await?;
        scene.linger(Duration::from_secs(2), "a touch that must not be needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let foreign = job().object("is foreign".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.managed_by.as_deref() == Some("example.com/other"))
        });
        let marked = job().status("has a status".to_owned(), |status| status != &JobStatus::default());
        Expectations::from([
            ("the former Job had pods", before(&foreign, eventually(pods().of("job").created()))),
            ("another Job is complete meanwhile", after(&foreign, eventually(job_named("own").has(Complete)))),
            ("its foreign namesake has none", after(&foreign, never(pods().of("job").created()))),
            ("and no status", after(&foreign, never(marked))),
        ])
    }
}
