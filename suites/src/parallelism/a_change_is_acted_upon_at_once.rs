//! How soon a Job is looked at that is new or has changed.

use crate::words::*;

/// New Jobs and changed ones are acted upon at once, and do not wait for the second in which news of pods are gathered.
pub struct This;

const JOBS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
/// Twelve acts, each a second later than it should be, take longer.
const TOGETHER: Duration = Duration::from_millis(11_500);

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "event handlers",
                says: "a Job that comes or changes is looked at without delay",
            },
            requirements: &["SYN-002"],
            needs: Needs { pods: PodNeeds::Played("pods that take no time to start"), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.mark("the first is asked for").await?;
        for job in JOBS {
            scene.submit(counted(2, 1).named(job)).await?;
            scene.wait(pods().of(job).at_least(1)).await?;
            scene.patch(job, json!({"spec": {"parallelism": 2}})).await?;
            scene.wait(pods().of(job).at_least(2)).await?;
        }
        scene.mark("the last has come").await
    }

    fn expects(&self) -> Expectations {
        let (first, last) = (passed("the first is asked for"), passed("the last has come"));
        Expectations::from([
            ("all is done before it could be with delays", after(&first, eventually_within(TOGETHER, last.clone()))),
            ("a pod for a new Job", after(&first, before(&last, eventually(pods().of("one").count(1))))),
            (
                "and one more for a Job that wants two",
                after(&first, before(&last, eventually(pods().of("six").count(2)))),
            ),
        ])
    }
}
