//! What is recorded: one fact, when it became true and when it was heard of.

use crate::{
    recorded::{Recorded, Seen, Sighting},
    regime::RegimeMark,
};
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
