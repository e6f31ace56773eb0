//! Pod templates and what tasks depend on.

use crate::{
    table::{self, Row, volcano_row},
    volcano_words::*,
};

/// What the API server would not take as a pod is refused with its path, and circles are refused.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "refusals by the validating webhook on CREATE",
            "a template must do for a pod, and tasks must not wait for each other in a circle",
            &["VJ-082", "VJ-083"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows())
    }
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [pods_of_it(), dependencies()].concat()
}

fn pods_of_it() -> Vec<Row> {
    let requests = |cpu: &str| gang(1).cpu(0, cpu);
    let second = tasks(&[("a", 1), ("b", 1)]).container(1, "image", "");
    vec![
        volcano_row("VJ-083 a template has a container", gang(1).pod_spec(0, "containers", json!([])))
            .refused_by_webhook("spec.task[0].template.spec.containers"),
        volcano_row("VJ-083 a container has an image, in whichever task", second)
            .refused_by_webhook("spec.task[1].template.spec.containers[0].image"),
        volcano_row("VJ-083 a restart policy is one that there is", gang(1).pod_spec(0, "restartPolicy", "Sometimes"))
            .refused_by_webhook("spec.task[0].template.spec.restartPolicy"),
        volcano_row("VJ-083 a limit is not below its request", {
            gang(1).container(0, "resources", json!({"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}))
        })
        .refused_by_webhook("spec.task[0].template.spec.containers[0].resources"),
        volcano_row("VJ-083 a quantity is a number", requests("two"))
            .refused_by_webhook("quantities must match the regular expression"),
        volcano_row(
            "VJ-083 containers may be privileged",
            gang(1).container(0, "securityContext", json!({"privileged": true})),
        )
        .accepted(),
    ]
}

fn dependencies() -> Vec<Row> {
    let says = "doesn't form a directed acyclic graph(DAG);";
    let three = || tasks(&[("a", 1), ("b", 1), ("c", 1)]);
    let waits = |gang: Gang, task: usize, other: &str| gang.task(task, "dependsOn", json!({"name": [other]}));
    vec![
        volcano_row("VJ-082 tasks may wait for each other in a row", waits(waits(three(), 1, "a"), 2, "b")).accepted(),
        volcano_row("VJ-082 a task does not wait for itself", waits(three(), 0, "a")).refused_by_webhook(says),
        volcano_row("VJ-082 two tasks do not wait for each other", waits(waits(three(), 0, "b"), 1, "a"))
            .refused_by_webhook(says),
        volcano_row("VJ-082 no three tasks wait in a circle", waits(waits(waits(three(), 0, "c"), 1, "a"), 2, "b"))
            .refused_by_webhook(says),
        volcano_row("VJ-082 no task waits for one that is not there", waits(three(), 0, "z")).refused_by_webhook(says),
    ]
}
