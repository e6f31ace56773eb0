//! Durations, verdicts and commands in the words that people read.

use super::{
    escape::{lines, terminal},
    schema::{BreakdownRecord, CaseRecord, DeviationRecord, Lost, Tally, Wanted},
};
use crate::{
    scene::Shortened,
    slo::answer::{Answer, Finding},
};
use std::{fmt::Write as _, time::Duration};

/// A duration: `0.840s`, `12.3s`, `6m41s`, `1h02m`.
#[must_use]
pub fn short(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.3}s", duration.as_secs_f64()),
        10..60 => format!("{:.1}s", duration.as_secs_f64()),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// What was measured of service levels in a cell: how many are met, and each that is not.
#[must_use]
pub fn objectives(cell: &str, findings: &[Finding]) -> String {
    let met = findings.iter().filter(|finding| finding.answer == Answer::Met).count();
    let mut text = format!("levels    {cell}  {met} of {} service levels met", findings.len());
    for finding in findings.iter().filter(|finding| finding.answer != Answer::Met) {
        let Finding { id, answer, measured, .. } = finding;
        let _ = write!(text, "\n          {}: {}, {}", terminal(id), answer.word(), terminal(measured));
    }
    text
}

/// A size: `812 bytes`, `96 kB`, `12 MB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// The numbers of a run: `31 passed, 1 failed`; what is zero is left out, but not `passed`.
#[must_use]
pub fn tally(tally: &Tally) -> String {
    let mut text = format!("{} passed", tally.passed);
    for (number, word) in [
        (tally.failed, "failed"),
        (tally.flaky, if tally.flaky == 1 { "case flaky" } else { "cases flaky" }),
        (tally.deviating, "deviating as known"),
        (tally.inconclusive, "inconclusive"),
        (tally.incomplete, "incomplete"),
        (tally.skipped, "skipped"),
    ] {
        if number > 0 {
            let _ = write!(text, ", {number} {word}");
        }
    }
    text
}

/// The command that runs one case of a cell again.
#[must_use]
pub fn again(case: &str, wanted: &Wanted, subject: &str, seed: u64) -> String {
    let mut command = format!("jobsworth run {case}");
    wanted.provider.iter().for_each(|word| command += &format!(" {}", quoted(word)));
    let _ = write!(command, " --kubernetes {}", wanted.kubernetes);
    if let Some(other) = &wanted.other {
        let _ = write!(command, " --other-kubernetes {other}");
    }
    if let Some(minor) = &wanted.emulated {
        let _ = write!(command, " --emulate {minor}");
    }
    if !wanted.gates.is_empty() {
        let _ = write!(command, " --gates {}", crate::plan::fit::gates_text(&wanted.gates));
    }
    if !wanted.controller.is_empty() {
        wanted.controller.iter().for_each(|word| command += &format!(" {}", quoted(word)));
    } else if subject != "builtin" {
        let _ = write!(command, " --controller {subject}");
    }
    let _ = write!(command, " --seed {seed}");
    command
}

/// A command line as one would type it; the program is called by its name.
#[must_use]
pub fn command(argv: &[String]) -> String {
    std::iter::once("jobsworth".to_owned())
        .chain(argv.iter().skip(1).map(|word| quoted(word)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,./:@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// What is known of a deviation, and whether it showed.
#[must_use]
pub fn known(deviation: &DeviationRecord) -> String {
    let source = terminal(&deviation.source);
    match deviation.shown {
        true => format!("known: this controller deviates here in this version, see {source}"),
        false => format!("news: this controller is known to deviate here in this version ({source}), and did not"),
    }
}

/// A case as text: the failure, claim by claim, and how to run it again. What comes from the cluster is
/// made safe for terminals and cannot begin a line; other formats need their own escape on top.
#[must_use]
pub fn failure(case: &CaseRecord) -> String {
    let mut text = String::new();
    for failure in &case.failures {
        let by = match failure.source.0.as_str() {
            "claim" | "controller" => String::new(),
            id => format!("invariant {id} "),
        };
        let breach = &failure.breach;
        let at = Duration::from_micros(breach.at_us).as_secs_f64();
        let place = match breach.revision {
            0 => format!("not seen up to t+{at:.3}s"),
            revision => format!("broken at t+{at:.3}s (revision {revision})"),
        };
        let _ = writeln!(text, "{by}“{}” {place}", terminal(&failure.says));
        let _ = writeln!(text, "  expected  {}", terminal(&breach.expected));
        let _ = writeln!(text, "  observed  {}", terminal(&breach.observed));
        for line in failure.excerpt.lines() {
            let _ = writeln!(text, "  | {}", terminal(line));
        }
    }
    if let Some(deviation) = &case.deviation {
        let _ = writeln!(text, "{}", known(deviation));
    }
    for doubt in &case.doubts {
        let _ = writeln!(text, "doubt: {}", terminal(doubt));
    }
    if let Some(because) = &case.because {
        let _ = writeln!(text, "cause: {}", lines(because));
    }
    if let Some(timeline) = &case.timeline {
        let _ = writeln!(text, "timeline  {}", terminal(timeline));
    }
    let _ = writeln!(text, "again     {}", terminal(&case.again));
    text
}

/// What a lost cell says: why, and the component's last lines. Safe as [`failure`] is.
#[must_use]
pub fn lost(lost: &Lost) -> String {
    let mut text = lines(&lost.because);
    if let (Some(component), Some(status)) = (&lost.component, &lost.status) {
        let _ = write!(text, "\n{} ended with {}", terminal(component), terminal(status));
    }
    for line in lost.last_lines.iter().filter(|line| !lost.because.contains(line.as_str())) {
        let _ = write!(text, "\n  | {}", terminal(line));
    }
    text
}

/// What a controller did that it must never do: how, beside which cases, and its lines. Safe as [`failure`] is.
#[must_use]
pub fn breakdown(breakdown: &BreakdownRecord) -> String {
    let mut text = match &breakdown.status {
        Some(status) => format!("the controller ended unasked with {}", terminal(status)),
        None => "the controller panicked and went on".to_owned(),
    };
    match breakdown.cases.as_slice() {
        [] => text.push_str(" while no case ran"),
        cases => {
            let _ = write!(text, " while these cases ran: {}", terminal(&cases.join(", ")));
        }
    }
    if !breakdown.blamed.is_empty() {
        let _ = write!(text, "\nit died while it was alone with {}", terminal(&breakdown.blamed.join(", ")));
    }
    for line in &breakdown.last_lines {
        let _ = write!(text, "\n  | {}", terminal(line));
    }
    text
}

/// Why scripts wait less from here on, and what comes of that.
#[must_use]
pub fn shortened(shortened: &Shortened) -> String {
    let Shortened { cases, to, needed } = shortened;
    let needed = match needed.is_zero() {
        true => "no case that waited for something has passed so far".to_owned(),
        false => format!("cases that passed needed {}", short(*needed)),
    };
    format!(
        "{cases} cases waited in vain, so waits end after {} from here on ({needed}); a case that is cut short so is \
         inconclusive, not failed; --patience full lets all wait in full",
        short(*to)
    )
}

/// A breakdown for which no case fails, so that it must be told by itself.
#[must_use]
pub fn is_unattributed(breakdown: &&BreakdownRecord) -> bool {
    breakdown.blamed.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::blink(840, "0.840s")]
    #[case::seconds(12_340, "12.3s")]
    #[case::minutes(401_000, "6m41s")]
    #[case::hours(3_725_000, "1h02m")]
    fn durations_are_short(#[case] millis: u64, #[case] expected: &str) {
        assert_eq!(short(Duration::from_millis(millis)), expected);
    }

    #[test]
    fn a_command_line_is_quoted_where_a_shell_needs_it() {
        let argv = ["/opt/jobsworth", "run", "-E", "suite(ttl)", "it's", ""].map(str::to_owned);
        assert_eq!(command(&argv), r"jobsworth run -E 'suite(ttl)' 'it'\''s' ''");
    }

    #[test]
    fn the_command_to_run_again_names_the_whole_cell() {
        let wanted = Wanted {
            kubernetes: "1.35.4".to_owned(),
            other: Some("1.37.1".to_owned()),
            emulated: Some("1.32".to_owned()),
            gates: [("JobSuccessPolicy".to_owned(), false)].into(),
            controller: Vec::new(),
            provider: Vec::new(),
        };
        assert_eq!(
            again("ttl/zero", &wanted, "builtin", 7),
            "jobsworth run ttl/zero --kubernetes 1.35.4 --other-kubernetes 1.37.1 --emulate 1.32 \
             --gates JobSuccessPolicy=false --seed 7"
        );
    }

    #[test]
    fn the_command_to_run_again_names_the_cluster_of_a_user() {
        let wanted = Wanted {
            kubernetes: "1.37.1".to_owned(),
            other: None,
            emulated: None,
            gates: [].into(),
            controller: ["--manager", "example.com/mine"].map(str::to_owned).into(),
            provider: ["--provider", "existing", "--kubeconfig", "my file", "--context", "dev"]
                .map(str::to_owned)
                .into(),
        };
        assert_eq!(
            again("ttl/zero", &wanted, "mine", 7),
            "jobsworth run ttl/zero --provider existing --kubeconfig 'my file' --context dev --kubernetes 1.37.1 \
             --manager example.com/mine --seed 7"
        );
    }

    #[test]
    fn the_command_to_run_again_names_a_described_controller_as_it_was_named() {
        let wanted = Wanted {
            kubernetes: "1.37.1".to_owned(),
            other: None,
            emulated: None,
            gates: [].into(),
            controller: ["--controller", "program: ./x {kubeconfig}"].map(str::to_owned).into(),
            provider: Vec::new(),
        };
        assert_eq!(
            again("ttl/zero", &wanted, "x", 7),
            "jobsworth run ttl/zero --kubernetes 1.37.1 --controller 'program: ./x {kubeconfig}' --seed 7"
        );
    }
}
