//! The files that deploy the programs: they fit together, and the programs understand the flags in them.

use clap::Parser as _;
use jobsworth_volcano::args::{Args, Command};
use rstest::rstest;
use serde_json::{Value, json};

const KUSTOMIZATION: &str = include_str!("../../../deploy/volcano/kustomization.yaml");
const CONTROLLER: &str = include_str!("../../../deploy/volcano/controller.yaml");
const WEBHOOK: &str = include_str!("../../../deploy/volcano/webhook.yaml");
const CERTIFICATE: &str = include_str!("../../../deploy/volcano/certificate.yaml");
const ROLES: &str = include_str!("../../../deploy/volcano/roles.yaml");
const WEBHOOKS: &str = include_str!("../../../deploy/volcano/webhooks.yaml");

/// The documents of a file.
pub fn documents(text: &str) -> Vec<Value> {
    let all = format!("\n{text}");
    all.split("\n---\n").map(|text| serde_yaml::from_str(text).unwrap()).filter(|it: &Value| !it.is_null()).collect()
}

fn only<'a>(documents: &'a [Value], kind: &str) -> &'a Value {
    let mut found = documents.iter().filter(|document| document["kind"] == kind);
    let first = found.next().unwrap_or_else(|| panic!("no {kind}"));
    assert!(found.next().is_none(), "two of {kind}");
    first
}

/// The pod of a Deployment, a Job or a CronJob.
fn pod(document: &Value) -> &Value {
    let spec = &document["spec"];
    let spec = if document["kind"] == "CronJob" { &spec["jobTemplate"]["spec"] } else { spec };
    &spec["template"]["spec"]
}

#[rstest]
#[case::controller(CONTROLLER, "Deployment")]
#[case::webhook(WEBHOOK, "Deployment")]
#[case::certificate_at_the_installation(CERTIFICATE, "Job")]
#[case::certificate_every_week(CERTIFICATE, "CronJob")]
fn the_program_understands_its_flags_and_has_no_rights_on_its_node(#[case] file: &str, #[case] kind: &str) {
    let documents = documents(file);
    let pod = pod(only(&documents, kind));
    let container = &pod["containers"][0];
    assert_eq!(container["image"], "jobsworth-volcano:0.1.0");
    let flags: Vec<&str> = container["args"].as_array().unwrap().iter().map(|flag| flag.as_str().unwrap()).collect();
    let args = Args::try_parse_from([&["jobsworth-volcano"], &flags[..]].concat()).unwrap();
    if let Command::Controller(flags) = args.command {
        flags.check().unwrap();
    }
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    let expected =
        json!({"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]}});
    assert_eq!(container["securityContext"], expected);
    let account = &pod["serviceAccountName"];
    let accounts = [self::documents(ROLES), documents.clone()].concat();
    let is_it = |it: &&Value| it["kind"] == "ServiceAccount" && &it["metadata"]["name"] == account;
    assert_eq!(accounts.iter().filter(is_it).count(), 1, "{account}");
}

#[test]
fn both_certificate_jobs_do_the_same() {
    let documents = documents(CERTIFICATE);
    assert_eq!(pod(only(&documents, "Job")), pod(only(&documents, "CronJob")));
}

#[test]
fn configurations_service_pods_and_secret_belong_together() {
    let args = match Args::try_parse_from(["jobsworth-volcano", "certificate"]).unwrap().command {
        Command::Certificate(args) => args,
        other => panic!("{other:?}"),
    };
    let documents = documents(WEBHOOK);
    let (deployment, service) = (only(&documents, "Deployment"), only(&documents, "Service"));
    assert_eq!(
        (&service["metadata"]["name"], &service["metadata"]["namespace"]),
        (&json!(args.service), &json!(args.namespace))
    );
    assert_eq!(service["spec"]["selector"], deployment["spec"]["template"]["metadata"]["labels"]);
    assert_eq!(service["spec"]["ports"][0]["targetPort"], pod(deployment)["containers"][0]["ports"][0]["name"]);
    assert_eq!(pod(deployment)["volumes"][0]["secret"]["secretName"], args.secret);
    for configuration in self::documents(WEBHOOKS) {
        let target = &configuration["webhooks"][0]["clientConfig"]["service"];
        assert_eq!((&target["name"], &target["namespace"]), (&json!(args.service), &json!(args.namespace)));
        assert_eq!(target["port"], service["spec"]["ports"][0]["port"]);
    }
}

/// The rights of the certificate's program end at the four configurations and the one secret.
#[test]
fn the_certificates_rights_are_for_its_own_objects() {
    let documents = documents(CERTIFICATE);
    let names = self::documents(WEBHOOKS).iter().map(|it| it["metadata"]["name"].clone()).collect::<Vec<_>>();
    let allowed = only(&documents, "ClusterRole")["rules"].as_array().unwrap().iter();
    let mut allowed: Vec<Value> = allowed.flat_map(|rule| rule["resourceNames"].as_array().unwrap().clone()).collect();
    allowed.sort_by_key(Value::to_string);
    let mut names = names;
    names.sort_by_key(Value::to_string);
    assert_eq!(allowed, names);
    assert_eq!(only(&documents, "Role")["rules"][1]["resourceNames"], json!(["jobsworth-volcano-webhook"]));
}

#[test]
fn every_file_but_the_queues_is_in_the_kustomization() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/volcano");
    let named = documents(KUSTOMIZATION)[0]["resources"].clone();
    let mut named: Vec<String> = serde_json::from_value(named).unwrap();
    named.extend(["kustomization.yaml".to_owned(), "queues.yaml".to_owned()]);
    named.sort();
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = files.filter(|name| name.ends_with(".yaml")).collect();
    files.sort();
    assert_eq!(files, named);
}
