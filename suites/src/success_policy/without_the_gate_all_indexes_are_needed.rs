//! Success policy switched off.

use crate::words::*;

/// With the gate off the policy is dropped on creation, and only all indexes make the Job complete.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Feature Enablement and Rollback",
                says: "a cluster without the feature ignores the policy",
            },
            requirements: &["SUC-015", "SUC-017", "VAL-031", "UPG-002"],
            needs: Needs { gates_off: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).succeeds_when(indexes("0"))).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0")).await?;
        scene.linger(Duration::from_secs(3), "two syncs must pass without a decision").await?;
        scene.mark("one index left").await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let complete = job().has(Complete);
        Expectations::from([
            (
                "the policy is not kept",
                never(job().object("has a success policy".to_owned(), |job| {
                    job.spec.as_ref().is_some_and(|spec| spec.success_policy.is_some())
                })),
            ),
            (
                "the listed index does not decide",
                before(&passed("one index left"), never(job().has(SuccessCriteriaMet).or(job().has(Complete)))),
            ),
            ("the other goes on running", before(&passed("one index left"), never(index(1).any(stopping())))),
            ("all indexes make it complete", eventually(complete.clone())),
            ("without a reason", whenever(&complete, job().has(Complete.because("")))),
            ("policies are never named", never(job().has(SuccessCriteriaMet.because("SuccessPolicy")))),
        ])
    }
}
