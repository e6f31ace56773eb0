//! A changed job (section 1.6).

use serde_json::{Map, Value};

use super::{Rule, holds, items, job, names, part};

/// What may not change of a job; of its volumes only [`claims`].
const OF_JOBS: [&str; 9] = [
    "schedulerName",
    "policies",
    "plugins",
    "runningEstimate",
    "queue",
    "maxRetry",
    "ttlSecondsAfterFinished",
    "minSuccess",
    "networkTopology",
];
/// What may not change of a task.
const OF_TASKS: [&str; 7] =
    ["name", "template", "policies", "topologyPolicy", "maxRetry", "dependsOn", "partitionPolicy"];

/// (VJ-095 to VJ-099)
pub fn may_change(old: &Map<String, Value>, new: &Map<String, Value>) -> Rule {
    if same(field(old, "spec"), field(new, "spec")) {
        return Ok(());
    }
    let empty = Map::new();
    let (old, new) = (part(old, "spec")?.unwrap_or(&empty), part(new, "spec")?.unwrap_or(&empty));
    let unchanged = |old: &Map<String, Value>, new: &Map<String, Value>, name: &str| {
        holds(same(field(old, name), field(new, name)), || format!("{name} changes"))
    };
    for name in OF_JOBS {
        unchanged(old, new, name)?;
    }
    holds(same(&claims(old)?, &claims(new)?), || "volumes change".to_owned())?;
    let (before, after) = (items(old, "tasks")?, items(new, "tasks")?);
    holds(before.len() == after.len(), || "the number of tasks changes".to_owned())?;
    for (before, after) in before.iter().zip(&after) {
        for name in OF_TASKS {
            unchanged(before, after, name)?;
        }
    }
    job::numbers(new, &after)
}

/// The volumes, without names of claims that the job brings with it (VJ-098, VJ-332).
fn claims(spec: &Map<String, Value>) -> Result<Value, String> {
    let mut volumes = Vec::new();
    for volume in items(spec, "volumes")? {
        let mut volume = volume.clone();
        if volume.get("volumeClaim").is_some_and(|claim| !claim.is_null()) {
            volume.remove("volumeClaimName");
        }
        volumes.push(Value::from(volume));
    }
    Ok(Value::from(volumes))
}

fn field<'a>(of: &'a Map<String, Value>, name: &str) -> &'a Value {
    of.get(name).unwrap_or(&Value::Null)
}

/// Whether two values say the same. What is absent is as good as nothing, and unknown fields are not stored.
pub fn same(one: &Value, other: &Value) -> bool {
    let empty = Map::new();
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => same_fields(one, other),
        (Value::Object(one), Value::Null) | (Value::Null, Value::Object(one)) => same_fields(one, &empty),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        _ => one == other || (!super::says_something("", one) && !super::says_something("", other)),
    }
}

fn same_fields(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    names(one, other).all(|name| same(field(one, name), field(other, name)))
}
