//! A Job that is another controller's.

use crate::words::*;
use k8s_openapi::api::batch::v1::JobStatus;

/// A Job that names another controller is not touched, suspended or not.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Proposal",
                says: "the built-in controller skips Jobs that name another controller",
            },
            requirements: &["MGB-002", "EVT-012"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).managed_by("example.com/other")).await?;
        scene.submit(counted(1, 1).named("sleeper").managed_by("example.com/other").suspended()).await?;
        scene.submit(counted(1, 1).named("own")).await?;
        scene.pod_of("own").succeeds().await?;
        scene.wait(job_named("own").is_finished()).await?;
        scene.linger(Duration::from_secs(3), "a touch that must not be needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let [sleeper, own] = ["sleeper", "own"].map(job_named);
        let marked = |status: &JobStatus| status != &JobStatus::default();
        let told = Predicate::of_events("an event tells of Job job", |world| {
            world.notices().iter().any(|notice| notice.about == "Job/job")
        });
        Expectations::from([
            ("a Job of its own is complete meanwhile", after(&sleeper.exists(), eventually(own.has(Complete)))),
            ("the foreign Job has no pods", after(&job().exists(), never(pods().of("job").created()))),
            ("and no status", after(&job().exists(), never(job().status("has a status".to_owned(), marked)))),
            ("and no event is told of it", after(&job().exists(), never(told))),
            ("the suspended one has no pods", after(&sleeper.exists(), never(pods().of("sleeper").created()))),
            ("and no status", after(&sleeper.exists(), never(sleeper.status("has a status".to_owned(), marked)))),
        ])
    }
}
