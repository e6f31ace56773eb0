//! A CronJob whose runs may not overlap.

use super::clock;
use crate::words::*;

/// The next Job of a CronJob that forbids two at once waits until the last one is complete, not only until its success is declared.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Transition of Job status conditions",
                says: "a Job whose success is declared still runs for its CronJob until its last pod has stopped",
            },
            requirements: &["SUC-019", "STA-022", "TTL-020"],
            needs: Needs {
                gates: &["JobSuccessPolicy", "JobPodReplacementPolicy"],
                stands_alone: true,
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        let template = indexed(2).succeeds_when(indexes("0")).ttl(36_000);
        let spec = json!({"concurrencyPolicy": "Forbid", "successfulJobsHistoryLimit": 0});
        clock::plan(scene, template, spec).await?;
        clock::comes_due(scene).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(jobs("declared", SuccessCriteriaMet, 1)).await?;
        clock::moves(scene).await?;
        clock::comes_due(scene).await?;
        scene.wait(notice("JobAlreadyActive").was_written()).await?;
        scene.mark("the last pod may stop").await?;
        scene.pod(1).is_let_go(End::Exited(143)).await?;
        // It has missed its time, and needs no further word.
        scene.wait(jobs("declared", SuccessCriteriaMet, 0).and(pods().running(2))).await
    }

    fn expects(&self) -> Expectations {
        let (declared, stop) = (jobs("declared", SuccessCriteriaMet, 1), passed("the last pod may stop"));
        let run = || Predicate::new("a Job runs", |world| world.jobs().next().is_some());
        Expectations::from([
            ("a Job runs", eventually(run())),
            ("its success is declared", before(&stop, eventually(declared.clone()))),
            (
                "for its CronJob it runs on",
                after(&declared, before(&stop, eventually(notice("JobAlreadyActive").was_written()))),
            ),
            ("so that no other starts", after(&declared, before(&stop, never(more_than_one())))),
            ("when its pod has stopped it is complete", after(&stop, eventually(jobs("complete", Complete, 1)))),
            (
                "it goes for the history of its CronJob, long before its time",
                after(&stop, eventually(jobs("declared", SuccessCriteriaMet, 0))),
            ),
            ("and another one starts", after(&stop, eventually(pods().created()))),
        ])
    }
}

fn jobs(words: &'static str, kind: jobsworth_api::ConditionKind, count: usize) -> Predicate {
    Predicate::new(format!("{count} Jobs are {words}"), move |world| {
        let has = |job: &k8s_openapi::api::batch::v1::Job| {
            let conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
            conditions.into_iter().any(|condition| condition.type_ == kind.as_str() && condition.status == "True")
        };
        world.jobs().filter(|job| has(job)).count() == count
    })
}

fn more_than_one() -> Predicate {
    Predicate::new("there are two Jobs", |world| world.jobs().count() > 1)
}
