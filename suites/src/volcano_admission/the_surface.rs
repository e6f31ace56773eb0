//! What the API server says of Volcano's kinds.

use crate::volcano_words::*;
use serde_json::Value;

/// The kinds are served under their names, and shown in their columns.
pub struct This;

/// Columns of a table of Jobs, and whether they are always shown.
const COLUMNS: [(&str, bool); 6] =
    [("Name", true), ("STATUS", true), ("minAvailable", true), ("RUNNINGS", true), ("AGE", true), ("QUEUE", false)];

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "identity and discovery",
            "Jobs, Commands, PodGroups and Queues are served with their names, their scope and their columns",
            &["VJ-001", "VJ-002", "VJ-004", "VJ-263", "VJ-300"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.look("the kinds of batch.volcano.sh", Look::at("/apis/batch.volcano.sh/v1alpha1")).await?;
        scene.look("the kinds of bus.volcano.sh", Look::at("/apis/bus.volcano.sh/v1alpha1")).await?;
        scene.look("the kinds of scheduling.volcano.sh", Look::at("/apis/scheduling.volcano.sh/v1beta1")).await?;
        scene.look("the versions of batch.volcano.sh", Look::at("/apis/batch.volcano.sh")).await?;
        scene.submit(gang(1)).await?;
        scene.wait(job().is("Running").and(job().running(1))).await?;
        let jobs = "/apis/batch.volcano.sh/v1alpha1/namespaces/{ns}/jobs";
        scene.look("a table of Jobs", Look::at(jobs).as_table()).await?;
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let jobs = json!({"kind": "Job", "namespaced": true, "shortNames": ["vcjob", "vj"]});
        let one_version = json!([{"groupVersion": "batch.volcano.sh/v1alpha1", "version": "v1alpha1"}]);
        let versions = answer("the versions of batch.volcano.sh").has("/versions", one_version);
        let served = |group, plural, scope: bool, kind: &str| {
            eventually(lists(group, plural, json!({"kind": kind, "namespaced": scope})))
        };
        Expectations::from([
            ("Jobs are served, with short names", eventually(lists("batch.volcano.sh", "jobs", jobs))),
            ("their status is a part of its own", served("batch.volcano.sh", "jobs/status", true, "Job")),
            ("in one version", eventually(versions)),
            ("Commands are served", served("bus.volcano.sh", "commands", true, "Command")),
            ("groups are served", served("scheduling.volcano.sh", "podgroups", true, "PodGroup")),
            ("queues are served, in no namespace", served("scheduling.volcano.sh", "queues", false, "Queue")),
            ("the status of a group is no part of its own", eventually(has_no_group_status())),
            ("Jobs are shown in columns", eventually(has_columns())),
            ("with what they do", eventually(has_cells())),
        ])
    }
}

fn resources(answer: &jobsworth_oracle::Answer) -> Vec<Value> {
    answer.body["resources"].as_array().cloned().unwrap_or_default()
}

/// The discovery document of a group has this resource with all these fields.
fn lists(group: &str, plural: &'static str, wanted: Value) -> Predicate {
    answer(&format!("the kinds of {group}")).asks(format!("has {plural} as {wanted}"), move |answer| {
        let all = resources(answer);
        let one = all.iter().find(|resource| resource["name"] == plural);
        let fields =
            |one: &Value| wanted.as_object().is_some_and(|all| all.iter().all(|(key, field)| one[key] == *field));
        one.is_some_and(fields)
    })
}

fn has_no_group_status() -> Predicate {
    answer("the kinds of scheduling.volcano.sh").asks("has no podgroups/status".to_owned(), |answer| {
        let all = resources(answer);
        !all.is_empty() && all.iter().all(|resource| resource["name"] != "podgroups/status")
    })
}

fn has_columns() -> Predicate {
    answer("a table of Jobs").asks("has the columns".to_owned(), |answer| {
        let columns = answer.body["columnDefinitions"].as_array().cloned().unwrap_or_default();
        let shown = columns.iter().map(|column| (column["name"].as_str().unwrap_or_default(), column["priority"] == 0));
        shown.eq(COLUMNS)
    })
}

fn has_cells() -> Predicate {
    answer("a table of Jobs").asks("says what the Job does".to_owned(), |answer| {
        let cell = |at: usize| answer.body.pointer(&format!("/rows/0/cells/{at}")).cloned().unwrap_or_default();
        [cell(0), cell(1), cell(2), cell(3), cell(5)]
            == [json!("job"), json!("Running"), json!(1), json!(1), json!("default")]
    })
}
