//! A Job that is restarted again and again.

use crate::volcano_words::*;

/// Conditions do not grow: each phase has one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "status",
            "there is at most one condition for a phase, however often it is entered",
            &["VJ-108", "VJ-109", "VJ-112"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1).max_retry(9)).await?;
        for round in 1..=4 {
            scene.wait(job().is("Running").and(job().running(1))).await?;
            scene.order("job", "RestartJob").await?;
            scene.wait(job().retry_count(round).and(job().version(round))).await?;
        }
        scene.wait(job().is("Running")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("no phase has two conditions", whenever(&job().exists(), job().has_one_condition_for_a_phase())),
            ("four restarts are counted", eventually(job().retry_count(4))),
            ("and four versions", eventually(job().version(4))),
            (
                "the last condition is the phase",
                eventually(job().retry_count(4).and(
                    job().status("ends its conditions with Running".to_owned(), |status| {
                        status.conditions.last().is_some_and(|last| last.status == "Running")
                    }),
                )),
            ),
        ])
    }
}
