//! What a declared success costs.

use crate::words::*;

/// A success is declared with the write that records its pods, and ends with the next one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Scalability",
                says: "a success takes one more update of the status than before",
            },
            requirements: &["SUC-021", "SUC-007", "FIN-002"],
            needs: Needs { gates: &["JobSuccessPolicy"], one_gate_of: DELAYED_END, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).succeeds_when(indexes("0-1"))).await?;
        scene.wait(job().ready(2)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0").and(index(0).all(untracked()))).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let declared = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
        let between =
            declared.clone().and(written()).and(job().completed_indexes("0")).named("a write declares it alone");
        Expectations::from([
            ("it is declared with the indexes that met it", whenever(&declared, job().completed_indexes("0,1"))),
            ("by no write of its own", never(between)),
            ("before the pod is let go", before(&declared, never(index(1).any(untracked())))),
            ("the next write is the end", eventually(job().has(Complete))),
            ("between both there is none", never(one_more())),
        ])
    }
}

fn written() -> Predicate {
    Predicate::new("the Job is written to", |world| world.changed_job() == Some("job"))
}

/// Between the release of the last pod and the end.
fn one_more() -> Predicate {
    Predicate::new("a Job whose success is declared is written to and not finished", |world| {
        let Some(job) = world.job("job").filter(|_| world.changed_job() == Some("job")) else { return false };
        let status = job.status.clone().unwrap_or_default();
        let has = |kind: &str| status.conditions.iter().flatten().any(|one| one.type_ == kind && one.status == "True");
        let is_let_go = world.pods().all(|pod| !jobsworth_oracle::vocabulary::pods::is_tracked(pod));
        has("SuccessCriteriaMet") && !has("Complete") && is_let_go
    })
}
