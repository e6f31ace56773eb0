//! From everything that was read to the history of one Job.

use super::{Found, Importer};
use crate::{
    fact::{Entry, Fact},
    history,
    recorded::Sighting,
};
use jiff::Timestamp;
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use std::collections::BTreeSet;

/// A Job by its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub job: String,
}

/// The history of one Job.
#[derive(Debug)]
pub struct Imported {
    /// Which Job.
    pub choice: Choice,
    /// Wall clock at offset zero.
    pub started: Timestamp,
    /// What happened to it and its pods.
    pub entries: Vec<Entry>,
    /// What a reader must know of the way it was recorded.
    pub notes: Vec<String>,
}

/// Why there is no such history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Nothing in it is about a Job.
    #[error("there is no Job in it")]
    NoJob,
    /// Writes are there, their objects are not.
    #[error(
        "there is no Job in it: {0}. Have the API server's audit policy say `level: RequestResponse` for jobs (batch), pods \
         and events; Metadata and Request keep no object as it was stored"
    )]
    NoObjects(String),
    /// There are several.
    #[error("there are several Jobs in it: {}", shown(.0))]
    Several(Vec<Choice>),
    /// There are others.
    #[error("there is no Job {} in it, but: {}", place(.0), shown(.1))]
    Others(Choice, Vec<Choice>),
}

/// Names that are spelled out.
const NAMES: usize = 10;

fn place(choice: &Choice) -> String {
    format!("{}/{}", choice.namespace, choice.job)
}

fn shown(choices: &[Choice]) -> String {
    let names: Vec<String> = choices.iter().take(NAMES).map(place).collect();
    match choices.len().saturating_sub(NAMES) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

impl Importer {
    /// The history of this Job, or of the only one.
    ///
    /// # Errors
    /// When there is none, or none was named and there are several.
    pub fn finish(self, wanted: Option<&Choice>) -> Result<Imported, ImportError> {
        let choice = self.chosen(wanted)?;
        let notes = self.notes();
        let mut found = of_job(self.found, &choice);
        in_time(&mut found);
        let started = found.iter().filter_map(|found| found.at).min().unwrap_or(Timestamp::UNIX_EPOCH);
        let entries = found.into_iter().map(|found| found.entry(started)).collect();
        Ok(Imported { choice, started, entries, notes })
    }

    pub(super) fn chosen(&self, wanted: Option<&Choice>) -> Result<Choice, ImportError> {
        let jobs = self.found.iter().filter_map(|found| {
            let job = found.fact.version::<Job>()?;
            Some(Choice { namespace: found.namespace.clone(), job: job.metadata.name.clone()? })
        });
        let jobs: BTreeSet<Choice> = jobs.collect();
        if let Some(wanted) = wanted.filter(|wanted| jobs.contains(wanted)) {
            return Ok(wanted.clone());
        }
        let mut jobs: Vec<Choice> = jobs.into_iter().collect();
        match (jobs.len(), wanted) {
            (0, _) if self.without_object.is_empty() => Err(ImportError::NoJob),
            (0, _) => Err(ImportError::NoObjects(self.without_object_in_words())),
            (_, Some(wanted)) => Err(ImportError::Others(wanted.clone(), jobs)),
            (1, None) => Ok(jobs.remove(0)),
            (_, None) => Err(ImportError::Several(jobs)),
        }
    }

    fn without_object_in_words(&self) -> String {
        let each = self.without_object.iter().map(|(resource, count)| match count {
            1 => format!("1 write to {resource} without its object"),
            _ => format!("{count} writes to {resource} without their objects"),
        });
        each.collect::<Vec<_>>().join(", ")
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.without_object.is_empty() {
            notes.push(format!("{}: what they changed is not known", self.without_object_in_words()));
        }
        if self.watched > 0 {
            notes.push("times of a recorded watch are those of managedFields: whole seconds".to_owned());
        }
        if self.bare > 0 {
            notes.push("objects without --output-watch-events: that they were removed is guessed".to_owned());
        }
        notes
    }
}

/// What happened to the Job, its pods and what belongs to them.
fn of_job(found: Vec<Found>, choice: &Choice) -> Vec<Found> {
    let mut kept = Kept::default();
    found.into_iter().filter(|found| kept.takes(found, choice)).collect()
}

/// The entries about one Job of a namespace, its pods and what belongs to them.
#[must_use]
pub fn narrowed(entries: Vec<Entry>, choice: &Choice) -> Vec<Entry> {
    let mut kept = Kept::default();
    entries.into_iter().filter(|entry| kept.has(&entry.fact, &[], choice)).collect()
}

/// What belongs to the Job so far.
#[derive(Default)]
struct Kept {
    uids: BTreeSet<String>,
    names: BTreeSet<String>,
}

impl Kept {
    fn takes(&mut self, found: &Found, choice: &Choice) -> bool {
        let is_there = found.namespace == choice.namespace || found.namespace.is_empty();
        is_there && self.has(&found.fact, &found.about, choice)
    }

    fn has(&mut self, fact: &Fact, about: &[String], choice: &Choice) -> bool {
        match fact {
            Fact::Object(sighting) | Fact::ObjectGone(sighting) => self.owns(sighting, choice),
            Fact::Notice(notice) => notice.about == format!("Job/{}", choice.job) || self.names.contains(&notice.about),
            Fact::Answer(_) => {
                let job = format!("Job/{}", choice.job);
                about.iter().any(|it| *it == job || self.uids.contains(it) || self.names.contains(it))
            }
            Fact::Request(_) | Fact::Mark(_) | Fact::Regime(_) | Fact::Gap(_) | Fact::Apart(_) => true,
        }
    }

    fn owns(&mut self, sighting: &Sighting, choice: &Choice) -> bool {
        let metadata = sighting.metadata();
        let is_job = sighting.of::<Job>().is_some() && sighting.name() == choice.job;
        let owners = metadata.owner_references.iter().flatten();
        let belongs = sighting.of::<Job>().is_none()
            && (owners.into_iter().any(|owner| self.uids.contains(&owner.uid))
                || history::controller(metadata).is_none() && self.uids.contains(sighting.uid()));
        if is_job || belongs {
            self.uids.insert(sighting.uid().to_owned());
            let kind = if sighting.of::<Pod>().is_some() { "Pod" } else { sighting.kind() };
            self.names.insert(format!("{kind}/{}", sighting.name()));
        }
        is_job || belongs
    }
}

/// A later revision is not earlier: what has no time, or a time of another clock, gets that of what came before.
fn in_time(found: &mut [Found]) {
    found.sort_by_key(|one| one.revision);
    let mut before = found.iter().find_map(|found| found.at);
    for one in found {
        one.at = one.at.max(before);
        before = one.at;
    }
}
