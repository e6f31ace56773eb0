//! Batches of actions become calls; every action gets the outcome that is really known.
//!
//! Creations go out in slow start: one, two, four, ... and a wave with a failure is the last one. Other actions of a batch go
//! out side by side. The barrier between batches is the end of the last call of the batch before.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use jiff::SignedDuration;
use jobsworth_api::well_known::TRACKING_FINALIZER;
use jobsworth_controller_runtime::client::{Api, CallError, PatchKind};
use jobsworth_controller_runtime::feed;
use jobsworth_controller_runtime::hold::{Holds, Verb, WAIT_AT_MOST};
use jobsworth_controller_runtime::limiter::{Flow, Limiter};
use jobsworth_controller_runtime::metrics::RequestLabels;
use jobsworth_core::scheduling::Membership;
use jobsworth_core::{Action, Batch, Failure, Gates, NewStatus, OnFailure, Outcome, Uid, job, new_pod, scheduling};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::cache::CachedJob;
use crate::create;
use crate::metrics::Metrics;

/// Calls of one batch that may be under way at the same time.
const AT_ONCE: usize = 64;

/// Makes calls on behalf of syncs.
#[derive(Clone, Debug)]
pub struct Executor {
    /// Where the calls go.
    pub api: Api,
    /// The bucket that they share.
    pub limiter: Arc<Limiter>,
    /// Where they are counted.
    pub metrics: Arc<Metrics>,
    /// Which features are on.
    pub gates: Gates,
    /// Calls that were told to wait.
    pub holds: Arc<Holds>,
}

/// What an answer says about the object that was written.
#[derive(Debug, Deserialize)]
struct Written {
    metadata: WrittenMeta,
}

/// A list of such objects.
#[derive(Debug, Deserialize)]
struct Listed {
    items: Vec<Written>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WrittenMeta {
    uid: String,
    resource_version: String,
    deletion_timestamp: Option<Value>,
}

impl Executor {
    /// Runs the batches: one list of outcomes per batch, one outcome per action. Pods that are created become members of `group`.
    pub async fn run(&self, job: &CachedJob, group: Option<&Membership>, batches: &[Batch]) -> Vec<Vec<Outcome>> {
        let mut all = Vec::with_capacity(batches.len());
        let mut stopped = false;
        for batch in batches {
            let outcomes = if stopped {
                vec![Outcome::Skipped; batch.actions.len()]
            } else if batch.actions.iter().any(|action| matches!(action, Action::CreatePod(_))) {
                self.slow_start(job, group, &batch.actions).await
            } else {
                self.side_by_side(job, group, &batch.actions).await
            };
            stopped |= batch.on_failure == OnFailure::Stop && outcomes.iter().any(|outcome| !outcome.is_achieved());
            all.push(outcomes);
        }
        all
    }

    /// The version of a consistent list of the namespace's pods, made now.
    ///
    /// # Errors
    /// When the API server does not say.
    pub async fn pods_revision(&self, job: &CachedJob) -> Result<u64, CallError> {
        let path = format!("{}?limit=1", pods(job));
        let listed: Written = self.call(job, Verb::Get, self.api.get(&path)).await?;
        Ok(feed::revision(&listed.metadata.resource_version))
    }

    /// One, two, four, ...: a wave with an error is the last one (PAR-011, PAR-028, EVT-002).
    async fn slow_start(&self, job: &CachedJob, group: Option<&Membership>, actions: &[Action]) -> Vec<Outcome> {
        let mut outcomes = Vec::with_capacity(actions.len());
        let mut wave = 1;
        let mut rest = actions;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(wave.min(rest.len()));
            let answers = self.side_by_side(job, group, now).await;
            let failed = answers.iter().any(|outcome| !outcome.is_achieved());
            outcomes.extend(answers);
            rest = later;
            if failed {
                break;
            }
            wave = wave.saturating_mul(2);
        }
        outcomes.resize(actions.len(), Outcome::Skipped);
        outcomes
    }

    async fn side_by_side(&self, job: &CachedJob, group: Option<&Membership>, actions: &[Action]) -> Vec<Outcome> {
        let call = |(at, action)| async move { (at, self.one(job, group, action).await) };
        let calls: Vec<BoxFuture<'_, _>> = actions.iter().enumerate().map(|it| call(it).boxed()).collect();
        // Not in order: the slowest call would hold up all that come after it.
        let mut outcomes: Vec<(usize, Outcome)> = stream::iter(calls).buffer_unordered(AT_ONCE).collect().await;
        outcomes.sort_unstable_by_key(|(at, _)| *at);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// These are all the calls there are, but for [`Self::post`] and [`Self::merge`]: pods and the status of Jobs, nothing else
    /// (SYN-029, IDX-007, SUC-020).
    async fn one(&self, job: &CachedJob, group: Option<&Membership>, action: &Action) -> Outcome {
        let (verb, outcome) = match action {
            Action::CreatePod(wanted) => ("create", self.create(job, group, wanted).await),
            Action::DeletePod { uid, name } => ("delete", self.delete(job, uid, name).await),
            Action::ReleasePod { uid, name } => ("patch", self.release(job, uid, name).await),
            Action::StripAndDelete { uid, name, tracked, .. } => {
                let stripped =
                    if *tracked { self.release(job, uid, name).await } else { Outcome::Done { revision: 0 } };
                match stripped {
                    Outcome::Done { .. } => ("delete", self.delete(job, uid, name).await),
                    other => ("patch", other),
                }
            }
            Action::AdoptPod { uid, name } => ("patch", self.adopt(job, uid, name).await),
            Action::OrphanPod { uid, name } => {
                let body = json!({"metadata": {
                    "uid": &**uid,
                    "ownerReferences": [{"$patch": "delete", "uid": &*job.view.uid}],
                    "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER],
                }});
                ("patch", self.patch_pod(job, name, &body).await)
            }
            Action::WriteStatus(status) => ("update", self.write_status(job, status).await),
        };
        let how = match &outcome {
            Outcome::Created { .. } | Outcome::Done { .. } => "done",
            Outcome::Gone => "gone",
            Outcome::Failed(Failure::Later(_)) => "later",
            Outcome::Failed(_) => "failed",
            Outcome::Unknown => "unknown",
            Outcome::Skipped => "skipped",
        };
        self.metrics.runtime().requests.get_or_create(&RequestLabels { verb, outcome: how }).inc();
        if let Outcome::Failed(failure) = &outcome {
            tracing::debug!(?failure, verb, "a call failed");
        }
        outcome
    }

    /// Creates a Workload or a `PodGroup`, or finds the one that this Job has under that name.
    ///
    /// # Errors
    /// When the API server refuses or does not answer.
    pub async fn post(&self, job: &CachedJob, collection: &str, object: &Value) -> Result<Value, CallError> {
        match self.call(job, Verb::Create, self.api.create(collection, object)).await {
            Err(error) if error.is_name_taken() || error.may_have_been_applied() => {
                let path = format!("{collection}/{}", object["metadata"]["name"].as_str().unwrap_or_default());
                let found = self.call(job, Verb::Get, self.api.get(&path)).await?;
                if scheduling::is_controlled(&found, &job.metadata) { Ok(found) } else { Err(error) }
            }
            answer => answer,
        }
    }

    /// Merges `patch` into a Workload or a `PodGroup`: the object as it is then.
    ///
    /// # Errors
    /// When the API server refuses or does not answer.
    pub async fn merge(&self, job: &CachedJob, path: &str, patch: &Value) -> Result<Value, CallError> {
        let body = self.call(job, Verb::Patch, self.api.patch(path, PatchKind::Merge, patch)).await?;
        Ok(serde_json::from_slice(&body).unwrap_or_default())
    }

    /// One POST for each name that is drawn. If its answer is lost, a consistent list of the name that we chose tells whether the pod is there.
    async fn create(&self, job: &CachedJob, group: Option<&Membership>, wanted: &jobsworth_core::CreatePod) -> Outcome {
        let path = pods(job);
        let path = path.as_str();
        let send = |mut pod: Value| async move {
            group.inspect(|group| group.join(&mut pod));
            self.call(job, Verb::Create, self.api.create::<Written>(path, &pod)).await
        };
        let (name, created) = create::post(job, wanted, &self.gates, send).await;
        match created {
            Ok(written) => created_outcome(&name, &written),
            Err(error) if error.may_have_been_applied() => {
                tracing::warn!(%error, pod = name, "the answer to a creation is lost; looking whether the pod is there");
                self.resolve(job, &name, &error).await
            }
            Err(error) => failed(&create::without_suffix(error, &name)),
        }
    }

    async fn resolve(&self, job: &CachedJob, name: &str, lost: &CallError) -> Outcome {
        let path = format!("{}?fieldSelector=metadata.name%3D{name}", pods(job));
        for _ in 0..3 {
            match self.call(job, Verb::Get, self.api.get::<Listed>(&path)).await {
                Ok(listed) => match listed.items.first() {
                    Some(written) => return created_outcome(name, written),
                    None if lost.retry_after().is_some() => return failed(lost),
                    None => return Outcome::Failed(Failure::Other("no answer, and the pod is not there".to_owned())),
                },
                Err(CallError::Later(_)) => break,
                Err(error) => tracing::debug!(%error, pod = name, "cannot find out whether a pod was created"),
            }
        }
        Outcome::Unknown
    }

    /// The UID is a precondition: a namesake is not deleted (PAR-018).
    async fn delete(&self, job: &CachedJob, uid: &Uid, name: &str) -> Outcome {
        let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": &**uid}});
        let path = format!("{}/{name}", pods(job));
        outcome(self.call(job, Verb::Delete, self.api.delete(&path, &options)).await)
    }

    /// Nothing but the finalizer is touched (FIN-007, IDX-028).
    async fn release(&self, job: &CachedJob, uid: &Uid, name: &str) -> Outcome {
        let finalizers = [TRACKING_FINALIZER];
        let body = json!({"metadata": {"uid": &**uid, "$deleteFromPrimitiveList/finalizers": finalizers}});
        self.patch_pod(job, name, &body).await
    }

    /// The Job is read first: a cache that is behind must not make a pod follow a Job that is gone (SYN-011).
    async fn adopt(&self, job: &CachedJob, uid: &Uid, name: &str) -> Outcome {
        let path = job_path(job);
        match self.call(job, Verb::Get, self.api.get::<Written>(&path)).await {
            Ok(live) if live.metadata.uid == *job.view.uid && live.metadata.deletion_timestamp.is_none() => {}
            Ok(_) => return Outcome::Failed(Failure::Conflict),
            Err(error) => return failed(&error),
        }
        let body = json!({"metadata": {
            "uid": &**uid,
            "ownerReferences": [new_pod::owner(&job.metadata)],
            "finalizers": [TRACKING_FINALIZER],
        }});
        self.patch_pod(job, name, &body).await
    }

    async fn patch_pod(&self, job: &CachedJob, name: &str, body: &Value) -> Outcome {
        let path = format!("{}/{name}", pods(job));
        outcome(self.call(job, Verb::Patch, self.api.patch(&path, PatchKind::Strategic, body)).await)
    }

    /// The whole status with the version it was made from; a conflict is not written over (SYN-024). The spec is left out: whatever is
    /// sent, the API server puts the one that it has in its place, and policies alone may be 64 KiB.
    async fn write_status(&self, job: &CachedJob, status: &NewStatus) -> Outcome {
        let resource_version = Some(status.based_on.to_string());
        let metadata = ObjectMeta { resource_version, ..job.metadata.clone() };
        let object = Job { metadata, spec: None, status: Some(status.status.to_api()) };
        let path = format!("{}/status", job_path(job));
        match self.call(job, Verb::Update, self.api.replace(&path, &object)).await {
            Err(error) if error.is_conflict() => Outcome::Failed(Failure::Conflict),
            Err(error) if error.may_have_been_applied() => {
                tracing::warn!(%error, "the answer to a status write is lost; looking what is there");
                self.resolve_status(job, status).await
            }
            answer => outcome(answer),
        }
    }

    /// After a lost answer: what is there now is ours, or it is a conflict. Nothing is written again.
    async fn resolve_status(&self, job: &CachedJob, wanted: &NewStatus) -> Outcome {
        let path = job_path(job);
        match self.call(job, Verb::Get, self.api.get::<Box<RawValue>>(&path)).await {
            Ok(live) => match job::read(live.get()).map(|read| read.view) {
                Ok(live) if live.uid == job.view.uid && live.status == wanted.status => {
                    Outcome::Done { revision: live.revision }
                }
                _ => Outcome::Failed(Failure::Conflict),
            },
            Err(error) => failed(&error),
        }
    }

    /// Makes a call when it is the Job's turn, unless such calls were told to wait.
    ///
    /// An answer that asks for time holds back such calls of this Job. Only if the API server itself has too much to do, all wait.
    async fn call<T>(
        &self,
        job: &CachedJob,
        verb: Verb,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let view = &job.view;
        let held = || self.holds.left(&view.uid, verb).map_or(Ok(()), |left| Err(CallError::Later(left)));
        held()?;
        let (namespace, uid) = (Arc::clone(&view.namespace), Arc::clone(&view.uid));
        let flow = Flow::Owner { namespace, uid, size: view.work_left() };
        self.limiter.acquire(flow).await;
        // Others of its kind may have learned something meanwhile.
        held()?;
        let error = match call.await {
            Ok(answer) => {
                self.holds.clear(&view.uid, verb);
                return Ok(answer);
            }
            Err(error) => error,
        };
        let Some(wait) = self.limiter.again_after(&error) else {
            self.holds.clear(&view.uid, verb);
            return Err(error);
        };
        match self.holds.ask(&view.uid, verb, wait) {
            // Certainly not applied, so it may be repeated, whatever it was.
            Some(wait) if matches!(error, CallError::Refused { .. }) => Err(CallError::Later(wait)),
            Some(_) => Err(error),
            None => Err(error.at_last()),
        }
    }
}

fn outcome(answer: Result<bytes::Bytes, CallError>) -> Outcome {
    match answer {
        Ok(body) => {
            let written: Option<Written> = serde_json::from_slice(&body).ok();
            Outcome::Done { revision: written.map_or(0, |it| feed::revision(&it.metadata.resource_version)) }
        }
        Err(error) if error.is_not_found() => Outcome::Gone,
        // Another pod has the name now.
        Err(CallError::Refused { code: 409, message, .. }) if message.contains("UID in precondition") => Outcome::Gone,
        Err(error) if error.is_conflict() => Outcome::Failed(Failure::Conflict),
        Err(error) => failed(&error),
    }
}

fn failed(error: &CallError) -> Outcome {
    if let Some(wait) = error.retry_after() {
        let wait = SignedDuration::try_from(wait.min(WAIT_AT_MOST)).unwrap_or(SignedDuration::ZERO);
        return Outcome::Failed(Failure::Later(wait));
    }
    if error.is_namespace_terminating() {
        return Outcome::Failed(Failure::NamespaceTerminating);
    }
    Outcome::Failed(Failure::Other(error.to_string()))
}

fn created_outcome(name: &str, written: &Written) -> Outcome {
    Outcome::Created {
        uid: written.metadata.uid.as_str().into(),
        name: name.into(),
        revision: feed::revision(&written.metadata.resource_version),
    }
}

fn pods(job: &CachedJob) -> String {
    format!("/api/v1/namespaces/{}/pods", job.view.namespace)
}

fn job_path(job: &CachedJob) -> String {
    format!("/apis/batch/v1/namespaces/{}/jobs/{}", job.view.namespace, job.view.name)
}
