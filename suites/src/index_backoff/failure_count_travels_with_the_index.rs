//! Where the failures of an index are remembered.

use crate::words::*;

/// Every pod of an index carries how often the index has failed before, counted and ignored failures apart.
pub struct This;

const COUNTED: &str = "batch.kubernetes.io/job-index-failure-count";
const IGNORED: &str = "batch.kubernetes.io/job-index-ignored-failure-count";

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Tracking the number of failures per index",
                says: "annotations of the pods keep the number of failures of their index",
            },
            requirements: &["BLI-001", "BLI-003", "BLI-006", "PFP-009"],
            needs: Needs { gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(1).backoff_limit_per_index(1).when_a_pod(exits(&[13]).ignore())).await?;
        for code in [1, 13, 1] {
            scene.pod(0).ends(End::exited_long_ago(code)).await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let unspoilt = word("without ignored failures", |pod| {
            pod.metadata.annotations.as_ref().is_none_or(|all| !all.contains_key(IGNORED))
        });
        let ended = |n| pods().that_are(failed()).at_least(n);
        let born = |counted| pods().that_are(annotated(COUNTED, counted));
        Expectations::from([
            (
                "the first pod knows of no failure",
                before(&ended(1), eventually(born("0").that_are(unspoilt.clone()).created())),
            ),
            (
                "the second one of a failure",
                after(&ended(1), before(&ended(2), eventually(born("1").that_are(unspoilt).created()))),
            ),
            (
                "the third one of an ignored one, too",
                after(&ended(2), before(&ended(3), eventually(born("1").that_are(annotated(IGNORED, "1")).created()))),
            ),
            ("the ignored failure is not charged to the index", before(&ended(3), never(job().failed_indexes("0")))),
            (
                "the next counted one is its last",
                after(&ended(3), eventually(job().failed_indexes("0").and(job().failed(2)))),
            ),
            ("no other pod is tried", after(&ended(3), never(pods().created()))),
        ])
    }
}
