//! What an answer has to be, told from the question alone and without the code that is judged.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::StatusCode;
use hyper::body::Bytes;
use json_patch::Patch;
use serde::Deserialize;
use serde_json::Value;

use super::review::{Must, Review};
use super::rules;

/// As long as a message may be: refusals are shortened, so that a client can bear them.
const LONGEST_MESSAGE: usize = 40 * 1024;

/// What came back.
pub struct Reply {
    pub status: StatusCode,
    pub body: Bytes,
    pub took: Duration,
}

/// What an answer comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Allowed(Patch),
    Refused,
    /// There is no answer, only a status: it was no question.
    Unreadable,
}

/// The parts of a question that an answer depends on. What else there is need not even be text.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Asked {
    pub uid: Value,
    pub resource: Value,
    pub operation: Value,
    pub name: Value,
    pub namespace: Value,
    pub object: Value,
    pub old_object: Value,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Envelope {
    api_version: Value,
    kind: Value,
    request: Option<Asked>,
}

/// The question in a body, if there is one that may be answered.
pub fn question(body: &[u8]) -> Option<Asked> {
    let Envelope { api_version, kind, request } = serde_json::from_slice(body).ok()?;
    let is_known = api_version == "admission.k8s.io/v1" && kind == "AdmissionReview";
    request.filter(|asked| is_known && asked.uid.as_str().is_some_and(|uid| !uid.is_empty()))
}

/// Judges an answer.
pub fn judge(review: &Review, reply: &Reply) -> Result<Outcome, String> {
    let text = || shortened(&String::from_utf8_lossy(&reply.body));
    if !reply.status.is_client_error() && reply.status != StatusCode::OK {
        return Err(format!("it is answered with {}, as a panic is: {}", reply.status, text()));
    }
    let outcome = if reply.status == StatusCode::OK { answer(review, &reply.body)? } else { Outcome::Unreadable };
    let is_allowed = matches!(outcome, Outcome::Allowed(_));
    match review.must {
        Must::Allow if !is_allowed => Err(format!("nothing is wrong with it, and it is not allowed: {}", text())),
        Must::NotAllow if is_allowed => Err("it must not be allowed".to_owned()),
        Must::Status(status) if status != reply.status => {
            Err(format!("expected {status}, got {}: {}", reply.status, text()))
        }
        _ => Ok(outcome),
    }
}

/// Reads an answer: an AdmissionReview with the question's uid, and a yes only where no rule is broken.
fn answer(review: &Review, body: &[u8]) -> Result<Outcome, String> {
    let answer: Value = serde_json::from_slice(body).map_err(|error| format!("the answer is no JSON: {error}"))?;
    if answer["apiVersion"] != "admission.k8s.io/v1" || answer["kind"] != "AdmissionReview" {
        return Err(format!("the answer is no AdmissionReview: {}", shortened(&answer.to_string())));
    }
    let response = &answer["response"];
    let asked = question(&review.body).ok_or("what is no question has an answer")?;
    if response["uid"] != asked.uid {
        return Err(format!("the answer is for {} and not for {}", response["uid"], asked.uid));
    }
    match response["allowed"].as_bool() {
        Some(true) => {
            rules::may_be_allowed(review.path, &asked)?;
            let patch = patch(response)?;
            let may_be_patched = review.path.ends_with("/mutate") && asked.operation == "CREATE";
            if !(patch.0.is_empty() || may_be_patched) {
                return Err("only new objects are patched, and only where they are to be".to_owned());
            }
            Ok(Outcome::Allowed(patch))
        }
        Some(false) => {
            let (code, message) =
                (&response["status"]["code"], response["status"]["message"].as_str().unwrap_or_default());
            // Nothing is wrong with the cluster, so it is the question's fault (VJ-328).
            if *code != 400 || message.is_empty() || message.len() > LONGEST_MESSAGE {
                return Err(format!("a refusal with {code} and {} bytes: {}", message.len(), shortened(message)));
            }
            Ok(Outcome::Refused)
        }
        None => Err("the answer says neither yes nor no".to_owned()),
    }
}

fn patch(response: &Value) -> Result<Patch, String> {
    let Some(text) = response.get("patch") else { return Ok(Patch(Vec::new())) };
    if response["patchType"] != "JSONPatch" {
        return Err(format!("a patch of type {}", response["patchType"]));
    }
    let bytes = BASE64_STANDARD.decode(text.as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| format!("what is no JSON patch: {error}"))
}

/// The start of a text.
pub fn shortened(text: &str) -> String {
    let start: String = text.chars().take(3_000).collect();
    if start.len() < text.len() { format!("{start} ... ({} bytes)", text.len()) } else { start }
}
