//! What was recorded while a case ran: entries in order of revision.

use crate::regime::{RegimeMark, Regimes};
use jiff::Timestamp;
use jobsworth_api::{KubeVersion, Minor, well_known};
use k8s_openapi::{
    api::{batch::v1::Job, core::v1::Pod},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::{collections::BTreeMap, ops::Deref, sync::Arc, time::Duration};

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

/// Who reconciles which Jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// The subject is the built-in controller.
    BuiltIn,
    /// The subject stands in for the built-in controller.
    DropIn,
    /// The subject reconciles Jobs whose `spec.managedBy` has this value.
    ManagedBy(String),
}

impl Ownership {
    /// The value of `spec.managedBy` without which a Job is not the subject's.
    #[must_use]
    pub fn manager(&self) -> Option<&str> {
        match self {
            Self::ManagedBy(name) => Some(name),
            Self::BuiltIn | Self::DropIn => None,
        }
    }
}

/// Under which circumstances a timeline was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Id of the case.
    pub case: String,
    /// Namespace that was recorded.
    pub namespace: String,
    /// Wall clock of this machine at offset zero.
    pub started: Timestamp,
    /// Version of the control plane's binaries.
    pub kubernetes: KubeVersion,
    /// `--emulated-version`, if one was given.
    pub emulated: Option<Minor>,
    /// State of the Job gates at the beginning, as found by the attestation.
    pub gates: BTreeMap<String, bool>,
    /// Name of the controller under test.
    pub subject: String,
    /// Which Jobs are the subject's.
    pub ownership: Ownership,
    /// Whether others than the script and the control plane may act in the namespace: people, and their programs. So it
    /// is on a cluster that somebody uses.
    pub shared: bool,
}

impl Setting {
    /// Whether a gate is on at the beginning; [`Timeline::regimes`] knows the rest. A gate that the control plane no longer knows counts as on when it
    /// graduated and was removed, which holds for every gate that is not in the table.
    #[must_use]
    pub fn gate(&self, name: &str) -> bool {
        self.gates.get(name).copied().unwrap_or(true)
    }

    /// Whether the subject reconciles this Job, and no other controller, as things are at the beginning (MGB-001,
    /// MGB-007).
    #[must_use]
    pub fn owns(&self, job: &Job) -> bool {
        let manager = job.spec.as_ref().and_then(|spec| spec.managed_by.as_deref());
        match &self.ownership {
            Ownership::BuiltIn | Ownership::DropIn => {
                !self.gate("JobManagedBy") || manager.is_none_or(|name| name == well_known::BUILT_IN_CONTROLLER)
            }
            Ownership::ManagedBy(name) => manager == Some(name.as_str()),
        }
    }

    /// The minor version whose API is served.
    #[must_use]
    pub fn api(&self) -> Minor {
        self.emulated.unwrap_or_else(|| self.kubernetes.minor_version())
    }
}

/// How the recording ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The script ran to its end and the recorder caught up.
    Complete,
    /// The script waited in vain; what it waited for is the subject's to do.
    Stalled {
        /// The predicate that did not come true.
        waited_for: String,
        /// How long it waited.
        limit: Duration,
    },
    /// The controller under test ended, and nobody had asked it to.
    Death(Death),
    /// The harness could not do its part.
    Fault(String),
    /// The file ends before the recording does.
    Truncated,
}

/// How a controller under test ended unasked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// How, for example `exit status: 101`.
    pub status: String,
    /// What it wrote last.
    pub last_words: Vec<String>,
}

/// A recorded history, sorted by revision.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The circumstances.
    pub setting: Setting,
    entries: Vec<Entry>,
    regimes: Regimes,
    events_apart: bool,
    /// How it ended.
    pub ending: Ending,
}

impl Timeline {
    /// Sorts the entries by revision; entries of one revision stay in order of arrival. Where Events have a store of
    /// their own they are placed by their arrival, after what had arrived by then.
    #[must_use]
    pub fn seal(setting: Setting, mut entries: Vec<Entry>, ending: Ending) -> Self {
        let events_apart = entries.iter().any(|entry| matches!(&entry.fact, Fact::Apart(of) if of == "events"));
        if events_apart {
            place_by_arrival(&mut entries);
        }
        entries.sort_by_key(|entry| entry.revision);
        let regimes = Regimes::of(&setting, &entries);
        Self { setting, entries, regimes, events_apart, ending }
    }

    /// Whether nothing can be said about the order between Events and everything else: they have a store of their own.
    #[must_use]
    pub fn events_are_apart(&self) -> bool {
        self.events_apart
    }

    /// The entries, ascending by revision.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the control plane was at each point.
    #[must_use]
    pub fn regimes(&self) -> &Regimes {
        &self.regimes
    }

    /// The resource whose history has a hole, if one has.
    #[must_use]
    pub fn gap(&self) -> Option<&str> {
        self.entries.iter().find_map(|entry| match &entry.fact {
            Fact::Gap(resource) => Some(resource.as_str()),
            _ => None,
        })
    }

    /// Why absence cannot be concluded from this timeline, if it cannot.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        if let Some(resource) = self.gap() {
            return Some(format!("the watch of {resource} lost history"));
        }
        match &self.ending {
            Ending::Complete | Ending::Stalled { .. } => None,
            Ending::Death(death) => Some(format!("the controller ended unasked with {}", death.status)),
            Ending::Fault(what) => Some(format!("the harness could not finish: {what}")),
            Ending::Truncated => Some("the recording is not whole".to_owned()),
        }
    }
}

/// Gives Events the latest revision that had arrived before them.
fn place_by_arrival(entries: &mut [Entry]) {
    let mut latest = 0;
    for entry in entries {
        match entry.fact {
            Fact::Notice(_) => entry.revision = latest,
            _ => latest = latest.max(entry.revision),
        }
    }
}
