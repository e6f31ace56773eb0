//! Pods of a node that is drained.

use crate::words::*;
use jobsworth_oracle::World;

/// The pods of a drained node are disrupted, run again on another node, and count for nothing.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "Story 2",
                says: "a node drain fails no Job whose policy ignores disruptions",
            },
            requirements: &["PFP-009", "PFP-018", "PAR-024"],
            needs: Needs { pods: PodNeeds::Real { nodes: 2 }, own_nodes: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(1).when_a_pod(has_condition("DisruptionTarget").ignore())).await?;
        scene.wait(pods().running(1)).await?;
        let first = scene.pod(0).name().await?;
        let before = scene.node_of(&first).await?;
        scene.drain(&before).await?;
        let another = |world: &World, first: &str| {
            let mut others = world.pods().filter(|pod| pod.metadata.name.as_deref() != Some(first));
            others.find(|pod| running().holds(pod)).and_then(|pod| pod.metadata.name.clone())
        };
        let old = first.clone();
        let came = scene.wait(Predicate::new("another pod to run", move |world| another(world, &old).is_some())).await;
        // Whatever came of it, other cases need the node.
        scene.reopen(&before).await?;
        came?;
        let second = another(&scene.world(), &first).unwrap_or_default();
        let after = scene.node_of(&second).await?;
        scene.note("nodes", json!({"before": before, "after": after}));
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let moved = answer("nodes").asks("are two".to_owned(), |answer| {
            answer.body["before"].is_string() && answer.body["before"] != answer.body["after"]
        });
        Expectations::from([
            ("a pod is disrupted", eventually(pods().any(disrupted()))),
            ("another takes its place", after(&passed("node drained"), eventually(pods().created()))),
            ("on another node", eventually(moved)),
            ("nothing is counted", never(job().failed_at_least(1))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(1)))),
        ])
    }
}
