//! The sheet as Markdown: for an issue, a pull request, a mail.

use super::{
    kep::Proof,
    sheet::{CellLine, Judged, Line, Sheet, State, Turns},
    stored::Evidence,
};
use crate::report::escape::{link, markdown};
use std::{cmp::Reverse, collections::BTreeMap, fmt::Write as _};

/// Renders a sheet.
#[must_use]
pub fn render(sheet: &Sheet) -> String {
    let kep = &sheet.kep;
    let mut text = format!("# Sign-off of KEP-{}: {}\n\n**{}**\n\n", kep.number, markdown(&kep.title), sheet.sum());
    let _ = writeln!(text, "Source: <{}>. Feature gates: {}.", kep.source, kep.gates.join(", "));
    text += "Criteria are told in the words of this program; sections are those of the KEP. Verdicts are those that the runs stored: \
        `jobsworth verify` judges them again. Links count from the folder that holds the runs' folders.\n";
    red_lines(sheet, &mut text);
    text += "\n## Criteria\n";
    for (number, line) in sheet.lines.iter().enumerate() {
        criterion(number + 1, line, &mut text);
    }
    cells(sheet, &mut text);
    runs(sheet, &mut text);
    evidence(sheet, &mut text);
    text += "\n## Signed off\n\n| name | role | date |\n|---|---|---|\n| | | |\n| | | |\n";
    let _ = writeln!(text, "\n<sub>jobsworth {}</sub>", env!("CARGO_PKG_VERSION"));
    text
}

fn red_lines(sheet: &Sheet, text: &mut String) {
    let red: Vec<(usize, &Line)> =
        sheet.lines.iter().enumerate().filter(|(_, line)| line.state != State::Covered).collect();
    *text += "\n## Red lines\n\n";
    if red.is_empty() {
        *text += "None: every criterion is covered.\n";
        return;
    }
    *text += "| # | state | criterion | why |\n|--:|---|---|---|\n";
    for (number, line) in red {
        let why = markdown(&why(line));
        let _ = writeln!(
            text,
            "| {} | **{}** | {} | {why} |",
            number + 1,
            line.state.words(),
            markdown(&line.criterion.says)
        );
    }
}

/// What stands in the way, in a sentence.
pub(super) fn why(line: &Line) -> String {
    if let Proof::ByHand(why) = &line.criterion.proof {
        return why.clone();
    }
    let mut red: BTreeMap<Reverse<State>, Vec<&str>> = BTreeMap::new();
    for judged in line.requirements.iter().filter(|judged| judged.state != State::Covered) {
        red.entry(Reverse(judged.state)).or_default().push(&judged.number);
    }
    let told = red.into_iter().map(|(Reverse(state), numbers)| format!("{}: {}", state.word(), numbers.join(", ")));
    told.collect::<Vec<_>>().join("; ")
}

fn criterion(number: usize, line: &Line, text: &mut String) {
    let criterion = &line.criterion;
    let _ = write!(
        text,
        "\n### {number}. {}\n\n**{}** · {}\n\n",
        markdown(&criterion.says),
        line.state.words(),
        markdown(&criterion.section)
    );
    if let Proof::ByHand(why) = &criterion.proof {
        let _ = writeln!(text, "{}", markdown(why));
        return;
    }
    *text += "| requirement | state | case | cell | passed | evidence |\n|---|---|---|---|--:|---|\n";
    for judged in &line.requirements {
        requirement(judged, text);
    }
}

fn requirement(judged: &Judged, text: &mut String) {
    let name = format!("{} {}", judged.number, markdown(&judged.phrase));
    if judged.turns.is_empty() {
        let _ = writeln!(text, "| {name} | **{}** | {} | | | |", judged.state.words(), markdown(&judged.says));
        return;
    }
    for (position, turns) in judged.turns.iter().enumerate() {
        let name = if position == 0 { name.as_str() } else { "" };
        let Turns { case, cell, passed, all, state, evidence } = turns;
        let (cell, evidence) = (label(*cell), labels("E", evidence));
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {cell} | {passed}/{all} | {evidence} |",
            state.words(),
            markdown(case)
        );
    }
    if !judged.says.is_empty() {
        let _ = writeln!(text, "| | | {} | | | |", markdown(&judged.says));
    }
}

fn label(cell: usize) -> String {
    format!("C{}", cell + 1)
}

/// Places as labels, neighbours drawn together: `E1–E4, E7`.
pub(super) fn labels(letter: &str, places: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for place in places {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *place => *last = *place,
            _ => ranges.push((*place, *place)),
        }
    }
    let told = ranges.into_iter().map(|(first, last)| match last - first {
        0 => format!("{letter}{}", first + 1),
        1 => format!("{letter}{}, {letter}{}", first + 1, last + 1),
        _ => format!("{letter}{}–{letter}{}", first + 1, last + 1),
    });
    told.collect::<Vec<_>>().join(", ")
}

fn cells(sheet: &Sheet, text: &mut String) {
    *text += "\n## Cells\n\n";
    if sheet.cells.is_empty() {
        *text += "No cell judged anything of this.\n";
        return;
    }
    *text += "| | run | cell | Kubernetes | gates set | provider | controller | attested |\n|---|---|---|---|---|---|---|---|\n";
    for (place, CellLine { run, id, kubernetes, gates, provider, subject, attested }) in sheet.cells.iter().enumerate()
    {
        let told = [id, kubernetes, gates, provider, subject].map(|value| markdown(value)).join(" | ");
        let _ = writeln!(text, "| {} | R{} | {told} | {attested} |", label(place), run + 1);
    }
}

fn runs(sheet: &Sheet, text: &mut String) {
    *text += "\n## Runs\n\n| | run | started | by | file | SHA-256 |\n|---|---|---|---|---|---|\n";
    for (place, run) in sheet.runs.iter().enumerate() {
        for (name, file) in &run.files {
            let (path, sum) = (format!("{}/{name}", run.folder), sum(file));
            let (id, program) = (markdown(&run.id), markdown(&run.program));
            let _ = writeln!(
                text,
                "| R{} | {id} | {} | jobsworth {program} | [{name}]({}) | {sum} |",
                place + 1,
                run.started,
                link(&path)
            );
        }
    }
}

fn evidence(sheet: &Sheet, text: &mut String) {
    if sheet.evidence.is_empty() {
        return;
    }
    *text += "\n## Evidence\n\n| | run | timeline | SHA-256 |\n|---|---|---|---|\n";
    for (place, line) in sheet.evidence.iter().enumerate() {
        let path = format!("{}/{}", sheet.runs[line.run].folder, line.path);
        let (shown, sum) = (markdown(&line.path), sum(&line.file));
        let _ = writeln!(text, "| E{} | R{} | [{shown}]({}) | {sum} |", place + 1, line.run + 1, link(&path));
    }
}

fn sum(file: &Evidence) -> String {
    match file {
        Evidence::There(sha256) => format!("`{sha256}`"),
        Evidence::Edited(sha256) => format!("**✖ edited**: `{sha256}`"),
        Evidence::Missing => "**✖ missing**".to_owned(),
    }
}
