//! What the subject asked for in a history that can be edited, and when that was.

use super::history::{History, ROOM, is, text};
use jiff::SignedDuration;
use jobsworth_oracle::{Entry, Fact, Request};
use k8s_openapi::api::batch::v1::Job;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

impl History {
    /// Places of the requests of which this is true and with which the case did not interfere.
    pub fn asked(&self, is_one: impl Fn(&Request) -> bool) -> Vec<usize> {
        let is_such = |place: &usize| self.request(*place).is_some_and(|one| one.fault.is_none() && is_one(one));
        (0..self.entries.len()).filter(is_such).collect()
    }

    /// The request at a place, if one is there.
    pub fn request(&self, place: usize) -> Option<&Request> {
        match &self.entries[place].fact {
            Fact::Request(request) => Some(request),
            _ => None,
        }
    }

    /// Places of the writes of the subject to the status of its Jobs that the API server took.
    pub fn status_writes(&self) -> Vec<usize> {
        let jobs: Vec<String> =
            self.jobs().iter().map(|versions| text(self.raw(versions[0]), "/metadata/uid")).collect();
        let is_own = |request: &Request| request.uid.as_ref().is_some_and(|uid| jobs.contains(uid));
        self.asked(|request| {
            request.verb == "update" && request.on == "jobs/status" && request.is_taken() && is_own(request)
        })
    }

    /// The history with this request changed.
    pub fn edit_request(&self, place: usize, change: impl Fn(&mut Request)) -> Self {
        let mut history = self.clone();
        if let Fact::Request(request) = &mut history.entries[place].fact {
            change(Arc::make_mut(request));
        }
        history
    }

    /// The history with the version at each of these places made by the request that made the other.
    pub fn asked_in_other_order(mut self, one: usize, other: usize) -> Self {
        let (one, other) = (self.revision(one), self.revision(other));
        for entry in &mut self.entries {
            if let Fact::Request(request) = &mut entry.fact
                && let Some(made) = request.made
                && (made == one || made == other)
            {
                Arc::make_mut(request).made = Some(if made == one { other } else { one });
            }
        }
        self
    }

    /// The history with further requests right after this place.
    pub fn asking(&self, place: usize, further: impl IntoIterator<Item = Request>) -> Self {
        let mut history = self.clone();
        let revision = self.revision(place);
        let entries = further.into_iter().map(|request| {
            let at = Duration::from_micros(request.sent_us + request.took_us);
            Entry { revision, at, fact: Fact::Request(request.into()) }
        });
        drop(history.entries.splice(place + 1..place + 1, entries));
        history
    }

    /// When the entry at a place arrived.
    pub fn at(&self, place: usize) -> Duration {
        self.entries[place].at
    }

    /// A time since the beginning, as the API writes it.
    pub fn clock(&self, at: Duration) -> String {
        let then = self.setting.started + SignedDuration::try_from(at).expect("a recording lasts minutes");
        then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// The history with the version at a place seen just before what is at the other.
    pub fn moved_before(&self, place: usize, other: usize) -> Self {
        let mut history = self.clone();
        let Entry { revision, at, .. } = self.entries[other];
        history.entries[place].revision = revision - ROOM / 2;
        history.entries[place].at = at;
        history
    }

    /// The history with one pod more, like this one, that is made right after the place.
    pub fn with_birth(&self, place: usize, like: usize) -> Self {
        let mut pod = twin(self.raw(like));
        pod["metadata"]["creationTimestamp"] = self.clock(self.at(place)).into();
        self.inserted(place, pod)
    }

    /// Whether the case did something to the subject, to its requests and watches, or to the control plane.
    pub fn is_disturbed(&self) -> bool {
        let marks = ["subject ", "watches ", "from now on"];
        self.entries.iter().any(|entry| match &entry.fact {
            Fact::Mark(mark) => marks.iter().any(|known| mark.starts_with(known)),
            Fact::Request(request) => request.fault.is_some(),
            Fact::Regime(_) | Fact::Gap(_) => true,
            _ => false,
        })
    }

    /// Whether the control plane changes meanwhile.
    pub fn is_rebuilt(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.fact, Fact::Regime(_)))
    }

    /// Whether the history knows but one Job.
    pub fn has_one_job(&self) -> bool {
        self.jobs().len() == 1 && self.versions(is::<Job>).len() == 1
    }

    /// How many entries there are.
    pub fn length(&self) -> usize {
        self.entries.len()
    }
}

/// When the answer to a request was there, in microseconds since the beginning.
pub fn answered_us(request: &Request) -> u64 {
    request.sent_us + request.took_us
}

/// The same request once more, refused with this status.
pub fn refused(request: &Request, code: u16, sent_us: u64) -> Request {
    Request { sent_us, took_us: 1000, code: Some(code), made: None, says: "no".to_owned(), ..request.clone() }
}

/// Changes the owners of a pod; one that was released has none.
pub fn on_owners(pod: &mut Value, change: impl Fn(&mut Value)) {
    pod["metadata"]["ownerReferences"].as_array_mut().into_iter().flatten().for_each(change);
}

/// A pod like this one, as it would be if it had just been created.
pub fn twin(first: &Value) -> Value {
    let mut pod = first.clone();
    // What it is called tells nobody that it is not one of the others.
    pod["metadata"]["name"] = match text(first, "/metadata/generateName") {
        prefix if prefix.is_empty() => format!("{}-twin", text(first, "/metadata/name")).into(),
        prefix => format!("{prefix}tw2n4").into(),
    };
    pod["metadata"]["uid"] = format!("{}-twin", text(first, "/metadata/uid")).into();
    pod["status"] = json!({"phase": "Pending"});
    pod
}
