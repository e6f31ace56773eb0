//! Which lanes there is room for.

use crate::{
    lane::{Lane, LaneKind},
    lanes::Swimlane,
    window::Window,
};
use std::collections::BTreeSet;

/// How many lanes there is room for.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Jobs, each with all of its lanes.
    pub jobs: usize,
    /// Pods.
    pub pods: usize,
    /// Other lanes of one kind: writers, other objects.
    pub others: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { jobs: 4, pods: 32, others: 8 }
    }
}

/// What is drawn.
pub(crate) struct Seen<'a> {
    pub lanes: Vec<&'a Lane>,
    /// What was left out, in words.
    pub hidden: Option<String>,
}

/// The lanes that have something in the window; where there are too many, those in which something stirs come first.
pub(crate) fn seen(swimlane: &Swimlane, window: Window, room: Room) -> Seen<'_> {
    let Window { from, to } = window;
    let all: Vec<&Lane> = swimlane.lanes.iter().filter(|lane| lane.is_seen_in(from, to)).collect();
    let mut kept: BTreeSet<(LaneKind, &str)> = BTreeSet::new();
    let mut hidden = Vec::new();
    for (kind, limit, word) in [
        (LaneKind::Job, room.jobs, "Jobs"),
        (LaneKind::Pod, room.pods, "pods"),
        (LaneKind::Writer, room.others, "writers"),
        (LaneKind::Object, room.others, "other objects"),
    ] {
        let mut of_kind: Vec<&Lane> = all.iter().copied().filter(|lane| lane.kind == kind).collect();
        of_kind.sort_by_key(|lane| !lane.stirs_in(from, to));
        if of_kind.len() > limit {
            hidden.push(format!("{} {word} more", of_kind.len() - limit));
        }
        kept.extend(of_kind.into_iter().take(limit).map(|lane| (kind, lane.identity())));
    }
    let is_kept = |lane: &&Lane| match lane.kind {
        LaneKind::Job | LaneKind::Condition | LaneKind::Counter => kept.contains(&(LaneKind::Job, &*lane.object)),
        LaneKind::Pod | LaneKind::Writer | LaneKind::Object => kept.contains(&(lane.kind, lane.identity())),
        _ => true,
    };
    let lanes = all.into_iter().filter(is_kept).collect();
    let hidden = (!hidden.is_empty()).then(|| format!("not drawn: {}", hidden.join(", ")));
    Seen { lanes, hidden }
}

impl Lane {
    /// What tells it from others of its kind.
    fn identity(&self) -> &str {
        if self.object.is_empty() { &self.name } else { &self.object }
    }
}
