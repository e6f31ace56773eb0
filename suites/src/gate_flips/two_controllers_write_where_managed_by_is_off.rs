//! A Job that names another controller across off and on.

use crate::words::*;

/// With the gate off a Job that names another controller has two that write to it; with the gate on again it has one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Risks and Mitigations",
                says: "disabling the feature while Jobs name other controllers makes two controllers act on one Job",
            },
            requirements: &["UPG-001", "UPG-007", "MGB-007"],
            needs: Needs { flips: &["JobManagedBy"], stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 1).managed_by("example.com/other")).await?;
        scene.must(Write::patch_job_status("job", json!({"ready": 0, "active": 0}))).await?;
        scene.change(Change::gate("JobManagedBy", false)).await?;
        scene.wait(pods().of("job").running(1).and(job().active(1))).await?;
        scene.must(Write::patch_job_status("job", json!({"ready": 1, "active": 1}))).await?;
        scene.mark("both have written").await?;
        scene.change(Change::gate("JobManagedBy", true)).await?;
        scene.submit(counted(1, 1).named("own")).await?;
        scene.pod_of("own").succeeds().await?;
        scene.wait(job_named("own").is_finished()).await?;
        scene.some_pod().succeeds().await?;
        scene.linger(Duration::from_secs(2), "a controller that has not let go would count the success").await
    }

    fn expects(&self) -> Expectations {
        let (begins, on) = (changing("JobManagedBy off"), changed("JobManagedBy on"));
        let two = job().has_writers_of_status(2);
        Expectations::from([
            ("with the gate on the Job has one writer", before(&begins, never(two.clone()))),
            ("and no pods", before(&begins, never(pods().of("job").created()))),
            (
                "with the gate off a pod is created for it",
                after(&begins, before(&on, eventually(pods().of("job").created()))),
            ),
            ("and its status has two writers", after(&begins, before(&on, eventually(two)))),
            (
                "its manager is still named",
                stable(&job().object("names a manager".to_owned(), |job| {
                    job.spec.as_ref().is_some_and(|spec| spec.managed_by.is_some())
                })),
            ),
            (
                "with the gate on again the controller does its own work",
                after(&on, eventually(job_named("own").has(Complete))),
            ),
            ("and leaves the Job alone: no pod", after(&on, never(pods().of("job").created()))),
            ("and no count", after(&on, never(job().succeeded(1)))),
        ])
    }
}
