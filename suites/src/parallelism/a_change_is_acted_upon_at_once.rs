//! How soon a Job is looked at that is new or has changed.

use crate::words::*;

/// New Jobs and changed ones are acted upon at once, and do not wait for the second in which news of pods are gathered.
pub struct This;

const JOBS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
/// Less than the second. A machine that has much to do may take longer for most, but not for each of six.
const AT_ONCE: Duration = Duration::from_millis(900);

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
        for job in JOBS {
            scene.submit(counted(2, 1).named(job)).await?;
            scene.wait(pods().of(job).at_least(1)).await?;
            scene.patch(job, json!({"spec": {"parallelism": 2}})).await?;
            scene.wait(pods().of(job).at_least(2)).await?;
        }
        scene.mark("the last has come").await
    }

    fn expects(&self) -> Expectations {
        let new = |job: &'static str| after(&job_named(job).exists(), soon(job, 1));
        let changed = |job: &'static str| after(&wants_two(job), soon(job, 2));
        let last = passed("the last has come");
        Expectations::from([
            ("a new Job does not wait for the second to be over", any_of(JOBS.map(new))),
            ("and a changed one neither", any_of(JOBS.map(changed))),
            ("a pod for a new Job", before(&last, eventually(pods().of("one").count(1)))),
            ("and one more for a Job that wants two", before(&last, eventually(pods().of("six").count(2)))),
        ])
    }
}

fn wants_two(job: &'static str) -> Predicate {
    job_named(job).object(format!("Job {job} wants two at a time"), |job| {
        job.spec.as_ref().and_then(|spec| spec.parallelism) == Some(2)
    })
}

fn soon(job: &'static str, pods: usize) -> Property {
    eventually_within(AT_ONCE, self::pods().of(job).at_least(pods))
}
