//! A comparison, or what one controller did alone, as text for people.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::alone;
use super::arm::Side;
use super::backlog::Cause;
use super::beside_tenants;
use super::comparison::Comparison;
use super::efficiency;
use super::judge::{Broken, Judged};
use super::largest_rate::LargestRates;
use super::outcome::verdict;
use super::ratio::Ratio;
use super::record::Trial;
use super::soak::{Growth, Soak};

/// What is new since the record was shown last: the last trial, or before there is one what the API server can do, and whoever
/// plays pods.
#[must_use]
pub fn news(record: &Comparison) -> String {
    match (record.trials.last(), record.server) {
        (Some(trial), _) => {
            let rates = record.largest_rates.as_ref();
            let told = rates.and_then(|rates| rate(rates, trial)).unwrap_or_else(|| line(trial));
            match record.soaks.last() {
                Some(soak) => format!("{told}; so far {}", soak.says()),
                None => told,
            }
        }
        (None, Some(server)) => {
            let budget = || {
                record
                    .rate
                    .filter(|rate| !rate.is_off())
                    .map(|rate| format!("; the budget is {} requests a second", rate.qps))
            };
            let served = || {
                format!(
                    "the API server does {:.0} writes a second with {} connections{}",
                    server.writes_per_second,
                    server.connections,
                    budget().unwrap_or_default()
                )
            };
            record.baseline.map_or_else(served, |baseline| baseline.says())
        }
        (None, None) => String::new(),
    }
}

/// One line about the probe that a trial was, once it is known what it says about its pace.
fn rate(rates: &LargestRates, trial: &Trial) -> Option<String> {
    let found = rates.found.get(&trial.side)?;
    let is_probe = !trial.warm_up && (trial.void.is_none() || trial.undrained.is_some());
    let probe = found.probes.get(trial.pair as usize).filter(|_| is_probe)?;
    let pace = probe.per_second;
    let word = probe.cause.map_or("held", Cause::word);
    let name = format!("{:<19} probe {} {:<10}", trial.workload, trial.pair + 1, trial.arm);
    let seen = probe.backlog_growth.zip(probe.p99_ms).map(|(growth, p99)| {
        format!("; the backlog grew by {} a second, p99 of the end {} ms", number(growth), number(p99))
    });
    Some(format!("{name} {pace} Jobs a second: {word}{}", seen.unwrap_or_default()))
}

/// One line about a trial.
#[must_use]
pub fn line(trial: &Trial) -> String {
    let figure = |name: &str| trial.figures.get(name).copied();
    let head = format!("{:<19} pair {} {:<10} {:5.1} s", trial.workload, trial.pair + 1, trial.arm, trial.took_s);
    if let Some(void) = &trial.void {
        return format!("{head}  void: {void}");
    }
    let shown = [
        ("makespan", "makespan", " ms"),
        ("requests", "requests", ""),
        ("cpu-s", "cpu", " s"),
        ("memory-mib", "memory", " MiB"),
    ];
    let facts = shown.iter().filter_map(|(name, says, unit)| Some(format!("{says} {}{unit}", number(figure(name)?))));
    let facts = facts.collect::<Vec<_>>().join("  ");
    let lags = [("driver", trial.circumstances.driver_lag_p99_ms), ("observer", trial.circumstances.probe_p99_ms)];
    let lags = lags.into_iter().filter_map(|(who, lag)| Some(format!("  {who} p99 {} ms", number(lag?))));
    let lags: String = lags.collect();
    format!("{head}  {facts}{lags}")
}

/// The table of ratios, and what became of the goals; of one controller alone its figures.
#[must_use]
pub fn whole(record: &Comparison) -> String {
    let (table, result) = match record.alone() {
        _ if !record.soaks.is_empty() => (growth(record), format!("{}\n{}", soaks(record), verdict(record))),
        _ if record.largest_rates.is_some() => (probes(record), format!("{}\n{}", found(record), verdict(record))),
        Some(name) => (figures(record, name), "figures of one machine, no goals".to_owned()),
        None => (ratios(record), verdict(record)),
    };
    let void = record.trials.iter().filter(|trial| trial.void.is_some()).count();
    let trials = record.trials.len();
    let budget = record.rate.map_or_else(
        || "a budget that is not known".to_owned(),
        |rate| {
            let workers = record.workers.map(|workers| format!(", {workers} workers of the built-in controller"));
            format!("{rate}{}", workers.unwrap_or_default())
        },
    );
    let baseline = record.baseline.map(|baseline| format!("\nBaseline: {}", baseline.says())).unwrap_or_default();
    let installed = record.installed.as_ref().map(|it| format!("\n{}", it.says())).unwrap_or_default();
    let slices = record.says_of_slices().map(|says| format!("\n{says}")).unwrap_or_default();
    let order = record.says_of_order().map(|says| format!("\nTrials ran {says}")).unwrap_or_default();
    let told = baseline + &order + &judged(record) + &witnesses(record) + &slices + &installed;
    let tenants = tenants(record);
    let stopped = record.stopped.as_ref().map(|why| format!("\nNot all was done: {why}")).unwrap_or_default();
    format!(
        "{table}\n\n{result}; {trials} trials, {void} of them void; {budget}, pods by {}, Kubernetes {}{told}{stopped}{tenants}",
        record.pods, record.kubernetes
    )
}

/// What came of judging histories, and every invariant that was broken in the words of a run.
fn judged(record: &Comparison) -> String {
    let all: Vec<(&Trial, &Judged)> =
        record.trials.iter().filter_map(|trial| Some((trial, trial.judged.as_ref()?))).collect();
    if all.is_empty() {
        return "\nNo history was judged".to_owned();
    }
    let sum = |of: fn(&Judged) -> u64| all.iter().map(|(_, judged)| of(judged)).sum::<u64>();
    let mut text = format!(
        "\n{} Jobs with {} versions of them and their pods were judged by every invariant: {} broken, {} too large to tell",
        sum(|judged| judged.jobs),
        sum(|judged| judged.versions),
        sum(|judged| judged.broken_jobs),
        sum(|judged| judged.given_up),
    );
    for (trial, judged) in all {
        for Broken { invariant, says, expected, observed, at_ms, .. } in &judged.broken {
            let (arm, workload, pair) = (&trial.arm, &trial.workload, trial.pair + 1);
            let _ = write!(text, "\n  {arm}, {workload}, trial {pair}, {at_ms} ms: {invariant} “{says}”");
            let _ = write!(text, "\n    expected  {expected}\n    observed  {observed}");
        }
    }
    text
}

/// Whether the API server and the controller counted as many requests as the audit log, and where they did not.
fn witnesses(record: &Comparison) -> String {
    let all = || record.trials.iter().filter_map(|trial| Some((trial, trial.witnesses.as_ref()?)));
    let (heard, apart) = (all().count(), all().filter(|(_, witnesses)| witnesses.disagree));
    if heard == 0 {
        return String::new();
    }
    let lines = apart.map(|(trial, witnesses)| {
        let (arm, workload, pair) = (&trial.arm, &trial.workload, trial.pair + 1);
        format!("\n  {arm}, {workload}, trial {pair}: witnesses {}", witnesses.says())
    });
    let lines: Vec<String> = lines.collect();
    let (agree, disagree) = (heard - lines.len(), lines.len());
    format!(
        "\nWitnesses of requests (audit log, controller, flow control) agree in {agree} trials and disagree in {disagree}{}",
        lines.concat()
    )
}

/// What tenants got, and what they took from the work.
fn tenants(record: &Comparison) -> String {
    let mut text = String::new();
    for grid in beside_tenants::grids(record) {
        let mut table = plain(grid.heads);
        for row in &grid.rows {
            table.add_row(row);
        }
        to_the_right(&mut table, grid.words..grid.heads.len());
        let _ = write!(text, "\n\n{}\n{table}", grid.title);
    }
    text
}

fn ratios(record: &Comparison) -> Table {
    let name = |side: Side| record.arms.get(&side).map_or("", String::as_str);
    let ratio = format!("{}/{}", name(Side::Head), name(Side::Base));
    let mut table = plain(&[
        "workload",
        "figure",
        name(Side::Base),
        name(Side::Head),
        &ratio,
        "efficiency",
        "95 %",
        "goal",
        "",
        "pairs",
    ]);
    for ratio in &record.ratios {
        table.add_row(row(ratio, efficiency::says(record, ratio)));
    }
    to_the_right(&mut table, 2..8);
    table
}

/// Every probe of a search.
fn probes(record: &Comparison) -> Table {
    let mut table = plain(&["controller", "probe", "Jobs a second", "backlog a second", "p99 of the end", "held"]);
    let found = record.largest_rates.iter().flat_map(|rates| &rates.found);
    for (side, found) in found {
        let name = record.arms.get(side).map_or("", String::as_str);
        for (probe, number_of) in found.probes.iter().zip(1_u32..) {
            table.add_row([
                name.to_owned(),
                number_of.to_string(),
                probe.per_second.to_string(),
                probe.backlog_growth.map(number).unwrap_or_default(),
                probe.p99_ms.map(|p99| format!("{} ms", number(p99))).unwrap_or_default(),
                probe.cause.map_or("held", Cause::word).to_owned(),
            ]);
        }
    }
    to_the_right(&mut table, 1..5);
    table
}

/// The largest rate of each controller, and of two the ratio.
fn found(record: &Comparison) -> String {
    let Some(rates) = &record.largest_rates else { return String::new() };
    let name = |side: &Side| record.arms.get(side).map_or("", String::as_str);
    let each = rates.found.iter().map(|(side, found)| format!("{} holds {}", name(side), found.says()));
    let ratio = rates.ratio_says();
    let ratio = ratio.map(|ratio| format!("{} over {}: {ratio}", name(&Side::Head), name(&Side::Base)));
    each.chain(ratio).collect::<Vec<_>>().join("\n")
}

/// How fast everything grows in a soak.
fn growth(record: &Comparison) -> Table {
    let mut table = plain(&["controller", "figure", "from", "to", "an hour", "95 %"]);
    for soak in &record.soaks {
        let name = record.arms.get(&soak.side).map_or("", String::as_str);
        for (figure, Growth { per_hour, low, high, from, to }) in &soak.growth {
            table.add_row([
                name.to_owned(),
                figure.clone(),
                number(*from),
                number(*to),
                number(*per_hour),
                format!("{} to {}", number(*low), number(*high)),
            ]);
        }
    }
    to_the_right(&mut table, 2..6);
    table
}

/// What came of each soak, in a line.
fn soaks(record: &Comparison) -> String {
    let name = |soak: &Soak| record.arms.get(&soak.side).map_or("", String::as_str);
    let lines = record.soaks.iter().map(|soak| format!("{}, {}", name(soak), soak.says()));
    lines.collect::<Vec<_>>().join("\n")
}

fn figures(record: &Comparison, name: &str) -> Table {
    let mut table = plain(&["workload", "figure", name, "least", "most", "floor", "efficiency", "trials"]);
    for figure in alone::all(record) {
        let optional = |value: Option<f64>| value.map(number).unwrap_or_default();
        table.add_row([
            figure.workload.clone(),
            figure.figure.clone(),
            number(figure.median),
            number(figure.least),
            number(figure.most),
            optional(figure.floor),
            optional(figure.floor.map(|floor| floor / figure.median)),
            figure.trials.to_string(),
        ]);
    }
    to_the_right(&mut table, 2..8);
    table
}

fn plain(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header);
    table
}

fn to_the_right(table: &mut Table, columns: std::ops::Range<usize>) {
    for column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn row(ratio: &Ratio, efficiency: String) -> [String; 10] {
    let pairs: Vec<String> = ratio.pairs.values().map(|pair| format!("{pair:.2}")).collect();
    let values = ratio.values().map(|(base, head, median)| [number(base), number(head), format!("{median:.2}")]);
    let [base, head, median] = values.unwrap_or_default();
    [
        ratio.workload.clone(),
        ratio.figure.clone(),
        base,
        head,
        median,
        efficiency,
        ratio.interval(),
        ratio.limit(),
        ratio.verdict().unwrap_or_default(),
        pairs.join(" "),
    ]
}

/// A figure as people read it.
#[must_use]
pub fn number(value: f64) -> String {
    if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests;
