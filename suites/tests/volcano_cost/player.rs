//! Plays scheduler and kubelet: every group is let in, every pod succeeds as soon as it is seen; and counts what ended.

use futures::{StreamExt as _, TryStreamExt as _};
use jobsworth_harness::{
    cluster::{Component, local::LocalCluster, subject_kind::JobApi},
    load::procfs,
};
use k8s_openapi::api::core::v1::{Namespace, Pod, ServiceAccount};
use kube::{
    Client, Resource, ResourceExt as _,
    api::{
        Api, ApiResource, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams, WatchEvent,
        WatchParams,
    },
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fmt::Debug, sync::Arc, time::Duration};
use tokio::{
    sync::{
        Semaphore,
        mpsc::{self, UnboundedReceiver},
        watch,
    },
    task::JoinSet,
    time,
};

/// So many pods are worked on at a time: with all at once a busy API server answers nobody.
const HANDS: usize = 16;
/// A controller that has used nothing for so long is at rest.
const AT_REST: u32 = 3;
const LIMIT: Duration = Duration::from_secs(120);

pub struct Player {
    jobs: Api<DynamicObject>,
    ended: watch::Receiver<BTreeSet<String>>,
    pods: watch::Receiver<usize>,
    _tasks: JoinSet<()>,
}

/// Objects of another group, as they are.
fn objects(client: &Client, namespace: &str, resource: &jobsworth_api::Resource) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk(&resource.group, &resource.version, &resource.kind);
    Api::namespaced_with(client.clone(), namespace, &ApiResource::from_gvk_with_plural(&kind, &resource.plural))
}

/// What becomes of all objects of a kind, from its beginning on. A watch ends after some minutes, and another one goes on.
async fn changes<K>(api: Api<K>, tasks: &mut JoinSet<()>) -> UnboundedReceiver<K>
where
    K: Resource + Clone + Debug + serde::de::DeserializeOwned + Send + 'static,
{
    let mut from = api.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap_or_default();
    let (tell, told) = mpsc::unbounded_channel();
    tasks.spawn(async move {
        loop {
            let mut frames = api.watch(&WatchParams::default(), &from).await.unwrap().boxed();
            while let Some(frame) = frames.next().await {
                match frame.unwrap() {
                    WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                        from = object.resource_version().unwrap_or_default();
                        // Nobody hears it at the end.
                        let _ = tell.send(object);
                    }
                    WatchEvent::Deleted(object) => from = object.resource_version().unwrap_or_default(),
                    WatchEvent::Bookmark(bookmark) => from = bookmark.metadata.resource_version,
                    WatchEvent::Error(status) => panic!("{status:?}"),
                }
            }
        }
    });
    told
}

fn is_ended(job: &DynamicObject) -> bool {
    let status = &job.data["status"];
    assert_ne!(status["state"]["phase"], "Failed", "{job:?}");
    let conditions = status["conditions"].as_array().into_iter().flatten();
    status["state"]["phase"] == "Completed"
        || conditions.into_iter().any(|condition| condition["type"] == "Complete" && condition["status"] == "True")
}

impl Player {
    /// Plays everything in a new namespace.
    pub async fn start(client: Client, namespace: &str, api: JobApi) -> Self {
        let named: Namespace = serde_json::from_value(json!({"metadata": {"name": namespace}})).unwrap();
        Api::all(client.clone()).create(&PostParams::default(), &named).await.unwrap();
        // Pods need it, and a controller makes it in a moment.
        let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), namespace);
        let mut made = accounts.watch(&WatchParams::default(), "0").await.unwrap().boxed();
        made.try_next().await.unwrap().unwrap();

        let mut tasks = JoinSet::new();
        let jobs = objects(&client, namespace, &api.resource());
        let (tell_ended, ended) = watch::channel(BTreeSet::new());
        let mut seen = changes(jobs.clone(), &mut tasks).await;
        tasks.spawn(async move {
            while let Some(job) = seen.recv().await {
                if is_ended(&job) {
                    tell_ended.send_modify(|ended: &mut BTreeSet<String>| {
                        ended.insert(job.name_any());
                    });
                }
            }
        });
        let of_pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
        let (tell_pods, pods) = watch::channel(0);
        let mut seen = changes(of_pods.clone(), &mut tasks).await;
        tasks.spawn(async move {
            let (mut known, mut hands) = (BTreeSet::new(), JoinSet::new());
            let free = Arc::new(Semaphore::new(HANDS));
            while let Some(pod) = seen.recv().await {
                if known.insert(pod.uid()) {
                    tell_pods.send_replace(known.len());
                    let (all, name, free) = (of_pods.clone(), pod.name_any(), Arc::clone(&free));
                    hands.spawn(async move {
                        let _hand = free.acquire().await.unwrap();
                        succeed(&all, &name).await;
                    });
                }
                while hands.try_join_next().map(Result::unwrap).is_some() {}
            }
        });
        if api == JobApi::Volcano {
            let groups = objects(&client, namespace, &jobsworth_api::Resource::VOLCANO_POD_GROUPS);
            let mut seen = changes(groups.clone(), &mut tasks).await;
            tasks.spawn(async move {
                while let Some(group) = seen.recv().await {
                    if group.data["status"]["phase"].as_str().is_none_or(|phase| phase == "Pending") {
                        let patch = Patch::Merge(json!({"status": {"phase": "Inqueue"}}));
                        groups.patch(&group.name_any(), &PatchParams::default(), &patch).await.unwrap();
                    }
                }
            });
        }
        Self { jobs, ended, pods, _tasks: tasks }
    }

    pub async fn submit(&self, job: &Value) {
        let job: DynamicObject = serde_json::from_value(job.clone()).unwrap();
        self.jobs.create(&PostParams::default(), &job).await.unwrap();
    }

    /// So many Jobs have ended.
    pub async fn until_ended(&self, jobs: usize, limit: Duration) {
        let mut ended = self.ended.clone();
        let waited =
            time::timeout(limit, ended.wait_for(|ended| ended.len() >= jobs)).await.map(|seen| drop(seen.unwrap()));
        waited.unwrap_or_else(|_| panic!("{} of {jobs} Jobs ended in {limit:?}", self.ended.borrow().len()));
    }

    /// The controller has nothing left to do.
    pub async fn until_quiet(&self, cluster: &LocalCluster) {
        let pid = cluster.pids()[&Component::Subject];
        let (mut used, mut at_rest) = (f64::MAX, 0);
        let mut look = time::interval(Duration::from_secs(1));
        let quiet = async {
            while at_rest < AT_REST {
                look.tick().await;
                let now = procfs::cpu_seconds(pid).unwrap();
                // Two ticks of the kernel's clock are what a process uses that only waits.
                at_rest = if now - used < 0.025 { at_rest + 1 } else { 0 };
                used = now;
            }
        };
        time::timeout(LIMIT, quiet).await.expect("the controller comes to rest");
    }

    pub fn pods_made(&self) -> usize {
        *self.pods.borrow()
    }
}

async fn succeed(pods: &Api<Pod>, name: &str) {
    let status = json!({"status": {"phase": "Succeeded", "containerStatuses": [{
        "name": "main", "image": "i", "imageID": "i", "ready": false, "restartCount": 0,
        "state": {"terminated": {"exitCode": 0}},
    }]}});
    pods.patch_status(name, &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
}
