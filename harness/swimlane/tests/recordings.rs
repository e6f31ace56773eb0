//! Every recording that the judge is tested on is drawn.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use flate2::{Compression, read::GzDecoder, write::ZlibEncoder};
use jobsworth_oracle::{Timeline, wire};
use jobsworth_swimlane::{Mark, Swimlane, Window, pack, picture, plain, svg, text};
use rstest::rstest;
use std::{
    fs,
    io::{BufReader, Write as _},
    path::PathBuf,
};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../oracle/tests/timelines/recorded")
}

fn recorded(name: &str) -> Timeline {
    let file = fs::File::open(folder().join(format!("{name}.ndjson.gz"))).unwrap();
    wire::read(BufReader::new(GzDecoder::new(file))).unwrap()
}

fn all() -> impl Iterator<Item = Timeline> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| wire::read(BufReader::new(GzDecoder::new(fs::File::open(path).unwrap()))).unwrap())
}

/// A mark on the entry at this place of those of a timeline that people are shown.
fn mark(timeline: &Timeline, place: usize) -> Mark {
    let entry = timeline.told().nth(place).unwrap();
    Mark { at: entry.at.as_micros() as u64, revision: entry.revision, label: "S07".to_owned() }
}

#[test]
fn every_recording_fits_on_its_picture_and_its_terminal() {
    let mut drawn = 0;
    for timeline in all() {
        let swimlane = Swimlane::of(&timeline, vec![mark(&timeline, timeline.told().count() / 2)]);
        assert_eq!(swimlane.changes.len(), timeline.told().count());
        for window in [Window::whole(&swimlane), Window::around(&swimlane, &swimlane.marks[0])] {
            let picture = picture::picture(&swimlane, window, picture::Room::default());
            for shape in &picture.shapes {
                assert!(is_inside(shape, picture.height), "{} {shape:?}", swimlane.case);
            }
            for width in [1, 60, 120] {
                let text = text::render(&swimlane, window, width);
                let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(longest <= width.max(40), "{} at {width}:\n{text}", swimlane.case);
                assert!(!text.chars().any(|c| c != '\n' && plain::is_hostile(c)), "{text:?}");
            }
        }
        drawn += 1;
    }
    assert!(drawn > 100, "{drawn}");
}

fn is_inside(shape: &picture::Shape, height: u32) -> bool {
    use picture::{Shape, WIDTH};
    match shape {
        Shape::Bar { x, y, width, height: high, .. } => x + width <= WIDTH && y + high <= height,
        Shape::Line { from, to, .. } => from.0.max(to.0) <= WIDTH && from.1.max(to.1) <= height,
        Shape::Text { x, y, .. } => *x <= WIDTH && *y <= height,
        Shape::Sign { x, y, .. } => *x <= WIDTH && *y <= height,
    }
}

#[test]
fn segments_of_a_lane_follow_each_other() {
    for timeline in all() {
        for lane in Swimlane::of(&timeline, Vec::new()).lanes {
            for segments in [&lane.segments, &lane.held] {
                let ends = segments.iter().map(|segment| segment.to.unwrap_or(u64::MAX));
                let starts = segments.iter().map(|segment| segment.from);
                assert!(ends.clone().zip(starts.clone().skip(1)).all(|(end, start)| end <= start), "{lane:?}");
                assert!(starts.zip(ends).all(|(start, end)| start <= end), "{lane:?}");
            }
        }
    }
}

#[rstest]
#[case::a_policy("success-policy-leader-index-decides")]
#[case::a_flip("gate-flips-success-policy-rests-while-its-gate-is-off")]
#[case::refusals("managed-by-the-field-is-immutable")]
fn a_recording_in_text(#[case] name: &str) {
    let timeline = recorded(name);
    let swimlane = Swimlane::of(&timeline, vec![mark(&timeline, timeline.told().count() * 2 / 3)]);
    insta::assert_snapshot!(name, text::render(&swimlane, Window::whole(&swimlane), 110));
}

#[test]
fn a_zoomed_picture_shows_the_breach_and_leads_to_its_row() {
    let timeline = recorded("success-policy-leader-index-decides");
    let place = timeline.told().count() / 2;
    let swimlane = Swimlane::of(&timeline, vec![mark(&timeline, place)]);
    assert_eq!(swimlane.change_at(&swimlane.marks[0]), Some(place));
    let window = Window::around(&swimlane, &swimlane.marks[0]);
    assert!((window.from..=window.to).contains(&swimlane.marks[0].at));
    let told = svg::told_around(&swimlane, Some(place), 9);
    let picture = picture::picture(&swimlane, window, picture::Room::default());
    let page = svg::markup(&picture, &swimlane, &told, "p").into_string();
    let page = page + &svg::table(&swimlane, &told, &[place], "p").into_string();
    let page = scraper::Html::parse_fragment(&page);
    let links: Vec<String> =
        select(&page, "svg a").iter().map(|link| link.attr("href").unwrap()[1..].to_owned()).collect();
    let rows: Vec<&str> = select(&page, "tr[id]").iter().map(|row| row.attr("id").unwrap()).collect();
    assert!(!links.is_empty() && links.iter().all(|link| rows.contains(&link.as_str())), "{links:?} {rows:?}");
    assert_eq!(select(&page, "tr.breach").len(), 1);
    assert_eq!(select(&page, "line.mark").len(), 1);
}

fn select<'a>(page: &'a scraper::Html, selector: &str) -> Vec<scraper::ElementRef<'a>> {
    page.select(&scraper::Selector::parse(selector).unwrap()).collect()
}

/// A page of 2,000 turns has some 3.5 MB for what is packed, in Base64.
#[test]
fn a_packed_recording_takes_about_a_kilobyte() {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut drawn = 0;
    for timeline in all() {
        let swimlane = Swimlane::of(&timeline, Vec::new());
        let picture = picture::picture(&swimlane, Window::whole(&swimlane), pack::ROOM);
        let told = svg::told_around(&swimlane, None, pack::TOLD);
        let text = pack::packed(&swimlane, &[("The whole recording", picture)], &told, &[]);
        encoder.write_all(text.as_bytes()).unwrap();
        drawn += 1;
    }
    let each = encoder.finish().unwrap().len() / drawn;
    assert!(each < 1_400, "{each} bytes each");
}
