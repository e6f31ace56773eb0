//! An API server that keeps what is written, under the real client, and a controller that works on it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::Parser;
use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::controller::{Shutdown, lead};
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::liveness::Liveness;
use jobsworth_controller_runtime::supervise::PartExit;
use jobsworth_volcano::args::{Args, Command};
use jobsworth_volcano::controller::metrics::Metrics;
use jobsworth_volcano::controller::parts::Parts;
use jobsworth_volcano::controller::staff::JobController;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::api_server::{Answer, Log, Seen, client, status};

/// How long anything may take, on the paused clock.
const PATIENCE: Duration = Duration::from_secs(600);

pub const JOB: &str = "/apis/batch.volcano.sh/v1alpha1/namespaces/n/jobs/j";
pub const GROUP: &str = "/apis/scheduling.volcano.sh/v1beta1/namespaces/n/podgroups/j-u";
pub const COMMAND: &str = "/apis/bus.volcano.sh/v1alpha1/namespaces/n/commands/c";
pub const QUEUE: &str = "/apis/scheduling.volcano.sh/v1beta1/queues/default";

/// What goes wrong with a request.
pub enum Fault {
    /// It comes to nothing, and this is the answer.
    Refused(Answer),
    /// It is done, and the answer is lost.
    Lost,
}

/// Objects by path, and what happened to them.
#[derive(Default)]
struct Store {
    objects: BTreeMap<String, Value>,
    /// Frames of watches: version, collection, frame.
    journal: Vec<(u64, String, Value)>,
    revision: u64,
}

/// The API server and the controller.
pub struct World {
    store: Arc<Mutex<Store>>,
    changed: watch::Sender<()>,
    pub log: Log,
    pub stop: CancellationToken,
    pub metrics: Arc<Metrics>,
    led: JoinHandle<Result<Shutdown, PartExit>>,
}

/// Path of the collection in all namespaces.
fn collection(object: &str) -> String {
    let (parent, _) = object.rsplit_once('/').unwrap();
    match parent.split_once("/namespaces/") {
        Some((group, rest)) => format!("{group}/{}", rest.split_once('/').unwrap().1),
        None => parent.to_owned(),
    }
}

impl Store {
    fn put(&mut self, path: &str, mut object: Value) -> Value {
        self.revision += 1;
        object["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        let what = if self.objects.contains_key(path) { "MODIFIED" } else { "ADDED" };
        self.journal.push((self.revision, collection(path), json!({"type": what, "object": object})));
        self.objects.insert(path.to_owned(), object.clone());
        object
    }

    fn remove(&mut self, path: &str) -> Option<Value> {
        let mut object = self.objects.remove(path)?;
        self.revision += 1;
        object["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        self.journal.push((self.revision, collection(path), json!({"type": "DELETED", "object": object})));
        Some(object)
    }

    fn answer(&mut self, seen: &Seen) -> Answer {
        let (method, uri) = seen.line.split_once(' ').unwrap();
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        match method {
            "GET" if query.contains("watch=true") => {
                let since = query.split('&').find_map(|part| part.strip_prefix("resourceVersion=")).unwrap();
                let since: u64 = since.parse().unwrap();
                let news = self.journal.iter().filter(|(revision, at, _)| *revision > since && at == path);
                Answer::Frames(news.map(|(_, _, frame)| frame.clone()).collect())
            }
            "GET" if query.contains("limit=") => {
                let items: Vec<_> =
                    self.objects.iter().filter(|(at, _)| collection(at) == path).map(|(_, it)| it).collect();
                Answer::Json(200, json!({"metadata": {"resourceVersion": self.revision.to_string()}, "items": items}))
            }
            "GET" => self.objects.get(path).map_or_else(|| status(404, "NotFound"), |it| Answer::Json(200, it.clone())),
            "POST" => {
                let mut object = seen.body.clone();
                let name = object["metadata"]["name"].as_str().unwrap_or("made-up").to_owned();
                let path = format!("{path}/{name}");
                if self.objects.contains_key(&path) {
                    return status(409, "AlreadyExists");
                }
                object["metadata"]["uid"] = json!(format!("uid-{name}-{}", self.revision));
                Answer::Json(201, self.put(&path, object))
            }
            "PUT" => self.replace(path, &seen.body),
            "PATCH" => {
                let path = path.strip_suffix("/status").unwrap_or(path);
                let Some(mut object) = self.objects.get(path).cloned() else { return status(404, "NotFound") };
                json_patch::merge(&mut object, &seen.body);
                Answer::Json(200, self.put(path, object))
            }
            _ => {
                let uid = &seen.body["preconditions"]["uid"];
                match self.objects.get(path) {
                    Some(object) if uid.is_null() || object["metadata"]["uid"] == *uid => {
                        Answer::Json(200, self.remove(path).unwrap())
                    }
                    Some(object) => {
                        let there = &object["metadata"]["uid"];
                        let message =
                            format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {there}");
                        let status = json!({"kind": "Status", "code": 409, "reason": "Conflict", "message": message});
                        Answer::Json(409, status)
                    }
                    None => status(404, "NotFound"),
                }
            }
        }
    }

    fn replace(&mut self, path: &str, body: &Value) -> Answer {
        let at = path.strip_suffix("/status").unwrap_or(path);
        let Some(mut object) = self.objects.get(at).cloned() else { return status(404, "NotFound") };
        if object["metadata"]["resourceVersion"] != body["metadata"]["resourceVersion"] {
            return status(409, "Conflict");
        }
        if at == path {
            object = body.clone();
        } else {
            object["status"] = body["status"].clone();
        }
        Answer::Json(200, self.put(at, object))
    }
}

impl World {
    /// A controller that begins to work on these objects, each with its path.
    pub fn with(
        objects: &[(&str, Value)],
        flags: &[&str],
        mut fault: impl FnMut(&Seen) -> Option<Fault> + Send + 'static,
    ) -> Self {
        let mut first = Store { revision: 10, ..Store::default() };
        for (path, object) in objects {
            first.put(path, object.clone());
        }
        let (store, changed) = (Arc::new(Mutex::new(first)), watch::Sender::new(()));
        let (answers, told) = (Arc::clone(&store), changed.clone());
        let (client, log) = client(move |seen| {
            let done = || answers.lock().unwrap().answer(seen);
            let answer = match fault(seen) {
                None => done(),
                Some(Fault::Refused(answer)) => answer,
                Some(Fault::Lost) => {
                    done();
                    // A success that cannot be read.
                    Answer::Text(201, "cut off", None)
                }
            };
            told.send_replace(());
            answer
        });
        let command = ["jobsworth-volcano", "controller"];
        let Command::Controller(args) = Args::parse_from(command.iter().chain(flags)).command else {
            panic!("another")
        };
        let (metrics, fence, stop) = (Arc::new(Metrics::default()), Fence::open(), CancellationToken::new());
        let liveness = Arc::new(Liveness::new(Arc::clone(&fence)));
        let controller =
            JobController::new(&args, &Parts::default(), Api::new(client, Arc::clone(&fence)), &metrics, &liveness);
        let token = stop.clone();
        let led = tokio::spawn(async move { lead(&controller, &fence, &liveness, &token, || {}).await });
        Self { store, changed, log, stop, metrics, led }
    }

    /// The object at this path.
    pub fn get(&self, path: &str) -> Option<Value> {
        self.store.lock().unwrap().objects.get(path).cloned()
    }

    /// Writes an object as a user would, or the scheduler, or a kubelet.
    pub fn put(&self, path: &str, object: Value) {
        self.store.lock().unwrap().put(path, object);
    }

    /// Deletes an object that is there.
    pub fn remove(&self, path: &str) {
        self.store.lock().unwrap().remove(path).unwrap();
    }

    /// Changes an object that is there.
    pub fn merge(&self, path: &str, patch: &Value) {
        let mut store = self.store.lock().unwrap();
        let mut object = store.objects.get(path).cloned().unwrap();
        json_patch::merge(&mut object, patch);
        store.put(path, object);
    }

    /// Names and UIDs of the pods.
    pub fn pods(&self) -> BTreeMap<String, String> {
        let store = self.store.lock().unwrap();
        let pods = store.objects.iter().filter(|(path, _)| collection(path) == "/api/v1/pods");
        let text = |object: &Value, field: &str| object["metadata"][field].as_str().unwrap().to_owned();
        pods.map(|(_, pod)| (text(pod, "name"), text(pod, "uid"))).collect()
    }

    /// The phase of the job.
    pub fn phase(&self) -> Option<String> {
        Some(self.get(JOB)?["status"]["state"]["phase"].as_str()?.to_owned())
    }

    /// All pods run.
    pub fn run_pods(&self) {
        for name in self.pods().keys() {
            self.merge(&pod(name), &json!({"status": {"phase": "Running"}}));
        }
    }

    /// Waits until this is so.
    pub async fn until(&self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let mut changes = self.changed.subscribe();
        let waiting = async {
            while !is_so(self) {
                changes.changed().await.unwrap();
            }
        };
        assert!(timeout(PATIENCE, waiting).await.is_ok(), "never: {what}\n{:#?}", self.lines());
    }

    /// The requests so far, but for lists and watches.
    pub fn lines(&self) -> Vec<String> {
        let log = self.log.lock().unwrap();
        log.iter()
            .map(|seen| seen.line.clone())
            .filter(|line| !line.contains('?') && !line.contains("/events"))
            .collect()
    }

    /// Where the first request is that begins like this.
    pub fn position(&self, start: &str) -> Option<usize> {
        self.lines().iter().position(|line| line.starts_with(start))
    }

    /// Tells the controller to stop and waits for its end.
    pub async fn end(self) -> (Shutdown, Log) {
        self.stop.cancel();
        (self.led.await.unwrap().unwrap(), self.log)
    }
}

pub fn pod(name: &str) -> String {
    format!("/api/v1/namespaces/n/pods/{name}")
}

/// The queue of all jobs.
pub fn queue() -> (&'static str, Value) {
    (QUEUE, json!({"metadata": {"name": "default", "uid": "q"}, "spec": {"weight": 1}}))
}

/// A job of two pods, as it stands after admission, with these fields in its spec.
pub fn job(spec: &Value) -> (&'static str, Value) {
    let template = json!({"spec": {"containers": [{"name": "c", "image": "i"}]}});
    let task = json!({"name": "t", "replicas": 2, "minAvailable": 2, "maxRetry": 3, "template": template});
    let mut job = json!({
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
        "metadata": {"name": "j", "namespace": "n", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"minAvailable": 2, "queue": "default", "maxRetry": 3, "schedulerName": "volcano", "tasks": [task]},
    });
    json_patch::merge(&mut job["spec"], spec);
    (JOB, job)
}

/// An order for the job `name`.
pub fn command(action: &str, name: &str) -> Value {
    json!({
        "apiVersion": "bus.volcano.sh/v1alpha1", "kind": "Command",
        "metadata": {"name": "c", "namespace": "n", "uid": "uc", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "action": action,
        "target": {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": name, "uid": "u"},
    })
}

/// A controller whose job runs with two pods.
pub async fn running(spec: &Value, fault: impl FnMut(&Seen) -> Option<Fault> + Send + 'static) -> World {
    let world = World::with(&[queue(), job(spec)], &[], fault);
    world.until("a group", |world| world.get(GROUP).is_some()).await;
    world.merge(GROUP, &json!({"status": {"phase": "Inqueue"}}));
    world.until("two pods", |world| world.pods().len() == 2).await;
    world.run_pods();
    world.until("a job that runs", |world| world.phase().as_deref() == Some("Running")).await;
    world
}
