//! Pods on their way out and a parallelism that changes.

use crate::words::*;

/// With policy Failed pods that a smaller parallelism sends away keep their places until they have stopped, and never count as failed;
/// where there is room for more pods, one that stops keeps its index.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Story 2",
                says: "pods that run and pods that stop are never more than were asked for",
            },
            requirements: &["PRP-002", "PRP-003", "PRP-005", "PRP-007", "BKO-014"],
            needs: Needs {
                gates: &["JobPodReplacementPolicy"],
                binaries_since: Some(Minor::new(1, 29)),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(6, 5).replaces_only_failed()).await?;
        scene.wait(job().ready(5)).await?;
        scene.patch("job", json!({"spec": {"parallelism": 1}})).await?;
        for stopping in [4, 3] {
            scene.wait(job().terminating(stopping)).await?;
            scene.some_pod().is_let_go(End::Exited(143)).await?;
        }
        scene.wait(job().terminating(2)).await?;
        scene.patch("job", json!({"spec": {"parallelism": 2}})).await?;
        scene.mark("two are wanted").await?;
        scene.linger(Duration::from_secs(2), "a hasty controller would start the second pod now").await?;
        scene.some_pod().is_let_go(End::Exited(143)).await?;
        scene.wait(job().terminating(1)).await?;
        scene.some_pod().is_let_go(End::Exited(143)).await?;
        scene.wait(job().active(2)).await?;
        an_index_stops(scene).await
    }

    fn expects(&self) -> Expectations {
        let wanted = passed("two are wanted");
        let of_job = pods().of("job");
        let leaving = of_job.any(terminating());
        let (other, index_stops) = (job_named("indexed"), index(0).any(terminating()));
        Expectations::from([
            (
                "more pods may stop than are wanted",
                before(&wanted, eventually(job().terminating(4).and(job().active(1)))),
            ),
            ("each that has stopped is told of", eventually(job().terminating(2).and(job().active(1)))),
            ("no pod is started while one stops", never(of_job.created().and(leaving))),
            ("one is when all have stopped", after(&wanted, eventually(of_job.created()))),
            ("so two run", after(&wanted, eventually(job().active(2).and(job().terminating(0))))),
            ("pods that were sent away are no failures", never(job().failed_at_least(1))),
            ("a pod of an index stops", eventually(other.terminating(1).and(other.active(1)))),
            ("beside it the next index is started", after(&index_stops, eventually(index(2).created()))),
            ("and not its own", never(index(0).created().and(index_stops))),
        ])
    }
}

/// Two of four indexes run, the first of them is told to stop, and then three are wanted.
async fn an_index_stops(scene: &mut Scene) -> Result<(), Stop> {
    let four = indexed(4).parallelism(2).backoff_limit(6).replaces_only_failed();
    scene.submit(four.named("indexed")).await?;
    scene.wait(job_named("indexed").ready(2)).await?;
    scene.pod(0).is_deleted().await?;
    scene.wait(job_named("indexed").terminating(1)).await?;
    scene.patch("indexed", json!({"spec": {"parallelism": 3}})).await?;
    scene.wait(pods().of("indexed").that_are(live()).count(2)).await?;
    scene.pod(0).is_let_go(End::Exited(143)).await?;
    scene.wait(job_named("indexed").failed(1)).await
}
