//! A history for people at a terminal: what calls for attention by name, the rest in numbers.

use super::wire::{CaseHistory, History, Said, Word};
use crate::{
    report::{
        console::{Paint, Volume},
        escape::terminal,
    },
    statistics::Share,
};
use comfy_table::{ContentArrangement, Table, presets};
use std::fmt::Write as _;

/// Runs of a strip that are shown, the latest ones.
pub(super) const STRIP: usize = 30;
/// Folders that are named of those left out, unless all are asked for.
const NAMED: usize = 10;

/// Renders a history; steady cases only for who asks for more.
#[must_use]
pub fn render(history: &History, volume: Volume, paint: Paint) -> String {
    let shown = |case: &&CaseHistory| volume == Volume::Verbose || !matches!(case.word, Word::Steady | Word::Unjudged);
    let rows: Vec<&CaseHistory> = history.cases.iter().filter(shown).collect();
    let mut text = span(history);
    if !rows.is_empty() {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(["", "case", "cell", "held (95 %)", "runs, the latest to the right"]);
        for case in rows {
            table.add_row(row(case));
        }
        let _ = writeln!(text, "\n{table}");
    }
    text += &sums(history, paint);
    if volume != Volume::Verbose && history.cases.iter().any(|case| case.word == Word::Steady) {
        text += "each by name: the same command with --verbose\n";
    }
    let named = if volume == Volume::Verbose { usize::MAX } else { NAMED };
    for out in history.left_out.iter().take(named) {
        let _ = writeln!(text, "left out  {}: {}", terminal(&out.folder), terminal(&out.because));
    }
    if history.left_out.len() > named {
        let _ = writeln!(text, "left out  and {} more", history.left_out.len() - named);
    }
    text
}

/// A word for a case.
pub(super) const fn word(word: Word) -> &'static str {
    match word {
        Word::Flaky => "flaky",
        Word::Failing => "failing",
        Word::Changed => "changed",
        Word::Unjudged => "unjudged",
        Word::Steady => "steady",
    }
}

/// A sign for what a run said; the legend has the words.
pub(super) const fn sign(said: Said) -> &'static str {
    match said {
        Said::Held => "✔",
        Said::Failed => "✖",
        Said::Flaky => "±",
        Said::Open => "~",
        Said::Skipped => "–",
    }
}

/// How the signs are read.
pub(super) const LEGEND: &str = "✔ held, ✖ failed, ± held and failed in one run, ~ not judged, – did not apply";

fn span(history: &History) -> String {
    let ends = history.runs.first().zip(history.runs.last());
    let (first, last) = ends.map(|(first, last)| (first.started.as_str(), last.started.as_str())).unwrap_or_default();
    let runs = match history.runs.len() {
        1 => "1 run".to_owned(),
        many => format!("{many} runs"),
    };
    format!("{runs} from {} to {}\n", terminal(first), terminal(last))
}

fn row(case: &CaseHistory) -> [String; 5] {
    let share = Share { of: case.held, all: case.judged };
    let held = format!("{} of {}  {:.2}–{:.2}", share.of, share.all, case.low, case.high);
    let left = case.strip.len().saturating_sub(STRIP);
    let strip: String = case.strip.iter().skip(left).map(|mark| sign(mark.said)).collect();
    let more = if left > 0 { "…" } else { "" };
    [word(case.word).to_owned(), terminal(&case.case), terminal(&case.cell), held, format!("{more}{strip}")]
}

fn sums(history: &History, paint: Paint) -> String {
    let count = |word| history.cases.iter().filter(|case| case.word == word).count();
    let told = [Word::Flaky, Word::Failing, Word::Changed, Word::Unjudged, Word::Steady].map(|it| (it, count(it)));
    let told = told.into_iter().filter(|(word, number)| *number > 0 || matches!(word, Word::Flaky | Word::Steady));
    let told: Vec<String> = told
        .map(|(it, number)| {
            let text = format!("{number} {}", word(it));
            match it {
                Word::Flaky | Word::Failing if number > 0 => paint.bad(&text),
                Word::Changed | Word::Unjudged => paint.warn(&text),
                Word::Flaky | Word::Failing | Word::Steady => text,
            }
        })
        .collect();
    format!("\n{LEGEND}\ncases     {}\n", told.join(", "))
}
