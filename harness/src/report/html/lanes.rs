//! Swimlanes on the page: drawn where something went wrong, packed for when they are asked for elsewhere.
//!
//! Packed ones are lists of shapes in JSON, some cases together, compressed: a page of 2,000 turns stays below 5 MB.

use super::shown;
use crate::report::{
    evidence::Evidence,
    schema::CaseRecord,
    swimlane_text::{self, marks},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use flate2::{Compression, write::ZlibEncoder};
use jobsworth_swimlane::{Mark, Picture, Swimlane, Window, pack, picture, svg};
use maud::{Markup, PreEscaped, html};
use std::{collections::BTreeSet, fmt::Write as _, io::Write as _, ops::Range};

/// Room on the page for what is drawn, in bytes.
const DRAWN: usize = 900_000;
/// Room on the page for what is packed, in bytes.
const PACKED: usize = 3_000_000;
/// Changes in words of one swimlane.
const TOLD: usize = 120;
/// Columns of what is told in lines; the page folds them where it is narrower.
const WORDS: usize = 110;
/// JSON of one pack before it is compressed.
const PACK: usize = 250_000;

/// Gives away the room on the page.
pub(super) struct Lanes<'a> {
    /// The numbers of cases that have a card, with whatever swimlane there is.
    pub with_card: BTreeSet<usize>,
    evidence: &'a dyn Evidence,
    drawn: usize,
    packed: usize,
    packs: Vec<String>,
    /// The pack that is being filled.
    open: Vec<String>,
    length: usize,
}

/// What became of a swimlane that is drawn when asked for.
pub(super) enum Asked {
    /// It is on the page, in this pack at this place.
    Packed(usize, usize),
    /// There is none, for this reason.
    Not(String),
}

struct Drawn {
    swimlane: Swimlane,
    /// From near to whole, each with its name.
    pictures: Vec<(&'static str, Picture)>,
    told: Range<usize>,
    marked: Vec<usize>,
    /// Why each Job is as it is at the end, in lines.
    explained: String,
}

impl<'a> Lanes<'a> {
    pub fn new(evidence: &'a dyn Evidence) -> Self {
        Self {
            with_card: BTreeSet::new(),
            evidence,
            drawn: 0,
            packed: 0,
            packs: Vec::new(),
            open: Vec::new(),
            length: 0,
        }
    }

    /// The swimlane of a case, drawn; or a place where the script draws it, once there is no more room. Whether there is one.
    pub fn in_full(&mut self, number: usize, case: &CaseRecord) -> (Markup, bool) {
        let has_room = self.drawn < DRAWN;
        let (room, told) = if has_room { (picture::Room::default(), TOLD) } else { (pack::ROOM, pack::TOLD) };
        let drawn = match self.of(case.timeline.as_deref().unwrap_or_default(), marks(case), room, told) {
            Ok(drawn) => drawn,
            Err(because) => return (html! { p.note { "There is no swimlane: " (shown(&because)) } }, false),
        };
        if has_room {
            let markup = figure(&drawn, &format!("l{number}"));
            self.drawn += markup.0.len();
            return (markup, true);
        }
        let markup = match self.pack(&drawn) {
            Asked::Packed(pack, place) => html! {
                p.later data-lane={ (pack) "/" (place) } { span.noscript { "Its swimlane is drawn by the script of this page. " } }
            },
            Asked::Not(because) => html! { p.note { (because) } },
        };
        (markup, false)
    }

    /// Packs the swimlane of this timeline for when it is asked for.
    pub fn when_asked(&mut self, path: &str, case: Option<&CaseRecord>) -> Asked {
        match self.of(path, case.map(marks).unwrap_or_default(), pack::ROOM, pack::TOLD) {
            Ok(drawn) => self.pack(&drawn),
            Err(because) => Asked::Not(because),
        }
    }

    fn of(&self, path: &str, marks: Vec<Mark>, room: picture::Room, told: usize) -> Result<Drawn, String> {
        let timeline = self.evidence.timeline(path)?;
        let swimlane = Swimlane::of(&timeline, marks);
        if swimlane.changes.is_empty() {
            return Err("nothing was recorded".to_owned());
        }
        let whole = Window::whole(&swimlane);
        let draw = |window| picture::picture(&swimlane, window, room);
        let near = swimlane.marks.first().map(|mark| Window::around(&swimlane, mark));
        let mut pictures = Vec::new();
        if let Some(near) = near.filter(|near| !near.is_nearly(&whole)) {
            pictures.push(("Around the breach", draw(near)));
        }
        pictures.push(("The whole recording", draw(whole)));
        let marked: Vec<usize> = swimlane.marks.iter().filter_map(|mark| swimlane.change_at(mark)).collect();
        let told = svg::told_around(&swimlane, marked.first().copied(), told);
        let explained = swimlane_text::explained(&timeline, WORDS);
        Ok(Drawn { pictures, told, marked, swimlane, explained })
    }

    fn pack(&mut self, drawn: &Drawn) -> Asked {
        if self.packed + self.length / 6 > PACKED {
            return Asked::Not("There is no more room for its swimlane on this page.".to_owned());
        }
        let Drawn { swimlane, pictures, told, marked, .. } = drawn;
        let text = pack::packed(swimlane, pictures, told, marked);
        self.length += text.len();
        self.open.push(text);
        let place = Asked::Packed(self.packs.len(), self.open.len() - 1);
        if self.length > PACK {
            self.close();
        }
        place
    }

    fn close(&mut self) {
        let text = format!("[{}]", self.open.join(","));
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
        let pack = BASE64_STANDARD.encode(written.expect("memory takes what is written to it"));
        self.packed += pack.len();
        self.packs.push(pack);
        self.open.clear();
        self.length = 0;
    }

    /// The packs, as data that no browser runs.
    pub fn chunks(mut self) -> Markup {
        if !self.open.is_empty() {
            self.close();
        }
        let mut text = String::new();
        for (number, pack) in self.packs.iter().enumerate() {
            let _ = write!(text, "<script type=\"text/plain\" id=\"pack{number}\">{pack}</script>");
        }
        PreEscaped(text)
    }
}

fn figure(drawn: &Drawn, prefix: &str) -> Markup {
    let Drawn { swimlane, pictures, told, marked, explained } = drawn;
    let view = |name: &str, picture: &Picture| {
        html! {
            div.scroll tabindex="0" role="group" aria-label=(name) { (svg::markup(picture, swimlane, told, prefix)) }
        }
    };
    html! {
        figure.swimlane {
            @for (position, (name, picture)) in pictures.iter().enumerate() {
                @if position == 0 {
                    figcaption { (name) }
                    (view(name, picture))
                } @else {
                    details { summary { (name) } (view(name, picture)) }
                }
            }
            p.key { "line below a pod: its finalizer holds it · hatched: being deleted · ▲ a write · dashed: where it broke · grey with ⋯: nothing happened, drawn shorter" }
            @if !explained.is_empty() { pre.why { (shown(explained)) } }
            @for missing in &swimlane.missing { p.note { "Missing: " (missing) } }
            details {
                summary {
                    @if swimlane.changes.len() == 1 { "One change in words" } @else { (swimlane.changes.len()) " changes in words" }
                }
                (svg::table(swimlane, told, marked, prefix))
            }
        }
    }
}
