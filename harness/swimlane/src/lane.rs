//! What a swimlane is made of. Times are microseconds since the recording's start.

/// One row of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// What it shows.
    pub kind: LaneKind,
    /// What stands before it.
    pub name: String,
    /// UID of the object it belongs to; lanes of one object follow each other. Empty where there is none.
    pub object: String,
    /// From when to when what was so; they follow each other and never overlap.
    pub segments: Vec<Segment>,
    /// From when to when the tracking finalizer held the pod.
    pub held: Vec<Segment>,
    /// What happened at one moment.
    pub points: Vec<Point>,
}

/// What a lane shows; the order is that of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneKind {
    /// History that was lost.
    Gap,
    /// Changes of the control plane.
    Cluster,
    /// Points of the script.
    Script,
    /// What the API server said to writes of the script.
    Answers,
    /// What one writer wrote, as `managedFields` tells it.
    Writer,
    /// A Job.
    Job,
    /// One condition of a Job.
    Condition,
    /// One counter or index list of a Job's status.
    Counter,
    /// Another object, as a Workload.
    Object,
    /// A pod.
    Pod,
    /// Kubernetes Events.
    Events,
}

/// Something that was so for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// From when.
    pub from: u64,
    /// To when; `None` up to the end of the recording.
    pub to: Option<u64>,
    /// How it is drawn.
    pub tone: Tone,
    /// In a word: a phase, a number, a reason.
    pub label: String,
    /// Which change began it.
    pub change: usize,
}

/// Something that happened at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// When.
    pub at: u64,
    /// How it is drawn.
    pub sign: Sign,
    /// Which change it is.
    pub change: usize,
}

/// How a segment is drawn. The label says the same in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Neither good nor bad: a Job that is there, a number.
    Plain,
    /// Something waits: Pending, suspended.
    Waiting,
    /// Something runs.
    Running,
    /// An end in success.
    Good,
    /// An end in failure.
    Bad,
    /// Being deleted, or being changed.
    Leaving,
}

/// How a point is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// A step of the script, a version of an object.
    Dot,
    /// A write.
    Write,
    /// Something was refused, a warning.
    Cross,
    /// An object is gone.
    Gone,
}

/// One entry of the timeline, told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// When it arrived.
    pub at: u64,
    /// The revision at which it became true.
    pub revision: u64,
    /// What changed, for example `pod job-0-abcde`.
    pub what: String,
    /// Who wrote it, where `managedFields` tells.
    pub by: Option<String>,
    /// The differences to the version before, or what was said.
    pub lines: Vec<String>,
}

impl Lane {
    /// A lane without anything on it.
    #[must_use]
    pub fn new(kind: LaneKind, name: impl Into<String>, object: impl Into<String>) -> Self {
        let (name, object) = (name.into(), object.into());
        Self { kind, name, object, segments: Vec::new(), held: Vec::new(), points: Vec::new() }
    }

    /// From `at` on this is so, and nothing else; `None`: nothing is. A segment that goes on as it was stays one.
    pub(crate) fn set(&mut self, at: u64, state: Option<(Tone, String)>, change: usize) {
        set(&mut self.segments, at, state, change);
    }

    /// From `at` on the pod is held, or not.
    pub(crate) fn hold(&mut self, at: u64, is_held: bool, change: usize) {
        set(&mut self.held, at, is_held.then(|| (Tone::Plain, String::new())), change);
    }

    pub(crate) fn point(&mut self, at: u64, sign: Sign, change: usize) {
        self.points.push(Point { at, sign, change });
    }

    /// Whether anything begins, ends or happens in this time.
    #[must_use]
    pub fn stirs_in(&self, from: u64, to: u64) -> bool {
        let inside = |at: u64| (from..=to).contains(&at);
        let edges = self.segments.iter().chain(&self.held);
        edges.into_iter().any(|segment| inside(segment.from) || segment.to.is_some_and(inside))
            || self.points.iter().any(|point| inside(point.at))
    }

    /// Whether anything of it is seen in this time.
    #[must_use]
    pub fn is_seen_in(&self, from: u64, to: u64) -> bool {
        let lasts = |segment: &Segment| segment.from <= to && segment.to.is_none_or(|end| end >= from);
        self.segments.iter().chain(&self.held).any(lasts)
            || self.points.iter().any(|point| (from..=to).contains(&point.at))
    }
}

fn set(segments: &mut Vec<Segment>, at: u64, state: Option<(Tone, String)>, change: usize) {
    if let Some(last) = segments.last_mut().filter(|last| last.to.is_none()) {
        if state.as_ref().is_some_and(|(tone, label)| *tone == last.tone && *label == last.label) {
            return;
        }
        // Arrival may be a little out of order between two watches.
        last.to = Some(at.max(last.from));
    }
    if let Some((tone, label)) = state {
        let from = segments.last().and_then(|last| last.to).map_or(at, |end| end.max(at));
        segments.push(Segment { from, to: None, tone, label, change });
    }
}

impl Sign {
    /// One character for it.
    #[must_use]
    pub const fn glyph(self) -> char {
        match self {
            Self::Dot => '●',
            Self::Write => '▲',
            Self::Cross => '✖',
            Self::Gone => '×',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_as_it_was_stays_one_segment() {
        let mut lane = Lane::new(LaneKind::Counter, "active", "uid");
        let number = |number: u32| Some((Tone::Plain, number.to_string()));
        for (at, state) in [(5, number(1)), (7, number(1)), (9, number(2)), (12, None), (20, number(2))] {
            lane.set(at, state, 0);
        }
        let spans: Vec<(u64, Option<u64>, &str)> =
            lane.segments.iter().map(|segment| (segment.from, segment.to, segment.label.as_str())).collect();
        assert_eq!(spans, [(5, Some(9), "1"), (9, Some(12), "2"), (20, None, "2")]);
    }

    #[test]
    fn segments_do_not_overlap_when_arrival_is_out_of_order() {
        let mut lane = Lane::new(LaneKind::Pod, "pod", "uid");
        lane.set(10, Some((Tone::Waiting, "Pending".to_owned())), 0);
        lane.set(8, Some((Tone::Running, "Running".to_owned())), 1);
        assert_eq!((lane.segments[0].to, lane.segments[1].from), (Some(10), 10));
    }

    #[test]
    fn a_lane_is_seen_while_something_lasts_and_stirs_when_it_changes() {
        let mut lane = Lane::new(LaneKind::Job, "Job", "uid");
        lane.set(10, Some((Tone::Plain, String::new())), 0);
        assert!(lane.is_seen_in(50, 60) && !lane.stirs_in(50, 60));
        assert!(!lane.is_seen_in(0, 9) && lane.stirs_in(0, 10));
    }
}
