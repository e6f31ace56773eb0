//! The field where it is not known.

use crate::words::*;

/// Where Jobs cannot be left to others, the field is dropped and the Job is reconciled.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Feature Enablement and Rollback",
                says: "with the gate off the built-in controller reconciles every Job",
            },
            requirements: &["MGB-007"],
            needs: Needs { gates_off: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).managed_by("example.com/other")).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let named = job().object("names a manager".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.managed_by.is_some())
        });
        Expectations::from([
            ("the field is dropped", after(&job().exists(), never(named))),
            ("the Job has its pod", eventually(pods().of("job").created())),
            ("and is complete", eventually(job().has(Complete).and(job().succeeded(1)))),
        ])
    }
}
