//! A Job that is scaled to nothing for a while.

use crate::volcano_words::*;

/// A Job without pods keeps its phase, and gets pods again when it grows.
pub struct This;

/// A change of the number of pods, and of how many are needed.
fn sized(replicas: u32, min: u32) -> serde_json::Value {
    let mut sized = task("w", replicas);
    sized["minAvailable"] = min.into();
    sized["maxRetry"] = 3.into();
    json!({"spec": {"minAvailable": min, "tasks": [sized]}})
}

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "updates",
            "scaling to zero keeps the phase, and scaling up again makes pods",
            &["VJ-101", "VJ-169", "VJ-228"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2)).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.patch("job", sized(0, 0)).await?;
        scene.wait(pods().count(0).and(job().running(0))).await?;
        scene.mark("without pods").await?;
        scene.patch("job", sized(2, 2)).await?;
        scene.wait(pods().running(2).and(job().running(2)).and(job().is("Running"))).await
    }

    fn expects(&self) -> Expectations {
        let (there, without) = (job().is("Running").and(pods().running(2)), passed("without pods"));
        Expectations::from([
            ("it has no pods for a while", after(&there, eventually(pods().count(0)))),
            ("and does not end", never(job().is_finished())),
            ("its phase stays while it has none", after(&there, before(&without, always(job().is("Running"))))),
            ("then it has pods again", after(&without, eventually(pods().running(2).and(job().is("Running"))))),
        ])
    }
}
