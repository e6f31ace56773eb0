//! The hazards of the client library and of an API server in trouble, for watches and reads of any resource.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jobsworth_controller_runtime::client::{Api, CallError};
use jobsworth_controller_runtime::feed::{self, Resource};
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::key::{Key, Uid};
use jobsworth_controller_runtime::liveness::Liveness;
use jobsworth_controller_runtime::store::{Cached, Store};
use jobsworth_controller_runtime::supervise::Supervisor;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use crate::fake::{self, Answer, client, count, status};

/// An object with nothing but metadata.
#[derive(Debug)]
struct Thing {
    key: Key,
    uid: Uid,
    revision: u64,
}

impl Resource for Thing {
    const COLLECTION: &'static str = "/apis/example.com/v1/things";
    const NAME: &'static str = "things";

    fn decode(json: &RawValue) -> Result<Self, String> {
        let object: Value = serde_json::from_str(json.get()).map_err(|error| error.to_string())?;
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
        let key = Key { namespace: text("namespace").into(), name: text("name").into() };
        Ok(Self { key, uid: text("uid").into(), revision: feed::revision(text("resourceVersion")) })
    }
}

impl Cached for Thing {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn uid(&self) -> &Uid {
        &self.uid
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn complaint(&self) -> Option<&str> {
        None
    }
}

fn thing(name: &str, revision: u64) -> Value {
    json!({"metadata": {
        "name": name, "namespace": "ns", "uid": format!("uid-{name}"), "resourceVersion": revision.to_string(),
    }})
}

/// Feeds a store from a scripted server for this long, and returns the names in it.
async fn feed_for(
    time: Duration,
    script: impl FnMut(&fake::Seen) -> Answer + Send + 'static,
) -> (Vec<String>, fake::Log) {
    let (client, log) = client(script);
    let api = Api::new(client, Fence::open());
    let things = Mutex::new(Store::<Thing>::default());
    let heartbeat = Arc::new(Liveness::new(Fence::open())).heartbeat("things-watch");
    let feeding = feed::run::<Thing>(&api, &heartbeat, |change| things.lock().unwrap().apply(change).0);
    assert!(timeout(time, feeding).await.is_err(), "a feed never ends");
    let things = things.into_inner().unwrap();
    let from = Key { namespace: "ns".into(), name: "".into() };
    (things.of_namespace(&from).map(|(key, thing)| format!("{}@{}", key.name, thing.revision)).collect(), log)
}

fn listed(things: &[Value], revision: u64) -> Answer {
    Answer::Json(200, json!({"metadata": {"resourceVersion": revision.to_string()}, "items": things}))
}

fn is_watch(seen: &fake::Seen) -> bool {
    seen.line.contains("watch=true")
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_refused_with_410_leads_to_a_new_list() {
    let mut lists = 0;
    let (names, _) = feed_for(Duration::from_secs(2), move |seen| {
        if is_watch(seen) {
            return if seen.line.contains("resourceVersion=10") { status(410, "Expired") } else { Answer::Mute };
        }
        lists += 1;
        if lists == 1 { listed(&[thing("a", 5)], 10) } else { listed(&[thing("b", 15)], 20) }
    })
    .await;
    assert_eq!(names, ["b@15"]);
}

#[tokio::test(start_paused = true)]
async fn a_410_inside_the_stream_leads_to_a_new_list() {
    let mut lists = 0;
    let (names, _) = feed_for(Duration::from_secs(2), move |seen| {
        if is_watch(seen) {
            let gone = json!({"type": "ERROR", "object": {"kind": "Status", "code": 410}});
            return if lists == 1 { Answer::Frames(vec![gone]) } else { Answer::Mute };
        }
        lists += 1;
        listed(&[thing("a", 5 * lists)], 10 * lists)
    })
    .await;
    assert_eq!(names, ["a@10"]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_swallows_everything_is_noticed_within_65_s() {
    let (mut watches, mut reads) = (0, 0);
    let (names, log) = feed_for(Duration::from_secs(70), move |seen| {
        if !is_watch(seen) {
            reads += 1;
            return listed(&[thing("a", 5)], 9 + reads);
        }
        watches += 1;
        if watches == 1 {
            Answer::Mute
        } else {
            Answer::Frames(vec![json!({"type": "ADDED", "object": thing("b", 11)})])
        }
    })
    .await;
    assert_eq!(names, ["a@5", "b@11"]);
    assert_eq!(count(&log, "GET /apis/example.com/v1/things?limit"), 1, "a cut is no reason to list again");
}

#[tokio::test(start_paused = true)]
async fn an_older_list_does_not_turn_the_cache_back() {
    let mut lists = 0;
    let (names, _) = feed_for(Duration::from_secs(1), move |seen| {
        if is_watch(seen) {
            return status(410, "Expired");
        }
        lists += 1;
        if lists == 1 { listed(&[thing("a", 15)], 20) } else { listed(&[thing("a", 5), thing("b", 6)], 10) }
    })
    .await;
    assert_eq!(names, ["a@15"]);
}

/// After a restored backup a watch from a version that is yet to come is silent.
#[tokio::test(start_paused = true)]
async fn history_that_went_back_is_noticed_although_the_watch_is_silent() {
    let mut lists = 0;
    let (names, _) = feed_for(Duration::from_secs(120), move |seen| {
        if is_watch(seen) {
            return Answer::Mute;
        }
        lists += 1;
        if lists == 1 { listed(&[thing("a", 15)], 20) } else { listed(&[thing("a", 5), thing("b", 6)], 10) }
    })
    .await;
    assert_eq!(names, ["a@5", "b@6"]);
}

#[tokio::test(start_paused = true)]
async fn a_dead_server_is_asked_less_and_less_often() {
    let (_, log) = feed_for(Duration::from_secs(60), |_| status(503, "ServiceUnavailable")).await;
    let asked = log.lock().unwrap().len();
    assert!((10..25).contains(&asked), "asked {asked} times in a minute");
}

#[tokio::test(start_paused = true)]
async fn a_read_without_an_answer_ends_after_its_deadline() {
    let (client, _) = client(|_| Answer::Mute);
    let start = Instant::now();
    let read = Api::new(client, Fence::open()).get::<Value>("/apis/example.com/v1/namespaces/ns/things/a").await;
    assert!(matches!(read, Err(CallError::Unknown { .. })), "{read:?}");
    assert!(start.elapsed() <= Duration::from_secs(11), "{:?}", start.elapsed());
}

/// Its front door answers in plain text; who is behind it is quoted as an object.
#[tokio::test(start_paused = true)]
async fn an_overload_is_told_from_a_refusal_by_its_plain_text() {
    for (answer, overload) in [(Answer::Text(429, "too many requests", Some("3")), true), (status(429, "Quota"), false)]
    {
        let mut answer = Some(answer);
        let (client, _) = client(move |_| answer.take().unwrap());
        let error = Api::new(client, Fence::open()).get::<Value>("/apis/example.com/v1/things").await.unwrap_err();
        assert_eq!((error.code(), error.is_overload()), (Some(429), overload));
        assert_eq!(error.retry_after(), overload.then_some(Duration::from_secs(3)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_panics_is_an_exit_of_its_part() {
    let (client, _) = client(|_| Answer::Panic("the list died"));
    let api = Api::new(client, Fence::open());
    let liveness = Arc::new(Liveness::new(Fence::open()));
    let heartbeat = liveness.heartbeat("things-watch");
    let mut background = Supervisor::new(&liveness);
    background.spawn("things-watch", async move { feed::run::<Thing>(&api, &heartbeat, |_| feed::Taken::Yes).await });
    assert_eq!(background.first_exit().await.to_string(), "the part `things-watch` panicked: the list died");
}
