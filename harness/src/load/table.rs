//! A comparison, or what one controller did alone, as text for people.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::alone;
use super::arm::Side;
use super::backlog::Cause;
use super::beside_tenants;
use super::comparison::Comparison;
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
            let budget = || record.rate.map(|rate| format!("; the budget is {} requests a second", rate.qps));
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
    let witnesses = trial.witnesses.as_ref().filter(|witnesses| witnesses.disagree);
    let witnesses = witnesses.map(|witnesses| format!("  witnesses {}", witnesses.says()));
    format!("{head}  {facts}{lags}{}", witnesses.unwrap_or_default())
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
        |rate| format!("{} QPS, burst {}", rate.qps, rate.burst),
    );
    let baseline = record.baseline.map(|baseline| format!("\nBaseline: {}", baseline.says())).unwrap_or_default();
    let installed = record.installed.as_ref().map(|it| format!("\n{}", it.says())).unwrap_or_default();
    let slices = record.says_of_slices().map(|says| format!("\n{says}")).unwrap_or_default();
    let told = baseline + &judged(record) + &witnesses(record) + &slices + &installed;
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
    let mut table =
        plain(&["workload", "figure", name(Side::Base), name(Side::Head), &ratio, "95 %", "goal", "", "pairs"]);
    for ratio in &record.ratios {
        table.add_row(row(ratio));
    }
    to_the_right(&mut table, 2..7);
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

fn row(ratio: &Ratio) -> [String; 9] {
    let pairs: Vec<String> = ratio.pairs.values().map(|pair| format!("{pair:.2}")).collect();
    let values = ratio.values().map(|(base, head, median)| [number(base), number(head), format!("{median:.2}")]);
    let [base, head, median] = values.unwrap_or_default();
    [
        ratio.workload.clone(),
        ratio.figure.clone(),
        base,
        head,
        median,
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
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::load::control::{Control, Noise};
    use crate::load::installed::Unmeasured;
    use crate::load::interval::Sureness;
    use crate::load::record::Circumstances;
    use crate::load::sample;
    use crate::load::witness::{Scope, Witnesses};
    use crate::slo::answer::Answer;

    #[test]
    fn a_void_trial_says_why_and_a_whole_one_what_it_took() {
        let trial = Trial { workload: "indexed-500".to_owned(), arm: "builtin".to_owned(), ..Trial::default() };
        let void = Trial { void: Some("warm-up".to_owned()), ..trial.clone() };
        assert!(line(&void).ends_with("void: warm-up"));
        let circumstances =
            Circumstances { driver_lag_p99_ms: Some(12.0), probe_p99_ms: Some(3.0), ..Circumstances::default() };
        let figures = BTreeMap::from([("makespan".to_owned(), 9500.0), ("cpu-s".to_owned(), 1.25)]);
        let whole = line(&Trial { figures, circumstances, ..trial });
        assert!(whole.contains("makespan 9500 ms  cpu 1.25 s  driver p99 12.00 ms  observer p99 3.00 ms"), "{whole}");
    }

    #[test]
    fn what_can_be_done_without_a_controller_is_told_before_the_trials_and_in_the_end() {
        let mut record = sample::record_alone("builtin", "indexed-500", &[]);
        record.server = Some(sample::capacity(900.0));
        assert!(news(&record).contains("900 writes a second") && whole(&record).contains("pods by direct"));
        record.baseline = Some(sample::baseline());
        let says =
            "without a controller the direct driver ends 250 pods a second (500 of 500 bare pods in 2.0 s), 5.00 times";
        assert!(news(&record).starts_with(says), "{}", news(&record));
        assert!(whole(&record).contains(&format!("\nBaseline: {says}")), "{}", whole(&record));
    }

    #[test]
    fn what_could_not_be_measured_is_told_once_and_no_budget_is_made_up() {
        let mut record = sample::record_alone("builtin", "indexed-500", &[9000.0]);
        assert!(whole(&record).contains("100 QPS, burst 100"));
        record.rate = None;
        record.installed = Some(Unmeasured { provider: "existing".to_owned(), absent: vec!["its memory".to_owned()] });
        let text = whole(&record);
        assert!(text.contains("a budget that is not known") && !text.contains("QPS"), "{text}");
        assert!(text.contains("not measured on a cluster by existing: its memory"), "{text}");
    }

    #[test]
    fn a_search_shows_every_probe_and_what_is_known_of_the_largest_rate() {
        let mut record = sample::record_alone("builtin", "churn", &[]);
        record.largest_rates = Some(sample::largest_rates(&[(8.0, None), (16.0, Some(Cause::Backlog))]));
        let text = whole(&record);
        assert!(text.contains("builtin holds 8 to 16 Jobs a second (the backlog grows), 2 probes"), "{text}");
        assert_eq!(text.lines().filter(|line| line.trim_start().starts_with("builtin ")).count(), 3, "{text}");
        record.trials.push(Trial { side: Side::Head, pair: 1, arm: "builtin".to_owned(), ..Trial::default() });
        assert!(news(&record).contains("16 Jobs a second: the backlog grows"), "{}", news(&record));
        record.largest_rates = Some(sample::largest_rates(&[(8.0, None), (16.0, Some(Cause::Undrained))]));
        let late =
            Trial { void: Some("7 Jobs had not ended".to_owned()), undrained: Some(7), ..record.trials[0].clone() };
        record.trials.push(late);
        assert!(news(&record).contains("16 Jobs a second: the backlog did not drain in time"), "{}", news(&record));
        assert_eq!(record.spoiled().count(), 0, "what it did not hold is an answer");
        let warm_up = Trial { warm_up: true, void: Some("noise".to_owned()), ..record.trials[1].clone() };
        record.trials.push(warm_up);
        assert!(news(&record).ends_with("void: noise"), "of a warm-up nothing is told but that: {}", news(&record));
    }

    #[test]
    fn witnesses_that_disagree_are_told_of() {
        let mut record = sample::record_alone("builtin", "indexed-500", &[9000.0, 9100.0]);
        assert!(!whole(&record).contains("Witnesses"));
        let witnesses = Witnesses {
            audit: 1003,
            watches: 0,
            client: Some(1103),
            client_counts: Some(Scope::Everything),
            audit_of_client: Some(1003),
            server: Some(1003),
            disagreement_percent: Some(9.07),
            disagree: true,
        };
        record.trials[0].witnesses = Some(Witnesses { disagree: false, ..witnesses.clone() });
        record.trials[1] = Trial { witnesses: Some(witnesses), arm: "builtin".to_owned(), ..record.trials[1].clone() };
        let text = whole(&record);
        assert!(text.contains("agree in 1 trials and disagree in 1\n  builtin, indexed-500, trial 1:"), "{text}");
        assert!(line(&record.trials[1]).contains("witnesses disagree by 9.1 %: audit log 1003, client 1103 of 1003"));
    }

    #[test]
    fn tenants_have_their_tables_below_the_figures() {
        let text = whole(&sample::record_beside_tenants());
        let (figures, tenants) = text.split_once("\n\nTenants (closed loop)").expect("there are some");
        assert!(figures.contains("indexed-500-tenants") && tenants.contains("GET job: poll"), "{text}");
        assert!(tenants.contains("With tenants over without") && tenants.contains("1.50"), "{text}");
    }

    #[test]
    fn a_soak_shows_what_grows_and_whether_it_grows_too_much() {
        let mut record = sample::record_alone("builtin", "soak", &[]);
        record.soaks = vec![sample::soak(12.0)];
        let text = whole(&record);
        assert!(text.contains("memory-mib") && text.contains("at most 8 MiB/h: missed"), "{text}");
    }

    #[test]
    fn a_ratio_is_shown_with_its_goal_and_its_pairs() {
        let few =
            Ratio { median: 0.975, pairs: BTreeMap::from([(0, 0.95), (1, 1.0)]), ..sample::ratio(Some(Answer::Met)) };
        let wanted = ["0.97", "", "1.00", "met by 2 pairs, no interval", "0.95 1.00"];
        assert_eq!(row(&few)[4..], wanted.map(str::to_owned));
        let none = Ratio { pairs: BTreeMap::new(), answer: Some(Answer::NotMeasured), ..few.clone() };
        assert_eq!(row(&none)[2..], ["", "", "", "", "1.00", "not measured", ""].map(str::to_owned));
        let sureness = Some(Sureness { low: 0.94, high: 1.06, sign: 1.0 });
        let many = Ratio { sureness, interval_goal: Some(1.05), answer: Some(Answer::CannotTell), ..few };
        let wanted = ["0.97", "0.94–1.06", "1.00 (95 %: 1.05)", "cannot tell", "0.95 1.00"];
        assert_eq!(row(&many)[4..], wanted.map(str::to_owned));
    }

    #[test]
    fn goals_are_counted_and_a_controller_beside_itself_has_none() {
        let mut record = sample::record_alone("builtin", "indexed-500", &[9000.0]);
        record.arms.insert(Side::Base, "builtin".to_owned());
        record.ratios = [Answer::Met, Answer::CannotTell].map(|answer| sample::ratio(Some(answer))).into();
        assert!(whole(&record).contains("1 of 2 goals met, 1 cannot be told; 1 trials"), "{}", whole(&record));
        record.control = Some(Control { noise: Noise::Quiet, figures: Vec::new() });
        assert!(whole(&record).contains("control: quiet") && !whole(&record).contains("goals met"));
    }
}
