//! A comparison as text for people.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::arm::Side;
use super::comparison::Comparison;
use super::ratio::Ratio;
use super::record::Trial;

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
    let lag = trial.circumstances.driver_lag_p99_ms.map(|lag| format!("  driver p99 {} ms", number(lag)));
    format!("{head}  {facts}{}", lag.unwrap_or_default())
}

/// The table of ratios, and what became of the goals.
#[must_use]
pub fn whole(record: &Comparison) -> String {
    let name = |side: Side| record.arms.get(&side).map_or("", String::as_str);
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let ratio = format!("{}/{}", name(Side::Head), name(Side::Base));
    table.set_header(["workload", "figure", name(Side::Base), name(Side::Head), &ratio, "goal", "", "pairs"]);
    for ratio in &record.ratios {
        table.add_row(row(ratio));
    }
    for column in 2..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let void = record.trials.iter().filter(|trial| trial.void.is_some()).count();
    let goals = record.ratios.iter().filter_map(Ratio::reached);
    let (mut reached, mut all) = (0, 0);
    for goal in goals {
        all += 1;
        reached += u32::from(goal);
    }
    let trials = record.trials.len();
    let rate = record.rate;
    format!(
        "{table}\n\n{reached} of {all} goals reached; {trials} trials, {void} of them void; {} QPS, burst {}, Kubernetes {}",
        rate.qps, rate.burst, record.kubernetes
    )
}

fn row(ratio: &Ratio) -> [String; 8] {
    let pairs: Vec<String> = ratio.pairs.values().map(|pair| format!("{pair:.2}")).collect();
    [
        ratio.workload.clone(),
        ratio.figure.clone(),
        number(ratio.base),
        number(ratio.head),
        format!("{:.2}", ratio.median),
        ratio.goal.map(|goal| format!("{goal:.2}")).unwrap_or_default(),
        ratio.reached().map(|reached| if reached { "reached" } else { "missed" }).unwrap_or_default().to_owned(),
        pairs.join(" "),
    ]
}

fn number(value: f64) -> String {
    if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::load::record::Circumstances;

    #[test]
    fn a_void_trial_says_why_and_a_whole_one_what_it_took() {
        let trial = Trial { workload: "indexed-500".to_owned(), arm: "builtin".to_owned(), ..Trial::default() };
        let void = Trial { void: Some("warm-up".to_owned()), ..trial.clone() };
        assert!(line(&void).ends_with("void: warm-up"));
        let circumstances = Circumstances { driver_lag_p99_ms: Some(12.0), ..Circumstances::default() };
        let figures = BTreeMap::from([("makespan".to_owned(), 9500.0), ("cpu-s".to_owned(), 1.25)]);
        let whole = line(&Trial { figures, circumstances, ..trial });
        assert!(whole.contains("makespan 9500 ms  cpu 1.25 s  driver p99 12.00 ms"), "{whole}");
    }

    #[test]
    fn a_ratio_is_shown_with_its_goal_and_its_pairs() {
        let ratio = Ratio {
            workload: "indexed-500".to_owned(),
            figure: "makespan".to_owned(),
            median: 0.975,
            base: 9800.0,
            head: 9500.0,
            pairs: BTreeMap::from([(0, 0.95), (1, 1.0)]),
            goal: Some(1.0),
        };
        assert_eq!(row(&ratio)[4..], ["0.97", "1.00", "reached", "0.95 1.00"].map(str::to_owned));
    }
}
