//! Plugins that others bring along, and plugins that there are not.

use crate::{
    table::{self, Row, volcano_row},
    volcano_words::*,
};

/// Plugins come with what they rest on; what nobody knows is refused.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "1.3, 1.5",
            "frameworks get the plugins that they need, and only known plugins are taken",
            &["VJ-015", "VJ-041", "VJ-073", "VJ-086"],
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
    [brought_along(), refused()].concat()
}

fn brought_along() -> Vec<Row> {
    let master = || tasks(&[("master", 1), ("worker", 2)]);
    let (svc, ssh) = ("/spec/plugins/svc", "/spec/plugins/ssh");
    let none = json!([]);
    vec![
        volcano_row("VJ-041 tensorflow brings svc", gang(1).plugin("tensorflow", &[]))
            .has(svc, none.clone())
            .and(ssh, ()),
        volcano_row("VJ-041 pytorch brings svc", gang(1).plugin("pytorch", &[])).has(svc, none.clone()).and(ssh, ()),
        volcano_row("VJ-041 ray brings svc", gang(1).plugin("ray", &[])).has(svc, none.clone()).and(ssh, ()),
        volcano_row("VJ-041 mpi brings svc and ssh", master().plugin("mpi", &[])).has(svc, none.clone()).and(ssh, none),
        volcano_row("VJ-041 env brings nothing", gang(1).plugin("env", &[])).has(svc, ()).and(ssh, ()),
        volcano_row(
            "VJ-041 arguments that are given are kept",
            master().plugin("mpi", &[]).plugin("ssh", &["--no-root"]),
        )
        .has(ssh, json!(["--no-root"])),
        volcano_row(
            "VJ-015 arguments of a plugin are a list",
            gang(1).plugin("svc", &["--publish-not-ready-addresses"]),
        )
        .has(svc, json!(["--publish-not-ready-addresses"])),
        volcano_row("VJ-015 a plugin with null for its list is off", gang(1).spec("plugins", json!({"env": null})))
            .has("/spec/plugins/env", ()),
    ]
}

fn refused() -> Vec<Row> {
    let without_master = "The specified mpi master task was not found";
    vec![
        volcano_row("VJ-073 a plugin that nobody knows is refused", gang(1).plugin("gpu", &[]))
            .refused_by_webhook("unable to find job plugin: gpu;"),
        volcano_row("VJ-073 every known plugin is taken", tasks(&[("master", 1), ("w", 1)]).spec("plugins", all()))
            .accepted(),
        volcano_row("VJ-086 an mpi Job without a master is refused", gang(2).plugin("mpi", &[]))
            .refused_by_webhook(without_master),
        volcano_row("VJ-086 the master is the task that the argument names", gang(2).plugin("mpi", &["--master=w"]))
            .accepted(),
        volcano_row(
            "VJ-086 a task called master is none where the argument names another",
            tasks(&[("master", 1)]).plugin("mpi", &["--master=boss"]),
        )
        .refused_by_webhook(without_master),
        volcano_row("VJ-086 an mpi Job may have no worker", tasks(&[("master", 1)]).plugin("mpi", &[])).accepted(),
    ]
}

fn all() -> serde_json::Value {
    json!({"ssh": [], "env": [], "svc": [], "tensorflow": [], "mpi": [], "pytorch": [], "hcclrank": [], "ray": []})
}
