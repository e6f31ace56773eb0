//! A recorded history that can be edited: each edit gives a new one.

use jobsworth_api::Resource;
use jobsworth_oracle::{Ending, Entry, Fact, Recorded, Seen, Setting, Sighting, Timeline, recorded::volcano};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// Between two revisions there is room for nine more.
pub const ROOM: u64 = 10;

/// The entries of a timeline, by place.
#[derive(Clone)]
pub struct History {
    pub(super) setting: Setting,
    pub(super) entries: Vec<Entry>,
    ending: Ending,
}

impl History {
    pub fn of(timeline: &Timeline) -> Self {
        let spread = |entry: &Entry| {
            let mut entry = Entry { revision: entry.revision * ROOM, ..entry.clone() };
            if let Fact::Request(request) = &mut entry.fact {
                let request = Arc::make_mut(request);
                request.from = request.from.map(|from| from * ROOM);
                request.made = request.made.map(|made| made * ROOM);
            }
            entry
        };
        let entries = timeline.entries().iter().map(spread).collect();
        Self { setting: timeline.setting.clone(), entries, ending: timeline.ending.clone() }
    }

    pub fn timeline(self) -> Timeline {
        Timeline::seal(self.setting, self.entries, self.ending)
    }

    /// The object of an entry, as JSON.
    pub fn raw(&self, place: usize) -> &Value {
        let fact = &self.entries[place].fact;
        let known = fact.sighting().filter(|_| is::<Job>(fact) || is::<Pod>(fact) || is::<volcano::Job>(fact));
        known.map_or(&Value::Null, |sighting| sighting.raw())
    }

    pub fn revision(&self, place: usize) -> u64 {
        self.entries[place].revision
    }

    /// Whether a gate is on.
    pub fn has(&self, gate: &str) -> bool {
        self.setting.gate(gate)
    }

    /// Whether the pod has the same controller in all of these versions.
    pub fn is_kept(&self, pod: &[usize]) -> bool {
        pod.iter().all(|place| owner(self.raw(*place)) == owner(self.raw(pod[0])))
    }

    /// Whether the subject was handled by the script, or began anew as the control plane changed: then duplicates are forgiven.
    pub fn is_upset(&self) -> bool {
        self.entries.iter().any(|entry| match &entry.fact {
            Fact::Mark(mark) => mark.starts_with("subject "),
            Fact::Regime(_) => true,
            _ => false,
        })
    }

    /// Places of the versions of each Job that the subject reconciles and the script has left alone.
    pub fn jobs(&self) -> Vec<Vec<usize>> {
        if !self.setting.is_about(&Resource::JOBS) {
            return Vec::new();
        }
        let is_own = |versions: &Vec<usize>| {
            versions.iter().all(|place| !is_foreign(self.raw(*place)) && !is_tampered(self.raw(*place)))
        };
        self.versions(is::<Job>).into_iter().filter(is_own).collect()
    }

    /// Places of the versions of each pod that was created for such a Job, and not by the script.
    pub fn pods(&self) -> Vec<Vec<usize>> {
        let is_made = |pod: &Vec<usize>| !is_scripted(self.raw(pod[0]));
        self.all_pods().into_iter().filter(is_made).collect()
    }

    /// Places of the versions of each pod that was created for such a Job.
    pub fn all_pods(&self) -> Vec<Vec<usize>> {
        let uid = |versions: &Vec<usize>| text(self.raw(versions[0]), "/metadata/uid");
        let jobs: Vec<String> = self.jobs().iter().map(uid).collect();
        let all = self.versions(is::<Pod>);
        all.into_iter().filter(|versions| jobs.contains(&owner(self.raw(versions[0])))).collect()
    }

    /// The last version of a pod's Job that is older than the place.
    pub fn job_of(&self, place: usize) -> Option<usize> {
        let owner = owner(self.raw(place));
        let jobs = self.jobs();
        let versions = jobs.iter().find(|versions| text(self.raw(versions[0]), "/metadata/uid") == owner)?;
        versions.iter().copied().rfind(|version| self.revision(*version) < self.revision(place))
    }

    /// Whether the last of these versions is the object's removal.
    pub fn is_gone(&self, versions: &[usize]) -> bool {
        let last = versions.last().map(|place| &self.entries[*place].fact);
        matches!(last, Some(Fact::ObjectGone(_)))
    }

    /// Places of the versions of each object of this kind.
    pub fn versions(&self, is_kind: impl Fn(&Fact) -> bool) -> Vec<Vec<usize>> {
        let mut by_uid: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, _) in self.entries.iter().enumerate().filter(|(_, entry)| is_kind(&entry.fact)) {
            by_uid.entry(self.raw(place)["metadata"]["uid"].as_str().unwrap_or("")).or_default().push(place);
        }
        let mut all: Vec<Vec<usize>> = by_uid.into_values().collect();
        all.sort();
        all
    }

    /// The history with this version changed.
    pub fn edit(&self, place: usize, change: impl Fn(&mut Value)) -> Self {
        self.edit_all(&[place], change)
    }

    /// The history with these versions changed.
    pub fn edit_all(&self, places: &[usize], change: impl Fn(&mut Value)) -> Self {
        let mut history = self.clone();
        for place in places {
            let mut raw = self.raw(*place).clone();
            change(&mut raw);
            history.replace(*place, raw);
        }
        history
    }

    /// The history with the contents of two versions exchanged.
    pub fn swapped(&self, one: usize, other: usize) -> Self {
        let mut history = self.clone();
        history.replace(one, self.raw(other).clone());
        history.replace(other, self.raw(one).clone());
        history
    }

    /// The history without this version.
    pub fn without(&self, place: usize) -> Self {
        let mut history = self.clone();
        history.entries.remove(place);
        history
    }

    /// The history with a further version right after this one.
    pub fn inserted(&self, place: usize, object: Value) -> Self {
        let mut history = self.clone();
        let Entry { revision, at, .. } = history.entries[place];
        let old = history.entries[place].fact.sighting().expect("it is a version of an object");
        let is_pod = object["spec"].get("containers").is_some();
        let fact = match is_pod {
            true => Fact::there::<Pod>(Seen::new(object).expect("it was a pod before")),
            false => Fact::Object(like(old, object)),
        };
        history.entries.push(Entry { revision: revision + ROOM / 2, at, fact });
        history
    }

    pub(super) fn replace(&mut self, place: usize, raw: Value) {
        let fact = match &self.entries[place].fact {
            Fact::Object(old) => Fact::Object(like(old, raw)),
            Fact::ObjectGone(old) => Fact::ObjectGone(like(old, raw)),
            other => other.clone(),
        };
        self.entries[place].fact = fact;
    }
}

pub fn is<K: Recorded>(fact: &Fact) -> bool {
    fact.version::<K>().is_some()
}

/// Another version of the same object.
fn like(old: &Sighting, raw: Value) -> Sighting {
    match () {
        () if old.of::<Job>().is_some() => Seen::<Job>::new(raw).expect("it was a Job before").into(),
        () if old.of::<Pod>().is_some() => Seen::<Pod>::new(raw).expect("it was a pod before").into(),
        () => Sighting::of_any_kind(raw).expect("it was of this kind before"),
    }
}

/// The UID of a pod's controller; empty without one.
pub fn owner(pod: &Value) -> String {
    let mut references = pod["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    let controller = references.find(|reference| reference["controller"] == true);
    controller.map(|controller| text(controller, "/uid")).unwrap_or_default()
}

fn is_foreign(job: &Value) -> bool {
    job["spec"].get("managedBy").is_some()
}

fn is_scripted(pod: &Value) -> bool {
    let mut entries = pod["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.any(|entry| entry["manager"] == "jobsworth-script")
}

fn is_tampered(job: &Value) -> bool {
    let mut entries = job["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.any(|entry| entry["manager"] == "jobsworth-script" && entry["subresource"] == "status")
}

pub fn text(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned()
}

pub fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

/// The condition of this type, if it is True.
pub fn held<'a>(job: &'a Value, kind: &str) -> Option<&'a Value> {
    job["status"]["conditions"]
        .as_array()?
        .iter()
        .find(|condition| condition["type"] == kind && condition["status"] == "True")
}

/// Changes the conditions of this type.
pub fn on_condition(job: &mut Value, kind: &str, change: impl Fn(&mut Value)) {
    let conditions = job["status"]["conditions"].as_array_mut().into_iter().flatten();
    conditions.filter(|condition| condition["type"] == kind).for_each(change);
}

pub fn is_finished(job: &Value) -> bool {
    held(job, "Complete").or_else(|| held(job, "Failed")).is_some()
}

/// UIDs of both lists of the ledger.
pub fn ledger(job: &Value) -> Vec<String> {
    let list = |key: &str| job["status"]["uncountedTerminatedPods"][key].as_array().cloned().unwrap_or_default();
    list("succeeded").iter().chain(&list("failed")).filter_map(|uid| uid.as_str().map(str::to_owned)).collect()
}

pub fn is_terminal(pod: &Value) -> bool {
    matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"))
}
