//! What is recorded: one fact, when it became true and when it was heard of.

use crate::regime::RegimeMark;
use k8s_openapi::{
    api::{batch::v1::Job, core::v1::Pod},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::{ops::Deref, sync::Arc, time::Duration};

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
    /// A Job was created or changed.
    Job(Seen<Job>),
    /// A Job was removed from the API; its last version.
    JobGone(Seen<Job>),
    /// A pod was created or changed.
    Pod(Seen<Pod>),
    /// A pod was removed from the API; its last version.
    PodGone(Seen<Pod>),
    /// An object of another kind that a Job controller keeps was created or changed: a Workload or a PodGroup.
    Object(Seen<Object>),
    /// Such an object was removed from the API; its last version.
    ObjectGone(Seen<Object>),
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

/// An object as it was received, and a typed view of it.
///
/// The raw JSON is the evidence: a field that the typed view does not know is still there.
#[derive(Clone, Debug)]
pub struct Seen<T> {
    /// The JSON as received.
    pub raw: Arc<Value>,
    typed: Arc<T>,
}

impl<T: DeserializeOwned> Seen<T> {
    /// Makes the typed view of `raw`.
    ///
    /// # Errors
    /// When `raw` does not have the shape of a `T`.
    pub fn new(raw: Value) -> Result<Self, serde_json::Error> {
        let typed = T::deserialize(&raw)?;
        Ok(Self { raw: Arc::new(raw), typed: Arc::new(typed) })
    }
}

impl<T> Deref for Seen<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.typed
    }
}

/// What every object has. The rest of one without a typed view of its own is in [`Seen::raw`].
#[derive(Clone, Debug, Deserialize)]
pub struct Object {
    /// For example `PodGroup`.
    pub kind: String,
    /// Name, UID, owners.
    pub metadata: ObjectMeta,
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
