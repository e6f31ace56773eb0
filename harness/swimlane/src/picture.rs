//! From lanes to shapes with places. Whoever writes shapes down, as SVG or in a browser, decides nothing any more.

use crate::{
    labels::{CHARACTER, apart, label, wide},
    lane::{Lane, LaneKind, Point, Segment, Sign, Tone},
    lanes::{Mark, Swimlane},
    plain::fitted,
    room::seen,
    scale::{Scale, folded},
    window::Window,
};
use std::collections::BTreeSet;

pub use crate::{room::Room, shape::Shape};

/// Width of a picture.
pub const WIDTH: u32 = 1040;
/// Where time begins; the names of lanes stand before it.
const LEFT: u32 = 196;
/// Where time ends.
const RIGHT: u32 = WIDTH - 14;
/// Where the first lane begins: above it are marks and times.
const TOP: u32 = 40;
/// Where so many characters have room, the beginning of a longer text is shown.
pub(crate) const PART: usize = 16;
/// Rows of words in the lanes of the script and of Events.
const WORD_ROWS: usize = 3;
const WORD_ROW: u32 = 13;
/// Words of a time nearer to those of a fold are left out.
const TICK: u32 = 52;
/// Points nearer to each other are one.
const NEAR: u32 = 3;

/// Shapes with places, in pixels from the upper left corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Height; the width is always [`WIDTH`].
    pub height: u32,
    /// What it shows, in words.
    pub title: String,
    /// From back to front.
    pub shapes: Vec<Shape>,
}

/// The picture of a part of a recording.
#[must_use]
pub fn picture(swimlane: &Swimlane, window: Window, room: Room) -> Picture {
    let seen = seen(swimlane, window, room);
    let mut drawing = Drawing { scale: Scale::of(swimlane, window), window, shapes: Vec::new(), y: TOP };
    let mut before: Option<&Lane> = None;
    for lane in &seen.lanes {
        if before.is_some_and(|before| before.kind_group() != lane.kind_group() || before.object != lane.object) {
            drawing.line((4, drawing.y), (RIGHT, drawing.y), "sep");
        }
        drawing.lane(lane, swimlane);
        before = Some(lane);
    }
    if let Some(text) = seen.hidden {
        drawing.y += 16;
        drawing.shapes.push(Shape::Text { x: LEFT, y: drawing.y - 4, class: "lab", text });
    }
    let bottom = drawing.y + 4;
    let mut shapes = drawing.axis(bottom);
    shapes.append(&mut drawing.shapes);
    drawing.shapes = shapes;
    drawing.marks(&swimlane.marks, bottom);
    let seconds = |micros: u64| format!("{}.{:03} s", micros / 1_000_000, micros / 1_000 % 1_000);
    let title = format!("{}, from {} to {}", swimlane.case, seconds(window.from), seconds(window.to));
    Picture { height: bottom + 4, title, shapes: drawing.shapes }
}

impl Lane {
    /// Lanes of a Job belong together.
    const fn kind_group(&self) -> LaneKind {
        match self.kind {
            LaneKind::Condition | LaneKind::Counter => LaneKind::Job,
            kind => kind,
        }
    }

    const fn height(&self) -> u32 {
        match self.kind {
            LaneKind::Condition | LaneKind::Counter => 17,
            _ => 22,
        }
    }
}

struct Drawing {
    scale: Scale,
    window: Window,
    shapes: Vec<Shape>,
    y: u32,
}

impl Drawing {
    fn x(&self, at: u64) -> u32 {
        LEFT + u32::try_from(self.scale.place(at, u64::from(RIGHT - LEFT))).unwrap_or(0)
    }

    fn line(&mut self, from: (u32, u32), to: (u32, u32), class: &'static str) {
        self.shapes.push(Shape::Line { from, to, class });
    }

    fn lane(&mut self, lane: &Lane, swimlane: &Swimlane) {
        let is_below = matches!(lane.kind, LaneKind::Condition | LaneKind::Counter);
        let (x, class, letters) = if is_below { (24, "sub", 27) } else { (6, "name", 31) };
        let text = fitted(&lane.name, letters);
        self.shapes.push(Shape::Text { x, y: self.y + lane.height() - 7, class, text });
        let thick = if is_below { 13 } else { 15 };
        self.bars(&lane.segments, thick);
        if lane.kind == LaneKind::Pod {
            for segment in &lane.held {
                self.bar(segment, self.y + 17, 3, "fin");
            }
        }
        self.points(lane);
        if matches!(lane.kind, LaneKind::Script | LaneKind::Events) {
            self.y += self.words(&lane.points, swimlane);
        }
        self.y += lane.height();
    }

    fn bars(&mut self, segments: &[Segment], thick: u32) {
        let mut end = 0;
        for segment in segments {
            let Some((x, width)) = self.bar(segment, self.y + 2, thick, tone_class(segment.tone)) else { continue };
            // What is drawn over another has room for no words.
            let room = (width.saturating_sub(6) / CHARACTER) as usize;
            let fits = segment.label.chars().count() <= room || room >= PART;
            if x >= end && !segment.label.is_empty() && fits {
                let text = fitted(&segment.label, room);
                self.shapes.push(Shape::Text { x: x + 4, y: self.y + thick - 1, class: "in", text });
            }
            end = x + width;
        }
    }

    /// Left edge and width of what was drawn, if it is in the window.
    fn bar(&mut self, segment: &Segment, y: u32, height: u32, class: &'static str) -> Option<(u32, u32)> {
        let to = segment.to.unwrap_or(u64::MAX);
        if segment.from > self.window.to || to < self.window.from {
            return None;
        }
        let x = self.x(segment.from);
        let width = (self.x(to) - x).max(2);
        self.shapes.push(Shape::Bar { x, y, width, height, class, change: Some(segment.change) });
        Some((x, width))
    }

    fn points(&mut self, lane: &Lane) {
        let mut last: Option<(u32, Sign)> = None;
        for point in lane.points.iter().filter(|point| (self.window.from..=self.window.to).contains(&point.at)) {
            let x = self.x(point.at);
            // Where a bar begins, it says the same.
            let is_told = point.sign == Sign::Dot && lane.segments.iter().any(|segment| segment.change == point.change);
            if is_told || last.is_some_and(|(before, sign)| x < before + NEAR && sign == point.sign) {
                continue;
            }
            last = Some((x, point.sign));
            let class = sign_class(lane.kind, point.sign);
            self.shapes.push(Shape::Sign { x, y: self.y + 9, class, change: point.change });
        }
    }

    /// Points in words, below each other where there is no room side by side, once where several in a row say the same; the height
    /// they take.
    fn words(&mut self, points: &[Point], swimlane: &Swimlane) -> u32 {
        let mut ends = [0; WORD_ROWS];
        let (mut rows, mut before) = (0, String::new());
        for point in points.iter().filter(|point| (self.window.from..=self.window.to).contains(&point.at)) {
            let Some(change) = swimlane.changes.get(point.change) else { continue };
            let text = fitted(said(&change.what), 40);
            if text == before {
                continue;
            }
            let width = u32::try_from(text.chars().count()).unwrap_or(0) * CHARACTER + 8;
            let x = self.x(point.at).min(RIGHT.saturating_sub(width));
            let Some(row) = ends.iter().position(|end| *end <= x) else { continue };
            ends[row] = x + width;
            rows = rows.max(row + 1);
            let y = self.y + 26 + u32::try_from(row).unwrap_or(0) * WORD_ROW;
            self.shapes.push(Shape::Text { x, y, class: "lab", text: text.clone() });
            before = text;
        }
        u32::try_from(rows).unwrap_or(0) * WORD_ROW
    }

    fn axis(&self, bottom: u32) -> Vec<Shape> {
        let mut shapes = Vec::new();
        let mut taken = Vec::new();
        for fold in self.scale.folds() {
            let (from, to) = (self.x(fold.start), self.x(fold.end));
            let (y, height) = (TOP - 6, bottom.saturating_sub(TOP - 6));
            shapes.push(Shape::Bar { x: from, y, width: (to - from).max(2), height, class: "fold", change: None });
            let x = u32::midpoint(from, to);
            shapes.push(Shape::Text { x, y: TOP - 10, class: "axis", text: folded(fold) });
            taken.push(x);
        }
        for (at, text) in self.scale.ticks(8) {
            let x = self.x(at);
            shapes.push(Shape::Line { from: (x, TOP - 6), to: (x, bottom), class: "grid" });
            if taken.iter().all(|taken| x.abs_diff(*taken) >= TICK) {
                shapes.push(Shape::Text { x, y: TOP - 10, class: "axis", text });
            }
        }
        shapes
    }

    /// Marks at one place share a line.
    fn marks(&mut self, marks: &[Mark], bottom: u32) {
        let mut places: Vec<(u32, Vec<&str>)> = Vec::new();
        for mark in marks.iter().filter(|mark| (self.window.from..=self.window.to).contains(&mark.at)) {
            let x = self.x(mark.at);
            match places.iter_mut().find(|(other, _)| other.abs_diff(x) < NEAR) {
                Some((_, labels)) if labels.contains(&&*mark.label) => {}
                Some((_, labels)) => labels.push(&mark.label),
                None => places.push((x, vec![&mark.label])),
            }
        }
        places.sort_by_key(|(x, _)| *x);
        places.iter().for_each(|(x, _)| self.line((*x, 18), (*x, bottom), "mark"));
        for (x, labels) in apart(places) {
            let text = label(&labels);
            let x = x.saturating_sub(wide(&text) / 2).min(WIDTH.saturating_sub(wide(&text)));
            self.shapes.push(Shape::Text { x, y: 14, class: "markl", text });
        }
    }
}

/// The words of the script, or the reason of an Event.
fn said(what: &str) -> &str {
    let reason = || what.strip_prefix("event ")?.split(" on ").next();
    what.strip_prefix("script: ").or_else(reason).unwrap_or(what)
}

const fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Waiting => "wait",
        Tone::Running => "run",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Leaving => "leave",
    }
}

const fn sign_class(kind: LaneKind, sign: Sign) -> &'static str {
    match (kind, sign) {
        (_, Sign::Cross) => "cross",
        (_, Sign::Gone) => "gone",
        (_, Sign::Write) => "write",
        (LaneKind::Script | LaneKind::Cluster, Sign::Dot) => "step",
        (_, Sign::Dot) => "dot",
    }
}

impl Picture {
    /// The numbers of the changes that something in the picture points at.
    #[must_use]
    pub fn changes(&self) -> BTreeSet<usize> {
        self.shapes.iter().filter_map(Shape::change).collect()
    }
}
