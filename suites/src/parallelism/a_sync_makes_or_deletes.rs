//! A pod too many and a pod too few, found in one look.

use crate::bare_pod::bare_pod;
use crate::words::*;
use jobsworth_api::well_known;

/// A look that finds a second pod of one index and none of another deletes first; the missing pod comes with a later one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2214),
                section: "Job controller",
                says: "of two pods of an index the one that is further stays; pods are deleted or made, never both at once",
            },
            requirements: &["PAR-008", "IDX-012", "IDX-028", "PAR-010", "STA-016"],
            needs: Needs {
                restarts_subject: true,
                pods: PodNeeds::Played("a pod that ended some time ago"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).backoff_limit(6)).await?;
        scene.wait(pods().running(2).and(job().ready(2))).await?;
        scene.subject().crash().await?;
        // No delay is left before the next try of this index.
        scene.pod(1).ends(End::exited_ago(1, 30)).await?;
        scene.pods_behave(|manners| manners.start = When::OnWord);
        let owner = {
            let world = scene.world();
            let uid = world.job("job").and_then(|job| job.metadata.uid.clone());
            json!({"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": uid, "controller": true})
        };
        scene.must(bare_pod("twin").made_for(&owner).annotated(well_known::COMPLETION_INDEX, "0").create()).await?;
        scene.subject().restart().await?;
        scene.wait(pod_named("twin").that_are(live()).count(0).and(index(1).that_are(live()).count(1))).await?;
        scene.pod(1).runs().await?;
        scene.pod(1).succeeds().await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        let (twin, anew) = (pod_named("twin").that_are(live()), index(1).that_are(live()).count(1));
        let second = again.clone().and(anew.clone()).named("index 1 has a pod again");
        let first = index(0).that_are(word("not the twin", |pod| pod.metadata.name.as_deref() != Some("twin")));
        let unsaid = job().status("has started and tells nothing of ready pods".to_owned(), |status| {
            status.start_time.is_some() && status.ready.is_none()
        });
        Expectations::from([
            ("there are two of one index", eventually(twin.count(1))),
            ("the second one goes", after(&again, eventually(twin.count(0)))),
            ("before the missing one comes", after(&again, before(&twin.count(0), never(pods().created())))),
            ("of which the status tells meanwhile", after(&again, before(&second, eventually(job().active(1))))),
            ("then it comes", after(&again, eventually(anew))),
            ("the first of the two is not told to stop", never(first.any(terminating()))),
            ("the twin is no failure", never(job().failed_at_least(2))),
            ("no pod's index is another than that in its name", always(pods().all(named_after_its_index()))),
            ("ready pods are told of, were it none", never(unsaid)),
            ("the Job completes", eventually(job().has(Complete).and(job().completed_indexes("0,1")))),
        ])
    }
}

fn named_after_its_index() -> jobsworth_oracle::vocabulary::PodWord {
    word("named after their index", |pod| {
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        let index = jobsworth_oracle::vocabulary::pods::completion_index(pod);
        name == "twin" || index.is_some_and(|index| name.starts_with(&format!("job-{index}-")))
    })
}
