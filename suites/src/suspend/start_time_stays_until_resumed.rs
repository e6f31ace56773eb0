//! The start time of a suspended Job, before it could be edited.

use crate::words::*;

/// A Job that is suspended keeps its start time, and has a new one when it is resumed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "resuming a Job resets its start time",
            },
            requirements: &["SUS-003", "SUS-016"],
            needs: Needs { gates_off: &["MutableSchedulingDirectivesForSuspendedJobs"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1)).await?;
        scene.wait(pods().running(1).and(job().has_started())).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job().has(Suspended).and(pods().count(0))).await?;
        scene.linger(Duration::from_secs(2), "the new start must differ from the old one, in whole seconds").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let suspended = job().has(Suspended);
        let resumed = job().has(Suspended.is_false().because("JobResumed")).named("job is resumed");
        let anew = job().status("has a start time no older than its resumption".to_owned(), |status| {
            let mut conditions = status.conditions.iter().flatten();
            let resumed = conditions.find(|condition| condition.type_ == "Suspended");
            let resumed = resumed.and_then(|condition| condition.last_transition_time.as_ref());
            status.start_time.as_ref().zip(resumed).is_some_and(|(start, resumed)| start.0 >= resumed.0)
        });
        let started = suspended.clone().and(job().has_started().negated());
        Expectations::from([
            ("the Job had started", before(&suspended, eventually(job().has_started()))),
            ("a suspended Job keeps its start time", after(&suspended, never(started))),
            ("it is resumed", after(&suspended, eventually(resumed.clone()))),
            ("with a new start time", whenever(&resumed, anew)),
            ("and can be complete", after(&resumed, eventually(job().has(Complete)))),
        ])
    }
}
