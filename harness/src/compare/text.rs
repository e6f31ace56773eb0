//! A comparison of runs for people at a terminal: what else differs first, then what is worse, then the rest.

use super::{
    wire::{Change, Durations, Kind, OnlyIn, RunComparison, Timing},
    words::{came, counted, millis, of_durations, title, verdict},
};
use crate::report::{
    console::Paint,
    escape::{at_line_start, lines, terminal},
};
use std::fmt::Write as _;

/// Names that are told of one kind, where it is no regression.
const NAMED: usize = 20;
/// And where it is one.
const WORSE: usize = 100;

/// Renders a comparison of runs.
pub(super) fn render(comparison: &RunComparison, paint: Paint) -> String {
    let mut text = head(comparison);
    for group in comparison.changes.chunk_by(|one, other| (one.kind, one.regression) == (other.kind, other.regression))
    {
        text += &group_text(group, paint);
    }
    for broke in &comparison.breakdowns {
        let word = if broke.regression { paint.bad("WORSE ") } else { String::new() };
        let (cell, base, head) = (terminal(&broke.cell), counted(broke.base, "time"), counted(broke.head, "time"));
        let _ = writeln!(text, "\n{word}the controller of {cell} died or panicked {base} in BASE, {head} in HEAD");
    }
    text += &durations(&comparison.durations, paint);
    text += &claims(comparison);
    text + &end(comparison, paint)
}

fn head(comparison: &RunComparison) -> String {
    let mut text = String::new();
    for (word, side) in [("BASE", &comparison.base), ("HEAD", &comparison.head)] {
        let exit = side.exit.map(|code| format!("  exit {code}")).unwrap_or_default();
        let (run, started) = (terminal(&side.run), terminal(&side.started));
        let _ = writeln!(text, "{word:<10}run {run}  {started}  jobsworth {}{exit}", terminal(&side.program));
    }
    if comparison.differences.is_empty() {
        let _ = writeln!(text, "{:<10}nothing but the run: same programs, gates, machine and selection", "differs");
    }
    for (position, row) in comparison.differences.iter().enumerate() {
        let word = if position == 0 { "differs" } else { "" };
        let (about, base, head) = (terminal(&row.about), terminal(&row.base), terminal(&row.head));
        let _ = writeln!(text, "{word:<10}{about}: {base} → {head}");
    }
    for caution in &comparison.cautions {
        let _ = writeln!(text, "{:<10}{}", "note", terminal(caution));
    }
    text
}

fn group_text(group: &[Change], paint: Paint) -> String {
    let Some(Change { kind, regression, .. }) = group.first() else { return String::new() };
    let word = match kind {
        _ if *regression => paint.bad("WORSE "),
        Kind::Mended | Kind::PartlyMended | Kind::NoLongerFlaky => paint.good("BETTER "),
        _ => String::new(),
    };
    let mut text = format!("\n{word}{} ({})\n", title(*kind), group.len());
    let shown = if *regression { WORSE } else { NAMED };
    for change in group.iter().take(shown) {
        text += &change_text(change);
    }
    if group.len() > shown {
        let _ = writeln!(text, "  and {} more; --json names all", group.len() - shown);
    }
    text
}

fn change_text(change: &Change) -> String {
    let (case, cell) = (at_line_start(&change.case), terminal(&change.cell));
    let mut text = format!("  {case} in {cell}: {} → {}", came(change.base), came(change.head));
    if let Some(chance) = change.chance {
        let _ = write!(text, " (by chance: p = {chance:.3})");
    }
    text.push('\n');
    for says in &change.because {
        let _ = writeln!(text, "      {}", lines(says));
    }
    if let Some(again) = change.again.as_ref().filter(|_| change.regression) {
        let _ = writeln!(text, "      again: {}", terminal(again));
    }
    text
}

fn durations(durations: &Durations, paint: Paint) -> String {
    let mut text = format!("\ntimes     {}\n", of_durations(durations));
    for (word, timings) in [(paint.bad("WORSE"), &durations.slower), (paint.good("BETTER"), &durations.faster)] {
        for timing in timings {
            let Timing { case, cell, base_ms, head_ms, base_turns, head_turns, chance } = timing;
            let (case, cell, base, head) = (terminal(case), terminal(cell), millis(*base_ms), millis(*head_ms));
            let _ = writeln!(
                text,
                "{word} {case} in {cell}: median {base} of {base_turns} turns → {head} of {head_turns} (p = {chance:.4})"
            );
        }
    }
    text
}

fn claims(comparison: &RunComparison) -> String {
    let mut text = String::new();
    for claim in comparison.claims.iter().take(NAMED) {
        let word = match claim.only {
            OnlyIn::Head => "added",
            OnlyIn::Base => "removed",
        };
        let (source, says) = (terminal(&claim.source), terminal(&claim.says));
        let cases = match claim.cases.as_slice() {
            [case] => terminal(case),
            many => counted(many.len(), "case"),
        };
        let _ = writeln!(text, "claim     {word}: {source} “{says}” of {cases}");
    }
    if comparison.claims.len() > NAMED {
        let _ = writeln!(text, "claim     and {} more; --json names all", comparison.claims.len() - NAMED);
    }
    text
}

fn end(comparison: &RunComparison, paint: Paint) -> String {
    let alike = counted(comparison.alike as usize, "case");
    format!("\n{}; {alike} came out alike\n", verdict(comparison.regressions, paint))
}
