//! From a timeline to lanes.

use crate::{
    diff,
    lane::{Change, Lane, LaneKind, Sign, Tone},
    lanes_of_job::JobLanes,
    lanes_of_pod, plain,
    step::Step,
    writer,
};
use jobsworth_oracle::{
    Ending, Entry, Fact, Phase, Sighting, Timeline,
    fact::{Answer, Notice},
    narrate,
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// Longest text of a mark, an event or an answer, in characters.
const LONGEST: usize = 300;
/// Longest name of a lane, in characters.
const LONGEST_NAME: usize = 80;

/// A recorded history as lanes. Change `n` is entry `n` of those of the timeline that people are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swimlane {
    /// Id of the case.
    pub case: String,
    /// When the last entry arrived, or the script gave up waiting after it, in microseconds since the recording's start.
    pub end: u64,
    /// The lanes, in the order in which they are drawn.
    pub lanes: Vec<Lane>,
    /// Every entry that is shown, told.
    pub changes: Vec<Change>,
    /// Where sentences were broken, in the order given.
    pub marks: Vec<Mark>,
    /// What is missing from the history, in words.
    pub missing: Vec<String>,
}

/// A place that is pointed at: where a sentence was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// In microseconds since the recording's start.
    pub at: u64,
    /// The revision; 0 where something never came.
    pub revision: u64,
    /// A word for it, for example `S07`.
    pub label: String,
}

impl Swimlane {
    /// The lanes of a timeline, with marks where sentences were broken.
    #[must_use]
    pub fn of(timeline: &Timeline, marks: Vec<Mark>) -> Self {
        let mut drawn = Drawn::new();
        for (number, entry) in timeline.told().enumerate() {
            drawn.take(number, entry);
        }
        let last = timeline.entries().iter().map(micros).max().unwrap_or_default();
        let end = drawn.wait_in_vain(timeline, last);
        let end = marks.iter().map(|mark| mark.at).fold(end, u64::max);
        let case = plain::shown(&timeline.setting.case, LONGEST_NAME);
        let missing = missing(timeline);
        let (lanes, changes) = drawn.finish();
        Self { case, end, lanes, changes, marks, missing }
    }

    /// The change that a mark points at; the last one before it where its own is not there.
    #[must_use]
    pub fn change_at(&self, mark: &Mark) -> Option<usize> {
        let exact = self.changes.iter().position(|change| change.revision == mark.revision && change.at == mark.at);
        let by_revision = || self.changes.iter().position(|change| change.revision == mark.revision);
        let before = || self.changes.iter().rposition(|change| change.at <= mark.at);
        exact.or_else(by_revision).or_else(before)
    }
}

fn micros(entry: &Entry) -> u64 {
    u64::try_from(entry.at.as_micros()).unwrap_or(u64::MAX)
}

/// What a reader must not take for absence.
fn missing(timeline: &Timeline) -> Vec<String> {
    let mut missing = Vec::new();
    if let Some(resource) = timeline.gap() {
        missing.push(format!("the watch of {} lost history", plain::shown(resource, LONGEST_NAME)));
    }
    match &timeline.ending {
        Ending::Complete => {}
        Ending::Stalled { waited_for, limit } => {
            let waited_for = plain::shown(waited_for, LONGEST);
            missing.push(format!("the script waited {} s in vain for: {waited_for}", limit.as_secs()));
        }
        Ending::CutShort { waited_for, after, limit } => {
            let (waited_for, after) = (plain::shown(waited_for, LONGEST), after.as_secs_f64());
            missing.push(format!("the script waited only {after:.1} s of {} s for: {waited_for}", limit.as_secs()));
        }
        Ending::Death(death) => {
            missing.push(format!("the controller ended unasked with {}", plain::shown(&death.status, LONGEST)));
        }
        Ending::Fault(what) => {
            missing.push(format!("the harness could not finish: {}", plain::shown(what, LONGEST)));
        }
        Ending::Truncated => missing.push("the recording was cut off: its last line is missing".to_owned()),
    }
    if timeline.events_are_apart() {
        missing.push("Events have a store of their own: their order to the rest is not known".to_owned());
    }
    missing
}

/// Lanes under way.
struct Drawn {
    single: BTreeMap<LaneKind, Lane>,
    writers: BTreeMap<String, Lane>,
    jobs: Vec<JobLanes>,
    pods: Vec<(Option<u64>, Lane)>,
    objects: Vec<Lane>,
    last: BTreeMap<String, Arc<Value>>,
    names: diff::Names,
    changes: Vec<Change>,
}

impl Drawn {
    fn new() -> Self {
        Self {
            single: BTreeMap::new(),
            writers: BTreeMap::new(),
            jobs: Vec::new(),
            pods: Vec::new(),
            objects: Vec::new(),
            last: BTreeMap::new(),
            names: diff::Names::new(),
            changes: Vec::new(),
        }
    }

    fn single(&mut self, kind: LaneKind, name: &str) -> &mut Lane {
        self.single.entry(kind).or_insert_with(|| Lane::new(kind, name, ""))
    }

    /// A script that waited in vain did so after the last entry, when nothing more came; returns until when.
    fn wait_in_vain(&mut self, timeline: &Timeline, last: u64) -> u64 {
        let (waited_for, waited) = match &timeline.ending {
            Ending::Stalled { waited_for, limit } => (waited_for, *limit),
            Ending::CutShort { waited_for, after, .. } => (waited_for, *after),
            _ => return last,
        };
        let Some(number) = timeline.told().count().checked_sub(1) else { return last };
        let label = format!("waits in vain for: {}", plain::shown(waited_for, LONGEST));
        self.single(LaneKind::Script, "script").set(last, Some((Tone::Waiting, label)), number);
        last.saturating_add(u64::try_from(waited.as_micros()).unwrap_or(u64::MAX))
    }

    fn take(&mut self, number: usize, entry: &Entry) {
        let at = micros(entry);
        let (what, by, lines) = match &entry.fact {
            Fact::Object(sighting) => self.version(&Step { number, at, sighting, is_gone: false }),
            Fact::ObjectGone(sighting) => self.version(&Step { number, at, sighting, is_gone: true }),
            Fact::Notice(notice) => self.notice(number, at, notice),
            Fact::Answer(answer) => self.answer(number, at, answer),
            Fact::Request(request) => (plain::shown(&narrate::request(request), LONGEST), None, Vec::new()),
            Fact::Mark(mark) => {
                self.single(LaneKind::Script, "script").point(at, Sign::Dot, number);
                (format!("script: {}", plain::shown(mark, LONGEST)), None, Vec::new())
            }
            Fact::Regime(regime) => {
                let label = plain::shown(&regime.mark, LONGEST);
                let state = (regime.phase == Phase::Begun).then(|| (Tone::Leaving, label.clone()));
                let lane = self.single(LaneKind::Cluster, "cluster");
                lane.set(at, state, number);
                lane.point(at, Sign::Dot, number);
                (format!("cluster: {label}"), None, Vec::new())
            }
            Fact::Gap(resource) => {
                self.single(LaneKind::Gap, "lost history").point(at, Sign::Cross, number);
                (format!("the watch of {} lost history", plain::shown(resource, LONGEST_NAME)), None, Vec::new())
            }
            Fact::Apart(resource) => {
                (format!("{} have a store of their own", plain::shown(resource, LONGEST_NAME)), None, Vec::new())
            }
        };
        self.changes.push(Change { at, revision: entry.revision, what, by, lines });
    }

    fn version(&mut self, step: &Step<'_>) -> (String, Option<String>, Vec<String>) {
        let Step { number, at, sighting, is_gone } = *step;
        let (uid, name) = (sighting.uid().to_owned(), plain::shown(sighting.name(), LONGEST_NAME));
        self.names.entry(uid.clone()).or_insert_with(|| name.clone());
        let old = self.last.insert(uid.clone(), sighting.raw().clone());
        let by = if is_gone { None } else { writer::of(old.as_deref(), sighting.raw()) };
        if let Some(by) = by.as_deref().filter(|by| !writer::is_ours(by)) {
            let lane = || Lane::new(LaneKind::Writer, format!("by {by}"), "");
            self.writers.entry(by.to_owned()).or_insert_with(lane).point(at, Sign::Write, number);
        }
        let kind = if sighting.of::<Pod>().is_some() { "pod".to_owned() } else { plain::shown(sighting.kind(), 60) };
        let lines = match &old {
            Some(old) => diff::between(old, sighting.raw(), &self.names),
            None => diff::of_new(sighting.raw(), first_of(sighting), &self.names),
        };
        let verb = match (is_gone, &old) {
            (true, _) => " is gone",
            (false, None) => " is new",
            (false, Some(_)) => "",
        };
        if let Some(job) = sighting.of::<Job>() {
            let place = self.jobs.iter().position(|lanes| lanes.uid == uid).unwrap_or_else(|| {
                self.jobs.push(JobLanes::new(&uid, &name));
                self.jobs.len() - 1
            });
            self.jobs[place].take(step, job);
        } else if let Some(pod) = sighting.of::<Pod>() {
            let place = self.pods.iter().position(|(_, lane)| lane.object == uid).unwrap_or_else(|| {
                self.pods.push(lanes_of_pod::new(&uid, &name, pod));
                self.pods.len() - 1
            });
            lanes_of_pod::take(&mut self.pods[place].1, step, pod);
        } else {
            self.other(step, &kind, &name);
        }
        (format!("{kind} {name}{verb}"), by, lines)
    }

    fn other(&mut self, step: &Step<'_>, kind: &str, name: &str) {
        let uid = step.sighting.uid();
        let place = self.objects.iter().position(|lane| lane.object == uid).unwrap_or_else(|| {
            self.objects.push(Lane::new(LaneKind::Object, format!("{kind} {name}"), uid));
            self.objects.len() - 1
        });
        let lane = &mut self.objects[place];
        lane.set(step.at, (!step.is_gone).then(|| (Tone::Plain, String::new())), step.number);
        lane.point(step.at, if step.is_gone { Sign::Gone } else { Sign::Dot }, step.number);
    }

    fn notice(&mut self, number: usize, at: u64, notice: &Notice) -> (String, Option<String>, Vec<String>) {
        let sign = if notice.kind == "Normal" { Sign::Dot } else { Sign::Cross };
        self.single(LaneKind::Events, "events").point(at, sign, number);
        let (kind, reason) = (plain::shown(&notice.kind, 60), plain::shown(&notice.reason, 120));
        let about = plain::shown(&notice.about, LONGEST);
        let mut lines = vec![plain::shown(&notice.message, LONGEST)];
        if notice.count > 1 {
            lines.push(format!("{} times", notice.count));
        }
        (format!("event {reason} on {about} ({kind})"), None, lines)
    }

    fn answer(&mut self, number: usize, at: u64, answer: &Answer) -> (String, Option<String>, Vec<String>) {
        let is_accepted = (200..300).contains(&answer.code);
        let sign = if is_accepted { Sign::Write } else { Sign::Cross };
        self.single(LaneKind::Answers, "answers").point(at, sign, number);
        let mut what = format!("answer to [{}]: {}", plain::shown(&answer.to, LONGEST), answer.code);
        if !answer.reason.is_empty() {
            what = format!("{what} {}", plain::shown(&answer.reason, 60));
        }
        let message = Some(&answer.message).filter(|message| !message.is_empty());
        let lines = message.into_iter().chain(&answer.warnings).map(|text| plain::shown(text, LONGEST)).collect();
        (what, None, lines)
    }

    fn finish(mut self) -> (Vec<Lane>, Vec<Change>) {
        // By index, then by age: the sort is stable.
        self.pods.sort_by_key(|(index, _)| index.map_or(u64::MAX, |index| index));
        let mut lanes: Vec<Lane> = self.single.into_values().collect();
        lanes.extend(self.writers.into_values());
        lanes.extend(self.jobs.into_iter().flat_map(JobLanes::finish));
        lanes.extend(self.objects);
        lanes.extend(self.pods.into_iter().map(|(_, lane)| lane));
        lanes.sort_by_key(|lane| match lane.kind {
            // Lanes of one Job stay together.
            LaneKind::Condition | LaneKind::Counter => LaneKind::Job,
            kind => kind,
        });
        (lanes, self.changes)
    }
}

/// What is told of an object that is new.
fn first_of(sighting: &Sighting) -> &'static [&'static str] {
    if sighting.of::<Job>().is_some() {
        return &[
            "spec.completionMode",
            "spec.completions",
            "spec.parallelism",
            "spec.backoffLimit",
            "spec.backoffLimitPerIndex",
            "spec.maxFailedIndexes",
            "spec.activeDeadlineSeconds",
            "spec.ttlSecondsAfterFinished",
            "spec.suspend",
            "spec.podReplacementPolicy",
            "spec.managedBy",
            "spec.successPolicy",
            "spec.podFailurePolicy",
            "status",
        ];
    }
    &["metadata.finalizers", "spec.nodeName", "status"]
}
