//! `metrics.txt`: the figures of a run in the text format of OpenMetrics 1.0.
//!
//! Read by GitLab as a metrics report, by collectors from a file. No sample has a time of its own: it is of the whole run.

use super::{
    escape::terminal,
    schema::{CellRecord, Run, Verdict, What},
};
use std::fmt::Write as _;

/// Every verdict, so that none is missing because nothing came to it.
const VERDICTS: [Verdict; 6] =
    [Verdict::Pass, Verdict::Deviates, Verdict::Fail, Verdict::Inconclusive, Verdict::Skip, Verdict::Incomplete];

/// Renders a run.
#[must_use]
pub fn render(run: &Run) -> String {
    let mut page = Page::default();
    about(run, &mut page);
    cells(run, &mut page);
    cases(run, &mut page);
    page.0 + "# EOF\n"
}

fn about(run: &Run, page: &mut Page) {
    let plan = run.plan.name.as_deref().unwrap_or("");
    let program = run.program.version.as_str();
    page.family("jobsworth_run", "info", None, "The run.");
    page.sample("jobsworth_run_info", &[("run", &run.id), ("version", program), ("plan", plan)], 1.0);
    if let Some(exit) = &run.exit {
        page.family("jobsworth_exit_code", "gauge", None, "What the program ended with.");
        page.sample("jobsworth_exit_code", &[], f64::from(exit.code));
    }
    if let Some(took) = run.took_ms {
        let name = "jobsworth_run_duration_seconds";
        page.family(name, "gauge", Some("seconds"), "How long the run took.");
        page.sample(name, &[], seconds(took));
    }
}

fn cells(run: &Run, page: &mut Page) {
    if run.cells.is_empty() {
        return;
    }
    page.family("jobsworth_cell", "info", None, "A cell, and what was asked for.");
    for cell in &run.cells {
        let wanted = &cell.wanted;
        let gates = crate::plan::fit::gates_text(&wanted.gates);
        let emulated = wanted.emulated.as_deref().unwrap_or("");
        let labels = [
            ("cell", cell.id.as_str()),
            ("provider", &cell.provider),
            ("subject", &cell.subject),
            ("kubernetes", &wanted.kubernetes),
            ("emulated", emulated),
            ("gates", &gates),
        ];
        page.sample("jobsworth_cell_info", &labels, 1.0);
    }
    let per_cell = |page: &mut Page, name: &str, unit, help: &str, value: &dyn Fn(&CellRecord) -> Option<f64>| {
        let values: Vec<_> = run.cells.iter().filter_map(|cell| Some((cell, value(cell)?))).collect();
        if !values.is_empty() {
            page.family(name, "gauge", unit, help);
            values.into_iter().for_each(|(cell, value)| page.sample(name, &[("cell", &cell.id)], value));
        }
    };
    per_cell(
        page,
        "jobsworth_cell_attested",
        None,
        "1 where the cluster was proven to be what was asked for.",
        &|cell| Some(f64::from(u8::from(cell.attested.as_ref().is_some_and(|attested| attested.holds)))),
    );
    per_cell(page, "jobsworth_cell_lost", None, "1 where a cell could give no verdicts.", &|cell| {
        Some(f64::from(u8::from(cell.lost.is_some())))
    });
    per_cell(page, "jobsworth_cell_up_seconds", Some("seconds"), "How long the cluster took to come up.", &|cell| {
        cell.up_ms.map(seconds)
    });
    let name = "jobsworth_controller_breakdowns";
    page.family(name, "gauge", None, "How often the controller under test died, or panicked and went on.");
    for cell in &run.cells {
        for (what, word) in [(What::Died, "died"), (What::Panicked, "panicked")] {
            let count = cell.breakdowns.iter().filter(|breakdown| breakdown.what == what).count();
            page.sample(name, &[("cell", &cell.id), ("what", word)], count as f64);
        }
    }
}

fn cases(run: &Run, page: &mut Page) {
    page.family("jobsworth_cases", "gauge", None, "Turns of cases by verdict.");
    for cell in &run.cells {
        for verdict in VERDICTS {
            let count = run.cases.iter().filter(|case| case.cell == cell.id && case.verdict == verdict).count();
            page.sample("jobsworth_cases", &[("cell", &cell.id), ("verdict", verdict.as_str())], count as f64);
        }
    }
    let name = "jobsworth_case_duration_seconds";
    let timed: Vec<_> = run.cases.iter().filter_map(|case| Some((case, case.took_ms?))).collect();
    if timed.is_empty() {
        return;
    }
    page.family(name, "gauge", Some("seconds"), "How long a turn of a case took.");
    for (case, took) in timed {
        let attempt = case.attempt.to_string();
        let labels = [
            ("cell", case.cell.as_str()),
            ("case", &case.case),
            ("attempt", &attempt),
            ("verdict", case.verdict.as_str()),
        ];
        page.sample(name, &labels, seconds(took));
    }
}

fn seconds(millis: u64) -> f64 {
    millis as f64 / 1_000.0
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, unit: Option<&str>, help: &str) {
        let _ = writeln!(self.0, "# TYPE {name} {kind}");
        if let Some(unit) = unit {
            let _ = writeln!(self.0, "# UNIT {name} {unit}");
        }
        let _ = writeln!(self.0, "# HELP {name} {}", escaped(help));
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> =
            labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(&terminal(value)))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

/// As the format quotes text. Nothing but these three needs it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests;
