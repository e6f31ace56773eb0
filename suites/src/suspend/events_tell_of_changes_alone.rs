//! Events of a Job that is suspended and resumed.

use crate::words::*;

/// Suspension and resumption are told when they come about, not whenever the Job is looked at, and its end is told once.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Events",
                says: "Suspended and Resumed are told on a change of the condition; a write that is not taken may repeat them, the end never",
            },
            requirements: &["EVT-004", "EVT-009"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).suspended()).await?;
        scene.wait(job().has(Suspended).and(notice("Suspended").was_written())).await?;
        touched(scene).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(job().ready(1).and(notice("Resumed").was_written())).await?;
        touched(scene).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished().and(notice("Completed").was_written())).await?;
        touched(scene).await
    }

    fn expects(&self) -> Expectations {
        let suspended = || notice("Suspended").on("Job/job");
        let resumed = || notice("Resumed").on("Job/job");
        let asked = job().object("is asked to run".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.suspend != Some(true))
        });
        Expectations::from([
            ("the suspension is told", before(&asked, eventually(suspended().saying("Job suspended").was_written()))),
            // One of them may be a write's that was not taken.
            ("not at every look", never(suspended().more_than(2))),
            ("the resumption is told", after(&asked, eventually(resumed().saying("Job resumed").was_written()))),
            ("not before", before(&asked, never(resumed().was_written()))),
            ("nor at every look", never(resumed().more_than(2))),
            ("the end is told", eventually(notice("Completed").on("Job/job").was_written())),
            ("once", never(notice("Completed").on("Job/job").more_than(1))),
        ])
    }
}

/// Four reasons to look at the Job again, and time to do it.
async fn touched(scene: &mut Scene) -> Result<(), Stop> {
    for nth in 0..4 {
        scene.patch("job", json!({"metadata": {"annotations": {"touched": nth.to_string()}}})).await?;
    }
    scene.linger(Duration::from_millis(1500), "a look that answers the last touch comes a second later at most").await
}
