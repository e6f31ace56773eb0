//! A swimlane in few bytes of JSON, for a program that draws it: `harness/src/report/html/script.js` is its only reader.
//!
//! Numbers of one sort stand together and differ little from those before them: such text compresses well.

use crate::{
    lanes::Swimlane,
    picture::{Picture, Room, Shape},
};
use serde_json::{Value, json};
use std::ops::Range;

/// Changes in words of a packed swimlane.
pub const TOLD: usize = 60;
/// Lanes of a packed swimlane.
pub const ROOM: Room = Room { jobs: 3, pods: 20, others: 6 };

/// The JSON text of an object with these keys:
///
/// - `p`: pictures, each an array of its name, its height, its title, and four lists of numbers: bars (x, y, width, height,
///   class, change), lines (x, y, x, y, class), texts (x, y, class, words) and signs (x, y, class, change). Each y but those of lines is
///   relative to the one before. A change that is not told is -1.
/// - `k`: the classes, which shapes name by their place.
/// - `c`: the changes that are told: milliseconds, each after the one before; revisions, likewise; what changed; who wrote
///   it, or 0; the lines of each.
/// - `b`: the places of changes that broke something.
/// - `m`: what is missing.
/// - `n`: how many changes there are, and the number of the first that is told.
#[must_use]
pub fn packed(swimlane: &Swimlane, pictures: &[(&str, Picture)], told: &Range<usize>, marked: &[usize]) -> String {
    let mut classes: Vec<&'static str> = Vec::new();
    let pictures: Vec<Value> =
        pictures.iter().map(|(name, picture)| self::picture(name, picture, told, &mut classes)).collect();
    let marked = marked.iter().filter(|number| told.contains(number)).map(|number| number - told.start);
    let value = json!({
        "p": pictures,
        "k": classes,
        "c": changes(swimlane, told),
        "b": marked.collect::<Vec<_>>(),
        "m": swimlane.missing,
        "n": [swimlane.changes.len(), told.start],
    });
    value.to_string()
}

fn changes(swimlane: &Swimlane, told: &Range<usize>) -> Value {
    let changes = swimlane.changes.get(told.clone()).unwrap_or_default();
    let times: Vec<i128> = steps(changes.iter().map(|change| i128::from(change.at / 1_000)));
    let revisions: Vec<i128> = steps(changes.iter().map(|change| i128::from(change.revision)));
    let what: Vec<&str> = changes.iter().map(|change| change.what.as_str()).collect();
    let by: Vec<Value> = changes.iter().map(|change| change.by.as_ref().map_or(json!(0), |by| json!(by))).collect();
    let lines: Vec<String> = changes.iter().map(|change| change.lines.join("\n")).collect();
    let small = |numbers: Vec<i128>| numbers.into_iter().map(|number| i64::try_from(number).unwrap_or(0)).collect();
    let (times, revisions): (Vec<i64>, Vec<i64>) = (small(times), small(revisions));
    json!([times, revisions, what, by, lines])
}

/// Each number less the one before it.
fn steps(numbers: impl Iterator<Item = i128>) -> Vec<i128> {
    let mut before = 0;
    numbers.map(|number| number - std::mem::replace(&mut before, number)).collect()
}

fn picture(name: &str, picture: &Picture, told: &Range<usize>, classes: &mut Vec<&'static str>) -> Value {
    let number = |change: usize| if told.contains(&change) { json!(change - told.start) } else { json!(-1) };
    let mut class = |class: &'static str| {
        let place = classes.iter().position(|known| *known == class).unwrap_or_else(|| {
            classes.push(class);
            classes.len() - 1
        });
        json!(place)
    };
    let (mut bars, mut lines, mut texts, mut signs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut before = [0_i64; 3];
    let mut down = |sort: usize, y: u32| {
        let y = i64::from(y);
        json!(y - std::mem::replace(&mut before[sort], y))
    };
    for shape in &picture.shapes {
        match shape {
            Shape::Bar { x, y, width, height, class: of, change } => {
                let change = change.map_or(json!(-1), number);
                bars.extend([json!(x), down(0, *y), json!(width), json!(height), class(of), change]);
            }
            Shape::Line { from, to, class: of } => {
                lines.extend([json!(from.0), json!(from.1), json!(to.0), json!(to.1), class(of)]);
            }
            Shape::Text { x, y, class: of, text } => texts.extend([json!(x), down(1, *y), class(of), json!(text)]),
            Shape::Sign { x, y, class: of, change } => {
                signs.extend([json!(x), down(2, *y), class(of), number(*change)]);
            }
        }
    }
    json!([name, picture.height, picture.title, bars, lines, texts, signs])
}
