//! The instance that leads is stopped in its tracks until another leads, and then goes on.

use super::SOON;
use crate::words::*;

/// A leader that sleeps past its lease is followed, and when it wakes up with news before it, it leaves them to the other.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "leader election",
                says: "who has lost the lease without knowing it disturbs nothing",
            },
            requirements: &["SYN-026", "SYN-024"],
            needs: Needs { second_instance: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(4, 2)).await?;
        scene.submit(indexed(3).parallelism(3).named("indexed")).await?;
        scene.wait(job().active(2).and(job_named("indexed").active(3)).and(pods().running(5))).await?;
        scene.leader().pause().await?;
        // News that wait for it, and that the other hears of first.
        scene.pod_of("job").succeeds().await?;
        scene.pod_of("indexed").succeeds().await?;
        scene.leader().is_another().await?;
        scene.wait(job().succeeded(1).and(job_named("indexed").succeeded(1))).await?;
        scene.submit(counted(1, 1).named("late")).await?;
        scene.linger(Duration::from_secs(1), "who sleeps has lost the lease for sure").await?;
        scene.leader().resume().await?;
        scene.linger(Duration::from_secs(2), "what it would write it writes now").await?;
        let all = job().is_finished().and(job_named("indexed").is_finished()).and(job_named("late").is_finished());
        super::succeed_until(scene, all).await
    }

    fn expects(&self) -> Expectations {
        let (pause, awake) = (passed("subject paused"), passed("subject resumed"));
        let (indexed, late) = (job_named("indexed"), job_named("late"));
        Expectations::from([
            ("what ended meanwhile is counted soon", after(&pause, eventually_within(SOON, job().succeeded(1)))),
            ("the Job completes", after(&awake, eventually(job().has(Complete).and(job().succeeded(4))))),
            ("so does the other", after(&awake, eventually(indexed.has(Complete).and(indexed.succeeded(3))))),
            ("and the one that it never saw", after(&awake, eventually(late.has(Complete).and(late.succeeded(1))))),
            ("nothing is counted as failed", never(job().failed_at_least(1).or(indexed.failed_at_least(1)))),
        ])
        .known(super::WRITES_BEFORE_IT_KNOWS)
    }
}
