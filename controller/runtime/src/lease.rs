//! Leader election on a Lease, which opens and shuts the [fence](Fence): no write leaves this process without an unexpired lease.
//!
//! An instance never trusts another's clock. It remembers when it saw the record change last, by its own clock, and takes the
//! lease over only when that is longer ago than the holder's lease duration. Its own right to write ends when the renewal
//! deadline, counted from before the last successful renewal was sent, has passed; a process that slept through it wakes up
//! fenced, and so do its calls and its connections.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::client::{Api, CallError};
use crate::fence::{Fence, Until};
use crate::horizon::later;

/// Names and times of an election. The times are those of `client-go`'s `LeaderElectionConfig` and must be in order:
/// `lease_duration` > `renew_deadline` >= 2 * `retry_period`.
#[derive(Clone, Debug)]
pub struct Election {
    /// The Lease.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Who asks: different for every process.
    pub identity: String,
    /// How long others wait after the last renewal; written to the Lease in whole seconds, at least one.
    pub lease_duration: Duration,
    /// How long the holder may write after its last renewal.
    pub renew_deadline: Duration,
    /// The pause between two attempts.
    pub retry_period: Duration,
}

/// A Lease of `coordination.k8s.io/v1`, as far as an election reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Lease {
    metadata: Meta,
    #[serde(default)]
    spec: Record,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Meta {
    resource_version: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Record {
    holder_identity: Option<String>,
    lease_duration_seconds: Option<u64>,
    acquire_time: Option<String>,
    renew_time: Option<String>,
    lease_transitions: Option<u64>,
}

/// What an instance knows about the record.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    seen: Option<(Record, Instant)>,
}

/// What to do with the Lease now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// There is none: create it.
    Create,
    /// Write ourselves into it.
    Write {
        /// `metadata.resourceVersion` that the write is conditional on.
        resource_version: String,
        /// Whether it was ours before.
        ours: bool,
    },
    /// Somebody else holds it.
    Wait,
}

impl Observation {
    /// Takes note of what was read at `now` and says what to do.
    pub fn decide(&mut self, election: &Election, read: Option<&Lease>, now: Instant) -> Move {
        let Some(lease) = read else { return Move::Create };
        if self.seen.as_ref().is_none_or(|(record, _)| *record != lease.spec) {
            self.seen = Some((lease.spec.clone(), now));
        }
        let holder = lease.spec.holder_identity.as_deref().unwrap_or_default();
        let ours = holder == election.identity;
        let valid_for = lease.spec.lease_duration_seconds.map_or(election.lease_duration, Duration::from_secs);
        let expired = self.seen.as_ref().is_some_and(|(_, since)| now.duration_since(*since) >= valid_for);
        if ours || holder.is_empty() || expired {
            return Move::Write { resource_version: lease.metadata.resource_version.clone(), ours };
        }
        Move::Wait
    }
}

/// Takes part in the election until `stop`; opens the fence while the lease is held.
#[derive(Debug)]
pub struct Candidate {
    api: Api,
    fence: Arc<Fence>,
    election: Election,
    observation: Observation,
}

impl Candidate {
    /// A candidate that does not hold the lease.
    #[must_use]
    pub fn new(api: Api, fence: Arc<Fence>, election: Election) -> Self {
        Self { api, fence, election, observation: Observation::default() }
    }

    /// Waits until the lease is held. Returns `false` when told to stop first.
    pub async fn win(&mut self, stop: &CancellationToken) -> bool {
        loop {
            let tried_at = Instant::now();
            match self.attempt().await {
                Ok(true) => return true,
                Ok(false) => tracing::debug!("the lease is held by another instance"),
                Err(error) => tracing::warn!(%error, "cannot get the lease"),
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => return false,
                () = sleep_until(later(tried_at, self.election.retry_period)) => {}
            }
        }
    }

    /// Renews until told to stop, then gives the lease back. Returns `false` when it was lost instead.
    pub async fn keep(&mut self, stop: &CancellationToken) -> bool {
        loop {
            let tried_at = Instant::now();
            tokio::select! {
                biased;
                () = stop.cancelled() => return true,
                () = sleep_until(later(tried_at, self.election.retry_period)) => {}
            }
            match self.attempt().await {
                Ok(true) => {}
                Ok(false) => return false,
                Err(error) => tracing::warn!(%error, "cannot renew the lease"),
            }
            if self.fence.left().is_none() {
                return false;
            }
        }
    }

    /// Lets others have the lease at once. For an orderly stop, after the last write.
    pub async fn release(&mut self) {
        self.fence.close();
        let path = self.path();
        let released = async {
            let lease: Lease = self.api.lease_call(Method::GET, &path, None, self.within()).await?;
            if lease.spec.holder_identity.as_deref() != Some(self.election.identity.as_str()) {
                return Ok(());
            }
            let mut record = self.record(&lease.spec, false);
            record["holderIdentity"] = json!("");
            record["leaseDurationSeconds"] = json!(1);
            let body = self.body(&record, Some(&lease.metadata.resource_version));
            self.api.lease_call::<Lease>(Method::PUT, &path, Some(&body), self.within()).await.map(|_| ())
        };
        let released: Result<(), CallError> = released.await;
        if let Err(error) = released {
            tracing::warn!(%error, "cannot give the lease back; it runs out by itself");
        }
    }

    /// One look and, if allowed, one write. `Ok(true)` when the lease is held afterwards.
    async fn attempt(&mut self) -> Result<bool, CallError> {
        let path = self.path();
        let read = match self.api.lease_call::<Lease>(Method::GET, &path, None, self.within()).await {
            Ok(lease) => Some(lease),
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(error),
        };
        let move_ = self.observation.decide(&self.election, read.as_ref(), Instant::now());
        // The right to write counts from before the renewal leaves: others count from when they see it.
        let asked_at = Instant::now();
        let old = read.map(|lease| lease.spec).unwrap_or_default();
        let written: Result<Lease, CallError> = match move_ {
            Move::Wait => {
                self.fence.close();
                return Ok(false);
            }
            Move::Create => {
                let body = self.body(&self.record(&old, false), None);
                self.api.lease_call(Method::POST, &self.collection(), Some(&body), self.within()).await
            }
            Move::Write { resource_version, ours } => {
                let body = self.body(&self.record(&old, ours), Some(&resource_version));
                self.api.lease_call(Method::PUT, &path, Some(&body), self.within()).await
            }
        };
        match written {
            Ok(_) => {
                self.fence.set(Until::At(later(asked_at, self.election.renew_deadline)));
                Ok(true)
            }
            // Somebody wrote in between; the next look tells who holds it.
            Err(error) if error.is_conflict() => Ok(self.fence.left().is_some()),
            Err(error) => Err(error),
        }
    }

    fn record(&self, old: &Record, ours: bool) -> Value {
        let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string();
        let transitions = old.lease_transitions.unwrap_or(0);
        let taken_over = !ours && old.holder_identity.as_deref().is_some();
        json!({
            "holderIdentity": self.election.identity,
            "leaseDurationSeconds": self.election.lease_duration.as_secs().max(1),
            "acquireTime": if ours { json!(old.acquire_time) } else { json!(now) },
            "renewTime": now,
            "leaseTransitions": transitions.saturating_add(u64::from(taken_over)),
        })
    }

    fn body(&self, record: &Value, resource_version: Option<&str>) -> Value {
        let mut metadata = json!({"name": self.election.name, "namespace": self.election.namespace});
        if let Some(version) = resource_version {
            metadata["resourceVersion"] = json!(version);
        }
        json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": record})
    }

    fn collection(&self) -> String {
        format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", self.election.namespace)
    }

    fn path(&self) -> String {
        format!("{}/{}", self.collection(), self.election.name)
    }

    fn within(&self) -> Duration {
        self.election.renew_deadline.checked_div(2).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
