//! A controller that restarts while times run.

use crate::words::*;

/// After a restart a Job whose time ran out meanwhile goes at once, and any other when its time is over.
pub struct This;

/// Longer than any run of this case.
const HOURS: u32 = 36_000;
/// What is granted after the restart, the start of the controller included: less than both times, so who counts them anew is late.
const SOON: Duration = Duration::from_secs(16);

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Algorithm",
                says: "pending deletions are found again by listing the Jobs",
            },
            requirements: &["TTL-014", "TTL-016", "SYN-026", "UPG-013"],
            needs: Needs { restarts_subject: true, ttl_of_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).ttl(HOURS)).await?;
        scene.submit(counted(1, 1).named("overdue").ttl(HOURS)).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod_of("job").succeeds().await?;
        scene.pod_of("overdue").succeeds().await?;
        scene.wait(job().is_finished().and(job_named("overdue").is_finished())).await?;
        scene.subject().crash().await?;
        // Set only now: however slow the machine is, neither time is over while somebody watches.
        scene.patch("job", json!({"spec": {"ttlSecondsAfterFinished": 26}})).await?;
        scene.patch("overdue", json!({"spec": {"ttlSecondsAfterFinished": 20}})).await?;
        scene.linger(Duration::from_secs(21), "the shorter time is over while nobody watches").await?;
        scene.subject().restart().await?;
        scene.wait(job_named("overdue").is_gone()).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let (overdue, again) = (job_named("overdue"), passed("subject restarted"));
        Expectations::from([
            ("the overdue Job is still there", before(&again, never(overdue.is_deleting()))),
            ("and goes at once", after(&again, eventually_within(SOON, overdue.is_deleting()))),
            (
                "the other Job's time is not cut short",
                whenever(&job().is_deleting(), job().is_deleted_past_its_end_by(25)),
            ),
            ("when it is over that Job goes, too", after(&again, eventually_within(SOON, job().is_deleting()))),
        ])
    }
}
