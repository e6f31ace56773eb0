//! What becomes of the pods.

use crate::words::*;
use jobsworth_oracle::vocabulary::pods::{PodWord, is_stopping};

fn told_to_go() -> PodWord {
    word("told to go", is_stopping)
}

/// An expired Job goes by a foreground deletion: after its pods, and not while one of them is held.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Cascading deletion",
                says: "dependents are deleted with the Job",
            },
            requirements: &["TTL-005", "TTL-012"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let held = json!(["example.com/hold"]);
        scene.submit(indexed(2).ttl(1).pod_metadata("finalizers", held)).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_deleting()).await?;
        scene.wait(pods().that_are(told_to_go()).count(2)).await?;
        scene
            .linger(Duration::from_secs(2), "a Job that does not wait for its pods must have its chance to go")
            .await?;
        scene.pod(0).is_patched(json!({"metadata": {"finalizers": null}})).await?;
        scene.pod(1).is_patched(json!({"metadata": {"finalizers": null}})).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let removed = job().is_deleting();
        let waits = job().object("waits for its dependents".to_owned(), |job| {
            job.metadata.finalizers.iter().flatten().any(|finalizer| finalizer == "foregroundDeletion")
        });
        let left_behind = job().is_gone().and(pods().at_least(1));
        Expectations::from([
            ("the deletion is a foreground one", whenever(&removed, waits)),
            ("the pods are told to go", after(&removed, eventually(pods().that_are(told_to_go()).count(2)))),
            ("the Job does not go before them", after(&job().exists(), never(left_behind))),
            ("when they are gone it goes", after(&removed, eventually(job().is_gone()))),
        ])
    }
}
