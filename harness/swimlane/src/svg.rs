//! Pictures as SVG, and changes as a table: what a picture shows, in words.

use crate::{
    lane::Change,
    lanes::Swimlane,
    picture::{Picture, Shape, WIDTH},
};
use maud::{Markup, html};
use std::ops::Range;

/// Half the size of a sign.
const HALF: u32 = 4;

/// The picture; what belongs to a change of `told` leads to its row in the table with the same `prefix`.
#[must_use]
pub fn markup(picture: &Picture, swimlane: &Swimlane, told: &Range<usize>, prefix: &str) -> Markup {
    let view = format!("0 0 {WIDTH} {}", picture.height);
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(view) role="group" aria-label=(picture.title) class="lanes" {
            @for shape in &picture.shapes {
                @let change = shape.change().and_then(|number| Some((number, swimlane.changes.get(number)?)));
                @match change {
                    Some((number, change)) if told.contains(&number) => {
                        a href={ "#" (prefix) "-" (number - told.start) } aria-label=(name(change)) {
                            title { (told_of(change)) }
                            (drawn(shape))
                        }
                    }
                    Some((_, change)) => { g { title { (told_of(change)) } (drawn(shape)) } }
                    None => { (drawn(shape)) }
                }
            }
        }
    }
}

fn drawn(shape: &Shape) -> Markup {
    match shape {
        Shape::Bar { x, y, width, height, class, .. } => html! {
            rect class=(class) x=(x) y=(y) width=(width) height=(height) {}
        },
        Shape::Line { from, to, class } => html! {
            line class=(class) x1=(from.0) y1=(from.1) x2=(to.0) y2=(to.1) {}
        },
        Shape::Text { x, y, class, text } => html! { text class=(class) x=(x) y=(y) { (text) } },
        Shape::Sign { x, y, class, .. } => html! { path class=(class) d=(outline(class, *x, *y)) {} },
    }
}

/// The outline of a sign: a circle, a triangle, a cross.
fn outline(class: &str, x: u32, y: u32) -> String {
    match class {
        "write" => format!("M{} {}h{}l-{HALF} -{}z", x.saturating_sub(HALF), y + HALF, 2 * HALF, 2 * HALF),
        "cross" | "gone" => {
            let (left, top, side) = (x.saturating_sub(HALF), y.saturating_sub(HALF), 2 * HALF);
            format!("M{left} {top}l{side} {side}M{left} {}l{side} -{side}", y + HALF)
        }
        _ => {
            let radius = if class == "step" { 5 } else { 3 };
            format!(
                "M{} {y}a{radius} {radius} 0 1 0 {} 0a{radius} {radius} 0 1 0 -{} 0",
                x.saturating_sub(radius),
                2 * radius,
                2 * radius
            )
        }
    }
}

/// Time, revision and what changed, in one line.
#[must_use]
pub fn name(change: &Change) -> String {
    format!("{} rev {}: {}", time(change.at), change.revision, change.what)
}

/// A change in lines: what is shown when it is pointed at.
#[must_use]
pub fn told_of(change: &Change) -> String {
    let mut text = name(change);
    if let Some(by) = &change.by {
        text = format!("{text}\nwritten by {by}");
    }
    for line in &change.lines {
        text = format!("{text}\n{line}");
    }
    text
}

/// `3.412 s`.
#[must_use]
pub fn time(micros: u64) -> String {
    format!("{}.{:03} s", micros / 1_000_000, micros / 1_000 % 1_000)
}

/// The changes of `told` as a table; those that `marked` names are told apart.
#[must_use]
pub fn table(swimlane: &Swimlane, told: &Range<usize>, marked: &[usize], prefix: &str) -> Markup {
    html! {
        table.changes {
            thead { tr { th scope="col" { "time" } th scope="col" { "revision" } th scope="col" { "change" } } }
            tbody {
                @for number in told.clone() {
                    @if let Some(change) = swimlane.changes.get(number) {
                        @let class = if marked.contains(&number) { Some("breach") } else { None };
                        tr id={ (prefix) "-" (number - told.start) } class=[class] {
                            td { (time(change.at)) }
                            td { (change.revision) }
                            td {
                                @if class.is_some() { strong { "✖ broken here: " } }
                                (change.what)
                                @if let Some(by) = &change.by { span.by { " by " (by) } }
                                @if !change.lines.is_empty() { pre { (change.lines.join("\n")) } }
                            }
                        }
                    }
                }
            }
        }
        @if told.len() < swimlane.changes.len() {
            p.note {
                "These are changes " (told.start + 1) " to " (told.end) " of " (swimlane.changes.len())
                "; the timeline has all of them."
            }
        }
    }
}

/// Which changes are told where not all can be: so many, with this one in the middle.
#[must_use]
pub fn told_around(swimlane: &Swimlane, centre: Option<usize>, most: usize) -> Range<usize> {
    let all = swimlane.changes.len();
    let start = centre.unwrap_or(0).saturating_sub(most / 2).min(all.saturating_sub(most));
    start..(start + most).min(all)
}
