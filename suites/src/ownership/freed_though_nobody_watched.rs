//! Deleting a Job while its controller is down.

use crate::words::*;

/// Pods of a Job that was deleted while its controller was down are freed when it is back.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "finalizers",
                says: "pods of a deleted Job lose their finalizers after a restart",
            },
            requirements: &["FIN-012", "SYN-026"],
            needs: Needs { restarts_subject: true, others_go_on: true, stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).named("orphaned")).await?;
        scene.submit(counted(1, 1).named("background")).await?;
        scene.wait(pods().running(2)).await?;
        scene.subject().crash().await?;
        scene.delete("orphaned", Propagation::Orphan).await?;
        scene.delete("background", Propagation::Background).await?;
        let gone = job_named("orphaned").is_gone().and(job_named("background").is_gone());
        scene.wait(gone.and(pods().that_are(failed()).count(1))).await?;
        scene.subject().restart().await?;
        scene.wait(pods().count(1).and(pods().that_are(tracked()).count(0))).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        let (orphaned, background) = (job_named("orphaned"), job_named("background"));
        let gone = orphaned.is_gone().and(background.is_gone());
        let held = gone.and(pods().that_are(tracked()).count(2));
        Expectations::from([
            ("both Jobs are gone and their pods are held", before(&again, after(&pods().running(2), eventually(held)))),
            ("a restart frees both pods", after(&again, eventually(pods().that_are(tracked()).count(0)))),
            ("one that was told to stop is gone", after(&again, eventually(pods().count(1)))),
            ("the orphan runs on", after(&again, always(pods().running(1)))),
        ])
    }
}
