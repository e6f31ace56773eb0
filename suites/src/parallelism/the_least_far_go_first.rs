//! Which pods go when fewer are wanted.

use crate::words::*;

/// Of a Job that is made smaller first a pod goes that has not started, then those that are not ready, of which the one goes first
/// that restarted more often, then the one that is ready for a shorter time.
pub struct This;

const ROLE: &str = "example.com/role";

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "scaling down",
                says: "pods that are less far go first",
            },
            requirements: &["PAR-010", "PAR-016", "PAR-017", "SYN-013"],
            needs: Needs {
                pods: PodNeeds::Played("pods that start when they are told, and are not ready"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.start = When::OnWord);
        // The limit is far above the restarts: they make a difference between two pods and nothing else.
        scene.submit(counted(5, 5).backoff_limit(6).restarts_in_place()).await?;
        scene.wait(pods().count(5)).await?;
        let names: Vec<String> = scene.world().pods().filter_map(|pod| pod.metadata.name.clone()).collect();
        for (name, role) in names.iter().zip(["waiting", "late", "early", "unready", "restarted"]) {
            scene.pod_named(name).is_patched(json!({"metadata": {"annotations": {ROLE: role}}})).await?;
        }
        // They are never ready, so two that are ready are the two that are meant, and whoever counts them has seen all five.
        scene.pod_named(&names[3]).is_not_ready().await?;
        scene.pod_named(&names[4]).is_not_ready().await?;
        scene.wait(of("unready").running(1).and(of("restarted").running(1))).await?;
        let restarted = json!({"status": {"containerStatuses": [{
            "name": "main", "image": "jobsworth.invalid/agent:v1", "imageID": "", "ready": false, "restartCount": 2,
            "state": {"running": {}},
        }]}});
        scene.must(Write::patch_pod(&names[4], restarted).part("status")).await?;
        scene.wait(of("restarted").any(restarted_times(2))).await?;
        scene.pod_named(&names[2]).runs().await?;
        scene
            .linger(Duration::from_millis(1500), "times are whole seconds, and one pod is to be ready for longer")
            .await?;
        scene.pod_named(&names[1]).runs().await?;
        scene.wait(job().active(5).and(job().ready(2))).await?;
        for (pods_wanted, role, mark) in [
            (4, "waiting", "four are left"),
            (3, "restarted", "three are left"),
            (2, "unready", "two are left"),
            (1, "late", "one is left"),
        ] {
            scene.patch("job", json!({"spec": {"parallelism": pods_wanted}})).await?;
            scene.wait(of(role).count(0)).await?;
            scene.mark(mark).await?;
        }
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let ready = job().ready(2);
        let [four, three, two, one] = ["four are left", "three are left", "two are left", "one is left"].map(passed);
        let stays = |role| never(of(role).count(0));
        Expectations::from([
            ("the one goes first that has not started", after(&ready, eventually(of("waiting").count(0)))),
            ("not one that is not ready", after(&ready, before(&four, stays("restarted")))),
            ("of those the one goes first that restarted", after(&four, eventually(of("restarted").count(0)))),
            ("not the one that did not", after(&ready, before(&three, stays("unready")))),
            ("which is the next", after(&three, eventually(of("unready").count(0)))),
            ("not one that is ready", after(&ready, before(&two, stays("late")))),
            ("of those the later one goes", after(&two, eventually(of("late").count(0)))),
            ("and the earlier one stays", after(&ready, stays("early"))),
            ("one that runs and is not ready does not count as ready", never(job().ready(3).or(job().ready(4)))),
            ("none of them is a failure", never(job().failed_at_least(1))),
            (
                "one is left, and of those that went nothing is told any more",
                after(
                    &one,
                    eventually(pods().that_are(terminating()).count(0).and(job().active(1).and(job().terminating(0)))),
                ),
            ),
        ])
    }
}

fn of(role: &'static str) -> jobsworth_oracle::vocabulary::pods::PodWords {
    pods().that_are(annotated(ROLE, role)).that_are(live())
}
