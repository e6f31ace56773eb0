//! Why pods were created, and what a smaller Job does to what was counted.

use crate::words::*;

/// First pods, replacements of failed ones under either policy and refused creations are told apart; what was counted stays counted.
pub struct This;

const CREATED: &str = "job_controller_job_pods_creation_total";
const PODS: &str = "job_controller_job_pods_finished_total";
const REFUSED: &str = "a refused creation is no creation that succeeded";

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Monitoring requirements",
                says: "creations are counted by reason and result; a scale-down takes nothing back",
            },
            requirements: &["MET-011", "MET-012", "MET-013", "MET-019"],
            needs: Needs {
                gates: &["JobPodReplacementPolicy"],
                reads_metrics: true,
                pods: PodNeeds::Played("pods that ended some time ago"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let before = scene.subject().counts().await?;
        let limit = |job: Draft| job.backoff_limit(6);
        scene.submit(limit(counted(1, 1).named("at-once"))).await?;
        scene.submit(limit(counted(1, 1).named("after-it").replaces_only_failed())).await?;
        scene.submit(indexed(2).named("shrinks")).await?;
        scene.wait(pods().running(4)).await?;
        for job in ["at-once", "after-it"] {
            // The delay before another try is over already.
            scene.pod_of(job).ends(End::exited_ago(1, 20)).await?;
        }
        scene.wait(pods().of("at-once").that_are(running()).count(1)).await?;
        scene.wait(pods().of("after-it").that_are(running()).count(1)).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job_named("shrinks").completed_indexes("1")).await?;
        scene.patch("shrinks", json!({"spec": {"completions": 1, "parallelism": 1}})).await?;
        scene.wait(job_named("shrinks").succeeded(0)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job_named("shrinks").is_finished()).await?;
        scene.submit(counted(1, 1).named("unwelcome").pod_spec("serviceAccountName", "nobody")).await?;
        scene.wait(notice("FailedCreate").on("Job/unwelcome").was_written()).await?;
        scene.patch("unwelcome", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job_named("unwelcome").has(Suspended)).await?;
        scene.subject().tells_what_it_counted(&before, "all").await
    }

    fn expects(&self) -> Expectations {
        let all = counts("all");
        let created = |labels, by| eventually(all.rose(CREATED, labels, by));
        Expectations::from([
            (
                "a pod that failed is replaced for one that failed",
                created(&[("reason", "recreate_failed"), ("status", "succeeded")], 1),
            ),
            (
                "or for one that failed or is told to stop",
                created(&[("reason", "recreate_terminating_or_failed"), ("status", "succeeded")], 1),
            ),
            (
                "a refused creation is counted as one that failed",
                eventually(all.rose_by_at_least(CREATED, &[("reason", "new"), ("status", "failed")], 1)),
            ),
            (REFUSED, created(&[("reason", "new"), ("status", "succeeded")], 4)),
            (
                "a smaller Job takes nothing back",
                eventually(all.rose(PODS, &[("completion_mode", "Indexed"), ("result", "succeeded")], 2)),
            ),
        ])
        .known(KnownDeviation {
            subject: "builtin",
            since: Minor::new(1, 32),
            until: None,
            mended_in: &[],
            unless: None,
            breaks: &[REFUSED],
            source: "https://github.com/kubernetes/kubernetes/pull/136377",
        })
    }
}
