//! A Job of more pods than three syncs may make.

use crate::words::*;

/// Twelve hundred indexes run at once and succeed while nobody looks: they are counted in three steps, the lowest first, and each once.
pub struct This;

const PODS: u32 = 1200;
/// Twelve hundred pods come, and are let go of, at the subject's rate of requests, 100 in a second.
const LIMIT: Duration = Duration::from_secs(90);

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2214),
                section: "Job completion tracking",
                says: "a sync counts 500 pods at most, in the order of their indexes, and large Jobs end with exactly what they asked for",
            },
            requirements: &["PAR-025", "PAR-007", "FIN-005", "IDX-026", "IDX-014"],
            needs: Needs {
                restarts_subject: true,
                fills_rate_limit: true,
                pods: PodNeeds::Played("more pods than two nodes have room for"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(PODS)).await?;
        scene.wait_up_to(LIMIT, job().active(1200).and(pods().count(1200))).await?;
        scene.subject().crash().await?;
        for index in 0..PODS {
            scene.pod(index).succeeds().await?;
        }
        scene.subject().restart().await?;
        scene.wait_up_to(LIMIT, job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            ("500 pods are made at first", before(&again, eventually(job().active(500)))),
            ("then all are there", before(&again, eventually(job().active(1200)))),
            ("all have succeeded", before(&again, eventually(pods().that_are(succeeded()).count(1200)))),
            ("the first 500 are counted first", after(&again, eventually(job().completed_indexes("0-499")))),
            ("then the next 500", after(&again, eventually(job().completed_indexes("0-999")))),
            ("the Job is not finished before all are", after(&again, before(&all(), never(job().is_finished())))),
            ("it is complete then", after(&again, eventually(job().has(Complete).and(all())))),
            ("with no pod too many", never(pods().at_least(1201))),
            ("of which none is held any more", after(&again, eventually(pods().all(untracked())))),
            ("and none has failed", never(job().failed_at_least(1))),
        ])
    }
}

fn all() -> Predicate {
    job().completed_indexes("0-1199").and(job().succeeded(1200))
}
