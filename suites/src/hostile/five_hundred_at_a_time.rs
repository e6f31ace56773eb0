//! Jobs of two thousand million pods, hundreds of them at a time.

use super::MAX;
use crate::{
    draft::Draft,
    siege::{Row, besiege, row, withstood},
    words::*,
};

/// A Job that asks for as many pods as one sync makes gets them, and others are served meanwhile.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "wanted pods",
                says: "hundreds of pods of one Job keep nobody else waiting",
            },
            requirements: &["PAR-001", "PAR-007", "SYN-031"],
            needs: Needs { fills_rate_limit: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        // Nobody has to run a thousand pods: no node takes them, and a pod driver leaves them alone.
        scene.pods_behave(|manners| manners.start = When::OnWord);
        besiege(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        withstood(&rows())
    }
}

/// The rows of the table.
#[must_use]
pub fn rows() -> Vec<Row> {
    let nowhere = |job: Draft| job.pod_spec("nodeSelector", json!({"jobsworth.invalid/no-such-node": "true"}));
    let wait = "active 500, 500 pending, *SuccessfulCreate";
    vec![
        row("two-billion-pods", nowhere(counted(MAX, 500))).becomes(wait),
        row("two-billion-indexes", nowhere(indexed(MAX).parallelism(500))).becomes(wait),
    ]
}
