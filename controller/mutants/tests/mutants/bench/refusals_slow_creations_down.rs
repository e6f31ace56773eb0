//! A closed door is knocked at, not kicked.

use jobsworth_suites::words::*;

/// While pods are refused, one is tried at a time, and less and less often; the wire log shows it. Then all come.
pub struct RefusalsSlowCreationsDown;

#[async_trait]
impl Case for RefusalsSlowCreationsDown {
    fn about(&self) -> About {
        About {
            id: "bench/refusals-slow-creations-down",
            claim: Claim {
                source: Source::JobController,
                section: "Slow start",
                says: "creations stop at the first refusal, and the next attempt waits",
            },
            requirements: &["PAR-011"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(12, 12).pod_spec("serviceAccountName", "late")).await?;
        scene.wait(notice("FailedCreate").was_written()).await?;
        scene.linger(Duration::from_secs(5), "attempts must have their time").await?;
        scene.must(Write::create("api/v1", "serviceaccounts", json!({"metadata": {"name": "late"}}))).await?;
        scene.mark("pods are welcome").await?;
        scene.wait(pods().running(12)).await
    }

    fn expects(&self) -> Expectations {
        let welcome = passed("pods are welcome");
        Expectations::from([
            ("no pod is there before", before(&welcome, never(pods().created()))),
            ("all are there soon", after(&welcome, eventually_within(Duration::from_secs(20), pods().at_least(12)))),
        ])
    }
}
