//! Histories that somebody else recorded: an audit log, or what a watch printed.
//!
//! Each value of such a file is an event of the API server's audit log (`audit.k8s.io/v1`), an event of a watch
//! (`kubectl get --watch --output json --output-watch-events`), an object, or a list of these. What is not there is said:
//! a write without its object is a gap, and a recording of a watch has times of whole seconds.

mod audit;
mod choice;
mod times;

pub use choice::{Choice, ImportError, Imported, narrowed};

use crate::{
    fact::{Answer, Entry, Fact, Notice},
    recorded::{Kind, Sighting},
};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;

/// Reads values one after the other.
#[derive(Debug, Default)]
pub struct Importer {
    found: Vec<Found>,
    /// Last version of each object, by UID.
    last: BTreeMap<String, Last>,
    /// Where an object is: the UID behind kind, namespace and name.
    named: BTreeMap<(String, String, String), String>,
    /// Writes without their object, by resource.
    without_object: BTreeMap<String, u32>,
    /// Objects that came without a word on whether they are there or gone.
    bare: u32,
    /// Values of a watch, whose times are those of the objects.
    watched: u32,
    revision: u64,
}

/// One entry, and where it belongs.
#[derive(Clone, Debug)]
struct Found {
    revision: u64,
    at: Option<Timestamp>,
    namespace: String,
    /// For answers: UIDs and name of what was asked for.
    about: Vec<String>,
    fact: Fact,
}

#[derive(Clone, Debug)]
struct Last {
    revision: u64,
    raw: Value,
    is_gone: bool,
}

/// What a value says of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    There,
    Gone,
    /// It is there, unless its last version says that nothing holds it any more.
    Unsaid,
}

impl Importer {
    /// Reads one value.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn take(&mut self, value: Value) -> Result<(), String> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (kind, version) = (text("kind"), text("apiVersion"));
        let is_audit = version.starts_with("audit.k8s.io/");
        if let Some(items) = value.get("items").and_then(Value::as_array).filter(|_| kind.ends_with("List")) {
            // Items of a list do not say what they are.
            let item_kind = kind.trim_end_matches("List").to_owned();
            return items.iter().try_for_each(|item| self.take(told(item, &item_kind, &version)));
        }
        match (is_audit, value.get("type").and_then(Value::as_str), value.get("object")) {
            (true, ..) => self.audited(&value),
            (false, Some(word), Some(object)) => self.watch_event(word, object),
            (false, ..) if value.pointer("/metadata/uid").is_some() => {
                self.bare += 1;
                self.watched += 1;
                self.object(&value, State::Unsaid, times::of_object(&value))
            }
            _ => Err("it is neither an audit event, nor an event of a watch, nor an object".to_owned()),
        }
    }

    fn watch_event(&mut self, word: &str, object: &Value) -> Result<(), String> {
        let state = match word {
            "ADDED" | "MODIFIED" => State::There,
            "DELETED" => State::Gone,
            "BOOKMARK" => return Ok(()),
            "ERROR" => {
                self.lose("the watch", times::of_object(object), String::new());
                return Ok(());
            }
            other => return Err(format!("a watch has no event of the type {other}")),
        };
        self.watched += 1;
        self.object(object, state, times::of_object(object))
    }

    /// One version of an object, or one Event; other kinds are passed over.
    fn object(&mut self, object: &Value, state: State, at: Option<Timestamp>) -> Result<(), String> {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let namespace = text("/metadata/namespace");
        let revision = text("/metadata/resourceVersion").parse().unwrap_or(self.revision);
        let is_event = text("/kind") == "Event";
        if !is_event && Kind::told_by(object).is_none() {
            return Ok(());
        }
        let uid = text("/metadata/uid");
        let known = self.last.get(&uid);
        if known.is_some_and(|last| last.is_gone || (last.revision >= revision && state != State::Gone)) {
            return Ok(());
        }
        self.revision = self.revision.max(revision);
        if is_event {
            let before = known.map(|last| Notice::of(&last.raw).count).unwrap_or(0);
            self.last.insert(uid, Last { revision, raw: object.clone(), is_gone: false });
            let mut notice = Notice::of(object);
            notice.count = notice.count.saturating_sub(before);
            if state != State::Gone && notice.count > 0 {
                self.found.push(Found { revision, at, namespace, about: Vec::new(), fact: Fact::Notice(notice) });
            }
            return Ok(());
        }
        let sighting = Sighting::of_any_kind(object.clone()).map_err(|error| error.to_string())?;
        let is_gone = match state {
            State::There => false,
            State::Gone => true,
            State::Unsaid => is_let_go(object),
        };
        let place = (text("/kind"), namespace.clone(), text("/metadata/name"));
        self.named.insert(place, uid.clone());
        self.last.insert(uid, Last { revision, raw: object.clone(), is_gone });
        let fact = if is_gone { Fact::ObjectGone(sighting) } else { Fact::Object(sighting) };
        self.found.push(Found { revision, at, namespace, about: Vec::new(), fact });
        Ok(())
    }

    /// An object is gone of which only the name is known; its last version says what it was.
    fn gone(&mut self, place: &(String, String, String), at: Option<Timestamp>) {
        let Some(last) = self.named.get(place).and_then(|uid| self.last.get(uid)).filter(|last| !last.is_gone) else {
            return;
        };
        let mut raw = last.raw.clone();
        // When it went is not told; it was after everything that was told before.
        raw["metadata"]["resourceVersion"] = self.revision.to_string().into();
        // It has been seen before, so it has the shape of its kind.
        let _ = self.object(&raw, State::Gone, at);
    }

    fn lose(&mut self, resource: &str, at: Option<Timestamp>, namespace: String) {
        let (revision, fact) = (self.revision, Fact::Gap(resource.to_owned()));
        self.found.push(Found { revision, at, namespace, about: Vec::new(), fact });
    }

    fn refused(&mut self, answer: Answer, about: Vec<String>, at: Option<Timestamp>, namespace: String) {
        self.found.push(Found { revision: self.revision, at, namespace, about, fact: Fact::Answer(answer) });
    }
}

impl Found {
    fn entry(self, started: Timestamp) -> Entry {
        let passed = self.at.map(|at| at.duration_since(started)).unwrap_or_default();
        Entry { revision: self.revision, at: passed.try_into().unwrap_or_default(), fact: self.fact }
    }
}

/// An item of a list, with what the list says that it is.
fn told(item: &Value, kind: &str, version: &str) -> Value {
    let mut item = item.clone();
    if let Some(object) = item.as_object_mut() {
        if !kind.is_empty() {
            object.entry("kind").or_insert_with(|| kind.into());
        }
        object.entry("apiVersion").or_insert_with(|| version.into());
    }
    item
}

/// Whether the API server removes an object of this version: it was deleted, no grace is left and nothing holds it.
fn is_let_go(object: &Value) -> bool {
    let metadata = |key: &str| object.pointer("/metadata").and_then(|metadata| metadata.get(key));
    let is_held = metadata("finalizers").and_then(Value::as_array).is_some_and(|finalizers| !finalizers.is_empty());
    let grace = metadata("deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or(0);
    metadata("deletionTimestamp").is_some() && grace == 0 && !is_held
}

#[cfg(test)]
mod tests;
