//! What a patch has to come to (section 1.3, VJ-258): nothing that is said changes, and what is left out is filled in.

use serde_json::{Map, Value};

use super::cluster::{TEAM, TEAM_QUEUE};
use super::judge::Asked;

type Checked = Result<(), String>;

/// Judges an object with its patch.
pub fn check(path: &str, asked: &Asked, patched: &Value) -> Checked {
    if path == "/podgroups/mutate" {
        let said = asked.object["spec"]["queue"].as_str().unwrap_or_default();
        let default = if asked.namespace == TEAM { TEAM_QUEUE } else { "default" };
        let expected = if ["", "default"].contains(&said) { default } else { said };
        return expect("queue", &patched["spec"]["queue"], &Value::from(expected));
    }
    kept(&asked.object, patched, "")?;
    job(&asked.object["spec"], &patched["spec"])
}

/// Everything that is said before is said after.
fn kept(before: &Value, after: &Value, at: &str) -> Checked {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let mut said = before.iter().filter(|(_, value)| !says_nothing(value));
            said.try_for_each(|(name, value)| {
                kept(value, after.get(name).unwrap_or(&Value::Null), &format!("{at}/{name}"))
            })
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            let mut pairs = before.iter().zip(after).enumerate();
            pairs.try_for_each(|(index, (before, after))| kept(before, after, &format!("{at}/{index}")))
        }
        _ => expect(at, after, before),
    }
}

fn says_nothing(value: &Value) -> bool {
    let is_empty = value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
    value.is_null() || is_empty || *value == 0 || *value == ""
}

fn expect(what: &str, found: &Value, expected: &Value) -> Checked {
    if found == expected { Ok(()) } else { Err(format!("after the patch {what} is {found} and not {expected}")) }
}

/// A text or a number with its default.
fn defaulted(what: &str, before: &Value, after: &Value, default: Value) -> Checked {
    expect(what, after, if says_nothing(before) { &default } else { before })
}

fn job(before: &Value, after: &Value) -> Checked {
    defaulted("queue", &before["queue"], &after["queue"], "default".into())?;
    defaulted("schedulerName", &before["schedulerName"], &after["schedulerName"], "volcano".into())?;
    defaulted("maxRetry", &before["maxRetry"], &after["maxRetry"], 3.into())?;
    let list = |spec: &Value| spec["tasks"].as_array().cloned().unwrap_or_default();
    let (tasks, defaulted_tasks) = (list(before), list(after));
    for (index, (before, after)) in tasks.iter().zip(&defaulted_tasks).enumerate() {
        task(index, before, after).map_err(|why| format!("task {index}: {why}"))?;
    }
    let mins: Vec<i64> = defaulted_tasks.iter().map(|task| number(&task["minAvailable"])).collect();
    // A sum of negative numbers is for the schema to refuse.
    if mins.iter().all(|min| *min >= 0) {
        let sum = mins.iter().sum::<i64>().min(i32::MAX.into());
        let expected = if says_nothing(&before["minAvailable"]) { sum } else { number(&before["minAvailable"]) };
        let found = number(&after["minAvailable"]);
        expect("minAvailable", &found.into(), &expected.into())?;
    }
    plugins(&after["plugins"])
}

/// (VJ-033 to VJ-036)
fn task(index: usize, before: &Value, after: &Value) -> Checked {
    defaulted("name", &before["name"], &after["name"], format!("default{index}").into())?;
    defaulted("maxRetry", &before["maxRetry"], &after["maxRetry"], 3.into())?;
    let policy = &before["partitionPolicy"];
    let (parts, size) = (number(&policy["minPartitions"]), number(&policy["partitionSize"]));
    let gang = if parts > 0 { parts * size } else { number(&before["replicas"]) };
    let expected = match &before["minAvailable"] {
        Value::Null => Value::from(gang.clamp(i32::MIN.into(), i32::MAX.into())),
        said => said.clone(),
    };
    expect("minAvailable", &after["minAvailable"], &expected)?;
    let (pod, before) = (&after["template"]["spec"], &before["template"]["spec"]);
    if before["hostNetwork"] == true {
        defaulted("dnsPolicy", &before["dnsPolicy"], &pod["dnsPolicy"], "ClusterFirstWithHostNet".into())?;
    }
    Ok(())
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

/// (VJ-041)
fn plugins(plugins: &Value) -> Checked {
    let has = |name: &str| plugins.get(name).is_some();
    let needs_svc = ["tensorflow", "mpi", "pytorch", "ray"].into_iter().any(has);
    if (needs_svc && !has("svc")) || (has("mpi") && !has("ssh")) {
        return Err(format!("a plugin is missing among {plugins}"));
    }
    Ok(())
}
