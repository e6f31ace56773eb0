//! Objects of a controller's own, put into the cluster before it starts: namespaces, then definitions, then the rest as written.
//!
//! They are applied as they are, but for one thing: a configuration of admission webhooks that names a service gets the address
//! of the webhook's process and our authority, since nothing routes to services where there are no nodes.

use std::collections::BTreeSet;
use std::time::Duration;

use base64::Engine as _;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::discovery::{Scope, oneshot::pinned_kind};
use serde_json::{Value, json};

use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::subject_kind::Manifest;
use crate::cluster::contract::{ClusterError, Component};
use crate::cluster::machine::access::PLUMBING;
use crate::yaml::{self, Limits};

/// Definitions with whole pod templates in them are long.
const LIMITS: Limits =
    Limits { what: "manifest", largest: 4 * 1024 * 1024, documents: 500, depth: 200, nodes: 1_000_000 };
/// How long the API server may take until it serves a new kind.
const SERVED_WITHIN: Duration = Duration::from_secs(30);
const ASK_EVERY: Duration = Duration::from_millis(50);

/// Where admission reviews are to go.
#[derive(Debug)]
pub(crate) struct Reviewer {
    address: String,
    /// As configurations have it: PEM in base64.
    authority: String,
}

impl Reviewer {
    /// The webhook of the controller under test, as a process of this cluster.
    ///
    /// # Errors
    /// When the authority's certificate cannot be read.
    pub fn of(site: &Layout) -> Result<Self, ClusterError> {
        let path = site.authority_certificate();
        let pem = std::fs::read(&path).map_err(|source| ClusterError::File { what: "read", path, source })?;
        let authority = base64::engine::general_purpose::STANDARD.encode(pem);
        Ok(Self { address: site.url(Component::Webhook), authority })
    }

    /// Sends the reviews of a configuration here; whatever else it is stays as it was.
    fn take_over(&self, object: &mut Value) {
        let is_configuration =
            matches!(object["kind"].as_str(), Some("MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration"));
        let webhooks = object.get_mut("webhooks").and_then(Value::as_array_mut).filter(|_| is_configuration);
        for webhook in webhooks.into_iter().flatten() {
            let Some(path) = webhook["clientConfig"]["service"].as_object().map(|service| {
                let path = service.get("path").and_then(Value::as_str).unwrap_or_default();
                format!("/{}", path.trim_start_matches('/'))
            }) else {
                continue;
            };
            webhook["clientConfig"] = json!({"url": format!("{}{path}", self.address), "caBundle": self.authority});
        }
    }
}

/// Puts the definitions in these manifests into the cluster, and nothing else of them, and returns when their kinds are served.
///
/// The garbage collector looks for new kinds twice a minute; those that are there when it starts it knows at once.
///
/// # Errors
/// As [`install`].
pub(crate) async fn define(client: &kube::Client, manifests: &[Manifest]) -> Result<(), ClusterError> {
    let mut names = Vec::new();
    for manifest in manifests {
        for object in read(manifest)?.into_iter().filter(|object| stage(object) == Stage::Definitions) {
            apply(client, &object).await?;
            names.extend(object["metadata"]["name"].as_str().map(str::to_owned));
        }
    }
    served(client, names.iter().map(String::as_str)).await
}

/// Puts the objects of these manifests into the cluster and returns when their kinds are served.
///
/// # Errors
/// When a manifest cannot be read or has no objects in it, an object is refused, or a kind is not served in time.
pub(crate) async fn install(
    client: &kube::Client,
    manifests: &[Manifest],
    reviewer: Option<&Reviewer>,
) -> Result<(), ClusterError> {
    let mut objects = Vec::new();
    for manifest in manifests {
        objects.extend(read(manifest)?);
    }
    for object in &mut objects {
        if let Some(reviewer) = reviewer {
            reviewer.take_over(object);
        }
    }
    objects.sort_by_key(stage);
    for namespace in namespaces(&objects) {
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        apply(client, &object).await?;
    }
    for (at, object) in objects.iter().enumerate() {
        apply(client, object).await?;
        let is_last_definition = stage(object) == Stage::Definitions
            && objects.get(at + 1).is_none_or(|next| stage(next) != Stage::Definitions);
        if is_last_definition {
            let definitions = objects.iter().filter(|object| stage(object) == Stage::Definitions);
            served(client, definitions.filter_map(|object| object["metadata"]["name"].as_str())).await?;
        }
    }
    Ok(())
}

/// When an object's turn is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Namespaces,
    Definitions,
    Rest,
}

/// When this object's turn is.
pub(super) fn stage(object: &Value) -> Stage {
    match object["kind"].as_str() {
        Some("Namespace") => Stage::Namespaces,
        Some("CustomResourceDefinition") => Stage::Definitions,
        _ => Stage::Rest,
    }
}

/// Namespaces that objects are in and that none of them is.
pub(super) fn namespaces(objects: &[Value]) -> BTreeSet<&str> {
    let own = |object: &&Value| stage(object) == Stage::Namespaces;
    let made: BTreeSet<&str> =
        objects.iter().filter(own).filter_map(|object| object["metadata"]["name"].as_str()).collect();
    let named = objects.iter().filter_map(|object| object["metadata"]["namespace"].as_str());
    named.filter(|name| !made.contains(name)).collect()
}

/// The objects of a manifest, as they are written.
///
/// # Errors
/// When it cannot be read, or has no objects in it.
pub(super) fn read(manifest: &Manifest) -> Result<Vec<Value>, ClusterError> {
    let (name, text) = match manifest {
        Manifest::Embedded { name, text } => (name.clone(), text.clone()),
        Manifest::File(path) => {
            let failed = |source| ClusterError::File { what: "read", path: path.clone(), source };
            (path.display().to_string(), std::fs::read_to_string(path).map_err(failed)?)
        }
    };
    let unreadable = |why: String| ClusterError::Unreadable { what: format!("the manifest {name}"), why };
    let documents: Vec<Value> = yaml::several(&text, &name, &LIMITS).map_err(|error| unreadable(error.to_string()))?;
    let objects: Vec<Value> = documents.into_iter().flat_map(items).collect();
    if objects.is_empty() {
        return Err(unreadable("it has no objects in it".to_owned()));
    }
    for (at, object) in objects.iter().enumerate() {
        let says = |field: &Value| field.as_str().is_some_and(|text| !text.is_empty());
        if !(says(&object["apiVersion"]) && says(&object["kind"]) && says(&object["metadata"]["name"])) {
            let why = format!("document {} is no object: it needs apiVersion, kind and metadata.name", at + 1);
            return Err(unreadable(why));
        }
    }
    Ok(objects)
}

/// The objects of a document: a list's items, or itself.
fn items(mut document: Value) -> Vec<Value> {
    match document.get_mut("items").map(Value::take) {
        Some(Value::Array(items)) if document["kind"].as_str().is_some_and(|kind| kind.ends_with("List")) => items,
        Some(other) => {
            document["items"] = other;
            vec![document]
        }
        None if document.is_null() => Vec::new(),
        None => vec![document],
    }
}

async fn apply(client: &kube::Client, object: &Value) -> Result<(), ClusterError> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let api = api_of(client, object, "default").await?;
    let ours = PatchParams::apply(PLUMBING).force();
    api.patch(name, &ours, &Patch::Apply(object)).await.map(drop).map_err(|source| not_installed(object, source))
}

/// That an object could not be put into the cluster.
pub(super) fn not_installed(object: &Value, source: kube::Error) -> ClusterError {
    let text = |field: &Value| field.as_str().unwrap_or_default().to_owned();
    let (kind, name) = (text(&object["kind"]), text(&object["metadata"]["name"]));
    ClusterError::Request { what: format!("install {kind} {name}"), source: Box::new(source) }
}

/// Where an object belongs; in `namespace`, if it is of a kind that has one and names none.
///
/// # Errors
/// When the API server does not serve its kind.
pub(super) async fn api_of(
    client: &kube::Client,
    object: &Value,
    namespace: &str,
) -> Result<Api<DynamicObject>, ClusterError> {
    let kind = object["kind"].as_str().unwrap_or_default();
    let failed = |source| not_installed(object, source);
    let (group, version) = match object["apiVersion"].as_str().unwrap_or_default().split_once('/') {
        Some(parts) => parts,
        None => ("", object["apiVersion"].as_str().unwrap_or_default()),
    };
    let (resource, capabilities) =
        pinned_kind(client, &GroupVersionKind::gvk(group, version, kind)).await.map_err(failed)?;
    Ok(match (capabilities.scope, object["metadata"]["namespace"].as_str()) {
        (Scope::Cluster, _) => Api::all_with(client.clone(), &resource),
        (Scope::Namespaced, own) => Api::namespaced_with(client.clone(), own.unwrap_or(namespace), &resource),
    })
}

/// Returns when these definitions are served.
pub(super) async fn served<'n>(
    client: &kube::Client,
    names: impl Iterator<Item = &'n str>,
) -> Result<(), ClusterError> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let until = tokio::time::Instant::now() + SERVED_WITHIN;
    for name in names {
        let failed =
            |source| ClusterError::Request { what: format!("read the definition {name}"), source: Box::new(source) };
        let mut ask = tokio::time::interval(ASK_EVERY);
        loop {
            ask.tick().await;
            let definition = api.get(name).await.map_err(failed)?;
            if is_established(&definition) {
                break;
            }
            if tokio::time::Instant::now() > until {
                let why = format!("the API server does not serve it after {}s", SERVED_WITHIN.as_secs());
                return Err(ClusterError::Unreadable { what: format!("the definition {name}"), why });
            }
        }
    }
    Ok(())
}

fn is_established(definition: &CustomResourceDefinition) -> bool {
    let conditions = definition.status.as_ref().and_then(|status| status.conditions.as_ref());
    conditions.into_iter().flatten().any(|condition| condition.type_ == "Established" && condition.status == "True")
}

#[cfg(test)]
mod tests;
