//! Indexes across a crash of the controller.

use crate::words::*;

/// What ended before and during an absence of the controller is counted once when it is back.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
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
        let ended = scene.pod(1).name().await?;
        scene.pod(1).succeeds().await?;
        // Nobody has counted it yet: only its finalizer keeps it.
        scene.must(Write::delete_pod(&ended, None)).await?;
        scene.linger(Duration::from_secs(1), "a pod that nothing holds must have its chance to go").await?;
        scene.subject().restart().await?;
        scene.wait(job().completed_indexes("0,1")).await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (away, back) = (passed("subject crashed"), passed("subject restarted"));
        let counted_so_far = job().completed_indexes("0,1").or(job().completed_indexes("0-2"));
        let gone = away.clone().and(index(1).count(0));
        Expectations::from([
            ("what ended before is known", before(&away, eventually(job().completed_indexes("0")))),
            (
                "what ended meanwhile is found",
                after(&away, eventually(job().completed_indexes("0,1").and(job().succeeded(2)))),
            ),
            (
                "a deleted pod waits to be counted",
                after(&away, before(&back, eventually(index(1).any(succeeded().and(stopping()).and(tracked()))))),
            ),
            ("it is counted although it was deleted", whenever(&gone, counted_so_far)),
            ("no pod is started again", after(&away, never(pods().created()))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(3)).and(job().failed(0)))),
        ])
    }
}
