//! From what an object is to what it should be, as a JSON patch of the object that came in.

use json_patch::{Patch, PatchOperation};
use serde::Serialize;
use serde_json::Value;

/// What leads from `before` to `after`, to be applied to `raw`, of which `before` is a typed view.
///
/// `raw` may hold more than its view, and values where the view has none (a zero, an empty text); so everything that is written is
/// added, which replaces what is there.
pub(super) fn between<T: Serialize>(raw: &Value, before: &T, after: &T) -> Patch {
    let view = |spec: &T| serde_json::to_value(spec).expect("a spec is JSON");
    let wrap = |spec: Value| serde_json::json!({ "spec": spec });
    let start = if raw.get("spec").is_some_and(Value::is_object) { wrap(view(before)) } else { serde_json::json!({}) };
    let Patch(mut operations) = json_patch::diff(&start, &wrap(view(after)));
    for operation in &mut operations {
        if let PatchOperation::Replace(replace) = operation {
            let (path, value) = (replace.path.clone(), replace.value.take());
            *operation = PatchOperation::Add(json_patch::AddOperation { path, value });
        }
    }
    Patch(operations)
}
