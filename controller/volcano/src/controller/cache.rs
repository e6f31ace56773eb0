//! Objects as they are kept: what decisions look at, and nothing else of what they do not.

use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_controller_runtime::feed::{self, Resource};
use jobsworth_controller_runtime::key::{Key, Uid};
use jobsworth_controller_runtime::store::Cached;
use jobsworth_volcano_api::well_known::{BATCH_API_VERSION, SCHEDULING_API_VERSION};
use jobsworth_volcano_api::{Action, Command, Job, PodGroup, Queue, QueueState};
use jobsworth_volcano_core::PodView;
use k8s_openapi::api::core::v1::Pod;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A kind that is watched.
pub trait Kind: Sized + Send {
    /// Path of the collection in all namespaces.
    const COLLECTION: &'static str;
    /// What it is called in logs and metrics.
    const NAME: &'static str;

    /// Reads what is kept of an object.
    ///
    /// # Errors
    /// What cannot be read of it.
    fn read(json: &str) -> Result<Self, serde_json::Error>;
}

/// An object, or what is kept of it.
#[derive(Debug)]
pub struct Entry<T> {
    /// Namespace, empty for kinds without, and name.
    pub key: Key,
    /// `metadata.uid`.
    pub uid: Uid,
    /// `metadata.resourceVersion`.
    pub revision: u64,
    /// What is kept.
    pub object: T,
}

/// A job, whole but for its managed fields: it is written back.
pub type CachedJob = Entry<Arc<Job>>;

impl CachedJob {
    /// How many requests are left to be made for it, about: one for each pod.
    #[must_use]
    pub fn work_left(&self) -> u32 {
        let replicas = self.object.spec.tasks.iter().map(|task| u32::try_from(task.replicas).unwrap_or_default());
        replicas.fold(0, u32::saturating_add)
    }
}

/// A `PodGroup`, whole but for its managed fields: it is written back.
pub type CachedGroup = Entry<PodGroup>;
/// A pod, as decisions see it; `None` for one that no Volcano Job has.
pub type CachedPod = Entry<Option<PodView>>;
/// A Command.
pub type CachedCommand = Entry<Order>;
/// A queue: that it is there, its state, and what it is below.
pub type CachedQueue = Entry<KnownQueue>;
/// A claim: that it is there.
pub type CachedClaim = Entry<KnownClaim>;
/// A priority class: its value.
pub type CachedClass = Entry<ClassValue>;

/// What is kept of a Command.
#[derive(Debug)]
pub struct Order {
    /// Name of the job that it is for; `None` if it is for something else (VJ-301, VJ-304).
    pub job: Option<Arc<str>>,
    /// Name of the queue that it is for; `None` if it is for something else (VJ-310).
    pub queue: Option<Arc<str>>,
    /// What to do. A Command without a word is as good as one with an unknown word (VJ-306).
    pub action: Action,
    /// `metadata.creationTimestamp`.
    pub created: Timestamp,
}

/// What is kept of a queue.
#[derive(Debug)]
pub struct KnownQueue {
    /// `status.state`; `None` for one that no controller has seen.
    pub state: Option<QueueState>,
    /// `spec.parent`; empty for one that is below no other.
    pub parent: String,
}

/// Nothing is kept of a claim.
#[derive(Debug)]
pub struct KnownClaim;

/// `value` of a priority class.
#[derive(Debug, Deserialize)]
pub struct ClassValue {
    /// The number.
    #[serde(default)]
    pub value: i32,
}

#[derive(Deserialize)]
struct Outline {
    metadata: OutlineMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OutlineMeta {
    #[serde(default)]
    namespace: String,
    name: String,
    uid: String,
    resource_version: String,
}

impl<T: Kind> Resource for Entry<T> {
    const COLLECTION: &'static str = T::COLLECTION;
    const NAME: &'static str = T::NAME;

    fn decode(json: &RawValue) -> Result<Self, String> {
        let Outline { metadata } = serde_json::from_str(json.get()).map_err(|error| error.to_string())?;
        let key = Key { namespace: metadata.namespace.into(), name: metadata.name.into() };
        let object = T::read(json.get()).map_err(|error| format!("{key}: {error}"))?;
        Ok(Self { key, uid: metadata.uid.into(), revision: feed::revision(&metadata.resource_version), object })
    }
}

impl<T> Cached for Entry<T> {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn uid(&self) -> &Uid {
        &self.uid
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn complaint(&self) -> Option<&str> {
        None
    }
}

impl Kind for Arc<Job> {
    const COLLECTION: &'static str = "/apis/batch.volcano.sh/v1alpha1/jobs";
    const NAME: &'static str = "jobs.batch.volcano.sh";

    fn read(json: &str) -> Result<Self, serde_json::Error> {
        let mut job: Job = serde_json::from_str(json)?;
        job.metadata.managed_fields = None;
        Ok(Self::new(job))
    }
}

impl Kind for PodGroup {
    const COLLECTION: &'static str = "/apis/scheduling.volcano.sh/v1beta1/podgroups";
    const NAME: &'static str = "podgroups.scheduling.volcano.sh";

    fn read(json: &str) -> Result<Self, serde_json::Error> {
        let mut group: Self = serde_json::from_str(json)?;
        group.metadata.managed_fields = None;
        Ok(group)
    }
}

impl Kind for Option<PodView> {
    const COLLECTION: &'static str = "/api/v1/pods";
    const NAME: &'static str = "pods";

    /// Most pods of a cluster may be somebody else's: those that nowhere name the group of Volcano's jobs are not read.
    fn read(json: &str) -> Result<Self, serde_json::Error> {
        if !json.contains("batch.volcano.sh") {
            return Ok(None);
        }
        Ok(PodView::read(&serde_json::from_str::<Pod>(json)?))
    }
}

impl Kind for Order {
    const COLLECTION: &'static str = "/apis/bus.volcano.sh/v1alpha1/commands";
    const NAME: &'static str = "commands.bus.volcano.sh";

    fn read(json: &str) -> Result<Self, serde_json::Error> {
        let Command { metadata, spec, .. } = serde_json::from_str(json)?;
        let is_for = |kind: &str, version: &str| {
            let target = spec.target.as_ref().filter(|it| it.kind == kind && it.api_version == version);
            target.map(|target| Arc::from(target.name.as_str()))
        };
        Ok(Self {
            job: is_for("Job", BATCH_API_VERSION),
            queue: is_for("Queue", SCHEDULING_API_VERSION),
            action: spec.action.unwrap_or(Action::SyncJob),
            created: metadata.creation_timestamp.map_or(Timestamp::UNIX_EPOCH, |time| time.0),
        })
    }
}

impl Kind for KnownQueue {
    const COLLECTION: &'static str = "/apis/scheduling.volcano.sh/v1beta1/queues";
    const NAME: &'static str = "queues.scheduling.volcano.sh";

    fn read(json: &str) -> Result<Self, serde_json::Error> {
        let queue: Queue = serde_json::from_str(json)?;
        Ok(Self { state: queue.status.and_then(|status| status.state), parent: queue.spec.parent })
    }
}

impl Kind for KnownClaim {
    const COLLECTION: &'static str = "/api/v1/persistentvolumeclaims";
    const NAME: &'static str = "persistentvolumeclaims";

    fn read(_: &str) -> Result<Self, serde_json::Error> {
        Ok(Self)
    }
}

impl Kind for ClassValue {
    const COLLECTION: &'static str = "/apis/scheduling.k8s.io/v1/priorityclasses";
    const NAME: &'static str = "priorityclasses";

    fn read(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }
}
