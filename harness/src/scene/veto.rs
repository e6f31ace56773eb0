//! Writes of the subject that are refused for a while.
//!
//! # Guarantees
//! When [`Scene::refuse`] returns the API server refuses such writes, when [`Scene::allow`] returns it does not any more: both are
//! asked, not assumed. That the subject's write was refused is known from the API server's own count. What is in force
//! when a script ends goes with it.

mod policy;

use super::{Fault, Scene, Stop, Write};
use k8s_openapi::api::{
    admissionregistration::v1::{ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding},
    core::v1::Namespace,
};
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior};

pub use policy::Veto;

/// How often the API server's count is looked at: more often than a controller tries again.
const LOOK: Duration = Duration::from_millis(100);
/// How long between two questions whether a policy is in force.
const PROBE: Duration = Duration::from_millis(10);
/// On the namespace of a case; a number follows.
const LABEL: &str = "jobsworth.dev/refuses-";

/// A veto that is in force; [`Scene::allow`] ends it.
#[derive(Debug)]
#[must_use = "writes are refused until `Scene::allow` lets them through"]
pub struct InForce {
    number: usize,
    policy: String,
    words: String,
}

impl Scene {
    /// From now on refuses such writes in the case's namespace, whoever makes them. In claims it is `writes are refused`.
    ///
    /// # Errors
    /// When the API server does not take the policy.
    pub async fn refuse(&mut self, veto: Veto) -> Result<InForce, Stop> {
        let number = self.vetoes;
        self.vetoes += 1;
        let name = policy_name(&self.namespace, number);
        let owner = self.namespace_as_owner().await?;
        let labels = json!({"kubernetes.io/metadata.name": self.namespace, (label(number)): "yes"});
        let policies: Api<ValidatingAdmissionPolicy> = Api::all(self.client.clone());
        let bindings: Api<ValidatingAdmissionPolicyBinding> = Api::all(self.client.clone());
        let failed = |source| request("create the policy by which writes are refused", source);
        policies
            .create(&PostParams::default(), &veto.policy(&name, &probe_name(number), &owner))
            .await
            .map_err(failed)?;
        bindings.create(&PostParams::default(), &policy::binding(&name, &labels, &owner)).await.map_err(failed)?;
        self.put_label(number, Some("yes")).await?;
        self.probe_until(number, true, "refuse what it was told to refuse").await?;
        self.mark("writes are refused").await?;
        Ok(InForce { number, policy: name, words: veto.words().to_owned() })
    }

    /// Waits until a write of the subject was refused. In claims it is `a write was refused`.
    ///
    /// # Errors
    /// [`Stop::Stalled`] when none was in time.
    pub async fn wait_for_refusal(&mut self, veto: &InForce) -> Result<(), Stop> {
        let waited_for = format!("{} to be refused", veto.words);
        let (began, limit) = (Instant::now(), super::PATIENCE);
        let waits = std::sync::Arc::clone(&self.waits);
        tokio::select! {
            refused = self.is_refused(veto) => refused?,
            () = tokio::time::sleep(limit) => return Err(Stop::Stalled { waited_for, limit }),
            after = waits.are_over(began) => return Err(Stop::CutShort { waited_for, after, limit }),
        }
        self.waited = self.waited.max(began.elapsed());
        self.mark("a write was refused").await
    }

    /// Lets such writes through again. In claims it is `writes are let through`.
    ///
    /// # Errors
    /// When the API server does not answer.
    pub async fn allow(&mut self, veto: InForce) -> Result<(), Stop> {
        self.put_label(veto.number, None).await?;
        self.probe_until(veto.number, false, "let through what it has refused for a while").await?;
        self.mark("writes are let through").await
    }

    /// Takes down what the script put in force, or left. Best effort: without its namespace it refuses nothing, and goes with it.
    pub(crate) async fn withdraw_vetoes(&mut self) {
        let policies: Api<ValidatingAdmissionPolicy> = Api::all(self.client.clone());
        let bindings: Api<ValidatingAdmissionPolicyBinding> = Api::all(self.client.clone());
        for number in 0..std::mem::take(&mut self.vetoes) {
            let name = policy_name(&self.namespace, number);
            let _ = self.put_label(number, None).await;
            let _ = bindings.delete(&name, &DeleteParams::default()).await;
            let _ = policies.delete(&name, &DeleteParams::default()).await;
        }
    }

    async fn is_refused(&self, veto: &InForce) -> Result<(), Stop> {
        let mut clock = tokio::time::interval(LOOK);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut lost = self.unexpected_exit.clone();
        loop {
            tokio::select! {
                _ = clock.tick() => {}
                exit = crate::cluster::unexpected(&mut lost) => return Err(Fault::Lost(Box::new(exit)).into()),
            }
            let failed = |source| request("read the API server's metrics", source);
            let asked = http::Request::get("/metrics").body(Vec::new());
            let asked = asked.map_err(|error| failed(kube::Error::HttpError(error)))?;
            let metrics = self.client.request_text(asked).await.map_err(failed)?;
            // The first one was ours: by it we know that the policy is in force.
            if policy::refusals(&metrics, &veto.policy) > 1 {
                return Ok(());
            }
        }
    }

    /// Asks the API server until it refuses, or lets through, the write that is refused as long as this veto is in force, and no other.
    async fn probe_until(&mut self, number: usize, refused: bool, what: &str) -> Result<(), Stop> {
        let (began, limit) = (Instant::now(), super::PATIENCE);
        let probe = Write::create("api/v1", "configmaps", json!({"metadata": {"name": probe_name(number)}})).dry_run();
        while (self.send("", &probe).await?.code == 403) != refused {
            if began.elapsed() > limit {
                return Err(Fault::Late { what: what.to_owned(), limit }.into());
            }
            self.linger(PROBE, "the API server hears of policies a moment later").await?;
        }
        Ok(())
    }

    async fn namespace_as_owner(&self) -> Result<Value, Stop> {
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        let found =
            namespaces.get(&self.namespace).await.map_err(|source| request("read the case's namespace", source))?;
        let (name, uid) = (&self.namespace, found.metadata.uid);
        Ok(json!({"apiVersion": "v1", "kind": "Namespace", "name": name, "uid": uid}))
    }

    async fn put_label(&self, number: usize, value: Option<&str>) -> Result<(), Stop> {
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        let patch = Patch::Merge(json!({"metadata": {"labels": {(label(number)): value}}}));
        let done = namespaces.patch(&self.namespace, &PatchParams::default(), &patch).await;
        done.map(drop).map_err(|source| request("label the case's namespace", source))
    }
}

fn request(what: &str, source: kube::Error) -> Stop {
    Fault::Request { what: what.to_owned(), source: Box::new(source) }.into()
}

fn policy_name(namespace: &str, number: usize) -> String {
    format!("{namespace}.{number}.jobsworth.dev")
}

/// The name of a `ConfigMap` that is refused as long as the writes are; it is only ever asked for show.
fn probe_name(number: usize) -> String {
    format!("jobsworth-probe-{number}")
}

fn label(number: usize) -> String {
    format!("{LABEL}{number}")
}
