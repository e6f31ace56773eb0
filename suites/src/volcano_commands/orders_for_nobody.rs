//! Orders that no Job can follow.

use crate::volcano_words::*;

/// An order for a Job that is not there is taken and forgotten.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "commands",
            "an order is taken whether or not there is such a Job, and names its Job by kind and name",
            &["VJ-300", "VJ-301", "VJ-304", "VJ-305"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1)).await?;
        scene.wait(job().is("Running")).await?;
        scene.order("nobody", "AbortJob").await?;
        scene.wait(commands().count(0)).await?;
        let target = json!({"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "u"});
        let foreign = json!({
            "apiVersion": "bus.volcano.sh/v1alpha1", "kind": "Command", "metadata": {"name": "foreign"},
            "action": "AbortJob", "target": target, "reason": "a test", "message": "of another kind",
        });
        scene.must(Write::create_of(&Resource::VOLCANO_COMMANDS, foreign)).await?;
        scene.linger(Duration::from_millis(500), "what an order for another kind must not do needs its chance").await?;
        scene.mark("an order by name alone").await?;
        scene.order("job", "CompleteJob").await?;
        scene.wait(job().is("Completed")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("an order for nobody is taken", after(&commands().count(1), eventually(commands().count(0)))),
            ("an order for a Job of another kind is not obeyed", never(job().is_one_of(&["Aborting", "Aborted"]))),
            ("an order needs no UID", after(&passed("an order by name alone"), eventually(job().is("Completed")))),
        ])
    }
}
