//! From what came in to the types.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::review::Answer;

/// A typed view; an object without a `spec` is read as one with an empty one.
///
/// # Errors
/// A refusal, where something is not of the type that it should be.
pub(super) fn decode<T: Serialize + DeserializeOwned>(raw: &Value) -> Result<T, Answer> {
    let view = match raw {
        Value::Object(fields) if fields.get("spec").is_none_or(Value::is_null) => {
            let mut fields = fields.clone();
            fields.insert("spec".to_owned(), Value::Object(Map::new()));
            read(&Value::Object(fields))
        }
        _ => read(raw),
    };
    view.map_err(|why| Answer::refused(format!("the object cannot be decoded: {why}")))
}

fn read<T: Serialize + DeserializeOwned>(raw: &Value) -> Result<T, serde_json::Error> {
    let view = T::deserialize(raw)?;
    match listed(raw, &serde_json::to_value(&view)?) {
        None => Ok(view),
        Some(place) => {
            Err(serde::de::Error::custom(format!("invalid type: sequence at {place:?}, expected an object")))
        }
    }
}

/// Where a list stands for an object. A derived reader takes a list for the fields in their order, which is nothing that the API knows;
/// and the patch of such an object could not be applied.
fn listed(raw: &Value, view: &Value) -> Option<String> {
    let within = |key: &str, raw: &Value, view: &Value| listed(raw, view).map(|place| format!("/{key}{place}"));
    match (raw, view) {
        (Value::Array(_), Value::Object(_)) => Some(String::new()),
        (Value::Array(raw), Value::Array(view)) => {
            let mut pairs = raw.iter().zip(view).enumerate();
            pairs.find_map(|(index, (raw, view))| within(&index.to_string(), raw, view))
        }
        (Value::Object(raw), Value::Object(view)) => {
            view.iter().find_map(|(key, view)| within(key, raw.get(key)?, view))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jobsworth_volcano_api::Job;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::the_job(json!([{"name": "j"}, {}, null]), "")]
    #[case::its_spec(json!({"metadata": {"name": "j"}, "spec": []}), "")]
    #[case::a_task(json!({"metadata": {}, "spec": {"tasks": [{"name": "t0"}, ["t1", 1]]}}), "/spec/tasks/1")]
    #[case::a_policy(json!({"metadata": {}, "spec": {"policies": [["AbortJob", "PodFailed"]]}}), "/spec/policies/0")]
    #[case::nothing_for_a_limit(json!({"metadata": {}, "spec": {"networkTopology": []}}), "/spec/networkTopology")]
    fn a_list_is_no_object(#[case] raw: Value, #[case] place: &str) {
        let answer = decode::<Job>(&raw).unwrap_err();
        let Answer::Refused { code: 400, message } = answer else { panic!("{answer:?}") };
        assert!(message.contains("invalid type: sequence") && message.contains(place), "{message}");
    }

    #[rstest]
    #[case::nothing(json!({"metadata": {}}))]
    #[case::a_null(json!({"metadata": {}, "spec": null}))]
    #[case::lists_where_they_belong(json!({"metadata": {}, "spec": {"tasks": [{"name": "t0"}], "plugins": {"env": []}}}))]
    fn what_has_its_place_is_read(#[case] raw: Value) {
        decode::<Job>(&raw).unwrap();
    }
}
