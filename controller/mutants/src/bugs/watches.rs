//! *Watches*: something that happened while a watch was cut, or whose history is gone, is not learned, or late (SYN-001).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jobsworth_api::Resource;
use jobsworth_core::{Decision, Requeue, Uid};
use serde_json::Value;
use tokio::time::Instant;

use crate::call::{Answer, Call};
use crate::decorator::{Fate, Line, Next};
use crate::first::{FirstDecisions, do_nothing};
use crate::{Decorator, Notes, Observed};

/// How long a server is left alone that could not go on with a watch.
const LEFT_ALONE: Duration = Duration::from_secs(20);
/// A watch that lasted so long was not cut: it is the API server that ends it after a minute.
const IN_ORDER: Duration = Duration::from_secs(59);

fn uid(object: &Value) -> String {
    object["metadata"]["uid"].as_str().unwrap_or_default().to_owned()
}

fn version(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Whether a line of a watch tells of an object, not only of how far history has come.
fn is_news(frame: &Value) -> bool {
    ["ADDED", "MODIFIED", "DELETED"].iter().any(|kind| frame["type"] == *kind)
}

/// A watch that cannot go on is taken for a server that has too much to do: the list that follows is put off, as listing costs it most.
#[derive(Debug, Default)]
pub struct ListsAfterTheFirst {
    listed: Notes<BTreeSet<String>>,
}

impl Decorator for ListsAfterTheFirst {
    fn ask(&self, call: &mut Call) -> Fate {
        match call.begins_a_list() && self.listed.open().contains(&call.path) {
            true => Fate::Late(LEFT_ALONE),
            false => Fate::Send,
        }
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        if call.begins_a_list() && answer.code == 200 {
            self.listed.open().insert(call.path.clone());
        }
        Next::Take
    }
}

/// A new list is merged into what is known: pods that changed or are new are taken over, those that it does not have stay (SYN-007).
#[derive(Debug, Default)]
pub struct PodsThatWentUnseen {
    known: Notes<Option<BTreeMap<String, Value>>>,
}

impl Decorator for PodsThatWentUnseen {
    fn shows(&self) -> bool {
        true
    }

    fn line(&self, call: &Call, frame: &mut Value) -> Line {
        if call.reads_all(&Resource::PODS) && is_news(frame) {
            let (mut known, pod) = (self.known.open(), &frame["object"]);
            let known = known.get_or_insert_default();
            if frame["type"] == "DELETED" {
                known.remove(&uid(pod));
            } else {
                known.insert(uid(pod), pod.clone());
            }
        }
        Line::Pass
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        if !call.reads_all(&Resource::PODS) || !call.begins_a_list() || answer.code != 200 {
            return Next::Take;
        }
        let mut list = answer.json();
        let Some(pods) = list["items"].as_array_mut() else { return Next::Take };
        let mut known = self.known.open();
        let mut merged = known.take().unwrap_or_default();
        merged.extend(pods.iter().map(|pod| (uid(pod), pod.clone())));
        *pods = merged.values().cloned().collect();
        *known = Some(merged);
        answer.body = list.to_string().into();
        Next::Take
    }
}

/// A watch that was cut begins again with what came last before the cut, or so it is believed: the first thing that it says is known
/// already, and is only taken for how far history has come.
#[derive(Debug, Default)]
pub struct FirstNewsAfterACut {
    watches: Notes<BTreeMap<String, Watch>>,
}

/// How the watch of one resource goes.
#[derive(Debug, Default)]
struct Watch {
    /// Since when, if there was one since the last list.
    since: Option<Instant>,
    /// Whether what it says next is taken for known.
    repeats: bool,
}

impl Decorator for FirstNewsAfterACut {
    fn ask(&self, call: &mut Call) -> Fate {
        if call.is_watch() {
            let mut watches = self.watches.open();
            let watch = watches.entry(call.path.clone()).or_default();
            watch.repeats |= watch.since.is_some_and(|since| since.elapsed() < IN_ORDER);
            watch.since = Some(Instant::now());
        }
        Fate::Send
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        if call.begins_a_list() && answer.code == 200 {
            self.watches.open().insert(call.path.clone(), Watch::default());
        }
        Next::Take
    }

    fn shows(&self) -> bool {
        true
    }

    fn line(&self, call: &Call, frame: &mut Value) -> Line {
        if is_news(frame)
            && let Some(watch) = self.watches.open().get_mut(&call.path)
            && std::mem::take(&mut watch.repeats)
        {
            frame["type"] = "BOOKMARK".into();
        }
        Line::Pass
    }
}

/// A new list fills the cache, as the first one did, and wakes nobody: whoever started looked at all Jobs anyway (SYN-003). The next
/// event of a Job, or the time of a look that was put off, finds all of it.
#[derive(Debug, Default)]
pub struct WhatIsListedAgain {
    first: FirstDecisions,
    told: Notes<Told>,
    /// The versions of a Job and of its pods when it was last looked at, by Job.
    looks: Notes<BTreeMap<Uid, BTreeMap<Uid, u64>>>,
}

/// What lists and watches have told.
#[derive(Debug, Default)]
struct Told {
    /// What was listed once.
    listed: BTreeSet<String>,
    versions: BTreeMap<String, u64>,
    /// Versions that only a later list has told.
    silent: BTreeMap<String, u64>,
    /// Objects that a watch has seen go.
    gone: BTreeSet<String>,
}

impl WhatIsListedAgain {
    /// Whether something changed since the last look, and nobody was woken by any of it.
    fn is_silent(&self, before: &BTreeMap<Uid, u64>, now: &BTreeMap<Uid, u64>) -> bool {
        let told = self.told.open();
        let mut changed = now.iter().filter(|(uid, version)| before.get(*uid) != Some(version)).peekable();
        let mut missing = before.keys().filter(|uid| !now.contains_key(*uid)).peekable();
        let differs = changed.peek().is_some() || missing.peek().is_some();
        differs
            && changed.all(|(uid, version)| told.silent.get(&**uid) == Some(version))
            && missing.all(|uid| !told.gone.contains(&**uid))
    }
}

impl Decorator for WhatIsListedAgain {
    fn shows(&self) -> bool {
        true
    }

    fn line(&self, _: &Call, frame: &mut Value) -> Line {
        if is_news(frame) {
            let (mut told, object) = (self.told.open(), &frame["object"]);
            told.silent.remove(&uid(object));
            told.versions.insert(uid(object), version(object));
            if frame["type"] == "DELETED" {
                told.gone.insert(uid(object));
            }
        }
        Line::Pass
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        if call.begins_a_list() && answer.code == 200 {
            let (mut told, list) = (self.told.open(), answer.json());
            let is_first = told.listed.insert(call.path.clone());
            for object in list["items"].as_array().into_iter().flatten() {
                let old = told.versions.insert(uid(object), version(object));
                if !is_first && old != Some(version(object)) {
                    told.silent.insert(uid(object), version(object));
                }
            }
        }
        Next::Take
    }

    fn see(&self, observed: &mut Observed) {
        self.first.await_one(observed);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        if !self.first.is_one(observed) {
            return;
        }
        let job = (observed.job.uid.clone(), observed.job.revision);
        let pods = observed.pods.iter().map(|pod| (pod.uid.clone(), pod.revision));
        let now: BTreeMap<Uid, u64> = std::iter::once(job).chain(pods).collect();
        let before = self.looks.open().insert(observed.job.uid.clone(), now.clone());
        // A Job with a deadline has a timer that looks at it.
        let is_left_alone = observed.job.spec.deadline_s.is_none();
        if is_left_alone && before.is_some_and(|before| self.is_silent(&before, &now)) {
            let requeue = match decision.requeue {
                Requeue::After(delay) if !delay.is_zero() => Requeue::After(delay),
                _ => Requeue::No,
            };
            do_nothing(decision, requeue);
        }
    }
}
