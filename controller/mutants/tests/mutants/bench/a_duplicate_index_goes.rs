//! Of two, the first stays.

use jobsworth_harness::scene::When;
use jobsworth_suites::words::*;

/// A second pod of an index is removed; the one that works already goes on.
pub struct ADuplicateIndexGoes;

impl Case for ADuplicateIndexGoes {
    fn about(&self) -> About {
        About {
            id: "bench/a-duplicate-index-goes",
            claim: Claim {
                source: Source::Kep(2214),
                section: "Job controller",
                says: "of several active pods with one index all but one are removed",
            },
            requirements: &["IDX-009", "IDX-012"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let answer = scene.attempt("submit", indexed(1).create()).await?;
        scene.wait(pods().running(1).and(job().ready(1))).await?;
        let uid = answer.body["metadata"]["uid"].clone();
        scene.pods_behave(|manners| manners.start = When::OnWord);
        let twin = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "twin",
                "labels": {
                    "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": "job",
                    "controller-uid": uid, "job-name": "job",
                },
                "annotations": {"batch.kubernetes.io/job-completion-index": "0"},
                "finalizers": ["batch.kubernetes.io/job-tracking"],
                "ownerReferences": [{
                    "apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": uid,
                    "controller": true, "blockOwnerDeletion": true,
                }],
            },
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "jobsworth.invalid/nothing"}],
            },
        });
        scene.must(Write::create_pod(twin)).await?;
        scene.mark("there are two").await?;
        scene.wait(pods().that_are(live()).count(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (two, first) =
            (passed("there are two"), word("the first", |pod| pod.metadata.name.as_deref() != Some("twin")));
        let first = pods().that_are(first);
        Expectations::from([
            ("the second is removed", after(&two, eventually(pods().that_are(live()).count(1)))),
            ("the first is not told to stop", never(first.any(terminating()))),
            ("nothing counts as failed", never(job().failed_at_least(1))),
            ("the Job completes", eventually(job().has(Complete).and(job().completed_indexes("0")))),
        ])
    }
}
