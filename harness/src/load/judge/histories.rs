//! Histories of Jobs with their pods: opened, grown, judged, forgotten.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use jobsworth_oracle::judge::{Expectations, Sentence, judge};
use jobsworth_oracle::{Ending, Setting, Timeline};

use super::version::{Nth, Version, identity};
use super::{Broken, Judged, Kind, SeenVersion};
use crate::load::sightings::Presence;

/// Two watches bring a Job and its pods: for so long after the last of them is gone something may still come.
const LINGER: Duration = Duration::from_secs(3);
/// A history of more versions is given up: the invariants compare each with many.
const MOST_VERSIONS: usize = 200_000;

/// Every history that is open, and what came of those that are not.
#[derive(Debug)]
pub struct Histories {
    setting: Setting,
    open: HashMap<String, Open>,
    /// The Job of each pod of an open history.
    homes: HashMap<String, String>,
    /// Jobs that are gone with all their pods, and since when.
    leaving: VecDeque<(Duration, String)>,
    bytes: usize,
    judged: Judged,
}

#[derive(Debug, Default)]
struct Open {
    versions: Vec<Version>,
    bytes: usize,
    is_gone: bool,
    pods_there: HashSet<String>,
    pods_seen: HashSet<String>,
    /// It grew too large, and what comes is not kept.
    given_up: bool,
}

impl Open {
    fn has_left(&self) -> bool {
        self.is_gone && self.pods_there.is_empty()
    }
}

impl Histories {
    /// None yet.
    #[must_use]
    pub fn new(setting: Setting) -> Self {
        Self {
            setting,
            open: HashMap::new(),
            homes: HashMap::new(),
            leaving: VecDeque::new(),
            bytes: 0,
            judged: Judged::default(),
        }
    }

    /// Takes a version into its history, and judges those that have ended meanwhile. Pods of nobody belong to none.
    pub fn enter(&mut self, seen: &SeenVersion) {
        self.close_up_to(seen.at);
        let Some(who) = identity(seen) else { return };
        let home = match seen.kind {
            Kind::Job => who.uid.clone(),
            Kind::Pod => match self.homes.get(&who.uid).cloned().or(who.controller) {
                Some(home) => home,
                None => return,
            },
        };
        let open = self.open.entry(home.clone()).or_default();
        let mut nth = Nth::Later;
        match (seen.kind, seen.presence) {
            (Kind::Job, Presence::There) => {}
            (Kind::Job, Presence::Gone) => open.is_gone = true,
            (Kind::Pod, presence) => {
                if open.pods_seen.insert(who.uid.clone()) {
                    nth = Nth::First;
                    self.homes.insert(who.uid.clone(), home.clone());
                }
                match presence {
                    Presence::There => drop(open.pods_there.insert(who.uid)),
                    Presence::Gone => drop(open.pods_there.remove(&who.uid)),
                }
            }
        }
        if let Some(version) = Version::of(seen, nth).filter(|_| !open.given_up) {
            let bytes = version.bytes();
            open.bytes += bytes;
            self.bytes += bytes;
            open.versions.push(version);
        }
        if open.versions.len() > MOST_VERSIONS {
            self.bytes -= open.bytes;
            (open.given_up, open.bytes, open.versions) = (true, 0, Vec::new());
        }
        if open.has_left() {
            self.leaving.push_back((seen.at, home));
        }
        self.judged.most_bytes = self.judged.most_bytes.max(self.bytes as u64);
    }

    /// How many histories are open.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Judges what is still open; `ending` says what may be concluded from not having seen something.
    #[must_use]
    pub fn conclude(mut self, ending: &Ending) -> Judged {
        let open: Vec<String> = self.open.keys().cloned().collect();
        for job in open {
            self.close(&job, ending);
        }
        self.judged.broken.sort_by(|one, other| one.place().cmp(&other.place()));
        self.judged
    }

    fn close_up_to(&mut self, now: Duration) {
        while self.leaving.front().is_some_and(|(since, _)| *since + LINGER <= now) {
            let Some((_, job)) = self.leaving.pop_front() else { return };
            if self.open.get(&job).is_some_and(Open::has_left) {
                self.close(&job, &Ending::Complete);
            }
        }
    }

    fn close(&mut self, job: &str, ending: &Ending) {
        let Some(open) = self.open.remove(job) else { return };
        for pod in &open.pods_seen {
            self.homes.remove(pod);
        }
        self.bytes -= open.bytes;
        if open.given_up {
            self.judged.given_up += 1;
            return;
        }
        let entries = open.versions.iter().filter_map(Version::entry).collect();
        let timeline = Timeline::seal(self.setting.clone(), entries, ending.clone());
        let judgement = judge(&timeline, &Expectations::new());
        let broken: Vec<Broken> = judgement.broken().filter_map(broken).collect();
        self.judged.jobs += 1;
        self.judged.versions += open.versions.len() as u64;
        self.judged.broken_jobs += u64::from(!broken.is_empty());
        broken.into_iter().for_each(|one| self.tell(one));
    }

    /// Histories end in another order than they are broken in, and those that are open at the end in none: the earliest breach counts.
    fn tell(&mut self, broken: Broken) {
        match self.judged.broken.iter_mut().find(|known| known.invariant == broken.invariant) {
            None => self.judged.broken.push(broken),
            Some(known) if broken.place() < known.place() => *known = broken,
            Some(_) => {}
        }
    }
}

fn broken(sentence: &Sentence) -> Option<Broken> {
    let breach = sentence.breach()?;
    Some(Broken {
        invariant: sentence.source.as_str().to_owned(),
        says: sentence.says.clone(),
        expected: breach.expected.clone(),
        observed: breach.observed.clone(),
        revision: breach.revision,
        at_ms: u64::try_from(breach.at.as_millis()).unwrap_or(u64::MAX),
    })
}
