//! Idle Jobs.

use crate::words::*;

/// While nothing happens to a Job nothing is written to it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim { source: Source::JobController, section: "status", says: "no status write without a change" },
            requirements: &["SYN-025", "STA-008", "SYN-003"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2).and(job().active(2)).and(job().ready(2))).await?;
        scene.mark("all is quiet").await?;
        // Each touch of a pod is a reason to look at its Job again, and to find that nothing is new.
        for nth in 0..2 {
            scene.some_pod().is_patched(json!({"metadata": {"annotations": {"touched": nth.to_string()}}})).await?;
            scene.linger(Duration::from_millis(1500), "the sync that follows must have its chance to write").await?;
        }
        // Now nothing but a timer of its own could make a controller look.
        scene.linger(Duration::from_secs(7), "whoever looks every few seconds must have its chance, too").await?;
        scene.mark("still quiet").await?;
        scene.some_pod().succeeds().await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let changed = Predicate::new("the Job is written to", |world| world.changed_job().is_some());
        let touched = pods().any(annotated("touched", "1"));
        let (quiet, still) = (passed("all is quiet"), passed("still quiet"));
        Expectations::from([
            ("there are writes while pods come up", before(&quiet, eventually(changed.clone()))),
            ("also where nothing but the number of ready pods is new", eventually(job().ready(2))),
            ("its pods are touched", after(&quiet, before(&still, eventually(touched)))),
            ("none while they only run", after(&quiet, before(&still, never(changed.clone())))),
            ("they go on with the pods' ends", after(&still, eventually(changed))),
            ("the Job completes", eventually(job().has(Complete))),
        ])
    }
}
