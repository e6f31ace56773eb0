//! What changes, verdicts and times are called, in text and in Markdown alike.

use super::wire::{Came, Durations, Kind, Standing};
use crate::report::{console::Paint, wording};
use std::time::Duration;

/// What a kind of change is called.
pub(super) const fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::NewlyFailing => "newly failing",
        Kind::FailsMoreOften => "failing more often",
        Kind::NewlyFlaky => "newly flaky",
        Kind::FailsByNewClaims => "failing by claims that BASE's program did not make: no regression",
        Kind::NewlyDeviating => "newly deviating, as known of the controller",
        Kind::NewlySkipped => "newly skipped",
        Kind::NoLongerJudged => "no longer judged",
        Kind::NoLongerSkipped => "no longer skipped",
        Kind::NowJudged => "judged now, and not before",
        Kind::Mended => "mended",
        Kind::PartlyMended => "failed every time, hold now and then",
        Kind::NoLongerFlaky => "were flaky, held every time",
        Kind::NoLongerDeviating => "no longer deviating",
        Kind::StillFailing => "still failing",
        Kind::StillFlaky => "still flaky",
        Kind::New => "new: not in BASE",
        Kind::Gone => "gone: not in HEAD",
    }
}

/// How a case came out on one side, in words.
pub(super) fn came(came: Option<Came>) -> String {
    let Some(came) = came else { return "not there".to_owned() };
    let word = match came.standing {
        Standing::Passed => "held",
        Standing::Deviates => "deviated as known",
        Standing::Failed => "failed",
        Standing::Flaky => "flaky, held",
        Standing::Inconclusive => return "inconclusive".to_owned(),
        Standing::Incomplete => return "incomplete".to_owned(),
        Standing::Skipped => return "skipped".to_owned(),
    };
    match came.judged {
        1 => word.to_owned(),
        _ if came.standing == Standing::Flaky => format!("{word} {}", came.share()),
        all => format!("{word} {all} of {all}"),
    }
}

/// What the times come to, in one sentence.
pub(super) fn of_durations(durations: &Durations) -> String {
    let Durations { tested, too_few, level, percent, floor_ms, .. } = durations;
    if let Some(because) = &durations.refused {
        return format!("not compared: {because}");
    }
    if let Some(needed) = durations.turns_needed {
        let all = tested + too_few;
        return format!(
            "no statement about {} at level {level}: that takes {needed} turns of each on both sides (--repeat {needed})",
            counted(all, "case")
        );
    }
    if *tested == 0 {
        return "not compared: no case held on both sides".to_owned();
    }
    let few = if *too_few > 0 { format!(", too few turns of {too_few}") } else { String::new() };
    let (slower, faster) = (durations.slower.len(), durations.faster.len());
    format!(
        "{slower} slower, {faster} faster of {} tested{few} (level {level}, at least {percent} % and {floor_ms} ms; {})",
        counted(*tested, "case"),
        durations.test
    )
}

pub(super) fn millis(millis: f64) -> String {
    wording::short(Duration::from_secs_f64((millis / 1000.0).max(0.0)))
}

/// How many things are worse.
pub(super) fn verdict(regressions: usize, paint: Paint) -> String {
    match regressions {
        0 => paint.good("no regression"),
        some => paint.bad(&counted(some, "regression")),
    }
}

/// `1 case`, `2 cases`.
pub(super) fn counted(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}
