//! `load.md`: a record as people read it on the page of a CI run.

use std::fmt::Write as _;

use super::alone;
use super::arm::Side;
use super::backlog::Cause;
use super::beside_tenants;
use super::comparison::Comparison;
use super::efficiency;
use super::outcome::verdict;
use super::page::{breaches, names, sign};
use super::table::number;
use crate::report::escape::markdown;
use crate::slo::answer::{Answer, Finding};

/// Longest text; pages of CI runs end at some 64 kB.
const LONGEST: usize = 60_000;

/// The summary of a record and of what it says of service levels.
#[must_use]
pub fn render(record: &Comparison, findings: &[Finding]) -> String {
    let mut text = format!("## jobsworth load: {}\n\n{}\n", markdown(&names(record)), outcome(record));
    if let Some(baseline) = &record.baseline {
        let _ = writeln!(text, "\nBaseline: {}", markdown(&baseline.says()));
    }
    if let Some(says) = record.says_of_order() {
        let _ = writeln!(text, "\nTrials ran {says}.");
    }
    if let Some(says) = record.says_of_slices() {
        let _ = writeln!(text, "\n{}", markdown(&says));
    }
    if let Some(installed) = &record.installed {
        let _ = writeln!(text, "\n{}", markdown(&installed.says()));
    }
    for (trial, broken) in breaches(record) {
        let (arm, workload) = (markdown(&trial.arm), markdown(&trial.workload));
        let _ = writeln!(
            text,
            "\n**{}** {}: {arm}, {workload}, trial {}",
            broken.invariant,
            markdown(&broken.says),
            trial.pair + 1
        );
        let _ = writeln!(text, "- expected {}\n- observed {}", markdown(&broken.expected), markdown(&broken.observed));
    }
    text += &match record.alone() {
        _ if !record.soaks.is_empty() => soaks(record),
        _ if record.largest_rates.is_some() => rates(record),
        Some(_) => figures(record),
        None => ratios(record),
    };
    text += &tenants(record);
    text += &levels(findings);
    for trial in record.spoiled() {
        let why = markdown(trial.void.as_deref().unwrap_or_default());
        let _ = writeln!(
            text,
            "\nVoid: {}, {}, pair {}: {why}",
            markdown(&trial.workload),
            markdown(&trial.arm),
            trial.pair + 1
        );
    }
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&at| text.is_char_boundary(at) && text.as_bytes().get(at) == Some(&b'\n'));
        text.truncate(end.unwrap_or(0));
        text += "\n\nThe rest is in `load.json`.\n";
    }
    text
}

fn outcome(record: &Comparison) -> String {
    let goals = verdict(record);
    let judged: u64 = record.trials.iter().filter_map(|trial| trial.judged.as_ref()).map(|judged| judged.jobs).sum();
    let stopped =
        record.stopped.as_ref().map(|why| format!("; not all was done: {}", markdown(why))).unwrap_or_default();
    let trials = record.trials.len();
    let doubts = record.trials.iter().filter_map(|trial| trial.judged.as_ref()?.doubt());
    let doubts: String = doubts.map(|doubt| format!("; {doubt}")).collect();
    format!(
        "{}, {trials} trials, {} of them void; {judged} Jobs judged by every invariant, {} invariants broken{doubts}{stopped}",
        markdown(&goals),
        record.spoiled().count(),
        breaches(record).count(),
    )
}

fn ratios(record: &Comparison) -> String {
    let name = |side| record.arms.get(&side).map(|name| markdown(name)).unwrap_or_default();
    let (base, head) = (name(Side::Base), name(Side::Head));
    let mut text = format!(
        "\n| workload | figure | {base} | {head} | ratio | efficiency | 95 % | goal | |\n|---|---|--:|--:|--:|--:|--:|--:|---|\n"
    );
    for ratio in &record.ratios {
        let (sure, goal) = (ratio.interval(), markdown(&ratio.limit()));
        let near = efficiency::says(record, ratio);
        let word = ratio.answer.zip(ratio.verdict());
        let word = word.map(|(answer, verdict)| format!("{} {verdict}", sign(answer).0)).unwrap_or_default();
        let (workload, figure) = (markdown(&ratio.workload), markdown(&ratio.figure));
        let values = ratio.values().map(|(base, head, median)| [number(base), number(head), format!("{median:.2}")]);
        let [base, head, median] = values.unwrap_or_default();
        let _ = writeln!(
            text,
            "| {workload} | {figure} | {base} | {head} | {median} | {near} | {sure} | {goal} | {word} |"
        );
    }
    text
}

/// What a search found, with every probe.
fn rates(record: &Comparison) -> String {
    let Some(rates) = &record.largest_rates else { return String::new() };
    let name = |side: &Side| record.arms.get(side).map(|name| markdown(name)).unwrap_or_default();
    let mut text = String::new();
    for (side, found) in &rates.found {
        let _ = writeln!(text, "\n**{}** holds {}", name(side), markdown(&found.says()));
    }
    if let Some(ratio) = rates.ratio_says() {
        let _ = writeln!(text, "\n{} over {}: **{ratio}**", name(&Side::Head), name(&Side::Base));
    }
    text += "\n| controller | Jobs a second | backlog a second | p99 of the end, ms | |\n|---|--:|--:|--:|---|\n";
    for (side, probe) in rates.found.iter().flat_map(|(side, found)| found.probes.iter().map(move |one| (side, one))) {
        let word = probe.cause.map_or("✔ held", Cause::word);
        let seen = |value: Option<f64>| value.map(number).unwrap_or_default();
        let (growth, p99) = (seen(probe.backlog_growth), seen(probe.p99_ms));
        let _ = writeln!(text, "| {} | {} | {growth} | {p99} | {word} |", name(side), probe.per_second);
    }
    text
}

/// What came of a soak, and how fast everything grows.
fn soaks(record: &Comparison) -> String {
    let name = |side: &Side| record.arms.get(side).map(|name| markdown(name)).unwrap_or_default();
    let mut text = String::new();
    for soak in &record.soaks {
        let _ = writeln!(text, "\n**{}**, {}", name(&soak.side), markdown(&soak.says()));
    }
    text += "\n| controller | figure | from | to | an hour | 95 % |\n|---|---|--:|--:|--:|--:|\n";
    for (soak, (figure, it)) in record.soaks.iter().flat_map(|soak| soak.growth.iter().map(move |one| (soak, one))) {
        let (from, to, hour) = (number(it.from), number(it.to), number(it.per_hour));
        let (name, low, high) = (name(&soak.side), number(it.low), number(it.high));
        let _ = writeln!(text, "| {name} | {} | {from} | {to} | {hour} | {low} to {high} |", markdown(figure));
    }
    text
}

fn figures(record: &Comparison) -> String {
    let mut text =
        "\n| workload | figure | median | least | most | floor | efficiency | trials |\n|---|---|--:|--:|--:|--:|--:|--:|\n".to_owned();
    for one in alone::all(record) {
        let near = one.floor.map(|floor| number(floor / one.median)).unwrap_or_default();
        let floor = one.floor.map(number).unwrap_or_default();
        let (workload, figure) = (markdown(&one.workload), markdown(&one.figure));
        let (median, least, most) = (number(one.median), number(one.least), number(one.most));
        let _ = writeln!(
            text,
            "| {workload} | {figure} | {median} | {least} | {most} | {floor} | {near} | {} |",
            one.trials
        );
    }
    text
}

/// What tenants got, and what they took from the work.
fn tenants(record: &Comparison) -> String {
    let mut text = String::new();
    for grid in beside_tenants::grids(record) {
        let rule: String = (0..grid.heads.len()).map(|at| if at < grid.words { "---|" } else { "--:|" }).collect();
        let _ = writeln!(text, "\n**{}**\n\n| {} |\n|{rule}", grid.title, grid.heads.join(" | "));
        for row in &grid.rows {
            let (words, numbers) = row.split_at(grid.words.min(row.len()));
            let words: Vec<String> = words.iter().map(|word| markdown(word)).collect();
            let _ = writeln!(text, "| {} | {} |", words.join(" | "), numbers.join(" | "));
        }
    }
    text
}

/// Service levels that were measured.
fn levels(findings: &[Finding]) -> String {
    let measured: Vec<&Finding> = findings.iter().filter(|finding| finding.answer != Answer::NotMeasured).collect();
    if measured.is_empty() {
        return String::new();
    }
    let mut text = "\n| service level | controller | answer | measured |\n|---|---|---|---|\n".to_owned();
    for finding in measured {
        let (id, controller, measured) =
            (markdown(&finding.id), markdown(&finding.controller), markdown(&finding.measured));
        let _ = writeln!(text, "| {id} | {controller} | {} | {measured} |", finding.answer.word());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::sample;

    #[test]
    fn a_goal_is_told_with_its_answer_and_the_pairs_that_it_is_by() {
        let mut record = sample::record_alone("reference", "indexed-500", &[9000.0]);
        record.arms.insert(Side::Base, "builtin".to_owned());
        record.ratios = vec![sample::ratio(Some(Answer::Missed))];
        record.seed = Some(7);
        let text = render(&record, &[]);
        assert!(text.contains("\nTrials ran in blocks of A B B A or B A A B by the seed 7."), "{text}");
        assert!(text.contains("0 of 1 goals met, 1 missed, 1 trials"), "{text}");
        assert!(text.contains("| 0.50 | 4515.00, 9030.00 |  | 1.00 | ✖ missed by 1 pair, no interval |"), "{text}");
    }

    #[test]
    fn a_summary_has_a_row_for_each_figure_and_never_grows_too_long() {
        let mut record = sample::record_alone("builtin", "indexed-500", &[9000.0, 9100.0]);
        let text = render(&record, &[]);
        assert!(text.contains("| indexed-500 | makespan | 9050 | 9000 | 9100 | 9030 | 1.00 | 2 |"), "{text}");
        assert!(!text.contains("Baseline"), "{text}");
        record.baseline = Some(sample::baseline());
        assert!(
            render(&record, &[]).contains("\nBaseline: without a controller the direct driver ends 250 pods a second")
        );
        record.largest_rates = Some(sample::largest_rates(&[(8.0, None), (16.0, Some(Cause::Backlog))]));
        assert!(render(&record, &[]).contains("| builtin | 16 | 0.50 | 100 | the backlog grows |"));
        record.largest_rates = None;
        record.soaks = vec![sample::soak(2.0)];
        let text = render(&record, &[]);
        assert!(text.contains("| builtin | memory-mib |") && text.contains("MiB/h&#58; met"), "{text}");
        record.soaks.clear();
        let beside = render(&sample::record_beside_tenants(), &[]);
        assert!(beside.contains("| indexed-500 | builtin | makespan | 1000 | 1500 | 1.50 | 1 |"), "{beside}");
        for number in 0..4000 {
            record.trials[0].figures.insert(format!("figure-{number}"), 1.0);
        }
        let text = render(&record, &[]);
        assert!(text.len() < LONGEST + 100 && text.ends_with("The rest is in `load.json`.\n"));
    }
}
