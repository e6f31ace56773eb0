//! The resources of the pods that make up a gang.

use crate::volcano_words::*;

/// A gang asks for what its first pods ask for.
pub struct This;

/// Name of the Job; how many pods it needs, how many of each task, and what they ask for.
const ROWS: [(&str, u32, u32, u32, &str); 6] = [
    ("two-one-two", 2, 1, 2, "100m"),
    ("two-two-one", 2, 2, 1, "100m"),
    ("three-two-two", 3, 2, 2, "200m"),
    ("three-one-one", 3, 1, 1, "200m"),
    ("three-one-two", 3, 1, 2, "250m"),
    ("two-one-one", 2, 1, 1, "150m"),
];

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "PodGroup",
            "minResources sums up the pods that make up the gang: the minimum of each task, then the rest in order",
            &["VJ-257", "VJ-260"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.gangs_behave(|gangs| gangs.phases = When::OnWord);
        for (name, min, a, b, _) in ROWS {
            let job = tasks(&[("a", 2), ("b", 2)]).named(name).min_available(min).cpu(0, "50m").cpu(1, "100m");
            scene.submit(job.task(0, "minAvailable", a).task(1, "minAvailable", b)).await?;
        }
        let high = tasks(&[("a", 2), ("b", 2)]).named("priority").min_available(2).cpu(0, "50m").cpu(1, "100m");
        let high = high.task(0, "minAvailable", 2).task(1, "minAvailable", 2);
        scene.submit(high.pod_spec(1, "priorityClassName", "system-cluster-critical")).await?;
        scene.wait(pod_groups().count(ROWS.len() + 1)).await
    }

    fn expects(&self) -> Expectations {
        let mut all = Expectations::new();
        for (name, min, a, b, cpu) in ROWS {
            let group = pod_groups().controlled_by(&Resource::VOLCANO_JOBS, name);
            let says = format!("{min} of 2 times 50m, at least {a}, and 2 times 100m, at least {b}, ask for {cpu}");
            let asks = group.with("/spec/minResources/cpu", cpu).with("/spec/minResources/pods", min.to_string());
            all = all.and(says, eventually(asks.with("/spec/minResources/requests.cpu", cpu).count(1)));
        }
        let priority = pod_groups().controlled_by(&Resource::VOLCANO_JOBS, "priority");
        all.and(
            "the task of the higher priority comes first",
            eventually(priority.with("/spec/minResources/cpu", "200m").count(1)),
        )
    }
}
