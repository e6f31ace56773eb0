//! Jobsworth's own controller for Volcano's Jobs, with its webhook: one program, two processes, and the objects they need.

mod upstream;

use std::collections::BTreeMap;

use super::own_programs;
use crate::cluster::{
    ControllerProgram,
    subject_kind::{JobApi, Manifest, ReadyWhen, ServiceAccount, WebhookProgram},
};

pub use upstream::{NotVolcano, Volcano};

/// Its program.
pub(super) const PROGRAM: &str = "jobsworth-volcano";
/// The namespace of its service accounts.
const NAMESPACE: &str = "volcano-system";

/// As it is deployed, but as processes of ours.
pub(super) fn reference() -> ControllerProgram {
    let program = own_programs::path_of(PROGRAM);
    let certificate = ["--tls-cert-file={tls-cert}", "--tls-private-key-file={tls-key}"];
    let controller = [
        "controller",
        "--kubeconfig={kubeconfig}",
        "--metrics-address=127.0.0.1:{metrics-port}",
        "--client-ca-file={client-ca}",
        "--kube-api-qps={qps}",
        "--kube-api-burst={burst}",
        // A crashed holder's lease would keep its successor waiting.
        "--leader-elect=false",
    ];
    let webhook = ["webhook", "--kubeconfig={kubeconfig}", "--listen-address=127.0.0.1", "--port={webhook-port}"];
    ControllerProgram {
        program: program.clone(),
        arguments: words(&[&controller, &certificate]),
        environment: BTreeMap::new(),
        manager: None,
        ready: ReadyWhen::Answers("https://127.0.0.1:{metrics-port}/readyz".to_owned()),
        offers_ttl: true,
        metrics: Some("https://127.0.0.1:{metrics-port}/metrics".to_owned()),
        rights: Vec::new(),
        api: JobApi::Volcano,
        service_account: Some(account("jobsworth-volcano-controller")),
        webhook: Some(WebhookProgram {
            program,
            arguments: words(&[&webhook, &certificate]),
            environment: BTreeMap::new(),
            ready: ReadyWhen::Answers("https://127.0.0.1:{webhook-port}/readyz".to_owned()),
            service_account: Some(account("jobsworth-volcano-webhook")),
        }),
        manifests: [
            ("crds.yaml", include_str!("../../../controller/deploy/volcano/crds.yaml")),
            ("roles.yaml", include_str!("../../../controller/deploy/volcano/roles.yaml")),
            // Before the webhook is asked about queues: it does not answer yet.
            ("queues.yaml", include_str!("queues.yaml")),
            ("webhooks.yaml", include_str!("../../../controller/deploy/volcano/webhooks.yaml")),
        ]
        .map(|(name, text)| Manifest::Embedded { name: name.to_owned(), text: text.to_owned() })
        .to_vec(),
        election: Vec::new(),
        marks: Vec::new(),
    }
}

fn account(name: &str) -> ServiceAccount {
    ServiceAccount { namespace: NAMESPACE.to_owned(), name: name.to_owned() }
}

fn words(parts: &[&[&str]]) -> Vec<String> {
    parts.iter().copied().flatten().map(|&word| word.to_owned()).collect()
}
