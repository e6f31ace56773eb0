//! An API server one minor version ahead of its controllers.

use crate::words::*;
use jobsworth_oracle::vocabulary::JobWord;

/// With a newer API server the controller works as before and leaves the spec as it is; then it follows.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "version skew policy",
                says: "controllers may be one minor version behind the API server",
            },
            requirements: &["UPG-015", "UPG-023"],
            needs: Needs { other_version: Some(Neighbour::Newer), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).named("old")).await?;
        scene.wait(pods().of("old").running(2)).await?;
        scene.change_api_server().await?;
        scene.submit(indexed(2).named("new").backoff_limit_per_index(1)).await?;
        scene.wait(pods().of("new").running(2)).await?;
        for name in ["old", "new"] {
            for _ in 0..2 {
                scene.pod_of(name).succeeds().await?;
            }
            scene.wait(job_named(name).is_finished()).await?;
        }
        scene.change_version().await?;
        scene.submit(counted(1, 1).named("latest")).await?;
        scene.pod_of("latest").succeeds().await?;
        scene.wait(job_named("latest").is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (ahead, follows) = (changed("the other kube-apiserver"), changing("the other Kubernetes"));
        let [old, new, latest] = ["old", "new", "latest"].map(job_named);
        let limited = new.object("has its limit per index".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.backoff_limit_per_index == Some(1))
        });
        let generation = |job: &JobWord| job.object("was edited".to_owned(), |job| job.metadata.generation != Some(1));
        Expectations::from([
            ("a Job from before completes behind it", after(&ahead, before(&follows, eventually(old.has(Complete))))),
            ("a Job from now completes behind it", after(&ahead, before(&follows, eventually(new.has(Complete))))),
            ("no pod is started twice", after(&ahead, never(pods().of("old").created()))),
            ("the spec of the old one is not written", never(generation(&old))),
            ("nor that of the new one", never(generation(&new))),
            ("whose fields stay", after(&new.exists(), always(limited))),
            ("the controllers follow and work", after(&follows, eventually(latest.has(Complete)))),
        ])
    }
}
