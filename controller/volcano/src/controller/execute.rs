//! Batches of calls become requests; every call gets the outcome that is really known.
//!
//! The calls of a batch go out side by side. The barrier between batches is the end of the last call of the batch before.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use jobsworth_controller_runtime::client::{CallError, PatchKind};
use jobsworth_controller_runtime::hold::Verb;
use jobsworth_controller_runtime::limiter::Flow;
use jobsworth_volcano_api::Job;
use jobsworth_volcano_api::well_known::OUT_OF_SYNC;
use jobsworth_volcano_core::{Batch, Call, Failure, NewStatus, Outcome};
use serde_json::{Value, json};

use super::cache::{CachedCommand, CachedJob};
use super::calls::{Caller, failed, outcome};
use super::made::Made;
use super::place::Place;

/// Calls of one batch that may be under way at the same time.
const AT_ONCE: usize = 64;

/// Makes calls on behalf of syncs.
#[derive(Clone, Debug)]
pub struct Executor {
    /// Who makes the requests.
    pub caller: Caller,
    /// UIDs of what was made for plugins.
    pub made: Arc<Made>,
}

impl Executor {
    /// Runs the batches: one list of outcomes per batch, one outcome per call.
    pub async fn run(&self, job: &CachedJob, batches: &[Batch]) -> Vec<Vec<Outcome>> {
        let mut all = Vec::with_capacity(batches.len());
        let mut stopped = false;
        for batch in batches {
            let outcomes =
                if stopped { vec![Outcome::Skipped; batch.len()] } else { self.side_by_side(job, batch).await };
            stopped |= batch.iter().zip(&outcomes).any(|(call, outcome)| !call.verb().is_achieved(outcome));
            all.push(outcomes);
        }
        all
    }

    async fn side_by_side(&self, job: &CachedJob, batch: &Batch) -> Vec<Outcome> {
        let one = |(at, call)| async move { (at, self.one(job, call).await) };
        let calls: Vec<BoxFuture<'_, _>> = batch.iter().enumerate().map(|it| one(it).boxed()).collect();
        // Not in order: the slowest call would hold up all that come after it.
        let mut outcomes: Vec<(usize, Outcome)> = stream::iter(calls).buffer_unordered(AT_ONCE).collect().await;
        outcomes.sort_unstable_by_key(|(at, _)| *at);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    async fn one(&self, job: &CachedJob, call: &Call) -> Outcome {
        let place = |plural| Place::of(&job.key, plural);
        match call {
            Call::DeleteCommand { name, uid } => self.delete(job, &place(Place::COMMANDS).named(name), Some(uid)).await,
            Call::Ensure(object) => self.ensure(job, object).await,
            Call::DeleteObject { kind, name, own } => {
                let Some(place) = Place::of_kind(&job.key, kind) else {
                    return Outcome::Failed(Failure::Other(format!("{kind} is no kind of a plugin's object")));
                };
                self.delete_object(job, &place.named(name), *own).await
            }
            Call::CreateClaim(claim) => self.create(job, &place(Place::CLAIMS), claim).await,
            Call::NameClaims(names) => self.name_claims(job, names).await,
            Call::CreateGroup(group) => self.create(job, &place(Place::GROUPS), group).await,
            Call::UpdateGroup(group) => {
                let path = place(Place::GROUPS).named(group.metadata.name.as_deref().unwrap_or_default());
                outcome(self.caller.call(job, Verb::Update, self.caller.api.replace(&path, group)).await)
            }
            Call::DeleteGroup { name, uid } => self.delete(job, &place(Place::GROUPS).named(name), Some(uid)).await,
            Call::CreatePod(pod) => self.create(job, &place(Place::PODS), pod).await,
            Call::KillPod { name, uid, marked } => self.kill(job, &place(Place::PODS).named(name), uid, *marked).await,
            Call::WriteStatus(status) => self.write_status(job, status).await,
        }
    }

    /// Deletes what is at `path`, if it has this UID.
    pub(super) async fn delete(&self, job: &CachedJob, path: &str, uid: Option<&str>) -> Outcome {
        let options = match uid {
            Some(uid) => json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": uid}}),
            None => json!({"apiVersion": "v1", "kind": "DeleteOptions"}),
        };
        outcome(self.caller.call(job, Verb::Delete, self.caller.api.delete(path, &options)).await)
    }

    /// The mark first: without it the pod's end would count as an eviction (VJ-150, VJ-152).
    async fn kill(&self, job: &CachedJob, path: &str, uid: &str, marked: bool) -> Outcome {
        if !marked {
            let mark = json!({"metadata": {"uid": uid, "annotations": {OUT_OF_SYNC: "true"}}});
            let patch = self.caller.api.patch(path, PatchKind::Merge, &mark);
            match outcome(self.caller.call(job, Verb::Patch, patch).await) {
                Outcome::Done { .. } => {}
                other => return other,
            }
        }
        self.delete(job, path, Some(uid)).await
    }

    /// Only the volumes, and only in the version that the names were made for (VJ-249).
    async fn name_claims(&self, job: &CachedJob, names: &[(usize, String)]) -> Outcome {
        let mut volumes = job.object.spec.volumes.clone();
        for (at, name) in names {
            if let Some(volume) = volumes.get_mut(*at).filter(|volume| volume.volume_claim_name.is_empty()) {
                volume.volume_claim_name.clone_from(name);
            }
        }
        let version = job.object.metadata.resource_version.as_deref();
        let patch = json!({"metadata": {"uid": &*job.uid, "resourceVersion": version}, "spec": {"volumes": volumes}});
        let path = Place::of(&job.key, Place::JOBS).named(&job.key.name);
        let patch = self.caller.api.patch(&path, PatchKind::Merge, &patch);
        outcome(self.caller.call(job, Verb::Patch, patch).await)
    }

    /// The whole status with the version it was made from; a conflict is not written over (VJ-116).
    async fn write_status(&self, job: &CachedJob, status: &NewStatus) -> Outcome {
        let mut object = Job::clone(&job.object);
        object.metadata.resource_version = Some(status.based_on.clone());
        object.status = Some(status.status.clone());
        let place = Place::of(&job.key, Place::JOBS).named(&job.key.name);
        let path = format!("{place}/status");
        match self.caller.call(job, Verb::Update, self.caller.api.replace(&path, &object)).await {
            Err(error) if error.may_have_been_applied() => {
                tracing::warn!(%error, "the answer to a status write is lost; looking what is there");
                self.resolve_status(job, status, &place).await
            }
            answer => outcome(answer),
        }
    }

    /// After a lost answer: what is there now is ours, or it is a conflict. Nothing is written again: should the lost write come
    /// in late, its version is the one that any other write has, and only one of them goes through.
    async fn resolve_status(&self, job: &CachedJob, wanted: &NewStatus, path: &str) -> Outcome {
        match self.caller.call(job, Verb::Get, self.caller.api.get::<Job>(path)).await {
            Ok(live) => {
                let ours =
                    live.metadata.uid.as_deref() == Some(&*job.uid) && live.status.as_ref() == Some(&wanted.status);
                let revision = live.metadata.resource_version.and_then(|text| text.parse().ok()).unwrap_or_default();
                if ours { Outcome::Done { revision } } else { Outcome::Failed(Failure::Conflict) }
            }
            Err(error) if error.is_not_found() => Outcome::Gone,
            Err(error) => failed(&error),
        }
    }

    /// Takes a Command off the API whose job is not there, unless the job came meanwhile (VJ-305).
    ///
    /// # Errors
    /// When it has to be tried again.
    pub async fn discard(&self, command: &CachedCommand) -> Result<(), CallError> {
        let Some(job) = &command.object.job else { return Ok(()) };
        let at = |plural| Place::of(&command.key, plural);
        let flow = || Flow::Orphans(command.key.namespace.clone());
        let Caller { api, limiter, .. } = &self.caller;
        limiter.acquire(flow()).await;
        match api.get::<Value>(&at(Place::JOBS).named(job)).await {
            Err(error) if error.is_not_found() => {}
            // The watch brings it.
            Ok(_) => return Ok(()),
            Err(error) => return Err(error),
        }
        let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": &*command.uid}});
        limiter.acquire(flow()).await;
        match api.delete(&at(Place::COMMANDS).named(&command.key.name), &options).await {
            Err(error) if !error.is_not_found() && !error.is_conflict() => Err(error),
            _ => Ok(()),
        }
    }
}
