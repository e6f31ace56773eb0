//! One watched resource: list, follow, take up again, and admit a gap.

use super::{Book, history};
use futures::StreamExt as _;
use jobsworth_api::Minor;
use jobsworth_oracle::{Fact, Seen, Setting, timeline::Notice};
use kube::{
    api::{ListParams, WatchEvent, WatchParams},
    core::Request,
};
use serde::Deserialize;
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// Pause before a watch that could not be opened is tried again.
const RETRY: Duration = Duration::from_millis(100);

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Resource {
    Jobs,
    Pods,
    Events,
    Workloads(SchedulingApi),
    PodGroups(SchedulingApi),
}

/// The version of `scheduling.k8s.io` that has both Workloads and `PodGroup`s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SchedulingApi {
    V1alpha2,
    V1beta1,
}

/// Why the recording cannot begin, go on or end.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    /// The timeline file cannot be written.
    #[error("failed to write the timeline")]
    File(#[source] std::io::Error),
    /// The API server did not answer.
    #[error("failed to list {resource} of namespace {namespace}")]
    List {
        /// What was asked for.
        resource: &'static str,
        /// Where.
        namespace: String,
        /// What the library said.
        #[source]
        source: Box<kube::Error>,
    },
    /// An object has no shape that we know.
    #[error("failed to read {0} from the API server: {1}")]
    Shape(&'static str, String),
    /// The watch did not deliver what a list had shown.
    #[error("failed to see the watch of {0} catch up")]
    Behind(&'static str),
    /// Without an order between Jobs and their pods nothing can be judged.
    #[error("{0} are kept in another store than jobs, so nothing shows what came first")]
    Apart(&'static str),
    /// Writing had failed before.
    #[error("{0}")]
    Broken(String),
}

/// The last revision seen of each object, by resource and UID.
#[derive(Default)]
pub(super) struct Progress(BTreeMap<(Resource, String), (u64, State)>);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    There,
    Gone,
}

/// What the API server has at one moment.
pub(super) struct Target {
    revision: u64,
    objects: BTreeMap<String, u64>,
}

impl Progress {
    fn note(&mut self, resource: Resource, uid: String, revision: u64, state: State) {
        self.0.insert((resource, uid), (revision, state));
    }

    /// Whether everything in `target` has been seen, and nothing that it lacks is believed to be there.
    pub(super) fn has_reached(&self, resource: Resource, target: &Target) -> bool {
        let seen_all = target
            .objects
            .iter()
            .all(|(uid, revision)| self.0.get(&(resource, uid.clone())).is_some_and(|(seen, _)| seen >= revision));
        let nothing_else = self.0.iter().filter(|((of, _), _)| *of == resource).all(|((_, uid), (seen, state))| {
            *state == State::Gone || target.objects.contains_key(uid) || *seen > target.revision
        });
        seen_all && nothing_else
    }
}

impl Resource {
    /// What is watched on a control plane like this.
    pub(super) fn of(setting: &Setting) -> Vec<Self> {
        let mut all = vec![Self::Jobs, Self::Pods, Self::Events];
        // A gate that nobody knows is none of this API's.
        if setting.gates.get("GenericWorkload") == Some(&true) {
            let api = SchedulingApi::of(setting.emulated.unwrap_or_else(|| setting.kubernetes.minor_version()));
            all.extend(api.into_iter().flat_map(|api| [Self::Workloads(api), Self::PodGroups(api)]));
        }
        all
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Jobs => "jobs",
            Self::Pods => "pods",
            Self::Events => "events",
            Self::Workloads(_) => "workloads",
            Self::PodGroups(_) => "podgroups",
        }
    }

    fn group(self) -> &'static str {
        match self {
            Self::Jobs => "apis/batch/v1",
            Self::Pods => "api/v1",
            Self::Events => "apis/events.k8s.io/v1",
            Self::Workloads(SchedulingApi::V1alpha2) | Self::PodGroups(SchedulingApi::V1alpha2) => {
                "apis/scheduling.k8s.io/v1alpha2"
            }
            Self::Workloads(SchedulingApi::V1beta1) | Self::PodGroups(SchedulingApi::V1beta1) => {
                "apis/scheduling.k8s.io/v1beta1"
            }
        }
    }

    fn request(self, namespace: &str) -> Request {
        Request::new(format!("/{}/namespaces/{namespace}/{}", self.group(), self.name()))
    }
}

impl SchedulingApi {
    /// The one that a control plane serves which behaves as `minor`; none had both kinds before 1.36.
    fn of(minor: Minor) -> Option<Self> {
        match minor {
            before if before < Minor::new(1, 36) => None,
            alpha if alpha < Minor::new(1, 37) => Some(Self::V1alpha2),
            _ => Some(Self::V1beta1),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct List {
    pub(super) metadata: ListMeta,
    pub(super) items: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListMeta {
    pub(super) resource_version: String,
}

async fn listed(client: &kube::Client, namespace: &str, resource: Resource) -> Result<List, FeedError> {
    listed_as(client, namespace, resource, &ListParams::default()).await
}

pub(super) async fn listed_as(
    client: &kube::Client,
    namespace: &str,
    resource: Resource,
    parameters: &ListParams,
) -> Result<List, FeedError> {
    let failed = |source: kube::Error| FeedError::List {
        resource: resource.name(),
        namespace: namespace.to_owned(),
        source: Box::new(source),
    };
    let request = resource.request(namespace).list(parameters);
    let request = request.map_err(|error| FeedError::Shape(resource.name(), error.to_string()))?;
    client.request(request).await.map_err(failed)
}

/// What is kept in another store than Jobs are.
///
/// One store has one clock: what it says between two looks at Jobs lies between what it says at them. A store of its own
/// has a clock of its own, which would have to show the same number by chance.
pub(super) async fn apart(
    client: &kube::Client,
    namespace: &str,
    resources: &[Resource],
) -> Result<Vec<(Resource, u64)>, FeedError> {
    let now = async |resource| {
        let list = listed_as(client, namespace, resource, &ListParams::default().limit(1)).await?;
        let revision = list.metadata.resource_version.parse::<u64>();
        revision.map_err(|_| FeedError::Shape(resource.name(), "no revision".to_owned()))
    };
    let mut apart = Vec::new();
    let mut before = now(Resource::Jobs).await?;
    for resource in resources.iter().copied().filter(|resource| *resource != Resource::Jobs) {
        let between = now(resource).await?;
        let after = now(Resource::Jobs).await?;
        if !share_a_clock(before, between, after) {
            apart.push((resource, before));
        }
        before = after;
    }
    Ok(apart)
}

const fn share_a_clock(before: u64, between: u64, after: u64) -> bool {
    before <= between && between <= after
}

/// Lists a resource into the book; the revision from which to watch.
pub(super) async fn list(
    client: &kube::Client,
    namespace: &str,
    resource: Resource,
    book: &Book,
) -> Result<String, FeedError> {
    let list = listed(client, namespace, resource).await?;
    for item in list.items {
        enter(book, resource, item, State::There).map_err(|why| FeedError::Shape(resource.name(), why))?;
    }
    Ok(list.metadata.resource_version)
}

/// What the API server has of a resource now, read consistently.
pub(super) async fn target(client: &kube::Client, namespace: &str, resource: Resource) -> Result<Target, FeedError> {
    let list = listed(client, namespace, resource).await?;
    let shape = || FeedError::Shape(resource.name(), "no revision".to_owned());
    let revision = list.metadata.resource_version.parse().map_err(|_| shape())?;
    let objects = list.items.iter().map(|item| identity(item).ok_or_else(shape)).collect::<Result<_, _>>()?;
    Ok(Target { revision, objects })
}

/// Follows a resource until the task is dropped.
pub(super) async fn follow(
    client: kube::Client,
    namespace: String,
    resource: Resource,
    book: Arc<Book>,
    mut from: String,
) {
    loop {
        let lost = match watched(&client, &namespace, resource, &book, &mut from).await {
            Ended::InOrder => false,
            Ended::Broken => {
                tokio::time::sleep(RETRY).await;
                false
            }
            Ended::Expired => true,
        };
        if !lost {
            continue;
        }
        if let Some(revision) = history::read_back(&client, &namespace, resource, &book, &from).await {
            from = revision;
        } else {
            book.enter(from.parse().unwrap_or_default(), Fact::Gap(resource.name().to_owned()));
            match list(&client, &namespace, resource, &book).await {
                Ok(revision) => from = revision,
                Err(_) => tokio::time::sleep(RETRY).await,
            }
        }
    }
}

/// How one watch ended.
enum Ended {
    InOrder,
    Broken,
    Expired,
}

async fn watched(client: &kube::Client, namespace: &str, resource: Resource, book: &Book, from: &mut String) -> Ended {
    let parameters = WatchParams::default().timeout(240);
    let Ok(request) = resource.request(namespace).watch(&parameters, from) else { return Ended::Broken };
    let mut stream = match client.request_events::<Value>(request).await {
        Ok(stream) => Box::pin(stream),
        Err(kube::Error::Api(status)) if status.code == 410 => return Ended::Expired,
        Err(_) => return Ended::Broken,
    };
    while let Some(frame) = stream.next().await {
        let (object, state) = match frame {
            Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => (object, State::There),
            Ok(WatchEvent::Deleted(object)) => (object, State::Gone),
            Ok(WatchEvent::Bookmark(bookmark)) => {
                *from = bookmark.metadata.resource_version;
                continue;
            }
            Ok(WatchEvent::Error(status)) if status.code == 410 => return Ended::Expired,
            Ok(WatchEvent::Error(_)) | Err(_) => return Ended::Broken,
        };
        let revision = object.pointer("/metadata/resourceVersion").and_then(Value::as_str).map(str::to_owned);
        match (revision, enter(book, resource, object, state)) {
            (Some(revision), Ok(())) => *from = revision,
            _ => return Ended::Expired,
        }
    }
    Ended::InOrder
}

pub(super) fn identity(object: &Value) -> Option<(String, u64)> {
    let uid = object.pointer("/metadata/uid")?.as_str()?.to_owned();
    let revision = object.pointer("/metadata/resourceVersion")?.as_str()?.parse().ok()?;
    Some((uid, revision))
}

pub(super) fn enter(book: &Book, resource: Resource, object: Value, state: State) -> Result<(), String> {
    let (uid, revision) = identity(&object).ok_or("an object without UID or revision")?;
    {
        let mut pages = book.pages();
        // A relist delivers again what was seen already; it is not history.
        if pages.seen.0.get(&(resource, uid.clone())).is_some_and(|(seen, _)| *seen >= revision) {
            return Ok(());
        }
        pages.seen.note(resource, uid, revision, state);
    }
    let typed = |error: serde_json::Error| error.to_string();
    let of_kind = |kind: &str| Seen::new(with_kind(object.clone(), kind)).map_err(typed);
    let fact = match (resource, state) {
        (Resource::Jobs, State::There) => Fact::Job(Seen::new(object).map_err(typed)?),
        (Resource::Jobs, State::Gone) => Fact::JobGone(Seen::new(object).map_err(typed)?),
        (Resource::Pods, State::There) => Fact::Pod(Seen::new(object).map_err(typed)?),
        (Resource::Pods, State::Gone) => Fact::PodGone(Seen::new(object).map_err(typed)?),
        (Resource::Workloads(_), State::There) => Fact::Object(of_kind("Workload")?),
        (Resource::Workloads(_), State::Gone) => Fact::ObjectGone(of_kind("Workload")?),
        (Resource::PodGroups(_), State::There) => Fact::Object(of_kind("PodGroup")?),
        (Resource::PodGroups(_), State::Gone) => Fact::ObjectGone(of_kind("PodGroup")?),
        (Resource::Events, State::There) => {
            let mut notice = notice(&object);
            notice.count = news(book, &object, notice.count);
            Fact::Notice(notice)
        }
        // Events expire; that is no news.
        (Resource::Events, State::Gone) => return Ok(()),
    };
    book.enter(revision, fact);
    Ok(())
}

/// Items of a list do not say what they are.
fn with_kind(mut object: Value, kind: &str) -> Value {
    object["kind"] = kind.into();
    object
}

/// How often an Event happened since its last version: the API counts from its beginning.
fn news(book: &Book, event: &Value, count: u32) -> u32 {
    let uid = event.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default().to_owned();
    let before = book.pages().counted.insert(uid, count).unwrap_or(0);
    count.saturating_sub(before)
}

fn notice(event: &Value) -> Notice {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |pointer: &str| event.pointer(pointer).and_then(Value::as_u64);
    let count = number("/series/count").or_else(|| number("/deprecatedCount")).unwrap_or(1);
    Notice {
        kind: text("/type"),
        reason: text("/reason"),
        message: text("/note"),
        about: format!("{}/{}", text("/regarding/kind"), text("/regarding/name")),
        count: u32::try_from(count).unwrap_or(u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::share_a_clock;
    use rstest::rstest;

    #[rstest]
    #[case::nothing_happened(7, 7, 7, true)]
    #[case::something_happened(7, 8, 9, true)]
    #[case::a_store_of_its_own_that_is_younger(700, 8, 700, false)]
    #[case::a_store_of_its_own_that_is_older(7, 800, 9, false)]
    fn one_store_has_one_clock(#[case] before: u64, #[case] between: u64, #[case] after: u64, #[case] one: bool) {
        assert_eq!(share_a_clock(before, between, after), one);
    }
}
