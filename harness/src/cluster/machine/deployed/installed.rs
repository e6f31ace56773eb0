//! Objects of a controller in a cluster: made one by one, never over what is there, and removed again.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kube::api::{Api, DeleteParams, DynamicObject, PostParams, Preconditions};
use kube::core::Status;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::objects::owned_by;
use crate::cluster::contract::ClusterError;
use crate::cluster::machine::access::PLUMBING;
use crate::cluster::machine::manifests::{Stage, api_of, namespaces, not_installed, served, stage};
use crate::cluster::namespace::{self, NamespacePolicy};

/// How long everything may take to go; its pods end in order before.
const GONE_WITHIN: Duration = Duration::from_secs(90);
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What was made, in order.
pub(super) struct Installed {
    client: kube::Client,
    /// The controller's own namespace, the owner of everything else: whoever removes that removes all.
    namespace: String,
    uid: String,
    made: Mutex<Vec<Made>>,
}

#[derive(Clone)]
struct Made {
    api: Api<DynamicObject>,
    what: String,
    name: String,
    uid: String,
}

impl Installed {
    /// Makes the controller's namespace.
    pub async fn begin(client: &kube::Client, policy: Option<&NamespacePolicy>) -> Result<Self, ClusterError> {
        let name = namespace::name("controller", 1, rand::random());
        let made = namespace::create_open(client, &name, policy).await;
        let uid = made.map_err(|error| ClusterError::Provider(Box::new(error)))?;
        Ok(Self { client: client.clone(), namespace: name, uid, made: Mutex::default() })
    }

    /// The controller's namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// What tells that namespace from others of its name.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// Makes these objects: namespaces first, also those that are named and not there, then definitions, until they are served,
    /// then the rest as written.
    pub async fn make_all(&self, mut objects: Vec<Value>) -> Result<(), ClusterError> {
        objects.sort_by_key(stage);
        for named in namespaces(&objects).into_iter().filter(|named| *named != self.namespace) {
            let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": named}});
            match self.make(object).await {
                Err(ClusterError::AlreadyThere { .. }) => {}
                made => made?,
            }
        }
        let definitions: Vec<String> = objects
            .iter()
            .filter(|object| stage(object) == Stage::Definitions)
            .filter_map(|object| object["metadata"]["name"].as_str().map(str::to_owned))
            .collect();
        let mut are_served = definitions.is_empty();
        for object in objects {
            if stage(&object) == Stage::Rest && !are_served {
                served(&self.client, definitions.iter().map(String::as_str)).await?;
                are_served = true;
            }
            self.make(object).await?;
        }
        Ok(())
    }

    async fn make(&self, mut object: Value) -> Result<(), ClusterError> {
        owned_by(&mut object, &self.namespace, &self.uid);
        let api = api_of(&self.client, &object, &self.namespace).await?;
        let read = serde_json::from_value::<DynamicObject>(object.clone()).map_err(kube::Error::SerdeError);
        let ours = PostParams { field_manager: Some(PLUMBING.to_owned()), ..PostParams::default() };
        let answer = match read {
            Ok(read) => api.create(&ours, &read).await,
            Err(error) => Err(error),
        };
        let text = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let what = format!("{} {name}", text("kind"));
        match answer {
            Ok(made) => {
                let uid = made.metadata.uid.unwrap_or_default();
                let made = Made { api, what, name, uid };
                self.made.lock().unwrap_or_else(PoisonError::into_inner).push(made);
                Ok(())
            }
            Err(kube::Error::Api(answer)) if is_there(&answer) => Err(ClusterError::AlreadyThere { what }),
            Err(error) => Err(not_installed(&object, error)),
        }
    }

    /// Removes everything and returns when it is gone; what is not ours any more is left alone.
    pub async fn remove(&self) -> Result<(), ClusterError> {
        let mut left: Vec<Made> = self.made.lock().unwrap_or_else(PoisonError::into_inner).clone();
        left.reverse();
        let begun = Instant::now();
        let mut look = tokio::time::interval(LOOK_EVERY);
        let mut trouble = self.ask_to_go(&left).await;
        loop {
            look.tick().await;
            let mut still = Vec::new();
            for made in left {
                match made.api.get_opt(&made.name).await {
                    Ok(found) if found.as_ref().and_then(|found| found.metadata.uid.as_ref()) != Some(&made.uid) => {}
                    Ok(_) => still.push(made),
                    Err(error) => {
                        trouble = Some(refused("look for", &made.what)(error));
                        still.push(made);
                    }
                }
            }
            left = still;
            if left.is_empty() && namespace::is_gone(&self.client, &self.namespace, &self.uid).await {
                self.made.lock().unwrap_or_else(PoisonError::into_inner).clear();
                return Ok(());
            }
            if begun.elapsed() > GONE_WITHIN {
                let late = || {
                    let objects = left.iter().map(|made| made.what.clone());
                    let what = objects.chain([format!("Namespace {}", self.namespace)]).collect::<Vec<_>>().join(", ");
                    ClusterError::Left { what, within: GONE_WITHIN }
                };
                return Err(trouble.unwrap_or_else(late));
            }
        }
    }

    /// Deletes each once; what fails keeps nothing else from going.
    async fn ask_to_go(&self, left: &[Made]) -> Option<ClusterError> {
        let mut trouble = None;
        for made in left {
            let only = Preconditions { uid: Some(made.uid.clone()), resource_version: None };
            let gone = made.api.delete(&made.name, &DeleteParams::background().preconditions(only)).await;
            match gone {
                Ok(_) => {}
                // Gone, or another object of that name by now.
                Err(kube::Error::Api(answer)) if [404, 409].contains(&answer.code) => {}
                Err(error) => trouble = Some(refused("remove", &made.what)(error)),
            }
        }
        if let Err(error) = namespace::remove(&self.client, &self.namespace, &self.uid).await {
            trouble = Some(refused("remove the namespace", &self.namespace)(error));
        }
        trouble
    }
}

fn is_there(answer: &Status) -> bool {
    answer.code == 409 && answer.reason == "AlreadyExists"
}

fn refused(what: &str, whom: &str) -> impl FnOnce(kube::Error) -> ClusterError + use<> {
    let what = format!("{what} {whom}");
    move |source| ClusterError::Request { what, source: Box::new(source) }
}
