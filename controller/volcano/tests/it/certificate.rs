//! The webhook's certificate: where it is put, in which order, and by requests that the deployed roles allow.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use clap::Parser as _;
use jobsworth_volcano::args::{Args, CertificateArgs, Command};
use jobsworth_volcano::certificate::renew;
use serde_json::{Value, json};

use crate::api_server::{Answer, Seen, client, status};
use crate::deployment::documents;

const SECRET: &str = "/api/v1/namespaces/volcano-system/secrets/jobsworth-volcano-webhook";
const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1/";

type Objects = Arc<Mutex<BTreeMap<String, Value>>>;

fn args() -> CertificateArgs {
    match Args::try_parse_from(["jobsworth-volcano", "certificate"]).unwrap().command {
        Command::Certificate(args) => args,
        other => panic!("{other:?}"),
    }
}

/// The deployed configurations, by path.
fn configured() -> Objects {
    let of = |document: Value| {
        let plural = format!("{}s", document["kind"].as_str().unwrap().to_lowercase());
        (format!("{CONFIGURATIONS}{plural}/{}", document["metadata"]["name"].as_str().unwrap()), document)
    };
    Arc::new(Mutex::new(documents(include_str!("../../../deploy/volcano/webhooks.yaml")).into_iter().map(of).collect()))
}

/// One run against these objects: its result, and the writes that were tried. A write of `refused` is refused.
async fn run(objects: &Objects, refused: &'static str) -> (Result<(), String>, Vec<String>) {
    let stored = Arc::clone(objects);
    let (client, log) = client(move |seen: &Seen| {
        let (method, path) = seen.line.split_once(' ').unwrap();
        let path = path.split('?').next().unwrap();
        let mut stored = stored.lock().unwrap();
        match method {
            "GET" => stored.get(path).map_or_else(|| status(404, "NotFound"), |it| Answer::Json(200, it.clone())),
            _ if !refused.is_empty() && path.contains(refused) => status(409, "Conflict"),
            "POST" => {
                let name = seen.body["metadata"]["name"].as_str().unwrap();
                stored.insert(format!("{path}/{name}"), seen.body.clone());
                Answer::Json(201, seen.body.clone())
            }
            _ => {
                stored.insert(path.to_owned(), seen.body.clone());
                Answer::Json(200, seen.body.clone())
            }
        }
    });
    let ended = renew(client, args()).await.map_err(|error| error.to_string());
    let lines: Vec<String> = log.lock().unwrap().iter().map(|seen| seen.line.clone()).collect();
    let writes = lines.into_iter().filter(|line| !line.starts_with("GET"));
    let last = |line: String| {
        let path = line.split('?').next().unwrap().to_owned();
        format!("{} {}", path.split(' ').next().unwrap(), path.rsplit('/').next().unwrap())
    };
    (ended, writes.map(last).collect())
}

fn bundle(objects: &Objects, name: &str) -> Value {
    let objects = objects.lock().unwrap();
    let (_, object) = objects.iter().find(|(path, _)| path.ends_with(name)).unwrap();
    object["webhooks"][0]["clientConfig"]["caBundle"].clone()
}

const CHANGES: [&str; 4] = [
    "PUT volcano-admission-service-jobs-mutate",
    "PUT volcano-admission-service-podgroups-mutate",
    "PUT volcano-admission-service-jobs-validate",
    "PUT volcano-admission-service-queues-validate",
];

#[tokio::test]
async fn what_is_served_is_trusted_before() {
    let objects = configured();
    let (ended, writes) = run(&objects, "").await;
    ended.unwrap();
    assert_eq!(writes, [&CHANGES[..], &["POST secrets"]].concat());
    let authority = objects.lock().unwrap()[SECRET]["data"]["ca.crt"].clone();
    for change in CHANGES {
        assert_eq!(bundle(&objects, &change[4..]), authority, "{change}");
    }
    assert_eq!(objects.lock().unwrap()[SECRET]["type"], "kubernetes.io/tls");
}

#[tokio::test]
async fn a_second_run_changes_nothing() {
    let objects = configured();
    run(&objects, "").await.0.unwrap();
    let (ended, writes) = run(&objects, "").await;
    ended.unwrap();
    assert_eq!(writes, Vec::<String>::new());
}

#[tokio::test]
async fn configurations_that_were_applied_anew_are_told_again() {
    let objects = configured();
    run(&objects, "").await.0.unwrap();
    let secret = objects.lock().unwrap()[SECRET].clone();
    let anew = configured();
    anew.lock().unwrap().insert(SECRET.to_owned(), secret);
    let (ended, writes) = run(&anew, "").await;
    ended.unwrap();
    assert_eq!(writes, CHANGES);
}

#[tokio::test]
async fn a_secret_that_somebody_spoilt_is_replaced_and_its_authority_goes() {
    let objects = configured();
    let spoilt = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "jobsworth-volcano-webhook",
        "resourceVersion": "7"}, "data": {"tls.crt": "bm8=", "ca.crt": "bm8="}});
    objects.lock().unwrap().insert(SECRET.to_owned(), spoilt);
    let (ended, writes) = run(&objects, "").await;
    ended.unwrap();
    assert_eq!(writes.last().unwrap(), "PUT jobsworth-volcano-webhook");
    let stored = objects.lock().unwrap()[SECRET].clone();
    assert_eq!(stored["metadata"]["resourceVersion"], "7", "who was faster must win");
    assert!(!stored["data"]["ca.crt"].as_str().unwrap().starts_with("bm8"));
}

#[tokio::test]
async fn a_refusal_names_the_object_and_the_next_run_goes_on() {
    let objects = configured();
    let (ended, _) = run(&objects, "queues-validate").await;
    let words = ended.unwrap_err();
    assert_eq!(words, "change ValidatingWebhookConfiguration volcano-admission-service-queues-validate");
    assert!(!objects.lock().unwrap().contains_key(SECRET), "nothing is served that is not trusted");
    run(&objects, "").await.0.unwrap();
    let authority = objects.lock().unwrap()[SECRET]["data"]["ca.crt"].clone();
    assert_eq!(bundle(&objects, "jobs-mutate"), authority);
}
