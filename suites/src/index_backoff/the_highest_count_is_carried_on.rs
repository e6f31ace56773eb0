//! Two failed pods of one index.

use crate::bare_pod::bare_pod;
use crate::words::*;
use jobsworth_api::well_known;

/// A replacement takes over the count of that failed pod of its index that has the highest one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Design Details",
                says: "of several failed pods of an index the one with the most failures is counted on from",
            },
            requirements: &["BLI-011", "BLI-001"],
            needs: Needs {
                gates: &["JobBackoffLimitPerIndex"],
                restarts_subject: true,
                pods: PodNeeds::Played("pods that ended some time ago"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(1).backoff_limit(6).backoff_limit_per_index(6)).await?;
        scene.wait(job().ready(1)).await?;
        scene.subject().crash().await?;
        let owner = {
            let world = scene.world();
            let uid = world.job("job").and_then(|job| job.metadata.uid.clone());
            json!({"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": uid, "controller": true})
        };
        let twin = bare_pod("twin").made_for(&owner).annotated(well_known::COMPLETION_INDEX, "0");
        scene.must(twin.annotated(well_known::INDEX_FAILURE_COUNT, "2").create()).await?;
        // No delay is left, whichever of both is counted on from; and the one with more failures ended last, without which it is not said
        // which that is.
        scene.pod_named("twin").ends(End::exited_ago(1, 80)).await?;
        scene.pod(0).ends(End::exited_ago(1, 90)).await?;
        scene.subject().restart().await?;
        scene.wait(index(0).that_are(live()).count(1)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        let counts = |text| index(0).that_are(live()).that_are(annotated(well_known::INDEX_FAILURE_COUNT, text));
        Expectations::from([
            ("two have failed", before(&again, eventually(index(0).that_are(failed()).count(2)))),
            ("there is another try", after(&again, eventually(index(0).that_are(live()).count(1)))),
            ("which counts on from the higher one", after(&again, eventually(counts("3").count(1)))),
            ("the Job completes", eventually(job().has(Complete))),
        ])
    }
}
