//! Where a certificate is put: a secret that the webhook's pods mount, and the configurations that name who vouches for it.

use std::collections::BTreeMap;
use std::fmt::Debug;

use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration, WebhookClientConfig,
};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, ObjectMeta, PostParams};
use kube::{Client, Resource, ResourceExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::issue::Issued;

/// The configurations that fill in, by the names that Volcano gives them.
const MUTATING: [&str; 2] = ["volcano-admission-service-jobs-mutate", "volcano-admission-service-podgroups-mutate"];
/// Those that refuse.
const VALIDATING: [&str; 2] = ["volcano-admission-service-jobs-validate", "volcano-admission-service-queues-validate"];

/// Why the certificate is not where it should be.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// No certificate could be made.
    #[error("make a certificate")]
    Issue(#[from] rcgen::Error),
    /// The API server refused, or was not there.
    #[error("{verb} {what}")]
    Api {
        /// What was tried.
        verb: &'static str,
        /// Kind and name.
        what: String,
        /// What came back.
        #[source]
        source: Box<kube::Error>,
    },
}

/// A configuration with the places that say where its webhooks are.
trait Configuration: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Serialize {
    fn places(&mut self) -> Vec<&mut WebhookClientConfig>;
}

impl Configuration for MutatingWebhookConfiguration {
    fn places(&mut self) -> Vec<&mut WebhookClientConfig> {
        self.webhooks.iter_mut().flatten().map(|hook| &mut hook.client_config).collect()
    }
}

impl Configuration for ValidatingWebhookConfiguration {
    fn places(&mut self) -> Vec<&mut WebhookClientConfig> {
        self.webhooks.iter_mut().flatten().map(|hook| &mut hook.client_config).collect()
    }
}

/// The cluster, and where in it the webhook is.
pub(super) struct Cluster {
    client: Client,
    namespace: String,
    service: String,
    secret: String,
}

impl Cluster {
    pub(super) fn new(client: Client, namespace: String, service: String, secret: String) -> Self {
        Self { client, namespace, service, secret }
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn failed(&self, verb: &'static str) -> impl FnOnce(kube::Error) -> PublishError {
        let what = format!("secret {}/{}", self.namespace, self.secret);
        move |source| PublishError::Api { verb, what, source: Box::new(source) }
    }

    /// The secret as it is stored, if it is.
    pub(super) async fn secret(&self) -> Result<Option<Secret>, PublishError> {
        self.secrets().get_opt(&self.secret).await.map_err(self.failed("read"))
    }

    /// Stores a certificate in the place of `before`; whoever was faster wins, and this fails.
    pub(super) async fn store(&self, issued: &Issued, before: Option<Secret>) -> Result<(), PublishError> {
        let parts = [("tls.crt", &issued.certificate), ("tls.key", &issued.key), ("ca.crt", &issued.authorities)];
        let data: BTreeMap<_, _> = parts.map(|(name, text)| (name.to_owned(), ByteString(text.clone()))).into();
        match before {
            Some(before) => {
                let secret = Secret { data: Some(data), ..before };
                self.secrets()
                    .replace(&self.secret, &PostParams::default(), &secret)
                    .await
                    .map_err(self.failed("change"))
            }
            None => {
                let metadata = ObjectMeta { name: Some(self.secret.clone()), ..ObjectMeta::default() };
                let type_ = Some("kubernetes.io/tls".to_owned());
                let secret = Secret { metadata, type_, data: Some(data), ..Secret::default() };
                self.secrets().create(&PostParams::default(), &secret).await.map_err(self.failed("create"))
            }
        }?;
        tracing::info!(secret = self.secret, namespace = self.namespace, "stored the certificate");
        Ok(())
    }

    /// Has the API server trust these authorities wherever a configuration leads to the service.
    pub(super) async fn vouch(&self, authorities: &[u8]) -> Result<(), PublishError> {
        for name in MUTATING {
            self.vouch_in::<MutatingWebhookConfiguration>(name, authorities).await?;
        }
        for name in VALIDATING {
            self.vouch_in::<ValidatingWebhookConfiguration>(name, authorities).await?;
        }
        Ok(())
    }

    async fn vouch_in<K: Configuration>(&self, name: &str, authorities: &[u8]) -> Result<(), PublishError> {
        let failed = |verb| {
            move |source: kube::Error| PublishError::Api {
                verb,
                what: format!("{} {name}", K::kind(&())),
                source: Box::new(source),
            }
        };
        let all = Api::<K>::all(self.client.clone());
        let mut configuration = all.get(name).await.map_err(failed("read"))?;
        if !fill_in(configuration.places(), &self.namespace, &self.service, authorities) {
            return Ok(());
        }
        all.replace(&configuration.name_any(), &PostParams::default(), &configuration)
            .await
            .map_err(failed("change"))?;
        tracing::info!(configuration = name, "the API server trusts the certificate");
        Ok(())
    }
}

/// Names the authorities wherever the service is meant; whether that changed anything. A webhook elsewhere is somebody else's.
fn fill_in(places: Vec<&mut WebhookClientConfig>, namespace: &str, service: &str, authorities: &[u8]) -> bool {
    let mut changed = false;
    for place in places {
        let leads_here = place.service.as_ref().is_some_and(|it| it.name == service && it.namespace == namespace);
        let trusts = place.ca_bundle.as_ref().is_some_and(|bundle| bundle.0 == authorities);
        if leads_here && !trusts {
            place.ca_bundle = Some(ByteString(authorities.to_vec()));
            changed = true;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn filled(client_config: &Value) -> (bool, Value) {
        let mut place: WebhookClientConfig = serde_json::from_value(client_config.clone()).unwrap();
        let changed = fill_in(vec![&mut place], "ns", "hook", b"us");
        (changed, serde_json::to_value(place).unwrap()["caBundle"].clone())
    }

    #[test]
    fn only_the_webhooks_of_the_service_are_told_whom_to_trust_and_only_once() {
        let service = json!({"name": "hook", "namespace": "ns"});
        assert_eq!(filled(&json!({"service": service})), (true, json!("dXM=")));
        assert_eq!(filled(&json!({"service": service, "caBundle": "b2xk"})), (true, json!("dXM=")));
        assert_eq!(filled(&json!({"service": service, "caBundle": "dXM="})), (false, json!("dXM=")));
        assert_eq!(filled(&json!({"service": {"name": "hook", "namespace": "other"}})), (false, Value::Null));
        assert_eq!(filled(&json!({"url": "https://hook.ns.svc/"})), (false, Value::Null));
    }
}
