//! The pods of a former Job of the same name.

use crate::words::*;

/// A Job does not count the pods of a deleted Job that had its name and its selector, and sets them free.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "ownership",
                says: "a pod belongs to the Job whose UID it names",
            },
            requirements: &["SYN-008", "SYN-018", "FIN-012"],
            needs: Needs { restarts_subject: true, others_go_on: true, stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).selects_app("a")).await?;
        scene.wait(pods().running(1)).await?;
        scene.subject().crash().await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone().and(pods().that_are(failed()).count(1))).await?;
        scene.submit(counted(1, 1).selects_app("a")).await?;
        scene.subject().restart().await?;
        scene.wait(pods().running(1)).await?;
        scene.wait(pods().that_are(failed()).count(0)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            (
                "a failed pod of the former Job is there",
                before(&again, eventually(job().exists().and(pods().that_are(failed()).that_are(tracked()).count(1)))),
            ),
            ("it is set free", after(&again, eventually(pods().that_are(failed()).count(0)))),
            ("the Job makes a pod of its own", after(&again, eventually(pods().of("job").created()))),
            ("the former pod's failure does not count", after(&again, always(job().failed(0)))),
            ("so that the Job can be complete", after(&again, eventually(job().has(Complete).and(job().succeeded(1))))),
        ])
    }
}
