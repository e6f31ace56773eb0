//! Two records of `load`: on one machine by the times themselves, between machines by ratios only.
//!
//! A record has two controllers that did the same work in turns. What one of them took says something about it only beside
//! what the other one took meanwhile: a machine that was slower that day makes both slower. So a figure is worse where the
//! ratio is, or where it is slower itself and that of the other controller is not.

mod text;
pub mod wire;

use super::{
    Incomparable,
    differences::{machine, programs},
    durations::{Bar, Samples, slower},
};
use crate::{
    load::{arm::Side, comparison::Comparison, figures, goal::Goals, quantile::median, ratio},
    statistics,
};
use std::collections::{BTreeMap, BTreeSet};
use wire::{FigureChange, LoadComparison, LoadSide, Machine, Of, SCHEMA, Word};

pub use wire::json_schema;

/// Figures that are no times, by their names up to the first dot: the floor in milliseconds is not for them.
const NO_TIMES: [&str; 10] = [
    "requests",
    "events",
    "status-writes",
    "status-writes-of-a-job",
    "cpu-s",
    "memory-mib",
    "server-cpu-s",
    "pods-behind",
    "backlog-growth",
    "rate-held",
];

/// What the test is called.
const TEST: &str = "Mann-Whitney U over pairs and trials, one-sided, counted out for small samples; Holm's correction over the \
                    figures that have a goal, and over the others";

/// Compares two records.
///
/// # Errors
/// When they were made under other conditions, or have nothing in common.
pub fn compare(base: &Comparison, head: &Comparison, bar: Bar) -> Result<LoadComparison, Incomparable> {
    let refuse = |why: String| Incomparable::NothingToSay {
        base: format!("the load of {}", base.started),
        head: format!("the load of {}", head.started),
        why,
    };
    if let Some(why) = other_conditions(base, head) {
        return Err(refuse(why));
    }
    let elsewhere = machine(&base.host, &head.host);
    let place = if elsewhere.is_empty() { Machine::Same } else { Machine::Other };
    let all = samples(base, head, place);
    if all.is_empty() {
        return Err(refuse(match place {
            Machine::Same => "they have no figure in common".to_owned(),
            Machine::Other => {
                "the machines are not the same, so only ratios compare, and they have none in common".to_owned()
            }
        }));
    }
    let changes = judged(&all, &bar);
    let mut differences = of_conditions(base, head);
    differences.extend(programs(&sums(base), &sums(head)));
    differences.extend(elsewhere);
    Ok(LoadComparison {
        schema: SCHEMA.to_owned(),
        base: side(base),
        head: side(head),
        machine: place,
        differences,
        cautions: cautions(base, head),
        test: TEST.to_owned(),
        level: bar.level,
        percent: bar.percent,
        pairs_needed: pairs_needed(&all, &bar),
        regressions: changes.iter().filter(|figure| figure.regression).count(),
        figures: changes,
    })
}

/// Why the two were not made under the same conditions, if so.
fn other_conditions(base: &Comparison, head: &Comparison) -> Option<String> {
    let bucket = |of: &Comparison| {
        let known = of.rate.map(|rate| format!("{} QPS and a burst of {}", rate.qps, rate.burst));
        known.unwrap_or_else(|| "a budget that is not known".to_owned())
    };
    let place =
        |of: &Comparison| of.installed.as_ref().map_or("local", |installed| installed.provider.as_str()).to_owned();
    if base.rate != head.rate {
        return Some(format!("controllers had {} in BASE, {} in HEAD", bucket(base), bucket(head)));
    }
    if base.workers != head.workers {
        let workers = |of: &Comparison| of.workers.map_or_else(|| "its own".to_owned(), |number| number.to_string());
        let (old, new) = (workers(base), workers(head));
        return Some(format!("the built-in controller had {old} workers in BASE, {new} in HEAD"));
    }
    if place(base) != place(head) {
        return Some(format!("BASE was measured on a cluster by {}, HEAD by {}", place(base), place(head)));
    }
    if base.scale_percent != head.scale_percent {
        return Some(format!(
            "workloads had {} % of their size in BASE, {} % in HEAD",
            base.scale_percent, head.scale_percent
        ));
    }
    if base.pods != head.pods {
        return Some(format!("pods were played by the driver `{}` in BASE, by `{}` in HEAD", base.pods, head.pods));
    }
    if let Some((old, new)) = base.tenants.zip(head.tenants).filter(|(old, new)| old != new) {
        return Some(format!("there were {old} tenants beside trials in BASE, {new} in HEAD"));
    }
    let part = |of: &Comparison| of.slice.as_ref().map_or("all", |slice| slice.partition.as_str()).to_owned();
    if part(base) != part(head) {
        return Some(format!("of the load {} was done in BASE, {} in HEAD", part(base), part(head)));
    }
    // So many submit together, each as fast as one may.
    let slices = |of: &Comparison| of.slices.unwrap_or(1);
    if slices(base) != slices(head) {
        return Some(format!("the load was done by {} slices in BASE, by {} in HEAD", slices(base), slices(head)));
    }
    let yardstick = |of: &Comparison| of.arms.get(&Side::Base).cloned().unwrap_or_default();
    (yardstick(base) != yardstick(head)).then(|| {
        format!("BASE was measured against the controller {}, HEAD against {}", yardstick(base), yardstick(head))
    })
}

/// The samples of every figure, by what it is of; on another machine of ratios only.
fn samples(base: &Comparison, head: &Comparison, place: Machine) -> BTreeMap<Key, Samples> {
    let mut all: BTreeMap<Key, Samples> = BTreeMap::new();
    let goals: BTreeSet<(&str, &str)> = [base, head]
        .iter()
        .flat_map(|record| &record.ratios)
        .filter(|ratio| ratio.goal.is_some())
        .map(|ratio| (ratio.workload.as_str(), ratio.figure.as_str()))
        .collect();
    let key = |of: Of, workload: String, figure: String| {
        let has_goal = goals.contains(&(workload.as_str(), figure.as_str()));
        Key { of, workload, figure, has_goal }
    };
    for (record, into) in [(base, Into::Base), (head, Into::Head)] {
        let ratios = ratio::all(&record.trials, &Goals::default()).into_iter().flat_map(|ratio| {
            let key = key(Of::Ratio, ratio.workload, ratio.figure);
            ratio.pairs.into_values().map(move |value| (key.clone(), value))
        });
        let whole = record.trials.iter().filter(|trial| trial.void.is_none() && place == Machine::Same);
        let singles = whole.flat_map(|trial| {
            let of = if trial.side == Side::Base { Of::Yardstick } else { Of::Controller };
            let key = &key;
            trial.figures.iter().map(move |(figure, value)| (key(of, trial.workload.clone(), figure.clone()), *value))
        });
        for (key, value) in ratios.chain(singles).filter(|(_, value)| value.is_finite()) {
            let samples = all.entry(key).or_default();
            match into {
                Into::Base => samples.base.push(value),
                Into::Head => samples.head.push(value),
            }
        }
    }
    all.retain(|_, samples| !samples.base.is_empty() && !samples.head.is_empty());
    all
}

#[derive(Clone, Copy)]
enum Into {
    Base,
    Head,
}

/// One figure of one workload, of the ratio or of one controller.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    of: Of,
    workload: String,
    figure: String,
    /// Whether one of the two records has a goal for it.
    has_goal: bool,
}

impl Key {
    /// Figures are tested together with those of their family; the others must not cost them their certainty.
    fn family(&self) -> (Of, bool) {
        (self.of, self.has_goal)
    }

    fn bar(&self, bar: &Bar) -> Bar {
        let name = self.figure.split('.').next().unwrap_or_default();
        let is_time = self.of != Of::Ratio && !NO_TIMES.contains(&name);
        Bar { floor_ms: if is_time { bar.floor_ms } else { 0.0 }, ..*bar }
    }
}

fn judged(all: &BTreeMap<Key, Samples>, bar: &Bar) -> Vec<FigureChange> {
    let families: BTreeSet<(Of, bool)> = all.keys().map(Key::family).collect();
    let mut found: BTreeMap<&Key, (Word, f64)> = BTreeMap::new();
    for family in families {
        let members: Vec<(&Key, &Samples)> = all.iter().filter(|(key, _)| key.family() == family).collect();
        let can_speak = |samples: &Samples| statistics::least_p(samples.base.len(), samples.head.len()) <= bar.level;
        let (tested, few): (Vec<_>, Vec<_>) = members.into_iter().partition(|(_, samples)| can_speak(samples));
        found.extend(few.into_iter().map(|(key, _)| (key, (Word::TooFew, 1.0))));
        found.extend(tested.iter().map(|(key, _)| (*key, (Word::Alike, 1.0))));
        let turned: Vec<Samples> = tested.iter().map(|(_, samples)| samples.turned()).collect();
        let less_is_better = |(key, _): &(&Key, &Samples)| !figures::is_more_better(&key.figure);
        let ways = tested.iter().zip(&turned).map(|(one, turned)| {
            let (there, back) = (one.1, turned);
            if less_is_better(one) { (there, back) } else { (back, there) }
        });
        let (there, back): (Vec<&Samples>, Vec<&Samples>) = ways.unzip();
        for (word, samples) in [(Word::Worse, there), (Word::Better, back)] {
            for (place, chance) in slower(&samples, &Bar { percent: 0.0, floor_ms: 0.0, ..*bar }) {
                let (key, sample) = (tested[place].0, samples[place]);
                let passed = median(&sample.base).zip(median(&sample.head));
                if passed.is_some_and(|(one, other)| key.bar(bar).is_passed(one, other)) {
                    found.insert(key, (word, chance));
                }
            }
        }
    }
    let word_of = |of: Of, key: &Key| found.get(&Key { of, ..key.clone() }).map(|(word, _)| *word);
    all.iter()
        .map(|(key, samples)| {
            let (word, chance) = found.get(key).copied().unwrap_or((Word::TooFew, 1.0));
            let regression = word == Word::Worse
                && match key.of {
                    Of::Ratio => true,
                    // Else the ratio speaks for it, or the other controller was slower as well.
                    Of::Controller => {
                        ![Of::Ratio, Of::Yardstick].iter().any(|of| word_of(*of, key) == Some(Word::Worse))
                    }
                    Of::Yardstick => false,
                };
            FigureChange {
                workload: key.workload.clone(),
                figure: key.figure.clone(),
                of: key.of,
                word,
                regression,
                base: median(&samples.base).unwrap_or_default(),
                head: median(&samples.head).unwrap_or_default(),
                base_samples: samples.base.len(),
                head_samples: samples.head.len(),
                chance,
                has_goal: key.has_goal,
            }
        })
        .collect()
}

/// How many pairs the figures with a goal need for a statement, where those that there are do not suffice.
fn pairs_needed(all: &BTreeMap<Key, Samples>, bar: &Bar) -> Option<usize> {
    let mut family: Vec<&Samples> =
        all.iter().filter(|(key, _)| key.family() == (Of::Ratio, true)).map(|it| it.1).collect();
    if family.is_empty() {
        family = all.values().collect();
    }
    let tests = family.len() as f64;
    let speaks = |it: &&Samples| statistics::least_p(it.base.len(), it.head.len()) * tests <= bar.level;
    (!family.iter().any(speaks)).then(|| bar.samples_needed(family.len()))
}

fn sums(of: &Comparison) -> BTreeMap<String, String> {
    of.binaries.iter().cloned().collect()
}

fn of_conditions(base: &Comparison, head: &Comparison) -> Vec<super::wire::Difference> {
    let name = |of: &Comparison| of.arms.get(&Side::Head).cloned().unwrap_or_default();
    let rows = [
        ("program that measured", base.program.clone(), head.program.clone()),
        ("controller", name(base), name(head)),
        ("Kubernetes", base.kubernetes.clone(), head.kubernetes.clone()),
    ];
    let other = rows.into_iter().filter(|(_, base, head)| base != head);
    other.map(|(about, base, head)| super::wire::Difference { about: about.to_owned(), base, head }).collect()
}

fn cautions(base: &Comparison, head: &Comparison) -> Vec<String> {
    let mut cautions = Vec::new();
    for (name, record) in [("BASE", base), ("HEAD", head)] {
        let void = record.spoiled().count();
        if void > 0 {
            cautions.push(format!("{void} of {} trials of {name} are void and do not count", record.trials.len()));
        }
        if let Some(why) = &record.stopped {
            cautions.push(format!("{name} did not end: {why}"));
        }
    }
    if base.started == head.started {
        cautions.push("both are the same record".to_owned());
    }
    cautions
}

fn side(of: &Comparison) -> LoadSide {
    let arm = |side| of.arms.get(&side).cloned().unwrap_or_default();
    LoadSide {
        started: of.started.clone(),
        program: of.program.clone(),
        kubernetes: of.kubernetes.clone(),
        yardstick: arm(Side::Base),
        controller: arm(Side::Head),
    }
}

#[cfg(test)]
mod tests;
