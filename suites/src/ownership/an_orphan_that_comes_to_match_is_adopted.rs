//! A pod that a Job's selector matches later.

use crate::bare_pod::bare_pod;
use crate::words::*;

/// A pod that nobody controls is taken in by a Job when its labels come to match, though nothing else of the Job or its pods changes.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "adoption",
                says: "matching pods without a controller are adopted",
            },
            requirements: &["SYN-010", "SYN-011"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.must(bare_pod("orphan").app("b").create()).await?;
        scene.wait(pod_named("orphan").running(1)).await?;
        scene.submit(counted(2, 2).selects_app("a").backoff_limit(6)).await?;
        scene.wait(job().ready(2)).await?;
        // The delay after this failure leaves a place for it that no new pod takes meanwhile.
        scene.pod_of("job").fails(1).await?;
        scene.wait(job().failed(1).and(job().active(1))).await?;
        scene.linger(Duration::from_secs(1), "whatever the failure has set off must be over").await?;
        scene.pod_named("orphan").is_patched(json!({"metadata": {"labels": {"app": "a"}}})).await?;
        scene.wait(pod_named("orphan").of("job").count(1)).await?;
        scene.pod_named("orphan").succeeds().await?;
        scene.wait(job().succeeded(1)).await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let adopted = pod_named("orphan").of("job");
        let matches = pod_named("orphan").that_are(word("labelled as the Job's", |pod| {
            pod.metadata.labels.as_ref().and_then(|labels| labels.get("app")).is_some_and(|app| app == "a")
        }));
        let there = matches.count(1);
        let soon = eventually_within(Duration::from_secs(6), adopted.that_are(tracked()).count(1));
        Expectations::from([
            ("it is nobody's while it does not match", before(&there, never(adopted.at_least(1)))),
            ("it is adopted, with the finalizer, once it does", after(&there, soon)),
            ("its success is the Job's", after(&there, eventually(job().has(Complete).and(job().succeeded(2))))),
        ])
    }
}
