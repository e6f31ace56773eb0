//! A pod of two containers of which the second fails.

use crate::volcano_words::*;

/// The exit code of any container counts.
pub struct This;

/// Volcano looks at the first container's status alone.
const SECOND: &str = "the exit code of the second container is heard";

impl Case for This {
    fn about(&self) -> About {
        about(case_id!(), "choosing the action", "an exit code counts whichever container says it", &["VJ-144"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let two = json!([{"name": "side", "image": "jobsworth.invalid/agent:v1"}, {"name": "main", "image": "jobsworth.invalid/agent:v1"}]);
        scene.submit(gang(1).pod_spec(0, "containers", two).policy(on_exit(42, "AbortJob"))).await?;
        scene.wait(job().is("Running")).await?;
        scene.pod_named("job-w-0").ends(End::ContainerExited("main", 42)).await?;
        scene.wait(job().is_one_of(&["Aborted", "Failed"])).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("the pod fails", eventually(pods().that_are(failed()).count(1))),
            (SECOND, eventually(job().is("Aborted"))),
        ])
        .known(known(&[SECOND], "volcano-sh/volcano#5452"))
    }
}
