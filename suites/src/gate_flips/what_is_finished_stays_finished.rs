//! Finished Jobs across off and on.

use crate::words::*;

/// A Job that has ended is not touched when the gate by which it ended goes off and on.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Feature Enablement and Rollback",
                says: "finished Jobs are not changed by disabling or enabling",
            },
            requirements: &["UPG-001", "SUC-016"],
            needs: Needs { flips: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await?;
        for on in [false, true] {
            scene.change(Change::gate("JobSuccessPolicy", on)).await?;
            let other = if on { "after" } else { "between" };
            scene.submit(counted(1, 1).named(other)).await?;
            scene.pod_of(other).succeeds().await?;
            scene.wait(job_named(other).is_finished()).await?;
        }
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let ended = job().has(Complete.because("SuccessPolicy"));
        let off = changing("JobSuccessPolicy off");
        let touched = Predicate::new("job has a new version", |world| world.changed_job() == Some("job"));
        Expectations::from([
            ("the Job ended by its policy", before(&off, eventually(ended.clone()))),
            ("it stays so", stable(&ended)),
            ("nobody writes to it again", after(&off, never(touched))),
            ("its open indexes are not started", after(&off, never(pods().of("job").created()))),
            ("other Jobs run with the gate off", eventually(job_named("between").has(Complete))),
            ("and with the gate on again", eventually(job_named("after").has(Complete))),
        ])
    }
}
