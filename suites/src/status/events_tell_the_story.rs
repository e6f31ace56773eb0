//! Events of a Job that succeeds.

use crate::words::*;

/// A Job that succeeds leaves an event for each pod and one for its end, and nothing more when it is looked at again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "events",
                says: "SuccessfulCreate for each pod, Completed once, nothing for interim conditions",
            },
            requirements: &["EVT-001", "EVT-005", "EVT-007", "EVT-010", "STA-008", "STA-019"],
            needs: Needs { restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.some_pod().succeeds().await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished().and(notice("Completed").was_written())).await?;
        scene
            .linger(Duration::from_millis(1200), "times are whole seconds: a later end must not read like the first")
            .await?;
        // Whoever looks at a finished Job again must find nothing to do: after a change, and after a restart.
        scene.patch("job", json!({"metadata": {"annotations": {"touched": "yes"}}})).await?;
        served(scene, "after-the-touch").await?;
        scene.linger(Duration::from_secs(2), "a sync that answers the touch comes a second later at most").await?;
        scene.subject().crash().await?;
        scene.subject().restart().await?;
        served(scene, "after-the-restart").await
    }

    fn expects(&self) -> Expectations {
        let created = || notice("SuccessfulCreate").on("Job/job");
        let completed = || notice("Completed").on("Job/job");
        let again = passed("subject crashed");
        let served_anew = passed("subject restarted").and(job_named("after-the-restart").has(Complete));
        let written = Predicate::new("job is written to", |world| world.changed_job() == Some("job"));
        Expectations::from([
            ("every pod is announced", eventually(created().saying("Created pod: job-").more_than(1))),
            ("no pod twice", never(created().more_than(2))),
            ("the end is announced", eventually(completed().saying("Job completed").was_written())),
            ("once, whoever looks again", after(&served_anew, never(completed().more_than(1)))),
            ("after it is written", before(&job().has(Complete), never(completed().was_written()))),
            ("what is finished is not written again", after(&again, never(written))),
            ("though others are served", after(&again, eventually(job_named("after-the-restart").has(Complete)))),
            ("the interim condition is not", never(notice("SuccessCriteriaMet").was_written())),
            ("nor are successes that are just enough", never(notice("TooManySucceededPods").was_written())),
            ("each condition says when it was decided", whenever(&job().has(Complete), job().dates_its_conditions())),
        ])
    }
}

/// Another Job comes to its end meanwhile, and its end is announced.
async fn served(scene: &mut Scene, name: &'static str) -> Result<(), Stop> {
    scene.submit(counted(1, 1).named(name)).await?;
    scene.pod_of(name).succeeds().await?;
    scene.wait(job_named(name).is_finished()).await
}
