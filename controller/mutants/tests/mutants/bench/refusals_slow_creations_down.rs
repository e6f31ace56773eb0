//! A closed door is knocked at, not kicked.

use jobsworth_suites::words::*;

/// While pods are refused, one is tried at a time, and less and less often; the wire log shows it. Then all come.
pub struct RefusalsSlowCreationsDown;

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
        let limits = |cpu: &str| json!({"spec": {"limits": [{"type": "Container", "max": {"cpu": cpu}}]}});
        let mut closed = limits("1");
        closed["metadata"] = json!({"name": "door"});
        scene.must(Write::create("api/v1", "limitranges", closed)).await?;
        let resources = json!({"requests": {"cpu": "2"}, "limits": {"cpu": "2"}});
        let container = json!({"name": "main", "image": "jobsworth.invalid/nothing", "resources": resources});
        scene.submit(counted(12, 12).pod_spec("containers", json!([container]))).await?;
        scene.wait(notice("FailedCreate").was_written()).await?;
        scene.linger(Duration::from_secs(5), "attempts must have their time").await?;
        scene.must(Write::patch("api/v1", "limitranges/door", limits("4"))).await?;
        scene.mark("pods are welcome").await?;
        scene.wait(pods().running(12)).await
    }

    fn expects(&self) -> Expectations {
        let welcome = passed("pods are welcome");
        Expectations::from([
            ("they are not there before", before(&welcome, never(pods().at_least(12)))),
            ("all are there soon", after(&welcome, eventually_within(Duration::from_secs(20), pods().at_least(12)))),
        ])
    }
}
