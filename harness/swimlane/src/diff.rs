//! What is different between two versions of an object, in lines for people.

use crate::plain::shown;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Longest value, in characters.
const LONGEST: usize = 160;
/// Lines of one change.
const LINES: usize = 24;
/// Fields that change with every version and say nothing.
const NOISE: [&str; 3] = ["metadata.managedFields", "metadata.resourceVersion", "status.qosClass"];
/// Fields of a container's status that say which image it has, once more.
const IMAGES: [&str; 3] = [".image", ".imageID", ".containerID"];
/// Fields by which the items of a list are told apart.
const KEYS: [&str; 3] = ["type", "name", "ip"];

/// Names of objects by UID: what is told instead of a UID in lists of them.
pub type Names = BTreeMap<String, String>;

/// The differences, `path: old → new`, `+ path: new` and `− path: old`; at most 24 lines, the last says how many there
/// are more.
#[must_use]
pub fn between(old: &Value, new: &Value, names: &Names) -> Vec<String> {
    let mut lines = Vec::new();
    compare("", old, new, names, &mut lines);
    capped(lines)
}

/// The fields of an object that has none before it, as `between` tells them; only those at or below these paths.
#[must_use]
pub fn of_new(object: &Value, below: &[&str], names: &Names) -> Vec<String> {
    let mut lines = Vec::new();
    for path in below {
        let pointer = format!("/{}", path.replace('.', "/"));
        if let Some(value) = object.pointer(&pointer) {
            whole('+', path, value, names, &mut lines);
        }
    }
    capped(lines)
}

fn capped(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > LINES {
        let more = lines.len() - LINES;
        lines.truncate(LINES);
        lines.push(format!("… {more} more fields"));
    }
    lines
}

fn compare(path: &str, old: &Value, new: &Value, names: &Names, lines: &mut Vec<String>) {
    if old == new || is_noise(path) {
        return;
    }
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                pair(&below(path, key), old.get(key), new.get(key), names, lines);
            }
        }
        (Value::Array(old), Value::Array(new)) => match (by_key(old), by_key(new)) {
            (Some(old), Some(new)) => {
                let keys: BTreeSet<&String> = old.keys().chain(new.keys()).copied().collect();
                for key in keys {
                    let at = format!("{path}[{}]", shown(key, LONGEST));
                    pair(&at, old.get(key).copied(), new.get(key).copied(), names, lines);
                }
            }
            _ => items(path, old, new, names, lines),
        },
        _ => lines.push(format!("{path}: {} → {}", leaf(old, names), leaf(new, names))),
    }
}

fn pair(path: &str, old: Option<&Value>, new: Option<&Value>, names: &Names, lines: &mut Vec<String>) {
    match (old, new) {
        (Some(old), Some(new)) if is_condition(old) && is_condition(new) => {
            let (old, new) = (condition(old), condition(new));
            if old != new {
                lines.push(format!("{path}: {old} → {new}"));
            }
        }
        (Some(old), Some(new)) => compare(path, old, new, names, lines),
        (None, Some(new)) => whole('+', path, new, names, lines),
        (Some(old), None) => whole('−', path, old, names, lines),
        (None, None) => {}
    }
}

/// Items of a list that is a set: finalizers, UIDs.
fn items(path: &str, old: &[Value], new: &[Value], names: &Names, lines: &mut Vec<String>) {
    let before = lines.len();
    for (sign, these, others) in [('−', old, new), ('+', new, old)] {
        for item in these.iter().filter(|item| !others.contains(item)) {
            lines.push(format!("{sign} {path}: {}", leaf(item, names)));
        }
    }
    if lines.len() == before {
        lines.push(format!("{path}: in another order"));
    }
}

/// A field that is new, or gone, with all that is in it.
fn whole(sign: char, path: &str, value: &Value, names: &Names, lines: &mut Vec<String>) {
    if is_noise(path) {
        return;
    }
    match value {
        value if is_condition(value) => lines.push(format!("{sign} {path}: {}", condition(value))),
        Value::Object(fields) => {
            for (key, value) in fields {
                whole(sign, &below(path, key), value, names, lines);
            }
        }
        Value::Array(list) => match by_key(list) {
            Some(list) if !list.is_empty() => {
                for (key, value) in list {
                    item(sign, &format!("{path}[{}]", shown(key, LONGEST)), key, value, names, lines);
                }
            }
            _ => list.iter().for_each(|item| lines.push(format!("{sign} {path}: {}", leaf(item, names)))),
        },
        _ => lines.push(format!("{sign} {path}: {}", leaf(value, names))),
    }
}

/// An item of a list; what tells it from others stands in its path already.
fn item(sign: char, path: &str, key: &str, value: &Value, names: &Names, lines: &mut Vec<String>) {
    match value.as_object().filter(|_| !is_condition(value)) {
        Some(fields) => {
            let others = fields.iter().filter(|(name, value)| !KEYS.contains(&name.as_str()) || *value != key);
            others.for_each(|(name, value)| whole(sign, &below(path, name), value, names, lines));
        }
        None => whole(sign, path, value, names, lines),
    }
}

fn is_noise(path: &str) -> bool {
    let of_container = || path.contains("ontainerStatuses[") && IMAGES.iter().any(|field| path.ends_with(field));
    NOISE.contains(&path) || of_container()
}

fn below(path: &str, key: &str) -> String {
    let key = shown(key, LONGEST);
    // A label's key has dots of its own.
    let key = if key.contains('.') { format!("[{key}]") } else { key };
    match (path.is_empty(), key.starts_with('[')) {
        (true, _) => key,
        (false, true) => format!("{path}{key}"),
        (false, false) => format!("{path}.{key}"),
    }
}

/// The items by what tells them apart, if something does.
fn by_key(list: &[Value]) -> Option<BTreeMap<&String, &Value>> {
    let keyed = |key: &str| -> Option<BTreeMap<&String, &Value>> {
        let pairs: Option<BTreeMap<_, _>> = list
            .iter()
            .map(|item| match item.get(key) {
                Some(Value::String(name)) => Some((name, item)),
                _ => None,
            })
            .collect();
        pairs.filter(|pairs| pairs.len() == list.len())
    };
    KEYS.into_iter().find_map(keyed)
}

fn fields(value: &Value) -> Option<&Map<String, Value>> {
    value.as_object()
}

fn is_condition(value: &Value) -> bool {
    fields(value).is_some_and(|fields| {
        ["type", "status"].into_iter().all(|key| fields.get(key).is_some_and(Value::is_string))
            && fields.values().all(|value| !value.is_object() && !value.is_array())
    })
}

/// `True PodFailurePolicy: a container failed`.
fn condition(value: &Value) -> String {
    let of = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut text = of("status").to_owned();
    if !of("reason").is_empty() {
        text = format!("{text} {}", of("reason"));
    }
    if !of("message").is_empty() {
        text = format!("{text}: {}", of("message"));
    }
    shown(&text, LONGEST)
}

fn leaf(value: &Value, names: &Names) -> String {
    match value {
        Value::String(text) => match names.get(text) {
            Some(name) => shown(name, LONGEST),
            None => shown(&format!("\"{text}\""), LONGEST),
        },
        value => shown(&value.to_string(), LONGEST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case::a_counter(json!({"status": {"active": 1}}), json!({"status": {"active": 2}}), "status.active: 1 → 2")]
    #[case::a_new_field(json!({}), json!({"spec": {"suspend": true}}), "+ spec.suspend: true")]
    #[case::a_field_that_went(json!({"spec": {"suspend": true}}), json!({"spec": {}}), "− spec.suspend: true")]
    #[case::a_finalizer(json!({"metadata": {"finalizers": ["a/b", "c"]}}), json!({"metadata": {"finalizers": ["c"]}}), "− metadata.finalizers: \"a/b\"")]
    #[case::a_condition(
        json!({"status": {}}),
        json!({"status": {"conditions": [{"type": "Failed", "status": "True", "reason": "Late", "message": "too late"}]}}),
        "+ status.conditions[Failed]: True Late: too late"
    )]
    #[case::a_pod_by_its_name(json!({"uncounted": []}), json!({"uncounted": ["uid-1"]}), "+ uncounted: job-0-abcde")]
    #[case::noise(json!({"metadata": {"resourceVersion": "1"}}), json!({"metadata": {"resourceVersion": "2"}}), "")]
    #[case::a_label(json!({"labels": {}}), json!({"labels": {"a.b/c": "d"}}), "+ labels[a.b/c]: \"d\"")]
    #[case::an_order(json!({"list": [1, 2]}), json!({"list": [2, 1]}), "list: in another order")]
    #[case::a_text_that_poses(json!({"m": "a"}), json!({"m": "\u{1b}[2Jb"}), "m: \"a\" → \"\\u{1b}[2Jb\"")]
    fn a_difference_is_told_by_its_path(#[case] old: Value, #[case] new: Value, #[case] told: &str) {
        let names = Names::from([("uid-1".to_owned(), "job-0-abcde".to_owned())]);
        assert_eq!(between(&old, &new, &names).join("\n"), told);
    }

    #[test]
    fn a_change_of_a_hundred_fields_is_not_told_at_length() {
        let object = |value: u32| Value::from_iter((0..100).map(|number| (format!("field{number}"), json!(value))));
        let lines = between(&object(1), &object(2), &Names::new());
        assert_eq!((lines.len(), lines.last().map(String::as_str)), (LINES + 1, Some("… 76 more fields")));
    }
}
