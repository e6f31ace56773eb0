//! What the run was made of: the command, the machine, and for each cell what was asked for and what was found.

use super::shown;
use crate::report::{
    schema::{Attested, CellRecord, Run},
    wording,
};
use maud::{Markup, html};
use std::time::Duration;

pub(super) fn section(run: &Run) -> Markup {
    html! {
        section #environment aria-labelledby="environment-h" {
            h2 #environment-h { "Attestation and environment" }
            dl.facts { @for (name, value) in facts(run) { div { dt { (name) } dd { (shown(&value)) } } } }
            p { "The run again: " code { (shown(&wording::command(&run.argv))) } }
            @for cell in &run.cells { (of_cell(cell)) }
        }
    }
}

fn facts(run: &Run) -> Vec<(&'static str, String)> {
    let plan = &run.plan;
    let mut facts = vec![
        ("judged by", format!("{} {}", run.program.name, run.program.version)),
        ("seed", run.seed.to_string()),
        ("selected", format!("{} {}", plan.names.join(" "), plan.filter).trim().to_owned()),
        ("turns planned", plan.turns.to_string()),
        ("side by side", plan.jobs.to_string()),
        ("repetitions", plan.repeat.to_string()),
        ("processor", format!("{}, {} cores", run.host.cpu, run.host.cores)),
        ("memory", format!("{:.1} GiB", run.host.memory_bytes as f64 / f64::from(1 << 30))),
        ("kernel", run.host.kernel.clone()),
    ];
    facts.extend(plan.partition.as_ref().map(|partition| ("shard", partition.clone())));
    facts.extend(plan.max_fail.map(|number| ("stops after", format!("{number} failed cases"))));
    facts
}

fn of_cell(cell: &CellRecord) -> Markup {
    let said = match &cell.attested {
        Some(attested) if attested.holds => format!("✔ attested, {} facts", attested.rows.len()),
        Some(_) => "✖ is not what was asked for".to_owned(),
        None => "– nothing was attested".to_owned(),
    };
    let up = cell.up_ms.map(|up| format!(", up in {}", wording::short(Duration::from_millis(up))));
    html! {
        details {
            summary { strong { (shown(&cell.id)) } " " (said) (up.unwrap_or_default()) }
            dl.facts { @for (name, value) in wanted(cell) { div { dt { (name) } dd { (shown(&value)) } } } }
            @if let Some(attested) = &cell.attested { (facts_found(attested)) }
            @if !cell.changes.is_empty() {
                p { "Changes that cases made:" }
                ul.names { @for change in &cell.changes {
                    li { code { (shown(&change.case)) } " #" (change.attempt) ": " (shown(&change.to)) ", after "
                        (wording::short(Duration::from_millis(change.took_ms))) }
                } }
            }
            @if !cell.binaries.is_empty() {
                p { "SHA-256 of its programs:" }
                ul.names { @for (name, sum) in &cell.binaries { li { code { (shown(name)) } " " code.sum { (shown(sum)) } } } }
            }
        }
    }
}

fn wanted(cell: &CellRecord) -> Vec<(&'static str, String)> {
    let wanted = &cell.wanted;
    let mut facts = vec![
        ("provider", cell.provider.clone()),
        ("controller", cell.subject.clone()),
        ("Kubernetes", wanted.kubernetes.clone()),
    ];
    facts.extend(wanted.emulated.as_ref().map(|minor| ("emulates", minor.clone())));
    facts.extend(wanted.other.as_ref().map(|other| ("changes to", other.clone())));
    if !wanted.gates.is_empty() {
        facts.push(("gates", crate::plan::fit::gates_text(&wanted.gates)));
    }
    facts.extend(cell.kept.as_ref().map(|name| ("kept as", name.clone())));
    facts
}

fn facts_found(attested: &Attested) -> Markup {
    html! {
        div.wide tabindex="0" role="group" aria-label="What each component attested" { table {
            thead { tr {
                th scope="col" { "component" } th scope="col" { "fact" } th scope="col" { "wanted" }
                th scope="col" { "found" } th scope="col" { "agrees" }
            } }
            tbody { @for row in &attested.rows {
                tr class=[(!row.ok).then_some("breach")] {
                    td { (shown(&row.component)) } td { (shown(&row.what)) } td { (shown(&row.wanted)) }
                    td { (shown(&row.found)) } td { (if row.ok { "✔ yes" } else { "✖ no" }) }
                }
            } }
        } }
    }
}
