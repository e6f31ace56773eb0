//! `plan`: what `run` would do, without doing it.

use super::{
    Failure, Stdout, existing,
    selection::{Planned, Selection, planned},
};
use crate::{
    case::Catalogue,
    cluster::{SubjectKind, deployed},
    plan::{self, Resolved},
    report::{Exit, escape::terminal},
    run::CellPlan,
};
use clap::Args;
use std::{collections::BTreeMap, fmt::Write as _};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    selection: Selection,
}

pub(super) fn execute(arguments: Arguments, catalogue: &Catalogue, stdout: &mut Stdout) -> Result<Exit, Failure> {
    show(&planned(arguments.selection, catalogue)?, stdout)
}

/// Prints a plan. A plan without a case is told as `run` would tell it.
pub(super) fn show(planned: &Planned<'_>, stdout: &mut Stdout) -> Result<Exit, Failure> {
    stdout.write(&text(planned))?;
    let cases = planned.resolved.turns();
    Ok(if cases == 0 { Exit::Undecided } else { Exit::Held })
}

fn text(Planned { resolved, provider }: &Planned<'_>) -> String {
    let Resolved { run, asked } = resolved;
    let mut text = String::new();
    match provider {
        Ok(choice) => {
            let _ = writeln!(text, "provider  {}: {}", choice.provider.name(), choice.because);
        }
        Err(error) => {
            let _ = writeln!(text, "provider  none: {error}");
        }
    }
    let standing = provider.as_ref().ok().and_then(|choice| choice.ready.standing.as_ref());
    text += &standing.map(existing::described).unwrap_or_default();
    let plan = asked.plan.as_ref().map(|plan| format!("plan {plan} · ")).unwrap_or_default();
    let part = asked.partition.map(|partition| format!(" · {partition}")).unwrap_or_default();
    let _ = writeln!(
        text,
        "plan      {plan}{} cells · {} turns of cases · {} side by side · seed {}{part}",
        run.cells.len(),
        resolved.turns(),
        run.jobs,
        run.seed,
    );
    if let Ok(choice) = provider
        && resolved.turns() > 0
    {
        let estimate = plan::estimate::estimate(run, &choice.provider.costs());
        let minutes = estimate.time.as_secs().div_ceil(60);
        let _ = writeln!(
            text,
            "estimate  {minutes} min, {} MiB for clusters; programs and images that must be built come on top",
            estimate.memory
        );
    }
    for what in &asked.left_out {
        let _ = writeln!(text, "left out  {what}");
    }
    for cell in &run.cells {
        text += &cell_text(cell);
    }
    if resolved.turns() == 0 {
        text.push_str("nothing is selected: `run` would end with exit 3\n");
    }
    text
}

fn cell_text(plan: &CellPlan<'_>) -> String {
    let mut text = format!("\ncell {}  (behaves as {})\n", plan.cell.id, plan.cell.spec.behaves_as());
    if let SubjectKind::Deployed(controller) = &plan.cell.spec.subject {
        let objects = deployed::listed(controller).map_or_else(|error| error.to_string(), |names| names.join(", "));
        let _ = writeln!(
            text,
            "  puts  a namespace jw-controller-<hash> there, and in it or owned by it: {}",
            terminal(&objects)
        );
    }
    for turn in &plan.turns {
        let attempt = if turn.attempt > 1 { format!(" #{}", turn.attempt) } else { String::new() };
        let _ = writeln!(text, "  run   {}{attempt}", turn.case.about().id);
    }
    let mut skips: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (case, why) in &plan.skips {
        skips.entry(why).or_default().push(case.about().id);
    }
    for (why, cases) in skips {
        for case in cases {
            let _ = writeln!(text, "  skip  {case}: {why}");
        }
    }
    text
}
