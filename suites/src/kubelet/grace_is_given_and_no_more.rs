//! How long a container may take to stop.

use crate::words::*;
use k8s_openapi::api::core::v1::Pod;

/// How long containers of this case may take to stop.
const GRACE: i64 = 4;

/// A pod of a suspended Job keeps its grace period, is killed when that is over, and only then is it gone for the Job.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Tracking the terminating Pods",
                says: "a pod that is stopping counts as terminating until its containers have ended",
            },
            requirements: &["SUS-002", "PRP-003"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], pods: PodNeeds::Real { nodes: 1 }, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(1).pod_spec("terminationGracePeriodSeconds", GRACE)).await?;
        scene.wait(pods().running(1)).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job().terminating(1)).await?;
        scene.wait(pods().count(0)).await?;
        scene.wait(job().terminating(0)).await
    }

    fn expects(&self) -> Expectations {
        let leaving = pods().any(terminating());
        let killed = word("killed when its time was over", |pod: &Pod| {
            let statuses = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
            let ends = statuses.filter_map(|status| status.state.as_ref()?.terminated.clone());
            ends.into_iter().any(|end| end.exit_code == 137)
        });
        Expectations::from([
            ("the Job tells of the pod on its way out", after(&leaving, eventually(job().terminating(1)))),
            ("the pod has its time", after(&leaving, never_within(Duration::from_secs(3), pods().any(stopped())))),
            ("and no more", eventually(pods().any(killed))),
            ("then nothing is on its way out", after(&job().terminating(1), eventually(job().terminating(0)))),
            ("a suspended pod is no failure", never(job().failed_at_least(1))),
        ])
    }
}
