//! More ends at once than one sync may count.

use crate::words::*;
use jobsworth_harness::Share;
use k8s_openapi::api::batch::v1::JobStatus;

/// One sync counts 500 ends at most (FIN-005), which leaves something to do for a second one and a third.
const PODS: u32 = 1_200;
/// So many one sync may list.
const LISTED: usize = 500;
/// What comes and what is released goes at the subject's rate of requests, 100 in a second.
const LIMIT: Duration = Duration::from_secs(120);

/// A controller that finds 1,200 pods at their end lists 500 of them at most at a time, and in the end has counted all.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "tracking with finalizers",
                says: "a sync accounts for 500 pods at most, so that the status does not grow without bound",
            },
            requirements: &["FIN-005", "FIN-002", "FIN-006", "PAR-025"],
            needs: Needs {
                restarts_subject: true,
                fills_rate_limit: true,
                pods: PodNeeds::Played("1,200 pods end while nobody looks, and no node has to run them"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        // No node takes them, and a pod driver leaves them alone until they are told to end.
        scene.pods_behave(|manners| manners.start = When::OnWord);
        let nowhere = json!({"jobsworth.invalid/no-such-node": "true"});
        scene.submit(counted(PODS, PODS).pod_spec("nodeSelector", nowhere)).await?;
        scene.wait_up_to(LIMIT, job().active(1_200)).await?;
        scene.subject().crash().await?;
        let names: Vec<String> = scene.world().pods().filter_map(|pod| pod.metadata.name.clone()).collect();
        for name in &names {
            scene.pod_named(name).succeeds().await?;
        }
        scene.subject().restart().await?;
        scene.wait_up_to(LIMIT, job().is_finished()).await
    }

    /// It takes half a minute in which nothing else may run; pods in such numbers belong to the plan of a release.
    fn share(&self) -> Share {
        Share::OnRequest
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        let too_many = job().status("lists more than 500 pods".to_owned(), |status| listed(status) > LISTED);
        let part = job().status("accounts for some of its pods, and not for all".to_owned(), |status| {
            let counted = usize::try_from(status.succeeded.unwrap_or(0)).unwrap_or(0);
            (1..PODS as usize).contains(&(counted + listed(status)))
        });
        Expectations::from([
            ("no status lists more than 500 pods", never(too_many)),
            ("the first look counts a part", after(&again, eventually(part))),
            ("all are counted in the end", after(&again, eventually(job().has(Complete).and(job().succeeded(1_200))))),
            ("none has failed", never(job().failed_at_least(1))),
        ])
    }
}

/// Of how many pods the status says that they have succeeded and are still to be counted.
fn listed(status: &JobStatus) -> usize {
    let ledger = status.uncounted_terminated_pods.as_ref();
    ledger.and_then(|ledger| ledger.succeeded.as_ref()).map_or(0, Vec::len)
}
