//! Trials of several slices that are one trial of the load.

use std::collections::{BTreeMap, BTreeSet};

use super::Part;
use crate::load::arm::Side;
use crate::load::figures::Figures;
use crate::load::judge::{Broken, Judged};
use crate::load::latency::{Distribution, Latencies};
use crate::load::record::{Circumstances, SliceTrial, Trial};
use crate::plan::Partition;

/// What share of the longest work of a slice may pass between the beginnings of the first and the last of them: beyond it they were two
/// loads one after the other rather than one.
const APART: f64 = 0.5;

/// A trial, and which figures slices have of it that cannot be told of all together.
pub(super) struct Joined {
    pub trial: Trial,
    pub lost: BTreeSet<String>,
}

/// Which trial: the place of its workload among the profiles, its pair, and its side.
type Turn = (usize, u32, Side);

/// Every trial that a slice has, in the order of the profiles; `one` is any of the slices that there are to be.
pub(super) fn joined(parts: &[Part], one: Partition) -> Vec<Joined> {
    let turns = parts.iter().flat_map(|part| part.record.trials.iter().map(move |trial| turn(part, trial)));
    let turns: BTreeSet<Turn> = turns.collect();
    turns.into_iter().filter_map(|turn| of_turn(turn, parts, one)).collect()
}

fn turn(part: &Part, trial: &Trial) -> Turn {
    let profiles = &part.record.profiles;
    let place = profiles.iter().position(|done| done.name == trial.workload).unwrap_or(profiles.len());
    (place, trial.pair, trial.side)
}

fn of_turn(wanted: Turn, parts: &[Part], one: Partition) -> Option<Joined> {
    let of = |part: &Part| part.record.trials.iter().position(|trial| turn(part, trial) == wanted);
    let did = parts.iter().filter_map(|part| Some((part.partition, &part.record.trials[of(part)?])));
    let did: Vec<(Partition, &Trial)> = did.collect();
    let (_, first) = did.first()?;
    let trials: Vec<&Trial> = did.iter().map(|(_, trial)| *trial).collect();
    let latencies = latencies(&trials);
    let figures = figures(&trials, &latencies);
    let names: BTreeSet<&String> = trials.iter().flat_map(|trial| trial.figures.keys()).collect();
    let lost = names.into_iter().filter(|name| !figures.contains_key(*name)).cloned().collect();
    let mut trial = Trial {
        workload: first.workload.clone(),
        pair: first.pair,
        side: first.side,
        warm_up: first.warm_up,
        arm: first.arm.clone(),
        started: earliest(trials.iter().map(|trial| trial.started.as_str())),
        work_began: Some(earliest(trials.iter().filter_map(|trial| trial.work_began.as_deref())))
            .filter(|began| !began.is_empty()),
        took_s: trials.iter().map(|trial| trial.took_s).fold(0.0, f64::max),
        slices: did.iter().map(|(partition, trial)| of_slice(*partition, trial)).collect(),
        figures,
        latencies,
        judged: judged(&did),
        circumstances: Circumstances {
            submit_lag_max_ms: most(trials.iter().map(|trial| trial.circumstances.submit_lag_max_ms)),
            ..Circumstances::default()
        },
        ..Trial::default()
    };
    trial.void = void(&did, one, &trial);
    Some(Joined { trial, lost })
}

/// The first moment of these; what is none is last.
fn earliest<'a>(moments: impl Iterator<Item = &'a str>) -> String {
    let moment = |text: &&'a str| text.parse::<jiff::Timestamp>().unwrap_or(jiff::Timestamp::MAX);
    moments.min_by_key(moment).unwrap_or_default().to_owned()
}

fn of_slice(partition: Partition, trial: &Trial) -> SliceTrial {
    SliceTrial {
        slice: partition.to_string(),
        work_began: trial.work_began.clone(),
        took_s: trial.took_s,
        makespan_ms: trial.figures.get("makespan").copied(),
        void: trial.void.clone(),
        circumstances: trial.circumstances.clone(),
    }
}

/// Why the joined trial does not count, if so: a slice of it does not, is not there, or did its work at another time.
fn void(did: &[(Partition, &Trial)], one: Partition, joined: &Trial) -> Option<String> {
    let of_slices = one.all().filter_map(|partition| match did.iter().find(|(slice, _)| *slice == partition) {
        None => Some(format!("{partition} did not do it")),
        Some((_, trial)) => trial.void.as_ref().map(|why| format!("{partition}: {why}")),
    });
    let why: Vec<String> = of_slices.chain(apart(joined)).collect();
    (!why.is_empty()).then(|| why.join("; "))
}

/// Why the slices did not do their work together, if they did not; one that did not get that far has its own reason.
fn apart(joined: &Trial) -> Option<String> {
    let apart_s = joined.slices_apart_s()?;
    let longest_s = most(joined.slices.iter().map(|slice| slice.makespan_ms))? / 1000.0;
    (apart_s > APART * longest_s).then(|| {
        format!(
            "the work of the slices began {apart_s:.1} s apart, and that of the longest took {longest_s:.1} s: more than half of it, so \
             they did not do it together"
        )
    })
}

/// Every kind of wait, those of all slices added bucket by bucket.
fn latencies(trials: &[&Trial]) -> Latencies {
    let mut all: BTreeMap<&str, Vec<&Distribution>> = BTreeMap::new();
    for (name, waits) in trials.iter().flat_map(|trial| &trial.latencies) {
        all.entry(name).or_default().push(waits);
    }
    all.into_iter().map(|(name, waits)| (name.to_owned(), Distribution::together(waits))).collect()
}

/// Figures of all slices together: percentiles from the added distributions, and the largest of the largest. No other can be told.
fn figures(trials: &[&Trial], latencies: &Latencies) -> Figures {
    let names: BTreeSet<&String> = trials.iter().flat_map(|trial| trial.figures.keys()).collect();
    let figure = |name: &String| {
        let (of, part) = name.rsplit_once('.')?;
        // Whoever has the figure has the waits of which it is made.
        let is_of_waits =
            || trials.iter().filter(|it| it.figures.contains_key(name)).all(|it| it.latencies.contains_key(of));
        let value = match part {
            "max" => most(trials.iter().map(|trial| trial.figures.get(name).copied())),
            "p50" | "p90" | "p99" => latencies.get(of).filter(|_| is_of_waits()).map(|waits| match part {
                "p50" => waits.p50,
                "p90" => waits.p90,
                _ => waits.p99,
            }),
            _ => None,
        };
        Some((name.clone(), value?))
    };
    names.into_iter().filter_map(figure).collect()
}

fn most(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    values.flatten().reduce(f64::max)
}

/// What came of judging the histories of all slices; every breach says in which it was.
fn judged(did: &[(Partition, &Trial)]) -> Option<Judged> {
    let each = did.iter().filter_map(|(partition, trial)| Some((*partition, trial.judged.as_ref()?)));
    each.fold(None, |all, (partition, one)| {
        let mut all: Judged = all.unwrap_or_default();
        all.jobs += one.jobs;
        all.versions += one.versions;
        // Each judged in a process of its own.
        all.most_bytes = all.most_bytes.max(one.most_bytes);
        all.given_up += one.given_up;
        all.broken_jobs += one.broken_jobs;
        all.broken.extend(one.broken.iter().map(|broken| {
            let observed = format!("{partition}: {}", broken.observed);
            Broken { observed, ..broken.clone() }
        }));
        Some(all)
    })
}
