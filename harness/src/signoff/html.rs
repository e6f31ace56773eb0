//! The sheet as a page: in the style of a run's page, without a script.

use super::{
    kep::Proof,
    markdown::{labels, why},
    sheet::{Judged, Line, Sheet, State, Turns},
    stored::Evidence,
};
use crate::report::{
    escape::link,
    html::{Sheet as Page, shown},
};
use maud::{Markup, html};

/// Renders a sheet.
#[must_use]
pub fn render(sheet: &Sheet) -> String {
    let kep = &sheet.kep;
    let class = match sheet.worst() {
        State::Covered => "good",
        State::Broken => "bad",
        _ => "open",
    };
    let body = html! {
        header class={ "verdict " (class) } {
            p.brand { "jobsworth · sign-off" }
            h1 { "KEP-" (kep.number) ": " (shown(&kep.title)) }
            p.tally { (sheet.sum()) }
            dl.facts {
                div { dt { "source" } dd { a href=(kep.source) { (shown(&kep.source)) } } }
                div { dt { "feature gates" } dd { (shown(&kep.gates.join(", "))) } }
            }
            p.note {
                "Criteria are told in the words of this program; sections are those of the KEP. Verdicts are those that the runs stored: "
                code { "jobsworth verify" } " judges them again. Links count from the folder that holds the runs' folders."
            }
        }
        (red_lines(sheet))
        section aria-labelledby="criteria-h" {
            h2 #criteria-h { "Criteria" }
            @for (number, line) in sheet.lines.iter().enumerate() { (criterion(number + 1, line)) }
        }
        (cells(sheet))
        (runs(sheet))
        (evidence(sheet))
        section aria-labelledby="signed-h" {
            h2 #signed-h { "Signed off" }
            table.changes {
                thead { tr { th scope="col" { "name" } th scope="col" { "role" } th scope="col" { "date" } } }
                tbody { @for _ in 0..3 { tr { td { "\u{a0}" } td {} td {} } } }
            }
        }
        footer { "jobsworth " (env!("CARGO_PKG_VERSION")) }
    };
    let page = Page {
        title: &format!("Sign-off of KEP-{}", kep.number),
        skip: ("#criteria-h", "To the criteria"),
        before: Markup::default(),
        main: body,
        data: Markup::default(),
        script: None,
    };
    page.render()
}

fn mark(state: State) -> Markup {
    let class = match state {
        State::Covered => "good",
        State::ByHand => "none",
        State::NotJudged | State::NoCase | State::Broken => "bad",
        State::Open | State::Deviates => "open",
    };
    html! { span class={ "v " (class) } { (state.words()) } }
}

fn red_lines(sheet: &Sheet) -> Markup {
    let red: Vec<(usize, &Line)> =
        sheet.lines.iter().enumerate().filter(|(_, line)| line.state != State::Covered).collect();
    html! {
        section aria-labelledby="red-h" {
            h2 #red-h { "Red lines" }
            @if red.is_empty() { p { "None: every criterion is covered." } }
            @else {
                table.changes {
                    thead { tr { th scope="col" { "#" } th scope="col" { "state" } th scope="col" { "criterion" } th scope="col" { "why" } } }
                    tbody { @for (number, line) in red {
                        tr.breach[line.state != State::ByHand] {
                            td { a href={ "#k" (number + 1) } { (number + 1) } } td { (mark(line.state)) }
                            td { (shown(&line.criterion.says)) } td { (shown(&why(line))) }
                        }
                    } }
                }
            }
        }
    }
}

fn criterion(number: usize, line: &Line) -> Markup {
    html! {
        div.card id={ "k" (number) } {
            h3 { (number) ". " (shown(&line.criterion.says)) }
            p { (mark(line.state)) " " span.dim { (shown(&line.criterion.section)) } }
            @if let Proof::ByHand(why) = &line.criterion.proof { p { (shown(why)) } }
            @else {
                div.wide tabindex="0" role="group" aria-label={ "Requirements of criterion " (number) } { table {
                    thead { tr {
                        th scope="col" { "requirement" } th scope="col" { "state" } th scope="col" { "case" } th scope="col" { "cell" }
                        th scope="col" { "passed" } th scope="col" { "evidence" }
                    } }
                    tbody { @for judged in &line.requirements { (requirement(judged)) } }
                } }
            }
        }
    }
}

fn requirement(judged: &Judged) -> Markup {
    let name = html! { code { (shown(&judged.number)) } " " (shown(&judged.phrase)) };
    html! {
        @if judged.turns.is_empty() {
            tr.breach { td { (name) } td { (mark(judged.state)) } td colspan="4" { (shown(&judged.says)) } }
        } @else {
            @for (position, turns) in judged.turns.iter().enumerate() { (row(if position == 0 { Some(&name) } else { None }, turns)) }
            @if !judged.says.is_empty() { tr { td {} td {} td.dim colspan="4" { (shown(&judged.says)) } } }
        }
    }
}

fn row(name: Option<&Markup>, turns: &Turns) -> Markup {
    let first = turns.evidence.first();
    html! {
        tr.breach[turns.state != State::Covered] {
            td { @if let Some(name) = name { (name) } } td { (mark(turns.state)) } td { code { (shown(&turns.case)) } }
            td { a href={ "#c" (turns.cell + 1) } { "C" (turns.cell + 1) } } td { (turns.passed) "/" (turns.all) }
            td { @if let Some(first) = first { a href={ "#e" (first + 1) } { (labels("E", &turns.evidence)) } } }
        }
    }
}

fn cells(sheet: &Sheet) -> Markup {
    html! {
        section aria-labelledby="cells-h" {
            h2 #cells-h { "Cells" }
            @if sheet.cells.is_empty() { p { "No cell judged anything of this." } }
            @else { div.wide tabindex="0" role="group" aria-label="Cells, a table" { table {
                thead { tr { @for name in ["cell", "run", "name", "Kubernetes", "gates set", "provider", "controller", "attested"] { th scope="col" { (name) } } } }
                tbody { @for (place, cell) in sheet.cells.iter().enumerate() {
                    tr id={ "c" (place + 1) } {
                        td { "C" (place + 1) } td { "R" (cell.run + 1) }
                        @for value in [&cell.id, &cell.kubernetes, &cell.gates, &cell.provider, &cell.subject, &cell.attested] { td { (shown(value)) } }
                    }
                } }
            } } }
        }
    }
}

fn runs(sheet: &Sheet) -> Markup {
    html! {
        section aria-labelledby="runs-h" {
            h2 #runs-h { "Runs" }
            div.wide tabindex="0" role="group" aria-label="Runs, a table" { table {
                thead { tr { @for name in ["run", "id", "started", "by", "file", "SHA-256"] { th scope="col" { (name) } } } }
                tbody { @for (place, run) in sheet.runs.iter().enumerate() { @for (name, file) in &run.files {
                    tr {
                        td { "R" (place + 1) } td { (shown(&run.id)) } td { (run.started) } td { "jobsworth " (shown(&run.program)) }
                        td { a href=(link(&format!("{}/{name}", run.folder))) { (name) } } td { (sum(file)) }
                    }
                } } }
            } }
        }
    }
}

fn evidence(sheet: &Sheet) -> Markup {
    html! {
        @if !sheet.evidence.is_empty() {
            section aria-labelledby="evidence-h" {
                h2 #evidence-h { "Evidence" }
                div.wide tabindex="0" role="group" aria-label="Evidence, a table" { table {
                    thead { tr { @for name in ["evidence", "run", "timeline", "SHA-256"] { th scope="col" { (name) } } } }
                    tbody { @for (place, line) in sheet.evidence.iter().enumerate() {
                        tr id={ "e" (place + 1) } {
                            td { "E" (place + 1) } td { "R" (line.run + 1) }
                            td { a href=(link(&format!("{}/{}", sheet.runs[line.run].folder, line.path))) { (shown(&line.path)) } }
                            td { (sum(&line.file)) }
                        }
                    } }
                } }
            }
        }
    }
}

fn sum(file: &Evidence) -> Markup {
    html! {
        @match file {
            Evidence::There(sha256) => { code.sum { (sha256) } }
            Evidence::Edited(sha256) => { (mark_of("✖ edited")) " " code.sum { (sha256) } }
            Evidence::Missing => { (mark_of("✖ missing")) }
        }
    }
}

fn mark_of(words: &str) -> Markup {
    html! { span.v.bad { (words) } }
}
