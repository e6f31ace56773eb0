//! Annotations for GitHub Actions: one `::error` line per failed case, read from the log by the runner.

use super::{
    escape::{command_data, command_property},
    schema::{Run, Verdict},
    wording,
};

/// The runner shows ten of a kind and drops the rest.
const SHOWN: usize = 10;

/// The lines for a run: failures as errors, what could not be told as warnings.
#[must_use]
pub fn render(run: &Run) -> String {
    let mut text = String::new();
    for (command, verdicts) in [
        ("error", &[Verdict::Fail][..]),
        ("warning", &[Verdict::Inconclusive, Verdict::Incomplete][..]),
        ("notice", &[Verdict::Deviates][..]),
    ] {
        let cases = run.cases.iter().filter(|case| verdicts.contains(&case.verdict));
        for case in cases.take(SHOWN) {
            let title = format!("{} {} in {}", case.verdict.as_str(), case.case, case.cell);
            let line = format!(
                "::{command} title={}::{}\n",
                command_property(&title),
                command_data(wording::failure(case).trim_end())
            );
            text.push_str(&line);
        }
    }
    for cell in run.cells.iter().take(SHOWN) {
        for breakdown in cell.breakdowns.iter().filter(wording::is_unattributed).take(SHOWN) {
            let title = command_property(&format!("the controller of cell {} broke down", cell.id));
            text.push_str(&format!("::error title={title}::{}\n", command_data(&wording::breakdown(breakdown))));
        }
        if let Some(lost) = &cell.lost {
            let title = command_property(&format!("cell {} was lost", cell.id));
            text.push_str(&format!("::error title={title}::{}\n", command_data(&wording::lost(lost))));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::sample;

    #[test]
    fn a_nasty_text_begins_no_command() {
        let text = render(&sample::nasty());
        insta::assert_snapshot!(text);
        let commands = ["::error title=", "::warning title=", "::notice title="];
        assert!(text.lines().all(|line| commands.iter().any(|command| line.starts_with(command))));
    }
}
