//! What is in the body of a request or of its answer, as far as it goes onto a timeline.

use super::protobuf;
use jobsworth_oracle::Tenure;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// A longer patch is not kept.
const LONGEST_PATCH: usize = 2048;

/// What a body says. What it does not say is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The object's UID, or the one that is insisted on.
    pub uid: Option<String>,
    /// The object's resourceVersion, or the one that is insisted on.
    pub revision: Option<u64>,
    /// `message` of a Status.
    pub message: Option<String>,
    /// The patch, where it is one.
    pub patch: Option<Arc<Value>>,
    /// What a Lease says, where it is one.
    pub lease: Option<Tenure>,
}

/// An object, the options of a deletion, or a Status.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    metadata: Identity,
    /// Only options of a deletion have them; their kind some clients leave to the API server.
    #[serde(default)]
    preconditions: Option<Identity>,
    #[serde(default)]
    message: Option<String>,
    /// Read where it is a Lease's.
    #[serde(default)]
    spec: Option<LeaseSpec>,
}

/// As much of a Lease as counts.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct LeaseSpec {
    holder_identity: Value,
    lease_duration_seconds: Value,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Identity {
    uid: Option<String>,
    resource_version: Option<String>,
}

impl Content {
    /// Reads a body by its `Content-Type`; what is not understood says nothing.
    #[must_use]
    pub fn read(content_type: &str, body: &[u8]) -> Self {
        match content_type {
            _ if content_type.contains("protobuf") => Self::of_protobuf(body).unwrap_or_default(),
            _ if content_type.contains("patch") => Self::of_patch(body),
            _ => Self::of_json(body).unwrap_or_default(),
        }
    }

    fn of_protobuf(body: &[u8]) -> Option<Self> {
        let object = protobuf::Object::read(body)?;
        let lease = object.tenure().map(|(holder, seconds)| tenure(holder, seconds));
        Some(Self { uid: object.uid(), revision: object.revision(), message: object.message(), patch: None, lease })
    }

    fn of_json(body: &[u8]) -> Option<Self> {
        let head: Head = serde_json::from_slice(body).ok()?;
        let identity = match head.preconditions {
            Some(preconditions) => preconditions,
            None if head.kind == "DeleteOptions" => Identity::default(),
            None => head.metadata,
        };
        Some(Self {
            uid: identity.uid,
            revision: identity.resource_version.and_then(|text| text.parse().ok()),
            message: head.message.filter(|_| head.kind == "Status"),
            patch: None,
            lease: head.spec.filter(|_| head.kind == "Lease").map(|spec| {
                tenure(spec.holder_identity.as_str().map(str::to_owned), spec.lease_duration_seconds.as_u64())
            }),
        })
    }

    /// A patch insists on what it says of the identity: a merge of another is refused, a JSON patch tests it.
    fn of_patch(body: &[u8]) -> Self {
        let Ok(patch) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        let text = |pointer: &str| match &patch {
            Value::Array(steps) => {
                let mut tests = steps.iter().filter(|step| step["op"] == "test");
                tests.find(|step| step["path"] == pointer).and_then(|step| step["value"].as_str())
            }
            merged => merged.pointer(pointer).and_then(Value::as_str),
        };
        let uid = text("/metadata/uid").map(str::to_owned);
        let revision = text("/metadata/resourceVersion").and_then(|text| text.parse().ok());
        Self {
            uid,
            revision,
            message: None,
            lease: None,
            patch: (body.len() <= LONGEST_PATCH).then(|| Arc::new(patch)),
        }
    }
}

/// Who gives a Lease back may leave out the holder; without a duration it is over at once.
fn tenure(holder: Option<String>, seconds: Option<u64>) -> Tenure {
    let seconds = seconds.and_then(|seconds| u32::try_from(seconds).ok()).unwrap_or_default();
    Tenure { holder: holder.unwrap_or_default(), seconds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    const JSON: &str = "application/json";
    const MERGE: &str = "application/merge-patch+json";

    #[rstest]
    #[case::an_object(JSON, json!({"kind": "Job", "metadata": {"uid": "u", "resourceVersion": "7"}}), Some("u"), Some(7))]
    #[case::without_a_version(JSON, json!({"kind": "Job", "metadata": {"name": "job"}}), None, None)]
    #[case::a_deletion(JSON, json!({"kind": "DeleteOptions", "preconditions": {"uid": "u"}}), Some("u"), None)]
    #[case::a_deletion_that_leaves_its_kind_out(JSON, json!({"preconditions": {"uid": "u"}}), Some("u"), None)]
    #[case::a_deletion_of_anything(JSON, json!({"kind": "DeleteOptions"}), None, None)]
    #[case::a_merge(MERGE, json!({"metadata": {"uid": "u", "finalizers": []}}), Some("u"), None)]
    #[case::steps(
        "application/json-patch+json",
        json!([{"op": "test", "path": "/metadata/resourceVersion", "value": "9"}, {"op": "remove", "path": "/x"}]),
        None,
        Some(9)
    )]
    fn a_body_says_who_is_meant(
        #[case] content_type: &str,
        #[case] body: Value,
        #[case] uid: Option<&str>,
        #[case] revision: Option<u64>,
    ) {
        let content = Content::read(content_type, body.to_string().as_bytes());
        assert_eq!((content.uid.as_deref(), content.revision), (uid, revision));
        assert_eq!(content.patch.is_some(), content_type.contains("patch"));
    }

    #[rstest]
    #[case::held(json!({"holderIdentity": "me", "leaseDurationSeconds": 4}), "me", 4)]
    #[case::given_back(json!({"leaseDurationSeconds": 1}), "", 1)]
    fn a_lease_says_who_holds_it(#[case] spec: Value, #[case] holder: &str, #[case] seconds: u32) {
        let body = |kind: &str| json!({"kind": kind, "spec": spec}).to_string();
        let lease = Content::read(JSON, body("Lease").as_bytes()).lease;
        assert_eq!(lease, Some(Tenure { holder: holder.to_owned(), seconds }));
        assert_eq!(Content::read(JSON, body("Job").as_bytes()).lease, None);
    }

    #[test]
    fn a_long_patch_is_not_kept_but_what_it_insists_on_is() {
        let body = json!({"metadata": {"uid": "u"}, "status": "x".repeat(LONGEST_PATCH)}).to_string();
        let content = Content::read(MERGE, body.as_bytes());
        assert_eq!((content.uid.as_deref(), content.patch), (Some("u"), None));
    }

    #[test]
    fn a_refusal_says_why_and_an_object_says_nothing() {
        let message =
            |kind: &str| Content::read(JSON, json!({"kind": kind, "message": "no"}).to_string().as_bytes()).message;
        assert_eq!((message("Status"), message("Job")), (Some("no".to_owned()), None));
    }
}
