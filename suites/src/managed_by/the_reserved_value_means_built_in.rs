//! The name of the built-in controller.

use crate::words::*;

/// A Job that names the built-in controller is reconciled like one that names nobody.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "API",
                says: "the reserved value stands for the built-in controller",
            },
            requirements: &["MGB-001"],
            needs: Needs { gates: &["JobManagedBy"], stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).managed_by("kubernetes.io/job-controller")).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let named = job().object("names the built-in controller".to_owned(), |job| {
            let manager = job.spec.as_ref().and_then(|spec| spec.managed_by.as_deref());
            manager == Some("kubernetes.io/job-controller")
        });
        Expectations::from([
            ("the name is kept", stable(&named)),
            ("the Job has its pod", after(&named, eventually(pods().of("job").created()))),
            ("and is complete", after(&named, eventually(job().has(Complete).and(job().succeeded(1))))),
        ])
    }
}
