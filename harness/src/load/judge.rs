//! Correctness while the load flows: every Job's history is judged by all invariants, as a case's is, and then forgotten.
//!
//! A thread of its own takes what the [`observer`](super::observer) hears, so nobody's clock waits for a verdict. A history is open for as
//! long as its Job or a pod of it is there, and is closed a little after that; what is still open at the end is judged then. So memory is
//! bounded by what there is at the same time, not by how long the load goes on, as long as judging keeps up: what waits for it meanwhile
//! comes besides.

mod histories;
mod version;

use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jobsworth_oracle::{Ending, Setting};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use histories::Histories;

use super::Trouble;
use super::sightings::Presence;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A Job.
    Job,
    /// A pod.
    Pod,
}

/// A version of an object, as it arrived.
#[derive(Debug)]
pub struct SeenVersion {
    /// When, since the beginning of the trial.
    pub at: Duration,
    /// What.
    pub kind: Kind,
    /// Whether it is still there.
    pub presence: Presence,
    /// Its JSON.
    pub object: Box<RawValue>,
}

/// What became of the histories of a trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Judged {
    /// How many Jobs were judged by every invariant.
    pub jobs: u64,
    /// How many versions of Jobs and pods that were.
    pub versions: u64,
    /// The most bytes that open histories held at the same time.
    pub most_bytes: u64,
    /// Jobs whose history grew so large that it was given up: of these nothing is said.
    pub given_up: u64,
    /// Jobs in which an invariant was broken.
    pub broken_jobs: u64,
    /// The first breach of each invariant that was broken, the earliest first.
    pub broken: Vec<Broken>,
}

/// How an invariant was broken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Broken {
    /// Its number, for example `S17`.
    pub invariant: String,
    /// The invariant as a sentence.
    pub says: String,
    /// What it asks for.
    pub expected: String,
    /// What was seen instead.
    pub observed: String,
    /// The `resourceVersion` of what breaks it.
    pub revision: u64,
    /// When that arrived, in milliseconds since the beginning of the trial.
    pub at_ms: u64,
}

impl Broken {
    /// Where it stands among others: by its version, and by its invariant where one version breaks several.
    fn place(&self) -> (u64, &str) {
        (self.revision, &self.invariant)
    }
}

impl Judged {
    /// What is wrong, in a line, if something is.
    #[must_use]
    pub fn complaint(&self) -> Option<String> {
        let Broken { invariant, says, expected, observed, .. } = self.broken.first()?;
        let more = match self.broken.len() {
            1 => String::new(),
            2 => ", and one more invariant".to_owned(),
            several => format!(", and {} more invariants", several - 1),
        };
        let jobs = self.broken_jobs;
        Some(format!(
            "{invariant} “{says}” is broken: expected {expected}, observed {observed} ({jobs} of {} Jobs{more})",
            self.jobs
        ))
    }

    /// Why nothing can be said of some Jobs, if that is so.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        let given_up = self.given_up;
        (given_up > 0).then(|| format!("the histories of {given_up} Jobs grew too large to judge"))
    }
}

/// Judges a trial beside it.
#[derive(Debug)]
pub struct Judge {
    hears: mpsc::Sender<Heard>,
    thread: JoinHandle<Histories>,
}

#[derive(Debug)]
enum Heard {
    SeenVersion(SeenVersion),
    End,
}

/// Where versions go to be judged.
#[derive(Clone, Debug)]
pub struct JudgeInput(mpsc::Sender<Heard>);

impl JudgeInput {
    /// Takes one down. Who judges may have stopped; what comes then belongs to no trial any more.
    pub fn send(&self, seen: SeenVersion) {
        let _ = self.0.send(Heard::SeenVersion(seen));
    }
}

impl Judge {
    /// Starts to listen; `setting` says by which rules is judged.
    ///
    /// # Errors
    /// When there is no thread for it.
    pub fn start(setting: Setting) -> Result<Self, Trouble> {
        let (hears, heard) = mpsc::channel();
        let listen = move || {
            let mut histories = Histories::new(setting);
            while let Ok(Heard::SeenVersion(seen)) = heard.recv() {
                histories.enter(&seen);
            }
            histories
        };
        let thread = thread::Builder::new().name("judge".to_owned()).spawn(listen);
        let thread = thread.map_err(|error| Trouble::of("start the judge", &error))?;
        Ok(Self { hears, thread })
    }

    /// Where versions go.
    #[must_use]
    pub fn input(&self) -> JudgeInput {
        JudgeInput(self.hears.clone())
    }

    /// Hears no more, and judges what is still open; takes as long as that takes. `ending` says what may be concluded from not having seen
    /// something.
    ///
    /// # Errors
    /// When the thread broke down.
    pub fn conclude(self, ending: &Ending) -> Result<Judged, Trouble> {
        let Self { hears, thread } = self;
        // Where nobody listens any more the thread says why.
        let _ = hears.send(Heard::End);
        let histories = thread.join().map_err(|_| Trouble::new("the judge broke down"))?;
        Ok(histories.conclude(ending))
    }
}

#[cfg(test)]
mod tests;
