//! The same lanes for a terminal, in as many columns as it has.

use crate::{
    lane::{Lane, LaneKind, Segment, Sign, Tone},
    lanes::Swimlane,
    picture::PART,
    plain::fitted,
    scale::{Scale, folded},
    svg::time,
    window::Window,
};
use std::fmt::Write as _;

/// The narrowest drawing: names and a little time.
const NARROWEST: usize = 40;
/// Pods that are drawn.
const PODS: usize = 24;
/// Jobs that are drawn, with all of their lanes.
const JOBS: usize = 3;

/// The lanes in lines of at most `width` characters, 40 at least.
#[must_use]
pub fn render(swimlane: &Swimlane, window: Window, width: usize) -> String {
    let width = width.max(NARROWEST);
    let sheet = Sheet { scale: Scale::of(swimlane, window), window, left: (width / 3).min(26), width };
    let mut text = sheet.axis();
    let (mut pods, mut jobs, mut hidden) = (0, 0, 0);
    for lane in swimlane.lanes.iter().filter(|lane| lane.is_seen_in(window.from, window.to)) {
        pods += usize::from(lane.kind == LaneKind::Pod);
        jobs += usize::from(lane.kind == LaneKind::Job);
        let is_of_job = matches!(lane.kind, LaneKind::Job | LaneKind::Condition | LaneKind::Counter);
        if (lane.kind == LaneKind::Pod && pods > PODS) || (is_of_job && jobs > JOBS) {
            hidden += usize::from(matches!(lane.kind, LaneKind::Pod | LaneKind::Job));
            continue;
        }
        text += &sheet.lane(lane, swimlane);
    }
    if hidden > 0 {
        let _ = writeln!(text, "{hidden} more Jobs and pods are not drawn");
    }
    for mark in &swimlane.marks {
        text += &sheet.mark(mark.at, &mark.label);
    }
    for missing in &swimlane.missing {
        let _ = writeln!(text, "{}", fitted(&format!("note: {missing}"), width));
    }
    text
}

struct Sheet {
    scale: Scale,
    window: Window,
    /// Columns of names.
    left: usize,
    width: usize,
}

impl Sheet {
    fn columns(&self) -> usize {
        self.width - self.left - 1
    }

    fn column(&self, at: u64) -> usize {
        usize::try_from(self.scale.place(at, self.columns() as u64 - 1)).unwrap_or(0)
    }

    fn line(&self, name: &str, row: &[char]) -> String {
        let row: String = row.iter().collect();
        format!("{:<left$} {}", fitted(name, self.left), row, left = self.left).trim_end().to_owned() + "\n"
    }

    fn axis(&self) -> String {
        let mut row = vec![' '; self.columns()];
        let wanted = u64::try_from(self.columns() / 12).unwrap_or(4);
        let folds = self.scale.folds().iter().map(|fold| (fold.start, folded(fold)));
        for (at, words) in folds.chain(self.scale.ticks(wanted)) {
            let column = self.column(at);
            // A tick without room for its words is none.
            if column + words.chars().count() <= row.len() && free(&row, column, words.chars().count() + 1) {
                write_at(&mut row, column, &words);
            }
        }
        self.line("", &row)
    }

    fn lane(&self, lane: &Lane, swimlane: &Swimlane) -> String {
        let mut row = vec![' '; self.columns()];
        for segment in &lane.segments {
            self.segment(&mut row, segment);
        }
        let shows_points = !matches!(lane.kind, LaneKind::Job | LaneKind::Pod);
        for point in lane.points.iter().filter(|point| (self.window.from..=self.window.to).contains(&point.at)) {
            if !shows_points && point.sign != Sign::Gone {
                continue;
            }
            let column = self.column(point.at);
            row[column] = point.sign.glyph();
            let what = swimlane.changes.get(point.change).map_or("", |change| &change.what);
            if let Some(words) = what.strip_prefix("script: ") {
                let room = row.len() - column - 1;
                let next = lane.points.iter().map(|point| point.at).find(|at| self.column(*at) > column);
                let room = next.map_or(room, |next| self.column(next) - column - 1);
                write_at(&mut row, column + 1, &fitted(words, room));
            }
        }
        let name = match lane.kind {
            LaneKind::Condition | LaneKind::Counter => format!("  {}", lane.name),
            _ => lane.name.clone(),
        };
        self.line(&name, &row)
    }

    fn segment(&self, row: &mut [char], segment: &Segment) {
        let to = segment.to.unwrap_or(u64::MAX);
        if segment.from > self.window.to || to < self.window.from {
            return;
        }
        let (start, end) = (self.column(segment.from), self.column(to).max(self.column(segment.from) + 1));
        let end = if segment.to.is_none() { row.len() } else { end.min(row.len()) };
        row[start..end].fill(fill(segment.tone));
        let (letters, room) = (segment.label.chars().count(), end - start);
        if letters > 0 && (letters <= room || room >= PART) {
            write_at(row, start + usize::from(letters + 2 <= room), &fitted(&segment.label, room));
        }
    }

    fn mark(&self, at: u64, label: &str) -> String {
        let words = format!("✖ {label} at {}", time(at));
        if !(self.window.from..=self.window.to).contains(&at) {
            return format!("{}\n", fitted(&words, self.width));
        }
        let mut row = vec![' '; self.columns()];
        let column = self.column(at);
        let letters = words.chars().count();
        if letters > row.len() {
            return format!("{}\n", fitted(&words, self.width));
        }
        // Near the right edge the words stand before the place, and an arrow shows it.
        match column + letters <= row.len() {
            true => write_at(&mut row, column, &words),
            false => {
                row[column] = '▲';
                write_at(&mut row, column.saturating_sub(letters + 1), &words);
            }
        }
        self.line("broken", &row)
    }
}

fn free(row: &[char], from: usize, length: usize) -> bool {
    row.iter().skip(from.saturating_sub(1)).take(length).all(|c| *c == ' ')
}

fn write_at(row: &mut [char], column: usize, text: &str) {
    for (place, c) in row.iter_mut().skip(column).zip(text.chars()) {
        *place = c;
    }
}

const fn fill(tone: Tone) -> char {
    match tone {
        Tone::Plain => '─',
        Tone::Waiting => '░',
        Tone::Running => '▒',
        Tone::Good => '▓',
        Tone::Bad => '█',
        Tone::Leaving => '╌',
    }
}
