//! A Job as a sync sees it: parsed once, with its policies ready for use.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::batch::v1 as api;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::failure_policy::FailurePolicy;
use crate::selector::Selector;
use crate::success_policy::SuccessPolicy;
use crate::{Status, Uid, Unparsable};

mod reading;

pub(crate) use reading::bring_times_into_range;
pub use reading::{Reading, read};

/// A Job.
#[derive(Clone, Debug)]
pub struct JobView {
    /// `metadata.name`.
    pub name: Arc<str>,
    /// `metadata.namespace`.
    pub namespace: Arc<str>,
    /// `metadata.uid`.
    pub uid: Uid,
    /// `metadata.generation`.
    pub generation: i64,
    /// `metadata.resourceVersion`.
    pub revision: u64,
    /// `metadata.creationTimestamp`.
    pub created: Timestamp,
    /// Whether the Job has a deletionTimestamp.
    pub deleting: bool,
    /// What is asked for; shared by all versions of the Job with the same generation.
    pub spec: Arc<JobSpec>,
    /// What was written last.
    pub status: Status,
    /// Why the Job cannot be read; then spec and status are not the whole truth, and nothing is done about the Job.
    pub unreadable: Option<Arc<str>>,
}

/// The part of a Job's spec that decisions look at.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSpec {
    /// `parallelism`.
    pub parallelism: u32,
    /// `completions`; `None` makes the Job a work queue (PAR-002).
    pub completions: Option<u32>,
    /// `completionMode`.
    pub mode: Mode,
    /// `backoffLimit`.
    pub backoff_limit: u32,
    /// `backoffLimitPerIndex`.
    pub backoff_limit_per_index: Option<u32>,
    /// `maxFailedIndexes`.
    pub max_failed_indexes: Option<u32>,
    /// `activeDeadlineSeconds`.
    pub deadline_s: Option<i64>,
    /// `suspend`.
    pub suspend: bool,
    /// Whether the template's restart policy is OnFailure.
    pub restarts_containers: bool,
    /// `successPolicy`.
    pub success_policy: Option<SuccessPolicy>,
    /// `podFailurePolicy`.
    pub failure_policy: Option<FailurePolicy>,
    /// Whether `podReplacementPolicy` is `Failed`.
    pub replaces_only_failed: bool,
    /// `managedBy`.
    pub managed_by: Option<String>,
    /// `ttlSecondsAfterFinished`.
    pub ttl_s: Option<i64>,
    /// `selector`.
    pub selector: Selector,
}

/// How completions are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Any pod counts.
    NonIndexed,
    /// Each completion has an index.
    Indexed,
    /// A mode from the future (SYN-022).
    Unknown(String),
}

impl JobView {
    /// Reads a Job.
    ///
    /// # Errors
    ///
    /// When the object lacks UID, name, namespace or resourceVersion, or its spec holds what the API would refuse.
    pub fn parse(job: &api::Job) -> Result<Self, Unparsable> {
        Self::parse_after(job, None)
    }

    /// Reads a Job, taking over the parsed spec of the version before if it has the same UID and generation.
    /// Another generation brings its own numbers and policies: completions of an elastic Job, limits, replacement policy
    /// (IDX-021, BLI-018, PRP-009, FIN-017).
    ///
    /// # Errors
    ///
    /// As [`JobView::parse`].
    pub fn parse_after(job: &api::Job, before: Option<&Self>) -> Result<Self, Unparsable> {
        let meta = &job.metadata;
        let uid = Uid::from(meta.uid.as_deref().ok_or(Unparsable::Missing("metadata.uid"))?);
        let generation = meta.generation.unwrap_or_default();
        let known = before.filter(|seen| seen.uid == uid && seen.generation == generation && generation > 0);
        let spec = match known {
            Some(seen) => Arc::clone(&seen.spec),
            None => Arc::new(JobSpec::parse(job.spec.as_ref().ok_or(Unparsable::Missing("spec"))?)?),
        };
        let status = match &job.status {
            Some(status) => Status::parse(status, spec.indexes_below()),
            None => Status::default(),
        };
        Ok(Self {
            name: meta.name.as_deref().ok_or(Unparsable::Missing("metadata.name"))?.into(),
            namespace: meta.namespace.as_deref().ok_or(Unparsable::Missing("metadata.namespace"))?.into(),
            uid,
            generation,
            revision: revision(meta.resource_version.as_deref())?,
            created: meta.creation_timestamp.as_ref().map_or(Timestamp::UNIX_EPOCH, |time| time.0),
            deleting: meta.deletion_timestamp.is_some(),
            spec,
            status,
            unreadable: None,
        })
    }

    /// How many requests are left to be made for it, about: two for each pod that it wants and does not have, one for each that it has. So
    /// it shrinks as it comes to its end. For a finished Job nothing is left.
    #[must_use]
    pub fn work_left(&self) -> u32 {
        if self.status.is_finished() {
            return 0;
        }
        let (spec, status) = (&self.spec, &self.status);
        let left = spec.completions.map_or(u32::MAX, |completions| completions.saturating_sub(status.succeeded));
        let wanted = if spec.suspend { 0 } else { left.min(spec.parallelism) };
        wanted.saturating_sub(status.active).saturating_mul(2).saturating_add(status.active)
    }

    /// What stays of a Job that cannot be read: who it is and who manages it, and why it is left alone.
    ///
    /// # Errors
    ///
    /// When the object lacks UID, name, namespace or resourceVersion.
    pub fn unreadable(metadata: &ObjectMeta, managed_by: Option<&str>, why: &str) -> Result<Self, Unparsable> {
        let spec = api::JobSpec { managed_by: managed_by.map(str::to_owned), ..api::JobSpec::default() };
        // Without a generation, what was read of another version is never taken over.
        let metadata = ObjectMeta { generation: None, ..metadata.clone() };
        let plain = Self::parse(&api::Job { metadata, spec: Some(spec), status: None })?;
        Ok(Self { unreadable: Some(why.into()), ..plain })
    }
}

impl JobSpec {
    /// Reads a spec; fields that the API server defaults are defaulted here too.
    ///
    /// # Errors
    ///
    /// When a number is negative, or an operator of the selector is not known.
    pub fn parse(spec: &api::JobSpec) -> Result<Self, Unparsable> {
        let per_index = whole("spec.backoffLimitPerIndex", spec.backoff_limit_per_index)?;
        let limit_default = if per_index.is_some() { i32::MAX.unsigned_abs() } else { 6 };
        let completions = whole("spec.completions", spec.completions)?;
        let template = spec.template.spec.as_ref();
        Ok(Self {
            parallelism: whole("spec.parallelism", spec.parallelism)?.unwrap_or(1),
            completions: if spec.parallelism.is_none() { completions.or(Some(1)) } else { completions },
            mode: Mode::parse(spec.completion_mode.as_deref()),
            backoff_limit: whole("spec.backoffLimit", spec.backoff_limit)?.unwrap_or(limit_default),
            backoff_limit_per_index: per_index,
            max_failed_indexes: whole("spec.maxFailedIndexes", spec.max_failed_indexes)?,
            deadline_s: spec.active_deadline_seconds,
            suspend: spec.suspend.unwrap_or_default(),
            restarts_containers: template.and_then(|pod| pod.restart_policy.as_deref()) == Some("OnFailure"),
            success_policy: spec.success_policy.as_ref().map(SuccessPolicy::parse),
            failure_policy: spec.pod_failure_policy.as_ref().map(FailurePolicy::parse),
            replaces_only_failed: spec.pod_replacement_policy.as_deref() == Some("Failed"),
            managed_by: spec.managed_by.clone(),
            ttl_s: spec.ttl_seconds_after_finished.map(i64::from),
            selector: Selector::parse(spec.selector.as_ref())?,
        })
    }

    /// Whether pods have completion indexes.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        self.mode == Mode::Indexed
    }

    /// The first index that is out of range; `None` for Jobs without indexes.
    #[must_use]
    pub fn indexes_below(&self) -> Option<u32> {
        self.is_indexed().then(|| self.completions.unwrap_or_default())
    }
}

impl Mode {
    fn parse(text: Option<&str>) -> Self {
        match text {
            None | Some("NonIndexed") => Self::NonIndexed,
            Some("Indexed") => Self::Indexed,
            Some(other) => Self::Unknown(other.to_owned()),
        }
    }
}

fn whole(field: &'static str, number: Option<i32>) -> Result<Option<u32>, Unparsable> {
    let negative = |n: i32| Unparsable::Invalid { field, problem: format!("{n} is below 0") };
    number.map(|n| u32::try_from(n).map_err(|_| negative(n))).transpose()
}

/// A resourceVersion as a number: those of one resource can be compared.
pub(crate) fn revision(text: Option<&str>) -> Result<u64, Unparsable> {
    let field = "metadata.resourceVersion";
    let text = text.ok_or(Unparsable::Missing(field))?;
    text.parse().map_err(|_| Unparsable::Invalid { field, problem: format!("`{text}` is not a number") })
}
