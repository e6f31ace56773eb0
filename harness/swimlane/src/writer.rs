//! Who wrote a version of an object, as far as `metadata.managedFields` tells.

use serde_json::Value;

/// Writers that are ours: what they do stands in lanes of its own.
const OURS: [&str; 2] = ["jobsworth-script", "jobsworth-pod-driver"];

/// The writer of `new`, which came after `old`; `None` where several may be meant, or none. Times in `managedFields` are
/// whole seconds, so two writes in one second are told apart by what they wrote to only.
pub(crate) fn of(old: Option<&Value>, new: &Value) -> Option<String> {
    let entries = entries(new);
    let before: Vec<&Value> = old.map(self::entries).unwrap_or_default().iter().collect();
    let renewed: Vec<&Value> = entries.iter().filter(|entry| !before.contains(entry)).collect();
    if let Some(writer) = only(&renewed) {
        return Some(writer);
    }
    let old = old.filter(|_| renewed.is_empty())?;
    let status_changed = old.get("status") != new.get("status");
    let latest = entries.iter().filter_map(time).max()?;
    let wrote = |entry: &&Value| {
        let of_status = entry.get("subresource").and_then(Value::as_str) == Some("status");
        time(entry) == Some(latest) && of_status == status_changed
    };
    only(&entries.iter().filter(wrote).collect::<Vec<_>>())
}

/// Whether a writer is the script or the pod driver.
pub(crate) fn is_ours(writer: &str) -> bool {
    OURS.contains(&writer)
}

fn entries(object: &Value) -> &[Value] {
    object.pointer("/metadata/managedFields").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn time(entry: &Value) -> Option<&str> {
    entry.get("time")?.as_str()
}

fn only(entries: &[&Value]) -> Option<String> {
    let mut names = entries.iter().filter_map(|entry| entry.get("manager")?.as_str());
    let name = names.next()?;
    names.all(|other| other == name).then(|| crate::plain::shown(name, 60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn object(active: u32, writers: &[(&str, &str, &str)]) -> Value {
        let entries = writers.iter().map(|(manager, part, second)| match part.is_empty() {
            true => json!({"manager": manager, "time": second}),
            false => json!({"manager": manager, "time": second, "subresource": part}),
        });
        json!({"metadata": {"managedFields": entries.collect::<Vec<_>>()}, "status": {"active": active}})
    }

    const CREATED: (&str, &str, &str) = ("script", "", "00:01");

    #[rstest]
    #[case::who_created_it(None, object(0, &[CREATED]), Some("script"))]
    #[case::who_is_new(Some(object(0, &[CREATED])), object(1, &[CREATED, ("kcm", "status", "00:01")]), Some("kcm"))]
    #[case::who_wrote_again_in_the_same_second(
        Some(object(1, &[CREATED, ("kcm", "status", "00:01")])),
        object(2, &[CREATED, ("kcm", "status", "00:01")]),
        Some("kcm")
    )]
    #[case::two_who_may_have(
        Some(object(1, &[("a", "status", "00:01"), ("b", "status", "00:01")])),
        object(2, &[("a", "status", "00:01"), ("b", "status", "00:01")]),
        None
    )]
    #[case::nobody(None, json!({}), None)]
    fn the_writer_is_told_where_it_can_be(#[case] old: Option<Value>, #[case] new: Value, #[case] who: Option<&str>) {
        assert_eq!(of(old.as_ref(), &new).as_deref(), who);
    }
}
