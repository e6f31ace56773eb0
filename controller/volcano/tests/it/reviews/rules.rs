//! What must hold of everything that is allowed (sections 1.3 to 1.6 of the requirements), read from the JSON alone.
//!
//! Each rule is necessary; together they are not everything that is checked. A yes that breaks one is a wrong yes.

mod job;
mod policies;
mod update;

use serde_json::{Map, Value};

use super::ask::ABOUT;
use super::cluster::QUEUES;
use super::judge::Asked;
use super::mutate::UNKNOWN;

use update::same;

type Rule = Result<(), String>;

/// Whether a question may be answered with yes.
///
/// # Errors
/// The rule that it breaks.
pub fn may_be_allowed(path: &str, asked: &Asked) -> Rule {
    let about = ABOUT.iter().find(|(known, _)| *known == path).ok_or("an unknown path")?.1;
    let found = ["group", "version", "resource"].map(|part| asked.resource[part].as_str().unwrap_or_default());
    holds(found == about, || format!("{path} is not about {found:?}"))?;
    let operation = asked.operation.as_str().unwrap_or_default();
    let new = || object(&asked.object, "object");
    let old = || object(&asked.old_object, "oldObject");
    match (path, operation) {
        ("/jobs/mutate" | "/podgroups/mutate", "CREATE") => new().map(|_| ()),
        ("/jobs/validate", "CREATE") => job::may_be_new(new()?),
        ("/jobs/validate", "UPDATE") => update::may_change(old()?, new()?),
        ("/queues/validate", "CREATE") => queue(new()?),
        ("/queues/validate", "UPDATE") => {
            old()?;
            if same(&asked.old_object["spec"], &asked.object["spec"]) { Ok(()) } else { queue(new()?) }
        }
        ("/queues/validate", "DELETE") => {
            let name = asked.name.as_str().unwrap_or_default();
            let has_children = QUEUES.iter().any(|(_, parent, _)| *parent == name && !name.is_empty());
            holds(!has_children && name != "root" && name != "default", || format!("queue {name:?} has to stay"))
        }
        _ => Err(format!("nobody asks about {operation:?} at {path}")),
    }
}

/// A queue: its weight is not negative, and its parent is there and not itself or below it.
fn queue(queue: &Map<String, Value>) -> Rule {
    let Some(spec) = part(queue, "spec")? else { return Ok(()) };
    holds(number(spec, "weight")? >= 0, || "a negative weight".to_owned())?;
    let name = queue.get("metadata").and_then(|metadata| metadata["name"].as_str()).unwrap_or_default();
    let mut at = text(spec, "parent")?;
    if name == "root" {
        return Ok(());
    }
    while !at.is_empty() {
        holds(at != name, || format!("queue {name:?} is above itself"))?;
        at = QUEUES.iter().find(|(known, ..)| *known == at).ok_or_else(|| format!("there is no queue {at:?}"))?.1;
    }
    Ok(())
}

fn holds(condition: bool, otherwise: impl FnOnce() -> String) -> Rule {
    if condition { Ok(()) } else { Err(otherwise()) }
}

fn object<'a>(value: &'a Value, name: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("{name} is no object"))
}

/// An object in an object, none if it is absent.
fn part<'a>(of: &'a Map<String, Value>, name: &str) -> Result<Option<&'a Map<String, Value>>, String> {
    of.get(name).filter(|value| !value.is_null()).map(|value| object(value, name)).transpose()
}

/// A list of objects, empty if it is absent.
fn items<'a>(of: &'a Map<String, Value>, name: &str) -> Result<Vec<&'a Map<String, Value>>, String> {
    match of.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(|item| object(item, name)).collect(),
        Some(_) => Err(format!("{name} is no list")),
    }
}

/// A number of 32 bits, 0 if it is absent.
fn number(of: &Map<String, Value>, name: &str) -> Result<i64, String> {
    match of.get(name) {
        None | Some(Value::Null) => Ok(0),
        Some(value) => {
            let fits = value.as_i64().filter(|number| i32::try_from(*number).is_ok());
            fits.ok_or_else(|| format!("{name} is no number of 32 bits"))
        }
    }
}

/// A text, empty if it is absent.
fn text<'a>(of: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    match of.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(value) => value.as_str().ok_or_else(|| format!("{name} is no text")),
    }
}

/// Whether a field is there and says something: no null, no empty text, no 0, nothing empty.
fn says_something(name: &str, value: &Value) -> bool {
    let is_empty = match value {
        Value::Null => true,
        Value::Bool(_) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    };
    !is_empty && !name.starts_with(UNKNOWN)
}

/// Names that two objects have between them, as far as they say something.
fn names<'a>(one: &'a Map<String, Value>, other: &'a Map<String, Value>) -> impl Iterator<Item = &'a String> {
    one.iter().chain(other).filter(|(name, value)| says_something(name, value)).map(|(name, _)| name)
}
