//! What is recorded: one fact, when it became true and when it was heard of.

use crate::{
    recorded::{Recorded, Seen, Sighting},
    regime::RegimeMark,
    request::Request,
};
use jobsworth_api::resource::with_group;
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// One recorded fact.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The resourceVersion at which it became true. Entries of one timeline are sorted by it.
    pub revision: u64,
    /// When it arrived, on the recorder's monotonic clock, since the timeline's start.
    pub at: Duration,
    /// What became true.
    pub fact: Fact,
}

/// What an [`Entry`] says.
#[derive(Clone, Debug)]
pub enum Fact {
    /// An object of a kind that is recorded was created or changed.
    Object(Sighting),
    /// Such an object was removed from the API; its last version.
    ObjectGone(Sighting),
    /// A Kubernetes Event was written.
    Notice(Notice),
    /// The API server answered a write of the script.
    Answer(Answer),
    /// The controller under test asked the API server for something.
    Request(Arc<Request>),
    /// The script reached a named point.
    Mark(String),
    /// The control plane begins to change, or has changed.
    Regime(RegimeMark),
    /// The watch of this resource lost history that cannot be had again.
    Gap(String),
    /// This resource is kept in a store of its own (`--etcd-servers-overrides`): its revisions say nothing beside those
    /// of the others. The recorder finds that out before it begins.
    Apart(String),
}

impl Fact {
    /// This object was created or changed.
    #[must_use]
    pub fn there<K: Recorded>(seen: Seen<K>) -> Self {
        Self::Object(seen.into())
    }

    /// This object was removed; its last version.
    #[must_use]
    pub fn gone<K: Recorded>(seen: Seen<K>) -> Self {
        Self::ObjectGone(seen.into())
    }

    /// The version of an object of this kind that was created or changed, if it says so.
    #[must_use]
    pub fn there_is<K: Recorded>(&self) -> Option<&Seen<K>> {
        match self {
            Self::Object(sighting) => sighting.of(),
            _ => None,
        }
    }

    /// The last version of an object of this kind that was removed, if it says so.
    #[must_use]
    pub fn gone_is<K: Recorded>(&self) -> Option<&Seen<K>> {
        match self {
            Self::ObjectGone(sighting) => sighting.of(),
            _ => None,
        }
    }

    /// The version of an object, there or gone, if it says one.
    #[must_use]
    pub const fn sighting(&self) -> Option<&Sighting> {
        match self {
            Self::Object(sighting) | Self::ObjectGone(sighting) => Some(sighting),
            _ => None,
        }
    }

    /// The version of an object of this kind, there or gone, if it says one.
    #[must_use]
    pub fn version<K: Recorded>(&self) -> Option<&Seen<K>> {
        self.sighting()?.of()
    }
}

/// A Kubernetes Event, reduced to what judgements ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// `Normal` or `Warning`.
    pub kind: String,
    /// The machine-readable reason, for example `SuccessfulCreate`.
    pub reason: String,
    /// The text for people.
    pub message: String,
    /// Kind and name of the object it is about, for example `Job/job`.
    pub about: String,
    /// How often it happened since the last entry about it.
    pub count: u32,
}

impl Notice {
    /// What an Event says, of `events.k8s.io/v1` or of the core group. `count` is from its beginning.
    #[must_use]
    pub fn of(event: &Value) -> Self {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        let either = |one: &str, other: &str| text(one).or_else(|| text(other)).unwrap_or_default().to_owned();
        let number = |pointer: &str| event.pointer(pointer).and_then(Value::as_u64);
        let count = number("/series/count").or_else(|| number("/deprecatedCount")).or_else(|| number("/count"));
        Self {
            kind: either("/type", ""),
            reason: either("/reason", ""),
            message: either("/note", "/message"),
            about: about(
                &either("/regarding/apiVersion", "/involvedObject/apiVersion"),
                &either("/regarding/kind", "/involvedObject/kind"),
                &either("/regarding/name", "/involvedObject/name"),
            ),
            count: u32::try_from(count.unwrap_or(1)).unwrap_or(u32::MAX),
        }
    }
}

/// `Job/job`; an object of somebody else's API goes with its group: `Job.batch.volcano.sh/job`.
fn about(api_version: &str, kind: &str, name: &str) -> String {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    format!("{}/{name}", with_group(group, kind))
}

/// What the API server said to one write of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The script's name for this write.
    pub to: String,
    /// HTTP status code.
    pub code: u16,
    /// `reason` of the Status object; empty when the write was accepted.
    pub reason: String,
    /// `message` of the Status object; empty when the write was accepted.
    pub message: String,
    /// `details.causes` of the Status object.
    pub causes: Vec<Cause>,
    /// Texts of `Warning` headers.
    pub warnings: Vec<String>,
    /// The object in the answer, or `null`.
    pub body: Arc<Value>,
}

/// One cause of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Path of the field, for example `status.active`.
    pub field: String,
    /// Machine-readable kind, for example `FieldValueInvalid`.
    pub reason: String,
    /// Text for people.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case::a_job("batch/v1", "Job", "Job/one")]
    #[case::a_pod("v1", "Pod", "Pod/one")]
    #[case::of_the_project("scheduling.k8s.io/v1beta1", "PodGroup", "PodGroup/one")]
    #[case::of_somebody_else("batch.volcano.sh/v1alpha1", "Job", "Job.batch.volcano.sh/one")]
    #[case::of_nobody("", "Job", "Job/one")]
    fn an_event_is_about_an_object_of_a_group(#[case] api: &str, #[case] kind: &str, #[case] words: &str) {
        assert_eq!(about(api, kind, "one"), words);
    }

    #[test]
    fn an_event_of_either_group_says_the_same() {
        let to = json!({"apiVersion": "batch/v1", "kind": "Job", "name": "one"});
        let new = json!({"type": "Normal", "reason": "Why", "note": "so", "regarding": to, "deprecatedCount": 3});
        let old = json!({"type": "Normal", "reason": "Why", "message": "so", "involvedObject": to, "count": 3});
        assert_eq!(Notice::of(&new), Notice::of(&old));
        assert_eq!((Notice::of(&new).about.as_str(), Notice::of(&new).count), ("Job/one", 3));
    }
}
