//! A pod that ceases to match.

use crate::words::*;

/// A Job lets go of a pod whose labels no longer match, and makes another in its place.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "adoption",
                says: "pods that no longer match are released",
            },
            requirements: &["SYN-012"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).selects_app("a")).await?;
        scene.wait(pods().running(1)).await?;
        let released = scene.some_pod().name().await?;
        scene.pod_named(&released).is_patched(json!({"metadata": {"labels": {"app": "b"}}})).await?;
        scene.wait(pods().of("job").running(1).and(pods().running(2))).await?;
        scene.pod_named(&released).fails(1).await?;
        scene.linger(Duration::from_secs(2), "a failure that must not count needs its chance").await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let relabelled = pods().that_are(word("relabelled", |pod| {
            pod.metadata.labels.as_ref().and_then(|labels| labels.get("app")).is_some_and(|app| app == "b")
        }));
        let seen = relabelled.count(1);
        let free = relabelled.of("job").count(0).and(relabelled.that_are(tracked()).count(0));
        Expectations::from([
            ("the pod is let go of, owner and finalizer", after(&seen, eventually(free))),
            ("another takes its place", after(&seen, eventually(pods().of("job").created()))),
            ("the released pod fails", after(&seen, eventually(relabelled.that_are(failed()).count(1)))),
            ("which is no failure of the Job", after(&seen, always(job().failed(0)))),
            ("so that it can be complete", after(&seen, eventually(job().has(Complete).and(job().succeeded(1))))),
        ])
    }
}
