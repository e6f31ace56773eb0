//! Finish times of another clock.

use crate::words::*;
use jobsworth_oracle::vocabulary::last_write;
use k8s_openapi::jiff::{SignedDuration, Timestamp};

/// A Job that ended in the future waits until then and for its time; one that ended long ago goes at once.
pub struct This;

const OTHER: &str = "example.com/other";
/// How far the other clock is ahead.
const AHEAD: i64 = 8;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Risks and Mitigations",
                says: "time is counted from the recorded end by the controller's own clock: skew puts a deletion off or hastens it",
            },
            requirements: &["TTL-013", "TTL-002", "MGB-009"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for name in ["ahead", "behind"] {
            scene.submit(counted(1, 1).named(name).managed_by(OTHER).ttl(60)).await?;
        }
        // By its own clock it ended so late that nothing is left of its time but what that clock is ahead.
        scene.patch("ahead", json!({"spec": {"ttlSecondsAfterFinished": 0}})).await?;
        // Counted from the last write before: requests that take long use none of it up.
        let written = scene.world().job("ahead").and_then(|job| last_write(&job.metadata, None));
        let now = written.unwrap_or(Timestamp::UNIX_EPOCH);
        let at = |seconds| now.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(now);
        scene.must(Write::patch_job_status("ahead", complete(now, at(AHEAD)))).await?;
        scene.must(Write::patch_job_status("behind", complete(at(-120), at(-100)))).await?;
        scene.wait(job_named("behind").is_gone()).await?;
        scene.wait(job_named("ahead").is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let (ahead, behind) = (job_named("ahead"), job_named("behind"));
        let to_come = ahead.completes_later_than_written();
        let soon = Duration::from_secs(15);
        Expectations::from([
            (
                "what ended long ago goes at once",
                after(&behind.is_finished(), eventually_within(soon, behind.is_gone())),
            ),
            ("what will have ended is finished", eventually(ahead.is_finished())),
            ("it is told to go", after(&to_come, eventually(ahead.is_deleting()))),
            ("and stays until then", after(&to_come, before(&ahead.is_deleting(), stable(&ahead.exists())))),
            ("not before its end", whenever(&ahead.is_deleting(), ahead.is_deleted_past_its_end_by(0))),
            ("but no longer", after(&ahead.is_finished(), eventually_within(soon + soon, ahead.is_gone()))),
        ])
    }
}

fn complete(start: Timestamp, end: Timestamp) -> serde_json::Value {
    let end = end.to_string();
    let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "Done", "lastTransitionTime": end});
    json!({
        "startTime": start.to_string(),
        "completionTime": end,
        "conditions": [condition("SuccessCriteriaMet"), condition("Complete")],
    })
}
