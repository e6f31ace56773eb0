//! A Job that begins suspended.

use crate::words::*;

/// A Job that is created suspended has neither pods nor a start time until it is resumed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "a suspended Job has no pods; resuming it starts them",
            },
            requirements: &["SUS-001", "SUS-003", "STA-008"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).suspended()).await?;
        scene.wait(job().has(Suspended)).await?;
        // That also parts the time of the suspension from that of the resumption.
        scene.linger(Duration::from_secs(3), "a pod that must not be made needs its chance").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let suspended = job().has(Suspended.because("JobSuspended").saying("Job suspended"));
        let resumed = job().has(Suspended.is_false().because("JobResumed")).named("job is resumed");
        let asked = job().object("is asked to run".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.suspend != Some(true))
        });
        Expectations::from([
            ("it says that it is suspended", before(&asked, eventually(suspended.clone()))),
            ("with an event", eventually(notice("Suspended").saying("Job suspended").was_written())),
            ("it has no pods before it is asked to run", before(&asked, never(pods().created()))),
            ("and has not started", before(&asked, never(job().has_started()))),
            ("then it says that it is resumed", after(&asked, eventually(resumed.clone()))),
            ("with an event, too", eventually(notice("Resumed").saying("Job resumed").was_written())),
            ("and has started", whenever(&resumed, job().has_started())),
            ("at the time that the condition has", whenever(&resumed, starts_when_it_is_resumed())),
            ("the condition stays, one way or the other", stable(&suspended.or(resumed))),
            ("the Job can be complete", after(&asked, eventually(job().has(Complete)))),
        ])
    }
}

/// Both times are taken in the sync that resumes the Job, one right after the other, and are whole seconds.
fn starts_when_it_is_resumed() -> Predicate {
    job().status("starts within 2 s of the time of its condition".to_owned(), |status| {
        let mut conditions = status.conditions.iter().flatten();
        let resumed = conditions.find(|condition| condition.type_ == Suspended.as_str());
        let resumed = resumed.and_then(|condition| condition.last_transition_time.as_ref());
        let times = status.start_time.as_ref().zip(resumed);
        times.is_some_and(|(start, resumed)| start.0.duration_since(resumed.0).as_secs().abs() <= 2)
    })
}
