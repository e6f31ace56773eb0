//! Creations: one POST each, and what is there when its answer is lost or the name is taken.

use jobsworth_controller_runtime::hold::Verb;
use jobsworth_controller_runtime::{client::CallError, feed};
use jobsworth_volcano_api::well_known::JOB_VERSION;
use jobsworth_volcano_core::plugin::{Object, ssh};
use jobsworth_volcano_core::{Failure, Outcome};
use k8s_openapi::api::core::v1::ConfigMap;
use serde::Serialize;
use serde_json::{Value, json};

use super::cache::CachedJob;
use super::calls::{failed, outcome};
use super::execute::Executor;
use super::keys;
use super::place::Place;

impl Executor {
    /// Creates an object. If the answer is lost, a read tells whether it is there.
    pub(super) async fn create(&self, job: &CachedJob, place: &Place, object: &impl Serialize) -> Outcome {
        match self.post(job, place, object).await {
            Ok(there) => Outcome::Done { revision: revision(&there) },
            Err(outcome) => outcome,
        }
    }

    /// Like [`Self::create`], for an object that is deleted with its own UID some day.
    async fn make(&self, job: &CachedJob, place: &Place, object: &impl Serialize) -> Outcome {
        match self.post(job, place, object).await {
            Ok(there) => {
                let text = |field: &str| there["metadata"][field].as_str().unwrap_or_default();
                self.made.keep(&place.named(text("name")), text("uid"));
                Outcome::Done { revision: revision(&there) }
            }
            Err(outcome) => outcome,
        }
    }

    /// The object as it is then, or why there is none of ours.
    async fn post(&self, job: &CachedJob, place: &Place, object: &impl Serialize) -> Result<Value, Outcome> {
        let object =
            serde_json::to_value(object).map_err(|error| Outcome::Failed(Failure::Other(error.to_string())))?;
        let post = self.caller.api.create::<Value>(place.path(), &object);
        match self.caller.call(job, Verb::Create, post).await {
            Ok(written) => Ok(written),
            Err(error) if error.is_name_taken() => Err(Outcome::Exists),
            Err(error) if error.may_have_been_applied() => self.resolve(job, place, &object, &error).await,
            Err(error) => Err(failed(&error)),
        }
    }

    /// An object that is there and is like ours is ours. Should one that is not there yet come later, its name is taken then.
    async fn resolve(
        &self,
        job: &CachedJob,
        place: &Place,
        wanted: &Value,
        lost: &CallError,
    ) -> Result<Value, Outcome> {
        tracing::warn!(error = %lost, path = place.path(), "the answer to a creation is lost; looking whether it is there");
        let path = place.named(wanted["metadata"]["name"].as_str().unwrap_or_default());
        match self.caller.call(job, Verb::Get, self.caller.api.get::<Value>(&path)).await {
            Ok(live) => {
                let version = |object: &Value| object["metadata"]["annotations"][JOB_VERSION].clone();
                let ours = controls(job, &live) && version(&live) == version(wanted);
                if ours { Ok(live) } else { Err(Outcome::Exists) }
            }
            Err(error) => Err(failed(if error.is_not_found() { lost } else { &error })),
        }
    }

    /// Makes the object of a plugin, or makes it what it should be.
    pub(super) async fn ensure(&self, job: &CachedJob, object: &Object) -> Outcome {
        let Some(place) = Place::of_kind(&job.key, object.kind()) else {
            return Outcome::Failed(Failure::Other(format!("{} is no kind of a plugin's object", object.kind())));
        };
        match object {
            Object::Service(service) => self.make(job, &place, service).await,
            Object::NetworkPolicy(policy) => self.make(job, &place, policy).await,
            Object::ConfigMap(map) => match self.make(job, &place, map).await {
                Outcome::Exists => self.replace_data(job, &place.named(object.name()), map).await,
                other => other,
            },
            Object::Keys(keys) => self.ensure_keys(job, &place, keys).await,
        }
    }

    /// The data of a map that is there becomes ours, in the version that was read (VJ-284).
    async fn replace_data(&self, job: &CachedJob, path: &str, wanted: &ConfigMap) -> Outcome {
        let mut live = match self.caller.call(job, Verb::Get, self.caller.api.get::<Value>(path)).await {
            Ok(live) => live,
            Err(error) => return failed(&error),
        };
        let data = json!(wanted.data);
        if live["data"] == data {
            return Outcome::Exists;
        }
        live["data"] = data;
        match outcome(self.caller.call(job, Verb::Update, self.caller.api.replace(path, &live)).await) {
            // It was there a moment ago: the next pass makes it anew.
            Outcome::Gone => Outcome::Failed(Failure::Conflict),
            other => other,
        }
    }

    /// Keys cost a second of computing, so it is asked first whether there are some (VJ-285).
    async fn ensure_keys(&self, job: &CachedJob, place: &Place, wanted: &ssh::Keys) -> Outcome {
        let path = place.named(&wanted.name);
        match self.caller.call(job, Verb::Get, self.caller.api.get::<Value>(&path)).await {
            Ok(_) => return Outcome::Exists,
            Err(error) if error.is_not_found() => {}
            Err(error) => return failed(&error),
        }
        let pair = match &wanted.given {
            Some(pair) => pair.clone(),
            // Not on a thread that others wait for.
            None => match tokio::task::spawn_blocking(keys::generate).await {
                Ok(Ok(pair)) => pair,
                Ok(Err(error)) => return Outcome::Failed(Failure::Other(error.to_string())),
                Err(error) => return Outcome::Failed(Failure::Other(error.to_string())),
            },
        };
        self.make(job, place, &ssh::secret(&job.object, wanted, &pair)).await
    }

    /// Deletes the object of a plugin; one that is not the job's stays, if only its own is meant (VJ-324).
    pub(super) async fn delete_object(&self, job: &CachedJob, path: &str, own: bool) -> Outcome {
        if !own {
            return self.delete(job, path, None).await;
        }
        // One that this process made is deleted without a look; should another one have its name by now, that is looked at.
        if let Some(uid) = self.made.take(path) {
            match self.delete(job, path, Some(&uid)).await {
                Outcome::Gone => {}
                other => return other,
            }
        }
        match self.caller.call(job, Verb::Get, self.caller.api.get::<Value>(path)).await {
            Ok(live) if controls(job, &live) => self.delete(job, path, live["metadata"]["uid"].as_str()).await,
            Ok(_) => Outcome::Gone,
            Err(error) if error.is_not_found() => Outcome::Gone,
            Err(error) => failed(&error),
        }
    }
}

/// Whether the job is the controller of an object.
fn controls(job: &CachedJob, object: &Value) -> bool {
    let owners = object["metadata"]["ownerReferences"].as_array();
    let ours = |owner: &Value| owner["controller"] == true && owner["uid"] == *job.uid;
    owners.is_some_and(|owners| owners.iter().any(ours))
}

fn revision(object: &Value) -> u64 {
    feed::revision(object["metadata"]["resourceVersion"].as_str().unwrap_or_default())
}
