//! A pod that is gone before the controller has heard of it.

use crate::words::*;

/// Deleting a pod that is gone already is as good as deleting it: the others go, too, and the Job is as it should be.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "scaling down",
                says: "a pod that is not found any more is deleted",
            },
            requirements: &["PAR-018", "EVT-003"],
            needs: Needs {
                faults: FaultNeeds::Watches,
                pods: PodNeeds::Played("a pod that goes at once"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(job().ready(2)).await?;
        scene.wire().holds_watches_of("pods").await?;
        let name = scene.some_pod().name().await?;
        scene.must(Write::patch_pod(&name, json!({"metadata": {"finalizers": null}}))).await?;
        scene.must(Write::delete_pod(&name, Some(0))).await?;
        scene.wait(pods().count(1)).await?;
        scene.mark("one is gone").await?;
        scene.patch("job", json!({"spec": {"parallelism": 0}})).await?;
        scene.wait(pods().count(0)).await?;
        scene.linger(Duration::from_secs(2), "an error that is told needs its time").await?;
        scene.wire().releases_watches_of("pods").await?;
        scene.wait(job().active(0)).await
    }

    fn expects(&self) -> Expectations {
        let gone = passed("one is gone");
        Expectations::from([
            ("one goes unheard", before(&gone, eventually(pods().count(1)))),
            ("the other is deleted", after(&gone, eventually(pods().count(0)))),
            ("no deletion has failed", never(notice("FailedDelete").was_written())),
            ("the Job has none any more", after(&gone, eventually(job().active(0)))),
            ("nothing is started", after(&gone, never(pods().created()))),
        ])
        .known(KnownDeviation {
            subject: "builtin",
            since: Minor::new(1, 35),
            until: Some(Minor::new(1, 37)),
            mended_in: &[],
            unless: None,
            breaks: &["W01"],
            source: "docs/differences.md",
        })
    }
}
