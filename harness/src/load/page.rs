//! `load.html`: a record on one page that needs nothing beside it.

use maud::{Markup, PreEscaped, html};

use super::alone;
use super::arm::Side;
use super::backlog::Cause;
use super::beside_tenants;
use super::comparison::Comparison;
use super::efficiency;
use super::judge::{Broken, Judged};
use super::largest_rate::LargestRates;
use super::outcome;
use super::pictures::Picture;
use super::record::{SliceTrial, Trial};
use super::soak::Soak;
use super::table::number;
use crate::report::Exit;
use crate::report::html::{Sheet, shown};
use crate::slo::answer::{Answer, Finding};

/// The page of a record with its pictures, and what it says of service levels.
#[must_use]
pub fn render(record: &Comparison, pictures: &[Picture], findings: &[Finding]) -> String {
    let main = html! {
        (head(record))
        (correctness(record))
        @if !findings.is_empty() { (levels(findings)) }
        @for profile in &record.profiles {
            section #(profile.name) aria-label=(shown(&profile.name)) {
                h2 { (shown(&profile.name)) }
                p.note { (shown(&profile.says)) " · " (profile.jobs) " Jobs, " (profile.pods) " pods" }
                @if let Some(rates) = &record.largest_rates { (largest(record, rates)) }
                @else if !record.soaks.is_empty() { (soaks(record)) }
                @else if record.alone().is_some() { (figures(record, &profile.name)) } @else { (ratios(record, &profile.name)) }
                @for picture in pictures.iter().filter(|picture| picture.workload == profile.name) {
                    figure { div.scroll tabindex="0" role="group" aria-label=(shown(&picture.title)) { (PreEscaped(&picture.svg)) } figcaption { (shown(&picture.title)) } }
                }
            }
        }
        (tenants(record))
        (trials(record))
        (slices(record))
        footer { "jobsworth " (shown(&record.program)) " · " (shown(&record.started)) " · Kubernetes " (shown(&record.kubernetes)) }
    };
    let title = format!("jobsworth load: {}", names(record));
    Sheet { title: &title, skip: ("#trials", "To the trials"), before: html! {}, main, data: html! {}, script: None }
        .render()
}

/// Who did the work.
pub(super) fn names(record: &Comparison) -> String {
    let name = |side| record.arms.get(&side).map(|name| shown(name));
    match (name(Side::Base), name(Side::Head)) {
        (Some(base), Some(head)) => format!("{head} against {base}"),
        (_, Some(only)) | (Some(only), _) => format!("{only} alone"),
        (None, None) => "nobody".to_owned(),
    }
}

/// Every invariant that was broken, with the trial.
pub(super) fn breaches(record: &Comparison) -> impl Iterator<Item = (&Trial, &Broken)> {
    let all = record.trials.iter().filter_map(|trial| Some((trial, trial.judged.as_ref()?)));
    all.flat_map(|(trial, judged)| judged.broken.iter().map(move |broken| (trial, broken)))
}

/// Sign, words and class of what came of it all.
fn headline(record: &Comparison) -> (&'static str, String, &'static str) {
    let (sign, class) = match outcome::exit(record) {
        Exit::Held => ("✔", "good"),
        Exit::Broken | Exit::Missed => ("✖", "bad"),
        _ => ("~", "open"),
    };
    (sign, outcome::headline(record), class)
}

fn head(record: &Comparison) -> Markup {
    let (sign, word, class) = headline(record);
    let spoiled = record.spoiled().count();
    let host = &record.host;
    html! {
        header class={ "verdict " (class) } {
            p.brand { "jobsworth load · " (names(record)) }
            h1 { span aria-hidden="true" { (sign) " " } (word) }
            @if let Some(why) = &record.stopped { p.warn { "Not all was done: " (shown(why)) } }
            @if spoiled > 0 { p.warn { (spoiled) " trials are void; why is said below" } }
            @if let Some(control) = &record.control { p.note { (shown(&control.says())) } }
            @if let Some(says) = record.says_of_slices() { p.note { (shown(&says)) } }
            @if let Some(installed) = &record.installed { p.note { (shown(&installed.says())) } }
            dl.facts {
                @if let Some(rate) = record.rate {
                    div {
                        dt { "bucket" }
                        dd {
                            @if rate.is_off() { "none" } @else { (rate.qps) " a second, " (rate.burst) " at once" }
                        }
                    }
                }
                @if let Some(workers) = record.workers { div { dt { "built-in" } dd { (workers) " workers" } } }
                @if let Some(says) = record.says_of_order() { div { dt { "order" } dd { (says) } } }
                div { dt { "size" } dd { (record.scale_percent) " %" } }
                div { dt { "pods by" } dd { (record.pods.to_string()) } }
                div { dt { "machine" } dd { (host.cores) " × " (shown(&host.cpu)) ", " (host.memory_bytes >> 30) " GiB" } }
                @if let Some(server) = record.server {
                    div { dt { "API server" } dd { (number(server.writes_per_second)) " writes a second" } }
                }
                @if let Some(baseline) = record.baseline { div { dt { "baseline" } dd { (baseline.says()) } } }
            }
        }
    }
}

fn correctness(record: &Comparison) -> Markup {
    let judged = || record.trials.iter().filter_map(|trial| trial.judged.as_ref());
    html! {
        h2 { "Correctness under load" }
        @if judged().next().is_none() { p.warn { "No history was judged." } } @else {
            p {
                (judged().map(|it| it.jobs).sum::<u64>()) " Jobs with " (judged().map(|it| it.versions).sum::<u64>())
                " versions of them and their pods were judged by every invariant; in "
                (judged().map(|it| it.broken_jobs).sum::<u64>()) " one was broken."
            }
            @for doubt in judged().filter_map(Judged::doubt) { p.warn { (doubt) "." } }
        }
        @for (trial, broken) in breaches(record) {
            div.broken {
                p { b { (shown(&broken.invariant)) } " " (shown(&broken.says)) }
                dl.pair {
                    dt { "trial" } dd { (shown(&trial.arm)) ", " (shown(&trial.workload)) ", " (trial.pair + 1) ", after " (broken.at_ms) " ms" }
                    dt { "expected" } dd { (shown(&broken.expected)) }
                    dt { "observed" } dd { (shown(&broken.observed)) }
                }
            }
        }
    }
}

fn heads(words: &[&str]) -> Markup {
    html! { thead { tr { @for word in words { th scope="col" { (word) } } } } }
}

/// The sign of an answer, which never stands alone, and its class.
pub(super) const fn sign(answer: Answer) -> (&'static str, &'static str) {
    match answer {
        Answer::Met => ("✔", "good"),
        Answer::Missed => ("✖", "bad"),
        Answer::CannotTell => ("~", "open"),
        Answer::NotMeasured | Answer::NotJudged => ("–", "none"),
    }
}

fn levels(findings: &[Finding]) -> Markup {
    html! {
        h2 { "Service levels" }
        div.wide tabindex="0" role="group" aria-label="Service levels, a table" { table {
            (heads(&["objective", "controller", "answer", "measured", "promise", "source"]))
            @for finding in findings {
                @let (mark, class) = sign(finding.answer);
                tr {
                    th scope="row" { (shown(&finding.id)) } td { (shown(&finding.controller)) }
                    td { span class={ "v " (class) } { (mark) " " (finding.answer.word()) } }
                    td { (shown(&finding.measured)) } td { (shown(&finding.says)) } td { (shown(&finding.source)) }
                }
            }
        } }
    }
}

fn ratios(record: &Comparison, workload: &str) -> Markup {
    let name = |side| record.arms.get(&side).map(|name| shown(name)).unwrap_or_default();
    html! {
        div.wide tabindex="0" role="group" aria-label={ "Ratios of " (shown(workload)) } { table {
            (heads(&["figure", &name(Side::Base), &name(Side::Head), "ratio", "efficiency", "95 %", "goal", "answer", "pairs"]))
            @for ratio in record.ratios.iter().filter(|ratio| ratio.workload == workload) {
                tr {
                    th scope="row" { (shown(&ratio.figure)) }
                    @if let Some((base, head, median)) = ratio.values() {
                        td.n { (number(base)) } td.n { (number(head)) } td.n { (format!("{median:.2}")) }
                    } @else { td.n {} td.n {} td.n {} }
                    td.n { (efficiency::says(record, ratio)) }
                    td.n { (ratio.interval()) }
                    td.n { (shown(&ratio.limit())) }
                    td {
                        @if let Some((answer, verdict)) = ratio.answer.zip(ratio.verdict()) {
                            @let (mark, class) = sign(answer);
                            span class={ "v " (class) } { (mark) " " (verdict) }
                        }
                    }
                    td.n { (ratio.pairs.len()) }
                }
            }
        } }
    }
}

/// What a search found, with every probe.
fn largest(record: &Comparison, rates: &LargestRates) -> Markup {
    let name = |side: &Side| record.arms.get(side).map(|name| shown(name)).unwrap_or_default();
    html! {
        @for (side, found) in &rates.found { p { b { (name(side)) } " holds " (shown(&found.says())) } }
        @if let Some(ratio) = rates.ratio_says() { p { (name(&Side::Head)) " over " (name(&Side::Base)) ": " (ratio) } }
        div.wide tabindex="0" role="group" aria-label="Probes, a table" { table {
            (heads(&["controller", "Jobs a second", "backlog a second", "p99 of the end, ms", "held"]))
            @for (side, found) in &rates.found {
                @for probe in &found.probes {
                    tr {
                        th scope="row" { (name(side)) } td.n { (probe.per_second) }
                        td.n { (probe.backlog_growth.map(number).unwrap_or_default()) }
                        td.n { (probe.p99_ms.map(number).unwrap_or_default()) }
                        td { (probe.cause.map_or("✔ held", Cause::word)) }
                    }
                }
            }
        } }
    }
}

/// What came of a soak, and how fast everything grows.
fn soaks(record: &Comparison) -> Markup {
    let name = |soak: &Soak| record.arms.get(&soak.side).map(|name| shown(name)).unwrap_or_default();
    html! {
        @for soak in &record.soaks { p { b { (name(soak)) } ", " (shown(&soak.says())) } }
        div.wide tabindex="0" role="group" aria-label="Growth, a table" { table {
            (heads(&["controller", "figure", "from", "to", "an hour", "95 %"]))
            @for soak in &record.soaks {
                @for (figure, it) in &soak.growth {
                    tr {
                        th scope="row" { (name(soak)) } td { (shown(figure)) }
                        td.n { (number(it.from)) } td.n { (number(it.to)) } td.n { (number(it.per_hour)) }
                        td.n { (number(it.low)) " to " (number(it.high)) }
                    }
                }
            }
        } }
    }
}

fn figures(record: &Comparison, workload: &str) -> Markup {
    html! {
        div.wide tabindex="0" role="group" aria-label={ "Figures of " (shown(workload)) } { table {
            (heads(&["figure", "median", "least", "most", "floor", "efficiency", "trials"]))
            @for one in alone::all(record).into_iter().filter(|one| one.workload == workload) {
                tr {
                    th scope="row" { (shown(&one.figure)) }
                    td.n { (number(one.median)) } td.n { (number(one.least)) } td.n { (number(one.most)) }
                    td.n { @if let Some(floor) = one.floor { (number(floor)) } }
                    td.n { @if let Some(floor) = one.floor { (number(floor / one.median)) } }
                    td.n { (one.trials) }
                }
            }
        } }
    }
}

/// What tenants got, and what they took from the work.
fn tenants(record: &Comparison) -> Markup {
    html! {
        @for grid in beside_tenants::grids(record) {
            h2 { (grid.title) }
            div.wide tabindex="0" role="group" aria-label=(grid.title) { table {
                (heads(grid.heads))
                @for row in &grid.rows {
                    tr {
                        @for (at, cell) in row.iter().enumerate() {
                            @if at == 0 { th scope="row" { (shown(cell)) } }
                            @else if at < grid.words { td { (shown(cell)) } }
                            @else { td.n { (cell) } }
                        }
                    }
                }
            } }
        }
    }
}

fn trials(record: &Comparison) -> Markup {
    let lag = |ms: Option<f64>| ms.map(number).unwrap_or_default();
    html! {
        section #trials aria-label="Trials" {
            h2 { "Trials" }
            div.wide tabindex="0" role="group" aria-label="Trials, a table" { table {
                (heads(&["workload", "pair", "controller", "took", "driver p99", "submitter p99", "observer p99", "harness", "others", "witnesses", "void"]))
                @for trial in &record.trials {
                    tr {
                        th scope="row" { (shown(&trial.workload)) } td.n { (trial.pair + 1) } td { (shown(&trial.arm)) }
                        td.n { (number(trial.took_s)) " s" }
                        td.n { (lag(trial.circumstances.driver_lag_p99_ms)) } td.n { (lag(trial.circumstances.submit_lag_p99_ms)) }
                        td.n { (lag(trial.circumstances.probe_p99_ms)) }
                        td.n { (lag(trial.circumstances.harness_cpu_s)) " s" }
                        td.n { @if let Some(others) = trial.circumstances.other_cpu_percent { (number(others)) " %" } }
                        td { @if let Some(witnesses) = &trial.witnesses { (shown(&witnesses.says())) } }
                        td { @if let Some(void) = &trial.void { (shown(void)) } }
                    }
                }
            } }
        }
    }
}

/// What each slice did of each trial, where several did it together.
fn slices(record: &Comparison) -> Markup {
    let rows = record.trials.iter().flat_map(|trial| trial.slices.iter().map(move |slice| (trial, slice)));
    let rows: Vec<(&Trial, &SliceTrial)> = rows.collect();
    let some = |value: Option<f64>, unit: &str| value.map(|it| format!("{} {unit}", number(it))).unwrap_or_default();
    html! {
        @if !rows.is_empty() {
            section aria-label="Slices" {
                h2 { "Slices" }
                div.wide tabindex="0" role="group" aria-label="Slices, a table" { table {
                    (heads(&["workload", "pair", "slice", "work began", "makespan", "submitter p99", "void"]))
                    @for (trial, slice) in &rows {
                        tr {
                            th scope="row" { (shown(&trial.workload)) } td.n { (trial.pair + 1) } td { (shown(&slice.slice)) }
                            td { @if let Some(began) = &slice.work_began { (shown(began)) } }
                            td.n { (some(slice.makespan_ms, "ms")) }
                            td.n { (some(slice.circumstances.submit_lag_p99_ms, "ms")) }
                            td { @if let Some(void) = &slice.void { (shown(void)) } }
                        }
                    }
                } }
            }
        }
    }
}

#[cfg(test)]
mod tests;
