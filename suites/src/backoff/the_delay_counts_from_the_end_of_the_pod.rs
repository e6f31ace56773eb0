//! From when the delay counts: from the end of the pod, which is that of its last container, whenever somebody sees it.

use crate::words::*;

/// The pod of this Job has two containers; the first ends an hour before the second.
const APART: &str = "apart";
/// The failure of this Job's pod is an hour old when it is seen.
const LATE: &str = "late";

/// One container that ends long before the other, and a failure that is told long after it happened.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "backoff",
                says: "the delay begins when the last container of the failed pod ended",
            },
            requirements: &["BKO-006", "BKO-009"],
            needs: Needs { pods: PodNeeds::Played("containers that ended an hour ago"), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let containers = json!([
            {"name": "main", "image": "jobsworth.invalid/agent:v1"},
            {"name": "helper", "image": "jobsworth.invalid/agent:v1"},
        ]);
        let two = || counted(1, 1).backoff_limit(6).pod_spec("containers", containers.clone());
        scene.submit(two().named(APART)).await?;
        scene.pod_of(APART).ends(End::first_exited_long_ago(1)).await?;
        scene.submit(two().named(LATE)).await?;
        scene.pod_of(LATE).ends(End::exited_long_ago(1)).await?;
        scene.pod_of(LATE).succeeds().await?;
        scene.pod_of(APART).succeeds().await?;
        scene.wait(job_named(LATE).is_finished().and(job_named(APART).is_finished())).await
    }

    fn expects(&self) -> Expectations {
        let failed_late = pods().of(LATE).any(failed());
        let replaced = eventually_within(Duration::from_secs(6), pods().of(LATE).created());
        let sooner = pods().of(APART).created_sooner_than(Duration::from_secs(10));
        let done = |name: &str| job_named(name).has(Complete).and(job_named(name).failed(1));
        Expectations::from([
            ("a pod ends with the last of its containers", never(sooner)),
            ("what failed long ago is replaced as soon as it is seen", after(&failed_late, replaced)),
            ("both failures count", eventually(done(APART).and(done(LATE)))),
        ])
    }
}
