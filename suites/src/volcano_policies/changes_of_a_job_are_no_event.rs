//! A policy on something that never happens.

use crate::volcano_words::*;

/// No change of a Job is an event for policies.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "JobUpdated is accepted in a policy and raised by nothing",
            &["VJ-132"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1).policy(on("JobUpdated", "AbortJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await?;
        let mut more = task("w", 2);
        more["minAvailable"] = 1.into();
        more["maxRetry"] = 3.into();
        scene.patch("job", json!({"spec": {"tasks": [more]}, "metadata": {"labels": {"a": "b"}}})).await?;
        scene.wait(pods().running(2).and(job().running(2))).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("it is changed", eventually(job().running(2))),
            ("and not aborted", never(job().is_one_of(&["Aborting", "Aborted"]))),
        ])
    }
}
