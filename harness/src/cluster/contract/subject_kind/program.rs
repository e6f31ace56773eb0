//! A Job controller that is a program: how it is called, whose Jobs it has, when it is ready, what it offers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{JobApi, Manifest, ServiceAccount};
use crate::cluster::contract::Component;
use crate::cluster::contract::attestation::Mark;

/// An election that is soon decided, with the flags of kube-controller-manager. The defaults would keep a case waiting for 15 s.
pub(crate) const SHORT_ELECTION: [&str; 4] = [
    "--leader-elect=true",
    "--leader-elect-lease-duration=4s",
    "--leader-elect-renew-deadline=3s",
    "--leader-elect-retry-period=500ms",
];

/// A Job controller that is a program of ours to start. Texts may have [placeholders](super::Placeholder).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ControllerProgram {
    /// Its file.
    pub program: PathBuf,
    /// Its arguments; one whose placeholder stands for nothing is left out.
    pub arguments: Vec<String>,
    /// Its whole environment; a variable whose placeholder stands for nothing is left out.
    pub environment: BTreeMap<String, String>,
    /// The value of `spec.managedBy` that makes a Job its own; without one it is in the place of the built-in controller.
    pub manager: Option<String>,
    /// How we know that it works.
    pub ready: ReadyWhen,
    /// Whether it deletes finished Jobs after their TTL. Where it does not, the built-in TTL controller runs.
    pub offers_ttl: bool,
    /// Where its metrics are, in Prometheus' text format; HTTPS as in [`ReadyWhen::Answers`].
    pub metrics: Option<String>,
    /// Rights beyond those of the built-in Job controller, in the whole cluster.
    pub rights: Vec<Rule>,
    /// The API whose objects it reconciles.
    #[serde(default, skip_serializing_if = "JobApi::is_kubernetes_own")]
    pub api: JobApi,
    /// As whom it comes to the API server; without one as the built-in Job controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account: Option<ServiceAccount>,
    /// The second program of those that come with an admission webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<WebhookProgram>,
    /// Objects that are there before anything of it starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manifests: Vec<Manifest>,
    /// The arguments with which it elects a leader, besides the others; without them it is not known to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub election: Vec<String>,
    /// What was found of its programs when they were looked at, if they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

/// The admission webhook of a controller, as a program of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookProgram {
    /// Its file.
    pub program: PathBuf,
    /// Its arguments; one whose placeholder stands for nothing is left out.
    pub arguments: Vec<String>,
    /// Its whole environment; a variable whose placeholder stands for nothing is left out.
    pub environment: BTreeMap<String, String>,
    /// How we know that it works.
    pub ready: ReadyWhen,
    /// As whom it comes to the API server; without one as the built-in Job controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account: Option<ServiceAccount>,
}

/// One process of a controller, as it is described.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Described<'p> {
    /// What the process is to the cluster.
    pub component: Component,
    /// Its file.
    pub program: &'p Path,
    /// Its arguments, with placeholders.
    pub arguments: &'p [String],
    /// Its environment, with placeholders.
    pub environment: &'p BTreeMap<String, String>,
    /// How we know that it works.
    pub ready: &'p ReadyWhen,
    /// As whom it comes to the API server.
    pub service_account: Option<&'p ServiceAccount>,
}

/// How we know that a controller works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadyWhen {
    /// This address on 127.0.0.1 answers a GET with 200. HTTPS needs the certificate that `{tls-cert}` names.
    Answers(String),
    /// The lease `NAMESPACE/NAME` has a holder that took or renewed it since the start.
    LeaseIsHeld(String),
    /// It has written a line with this text.
    Prints(String),
    /// It was started.
    Started,
}

/// What may be done with some resources: a rule of a `ClusterRole`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rule {
    /// Groups of the API; the core group is the empty text.
    pub api_groups: Vec<String>,
    /// Plurals, with a subresource as `jobs/status`.
    pub resources: Vec<String>,
    /// For example `get`, `update`.
    pub verbs: Vec<String>,
}

impl ControllerProgram {
    /// The controller itself.
    pub(crate) fn controller(&self) -> Described<'_> {
        Described {
            component: Component::Subject,
            program: &self.program,
            arguments: &self.arguments,
            environment: &self.environment,
            ready: &self.ready,
            service_account: self.service_account.as_ref(),
        }
    }

    /// Its webhook, if it has one.
    pub(crate) fn webhook(&self) -> Option<Described<'_>> {
        let webhook = self.webhook.as_ref()?;
        Some(Described {
            component: Component::Webhook,
            program: &webhook.program,
            arguments: &webhook.arguments,
            environment: &webhook.environment,
            ready: &webhook.ready,
            service_account: webhook.service_account.as_ref(),
        })
    }

    /// A program with the command line of the reference controller. There is no election: a crashed holder's lease would
    /// keep its successor waiting. Rates are those of the built-in subject.
    pub(super) fn like_the_reference(program: PathBuf, manager: Option<&str>) -> Self {
        let mut arguments = vec![
            "--kubeconfig={kubeconfig}",
            "--metrics-address=127.0.0.1:{metrics-port}",
            "--tls-cert-file={tls-cert}",
            "--tls-private-key-file={tls-key}",
            "--feature-gates={gates}",
        ];
        arguments.extend(manager.map(|_| "--managed-by={manager}"));
        // A program that does not know a variable passes it over.
        let environment = [
            ("JOBSWORTH_TTL_KUBECONFIG", "{ttl-kubeconfig}"),
            // Whoever reads the subject's metrics comes with a certificate of this authority.
            ("JOBSWORTH_CLIENT_CA_FILE", "{client-ca}"),
            ("JOBSWORTH_LEADER_ELECT", "false"),
            ("JOBSWORTH_EMULATED_VERSION", "{minor}"),
            ("JOBSWORTH_KUBE_API_QPS", "{qps}"),
            ("JOBSWORTH_KUBE_API_BURST", "{burst}"),
        ];
        Self {
            program,
            arguments: arguments.into_iter().map(str::to_owned).collect(),
            environment: environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            manager: manager.map(str::to_owned),
            ready: ReadyWhen::Answers("https://127.0.0.1:{metrics-port}/readyz".to_owned()),
            offers_ttl: true,
            metrics: Some("https://127.0.0.1:{metrics-port}/metrics".to_owned()),
            rights: Vec::new(),
            api: JobApi::default(),
            service_account: None,
            webhook: None,
            manifests: Vec::new(),
            election: SHORT_ELECTION.map(str::to_owned).to_vec(),
            marks: Vec::new(),
        }
    }
}
