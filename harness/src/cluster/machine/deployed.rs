//! A Job controller under test that runs in pods of the cluster: put there, watched, and removed again.
//!
//! Everything of it is owned by one namespace: who removes that, also after a crash of ours, removes all.

mod description;
mod ends;
mod installed;
mod objects;
mod pods;
mod selection;
mod sign;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::manifests;
use super::process_spec::gate_list;
use crate::cluster::contract::subject_kind::{DeployedController, Placeholder, Values};
use crate::cluster::contract::{ClusterError, ClusterSpec, Component, RunningSubject, UnexpectedExit};
use crate::cluster::namespace::{self, NamespacePolicy, policy};
pub(crate) use description::{check, listed, mistake_in};
use installed::Installed;
pub(crate) use objects::ApiServer;
use pods::Pods;
use sign::{Before, Sign, Start};

/// How long it may take until it is ready: a scheduler, a kubelet, and an image that may have to be pulled.
const READY_WITHIN: Duration = Duration::from_secs(90);
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long pods of an earlier run may stay whose workload is gone: the garbage collector works in its own time.
const ALONE_WITHIN: Duration = Duration::from_secs(15);
/// How often somebody looks whether it has died.
const WATCH_EVERY: Duration = Duration::from_secs(3);

/// What a cluster gives to a controller in it.
pub(crate) struct Surroundings<'s> {
    /// The administrator's client.
    pub client: &'s kube::Client,
    /// What the cluster is like.
    pub spec: &'s ClusterSpec,
    /// The image's name, as its nodes know it.
    pub image: &'s str,
    /// What holds in namespaces of ours, where the cluster is not.
    pub policy: Option<&'s NamespacePolicy>,
    /// Where the API server is, where the address of its Service leads nowhere.
    pub api_server: Option<ApiServer>,
    /// Where its death is told.
    pub unexpected_exit: &'s Arc<watch::Sender<Option<UnexpectedExit>>>,
}

/// A controller whose pods run in a cluster.
pub(crate) struct Deployed {
    client: kube::Client,
    installed: Installed,
    objects: Vec<Value>,
    pods: Pods,
    sign: Sign,
    unexpected_exit: Arc<watch::Sender<Option<UnexpectedExit>>>,
    /// What goes on as long as it is there: looking after its namespace, and after its pods.
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// One start at a time.
    starting: tokio::sync::Mutex<()>,
}

impl Deployed {
    /// Makes its namespace; nothing runs yet. From here on something must be [removed](Self::remove).
    pub async fn begin(controller: &DeployedController, around: Surroundings<'_>) -> Result<Arc<Self>, ClusterError> {
        let installed = Installed::begin(around.client, around.policy).await?;
        let values = values(controller, around.spec, around.image, installed.namespace());
        let mut objects = Vec::new();
        for manifest in &controller.manifests {
            objects.extend(manifests::read(manifest)?);
        }
        for object in &mut objects {
            objects::fill(object, &values);
            if let Some(api_server) = &around.api_server {
                objects::told(object, api_server);
            }
        }
        let deployments = objects::deployments(&objects, installed.namespace());
        let pods = Pods::of(around.client, selection::selections(&objects, installed.namespace())?);
        let deployed = Self {
            client: around.client.clone(),
            sign: Sign::of(&controller.ready, &values, &deployments),
            pods,
            objects,
            unexpected_exit: Arc::clone(around.unexpected_exit),
            tasks: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            installed,
        };
        if let Some(policy) = around.policy {
            deployed.hold(policy.clone()).await?;
        }
        Ok(Arc::new(deployed))
    }

    /// Says again and again that its namespace is in use: a run may last longer than the case for which such namespaces are made.
    async fn hold(&self, policy: NamespacePolicy) -> Result<(), ClusterError> {
        let (client, name) = (self.client.clone(), self.installed.namespace().to_owned());
        let failed = |source| ClusterError::Request { what: format!("renew {name}"), source: Box::new(source) };
        // Whoever may not do it hears it now, and not when others take the namespace for one of a dead run.
        namespace::renew(&client, &name, &policy).await.map_err(failed)?;
        let renewing = tokio::spawn(async move {
            let mut next = tokio::time::interval(policy::LIFETIME / 5);
            loop {
                next.tick().await;
                if let Err(error) = namespace::renew(&client, &name, &policy).await {
                    tracing::warn!(%error, namespace = name, "a namespace was not renewed; it is tried again");
                }
            }
        });
        self.keep(renewing);
        Ok(())
    }

    /// Puts it into the cluster, and returns when it is ready.
    pub async fn start(self: &Arc<Self>) -> Result<(), ClusterError> {
        let _starting = self.starting.lock().await;
        self.alone().await?;
        let before = self.sign.before(&self.client, Start::First).await?;
        self.installed.make_all(self.objects.clone()).await?;
        self.ready(&before, &BTreeSet::new()).await?;
        let mut known = ends::known(&self.pods.list().await.map_err(unlisted)?);
        let (pods, slot) = (self.pods.clone(), Arc::clone(&self.unexpected_exit));
        self.keep(tokio::spawn(async move {
            let mut look = tokio::time::interval(WATCH_EVERY);
            loop {
                look.tick().await;
                if let Some(death) = pods.death(&mut known).await {
                    death.tell(&slot);
                }
            }
        }));
        Ok(())
    }

    /// What it has written so far.
    pub async fn words(&self) -> Option<String> {
        self.pods.all_words().await
    }

    /// The uid of its namespace.
    pub fn namespace_uid(&self) -> &str {
        self.installed.uid()
    }

    /// Removes all of it, and returns when it is gone.
    pub async fn remove(&self) -> Result<(), ClusterError> {
        self.let_go();
        self.installed.remove().await
    }

    fn keep(&self, task: JoinHandle<()>) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task);
    }

    fn let_go(&self) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).drain(..).for_each(|task| task.abort());
    }

    /// Returns when no pod of somebody else would be taken for one of its own: such a pod would be waited for, and killed.
    async fn alone(&self) -> Result<(), ClusterError> {
        let begun = Instant::now();
        let mut look = tokio::time::interval(LOOK_EVERY);
        loop {
            look.tick().await;
            match self.pods.of_others().await.map_err(unlisted)? {
                None => return Ok(()),
                Some(what) if begun.elapsed() > ALONE_WITHIN => return Err(ClusterError::AlreadyThere { what }),
                Some(_) => {}
            }
        }
    }

    /// Waits until pods that are not these are ready, and the sign is seen.
    async fn ready(&self, before: &Before, old: &BTreeSet<String>) -> Result<(), ClusterError> {
        let begun = Instant::now();
        let mut look = tokio::time::interval(LOOK_EVERY);
        loop {
            look.tick().await;
            let pods = self.pods.list().await.map_err(unlisted)?;
            let stuck = pods.iter().find_map(pods::hopeless);
            let doubt = match (&stuck, pods::are_ready(&pods, old)) {
                (Some(stuck), _) => stuck.clone(),
                (None, false) => "its pods are not ready".to_owned(),
                (None, true) => self.sign.doubt(&self.client, before).await,
            };
            if doubt.is_empty() {
                return Ok(());
            }
            if stuck.is_some() || begun.elapsed() > READY_WITHIN {
                let within = Duration::from_secs(begun.elapsed().as_secs().max(1));
                let last_lines = self.pods.last_lines(&pods).await;
                return Err(ClusterError::NotReady { component: Component::Subject, within, doubt, last_lines });
            }
        }
    }
}

impl Drop for Deployed {
    fn drop(&mut self) {
        self.let_go();
    }
}

fn unlisted(source: kube::Error) -> ClusterError {
    ClusterError::Request { what: "list the pods of the controller".to_owned(), source: Box::new(source) }
}

/// What placeholders of its manifests stand for.
fn values(controller: &DeployedController, spec: &ClusterSpec, image: &str, namespace: &str) -> Values {
    let values = Values::default()
        .with(Placeholder::Image, image)
        .with(Placeholder::Namespace, namespace)
        .with(Placeholder::Qps, spec.rate.qps)
        .with(Placeholder::Burst, spec.rate.burst)
        .with(Placeholder::Minor, spec.defaults_of());
    let values = match &controller.manager {
        Some(manager) => values.with(Placeholder::Manager, manager),
        None => values,
    };
    match spec.gates.is_empty() {
        true => values,
        false => values.with(Placeholder::Gates, gate_list(&spec.gates)),
    }
}

fn not_ours(what: &str) -> ClusterError {
    ClusterError::InPods(what.to_owned())
}

#[async_trait]
impl RunningSubject for Arc<Deployed> {
    async fn crash(&self) -> Result<(), ClusterError> {
        Err(not_ours("crash"))
    }

    /// Kills its pods; others take their place.
    async fn restart(&self) -> Result<(), ClusterError> {
        let _starting = self.starting.lock().await;
        let before = self.sign.before(&self.client, Start::Again).await?;
        let old = self.pods.list().await.map_err(unlisted)?.into_iter().filter(|pod| !pods::has_ended(pod));
        let old: BTreeSet<String> = old.filter_map(|pod| pod.metadata.uid).collect();
        let failed =
            |source| ClusterError::Request { what: "kill the controller".to_owned(), source: Box::new(source) };
        self.pods.kill().await.map_err(failed)?;
        self.ready(&before, &old).await?;
        UnexpectedExit::forget(&self.unexpected_exit, Component::Subject);
        Ok(())
    }

    async fn pause(&self) -> Result<(), ClusterError> {
        Err(not_ours("pause"))
    }

    async fn resume(&self) -> Result<(), ClusterError> {
        Err(not_ours("resume"))
    }

    async fn metrics(&self) -> Result<String, ClusterError> {
        Err(ClusterError::NoMetrics)
    }

    /// It goes with its cluster, or when the run leaves that.
    async fn stop(&self) -> Result<(), ClusterError> {
        Ok(())
    }
}
