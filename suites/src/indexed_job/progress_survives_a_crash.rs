//! Indexes across a crash of the controller.

use crate::words::*;

/// What ended before and during an absence of the controller is counted once when it is back.
pub struct ProgressSurvivesACrash;

#[async_trait]
impl Case for ProgressSurvivesACrash {
    fn about(&self) -> About {
        About {
            id: "indexed-job/progress-survives-a-crash",
            claim: Claim {
                source: Source::Kep(2214),
                section: "Upgrade, restarts",
                says: "all progress is in the API; a new controller goes on from there",
            },
            requirements: &["SYN-026", "IDX-010", "IDX-016", "IDX-017", "FIN-002", "FIN-004"],
            needs: Needs { restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3)).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0").and(index(0).all(untracked()))).await?;
        scene.subject().crash().await?;
        scene.pod(1).succeeds().await?;
        scene.subject().restart().await?;
        scene.wait(job().completed_indexes("0,1")).await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let away = passed("subject crashed");
        Expectations::from([
            ("what ended before is known", before(&away, eventually(job().completed_indexes("0")))),
            (
                "what ended meanwhile is found",
                after(&away, eventually(job().completed_indexes("0,1").and(job().succeeded(2)))),
            ),
            ("no pod is started again", after(&away, never(pods().created()))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(3)).and(job().failed(0)))),
        ])
    }
}
