//! Pods with owners that somebody invented.

use crate::{
    bare_pod::bare_pod,
    siege::{Row, row, storm, weathered},
    words::*,
};

/// How many pods there are.
const PODS: usize = 120;

/// A hundred pods of Jobs that never were are let go, and the Jobs that are there do not wait for it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "orphan pods",
                says: "pods of Jobs that never were lose their finalizer, and keep no other Job from being served",
            },
            requirements: &["SYN-028", "SYN-031"],
            // The built-in controller lets go of every pod whose Job is not there.
            needs: Needs { stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.start = When::OnWord);
        for number in 0..PODS {
            let owner = json!({
                "apiVersion": "batch/v1", "kind": "Job", "controller": true,
                // Every other one says that it is the Job's that is there.
                "name": if number % 2 == 0 { "namesake" } else { "nobody" },
                "uid": format!("00000000-0000-4000-8000-{number:012}"),
            });
            scene.must(bare_pod(&format!("stray-{number}")).made_for(&owner).create()).await?;
        }
        storm(&rows(), scene).await?;
        scene.wait(pods().that_are(strays()).all(untracked())).await?;
        scene.mark("all strays are known").await
    }

    fn expects(&self) -> Expectations {
        let done = passed("all strays are known");
        weathered(&rows()).and(
            "no pod of an owner that never was is held",
            whenever(&done, pods().that_are(strays()).all(untracked())),
        )
    }
}

fn strays() -> jobsworth_oracle::vocabulary::pods::PodWord {
    word("strays", |pod| pod.metadata.name.as_deref().is_some_and(|name| name.starts_with("stray-")))
}

fn rows() -> Vec<Row> {
    vec![row("namesake", indexed(1)).becomes("active 1, 1 pending, *SuccessfulCreate")]
}
