//! `AdmissionReview` of `admission.k8s.io/v1`: the question, and the answer.

use k8s_openapi::ByteString;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The only version that is spoken.
pub const API_VERSION: &str = "admission.k8s.io/v1";
/// As much of a refusal as is told. An object of the largest size can be wrong in a great many ways.
const LONGEST_MESSAGE: usize = 32 * 1024;

/// Why a body is no question.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// It is not JSON, or has not the shape of a review.
    #[error("the body is no AdmissionReview: {0}")]
    Shape(#[from] serde_json::Error),
    /// It is something else, or of a version that is not spoken.
    #[error("expected AdmissionReview of {API_VERSION}, got {kind:?} of {api_version:?}")]
    Version {
        /// Its version.
        api_version: String,
        /// Its kind.
        kind: String,
    },
    /// There is nothing to answer, or nobody to answer to.
    #[error("the review has no {0}")]
    Missing(&'static str),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Review {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    request: Option<Request>,
}

/// What is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Ties the answer to the question.
    pub uid: String,
    /// What kind of object it is about.
    pub resource: Resource,
    /// Which of its subresources, if any.
    #[serde(default)]
    pub sub_resource: Option<String>,
    /// Its name, empty if it is still to be made.
    #[serde(default)]
    pub name: String,
    /// Its namespace, empty if it has none.
    #[serde(default)]
    pub namespace: String,
    /// What is to be done with it.
    pub operation: Operation,
    /// The object; none for a deletion.
    #[serde(default)]
    pub object: Option<Value>,
    /// What it was; none for a creation.
    #[serde(default)]
    pub old_object: Option<Value>,
}

/// A kind of object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Resource {
    /// Its group.
    #[serde(default)]
    pub group: String,
    /// Its version.
    #[serde(default)]
    pub version: String,
    /// Its plural.
    #[serde(default)]
    pub resource: String,
}

/// What is to be done with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// It is new.
    Create,
    /// It changes.
    Update,
    /// It goes.
    Delete,
    /// Somebody connects to it.
    Connect,
}

impl Request {
    /// Reads a body.
    ///
    /// # Errors
    /// When there is no question in it.
    pub fn read(body: &[u8]) -> Result<Self, ReviewError> {
        let Review { api_version, kind, request } = serde_json::from_slice(body)?;
        if api_version != API_VERSION || kind != "AdmissionReview" {
            return Err(ReviewError::Version { api_version, kind });
        }
        let request = request.ok_or(ReviewError::Missing("request"))?;
        if request.uid.is_empty() {
            return Err(ReviewError::Missing("request.uid"));
        }
        Ok(request)
    }
}

/// What is said.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It may be stored as it is.
    Allowed,
    /// It may be stored with these changes.
    Patched(json_patch::Patch),
    /// It may not.
    Refused {
        /// HTTP status for who wanted it: 400, or 500 where it is not their fault.
        code: u16,
        /// Why, not longer than a client can bear.
        message: String,
    },
}

impl Answer {
    /// A refusal that whoever wanted it can mend.
    #[must_use]
    pub fn refused(why: impl ToString) -> Self {
        Self::Refused { code: 400, message: shortened(&why.to_string()) }
    }

    /// A refusal because something could not be found out.
    #[must_use]
    pub fn unknown(why: impl ToString) -> Self {
        Self::Refused { code: 500, message: shortened(&why.to_string()) }
    }

    /// The body that goes back; `uid` is that of the question.
    #[must_use]
    pub fn body(&self, uid: &str) -> Vec<u8> {
        #[derive(Serialize)]
        struct Patched<'a> {
            uid: &'a str,
            allowed: bool,
            #[serde(rename = "patchType")]
            patch_type: &'a str,
            patch: ByteString,
        }
        let response = match self {
            Self::Allowed => json!({ "uid": uid, "allowed": true }),
            Self::Patched(patch) => {
                let patch = ByteString(serde_json::to_vec(patch).expect("a patch is JSON"));
                serde_json::to_value(Patched { uid, allowed: true, patch_type: "JSONPatch", patch })
                    .expect("an answer is JSON")
            }
            Self::Refused { code, message } => {
                let reason = if *code < 500 { "BadRequest" } else { "InternalError" };
                json!({ "uid": uid, "allowed": false, "status": { "status": "Failure", "code": code, "reason": reason, "message": message } })
            }
        };
        let review = json!({ "apiVersion": API_VERSION, "kind": "AdmissionReview", "response": response });
        serde_json::to_vec(&review).expect("a review is JSON")
    }
}

fn shortened(message: &str) -> String {
    let message = message.trim();
    if message.len() <= LONGEST_MESSAGE {
        return message.to_owned();
    }
    let end = (0..=LONGEST_MESSAGE).rev().find(|end| message.is_char_boundary(*end)).unwrap_or_default();
    format!("{} ... and more", message.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn review() -> Value {
        json!({"apiVersion": API_VERSION, "kind": "AdmissionReview", "request": {"uid": "1", "operation": "CREATE",
            "kind": {"group": "g", "version": "v", "kind": "K"}, "resource": {"group": "g", "version": "v", "resource": "ks"},
            "userInfo": {"username": "me"}, "dryRun": true, "object": {"a": 1}, "oldObject": null, "options": null}})
    }

    #[test]
    fn a_question_is_read() {
        let request = Request::read(review().to_string().as_bytes()).unwrap();
        assert_eq!((request.uid.as_str(), request.operation), ("1", Operation::Create));
        assert_eq!(request.object, Some(json!({"a": 1})));
        assert_eq!(request.old_object, None);
    }

    #[rstest]
    #[case::an_old_version("/apiVersion", json!("admission.k8s.io/v1beta1"), "got \"AdmissionReview\" of \"admission.k8s.io/v1beta1\"")]
    #[case::no_version("/apiVersion", json!(""), "got \"AdmissionReview\" of \"\"")]
    #[case::another_kind("/kind", json!("Pod"), "got \"Pod\"")]
    #[case::no_request("/request", json!(null), "has no request")]
    #[case::no_uid("/request/uid", json!(""), "has no request.uid")]
    #[case::an_unknown_operation("/request/operation", json!("DANCE"), "unknown variant `DANCE`")]
    #[case::a_uid_that_is_a_number("/request/uid", json!(7), "invalid type")]
    fn nonsense_is_named(#[case] pointer: &str, #[case] value: Value, #[case] part: &str) {
        let mut review = review();
        *review.pointer_mut(pointer).unwrap() = value;
        let error = Request::read(review.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn a_refusal_has_an_end() {
        let body = Answer::refused("ä".repeat(1_000_000)).body("1");
        let back: Value = serde_json::from_slice(&body).unwrap();
        let message = back["response"]["status"]["message"].as_str().unwrap();
        assert!(message.len() < 33 * 1024 && message.ends_with("ä ... and more"));
    }

    #[test]
    fn a_patch_is_base64_of_json() {
        let patch: json_patch::Patch =
            serde_json::from_value(json!([{"op": "add", "path": "/a", "value": 1}])).unwrap();
        let back: Value = serde_json::from_slice(&Answer::Patched(patch).body("1")).unwrap();
        assert_eq!(back["response"]["patchType"], "JSONPatch");
        assert_eq!(back["response"]["patch"], "W3sib3AiOiJhZGQiLCJwYXRoIjoiL2EiLCJ2YWx1ZSI6MX1d");
        assert_eq!((&back["response"]["uid"], &back["response"]["allowed"]), (&json!("1"), &json!(true)));
    }
}
