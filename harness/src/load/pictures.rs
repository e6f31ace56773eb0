//! Pictures of a record: how long things took, what was done over time, and ratios with their intervals.

use std::collections::BTreeMap;

use super::arm::Side;
use super::comparison::Comparison;
use super::latency::Distribution;
use super::record::Trial;
use super::series::Series;
use crate::report::chart::{self, ChartError, Lines, Mark, RatioRow, Ratios, Scale};
use crate::slo::answer::Answer;

/// A distribution of fewer waits is a handful of steps and no picture.
const WAITS: u64 = 10;

/// A picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The workload that it is about.
    pub workload: String,
    /// What it shows, fit for the name of a file.
    pub name: String,
    /// What it shows, for people.
    pub title: String,
    /// The picture, for a page.
    pub svg: String,
}

/// All pictures of a record, by workload in the order of the profiles.
///
/// # Errors
/// When one cannot be drawn.
pub fn all(record: &Comparison) -> Result<Vec<Picture>, ChartError> {
    let mut pictures = Vec::new();
    for profile in &record.profiles {
        let workload = profile.name.as_str();
        pictures.extend(ratios(record, workload)?);
        pictures.extend(requests(record, workload)?);
        for (side, arm) in &record.arms {
            pictures.extend(pods(record, workload, *side, arm)?);
        }
        pictures.extend(latencies(record, workload)?);
        pictures.extend(memory(record, workload)?);
    }
    Ok(pictures)
}

/// Trials that are whole, of one side.
fn whole<'r>(record: &'r Comparison, workload: &str, side: Side) -> impl Iterator<Item = &'r Trial> {
    let mine = record.trials.iter().filter(move |trial| trial.side == side && trial.void.is_none());
    mine.filter(move |trial| trial.workload == workload).collect::<Vec<_>>().into_iter()
}

fn picture(workload: &str, name: &str, title: &str, svg: String) -> Picture {
    Picture { workload: workload.to_owned(), name: name.to_owned(), title: title.to_owned(), svg }
}

fn ratios(record: &Comparison, workload: &str) -> Result<Option<Picture>, ChartError> {
    let mine = record.ratios.iter().filter(|ratio| ratio.workload == workload && ratio.median > 0.0);
    let mut rows: Vec<RatioRow> = mine
        .map(|ratio| RatioRow {
            name: ratio.figure.clone(),
            ratio: ratio.median,
            interval: ratio.sureness.map(|sure| (sure.low, sure.high)),
            goal: ratio.goal,
            mark: match ratio.answer {
                Some(Answer::Missed) => Mark::Bad,
                Some(Answer::CannotTell) => Mark::Open,
                _ => Mark::Good,
            },
        })
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    rows.sort_by_key(|row| row.goal.is_none());
    let name = |side| record.arms.get(&side).map_or("", String::as_str);
    let title = format!("{workload}: {} over {}", name(Side::Head), name(Side::Base));
    let x = "median of the pairs' ratios, with its interval of 95 %; the upright stroke is the goal";
    let svg = chart::ratios(&Ratios { title: title.clone(), x: x.to_owned(), rows })?;
    Ok(Some(picture(workload, "ratios", &title, svg)))
}

/// Requests a second of the first whole trial of each controller, against the budget.
fn requests(record: &Comparison, workload: &str) -> Result<Option<Picture>, ChartError> {
    let of = |(side, arm): (&Side, &String)| {
        let series = whole(record, workload, *side).find_map(|trial| trial.series.as_ref())?;
        let series = Some(series).filter(|series| !series.requests.is_empty())?;
        let each = f64::from(u32::try_from(series.step_ms).unwrap_or(u32::MAX)) / 1000.0;
        Some((arm.clone(), points(series, &series.requests, 1.0 / each)))
    };
    let lines: Vec<_> = record.arms.iter().filter_map(of).collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let title = format!("{workload}: requests a second over time, events left out");
    let limit = record.rate.filter(|rate| !rate.is_off()).map(|rate| ("budget".to_owned(), f64::from(rate.qps)));
    let (x, y) = ("seconds".to_owned(), "requests a second".to_owned());
    let svg = chart::lines(&Lines { title: title.clone(), x, scale: Scale::Linear, y, lines, limit })?;
    Ok(Some(picture(workload, "requests", &title, svg)))
}

/// What the pods of the first whole trial of a controller were doing over time.
fn pods(record: &Comparison, workload: &str, side: Side, arm: &str) -> Result<Option<Picture>, ChartError> {
    let Some(series) = whole(record, workload, side).find_map(|trial| trial.series.as_ref()) else { return Ok(None) };
    if series.released.iter().chain(&series.waiting).chain(&series.running).all(|pods| *pods == 0) {
        return Ok(None);
    }
    let line = |name: &str, values: &[u32]| (name.to_owned(), points(series, values, 1.0));
    let lines = vec![
        line("waiting", &series.waiting),
        line("running", &series.running),
        line("ended, not released", &series.ended),
        line("released", &series.released),
    ];
    let title = format!("{workload}: pods by what they were doing, {arm}");
    let (x, y) = ("seconds".to_owned(), "pods".to_owned());
    let svg = chart::lines(&Lines { title: title.clone(), x, scale: Scale::Linear, y, lines, limit: None })?;
    let name = if side == Side::Base { "pods-base" } else { "pods-head" };
    Ok(Some(picture(workload, name, &title, svg)))
}

/// The memory of each controller over a soak.
fn memory(record: &Comparison, workload: &str) -> Result<Option<Picture>, ChartError> {
    let soaks = record.soaks.iter().filter(|soak| soak.profile == workload);
    let lines = soaks.map(|soak| {
        let points = soak.samples.iter().filter_map(|sample| Some((sample.at_s / 60.0, sample.memory_mib?)));
        (record.arms.get(&soak.side).cloned().unwrap_or_default(), points.collect::<Vec<_>>())
    });
    let lines: Vec<_> = lines.filter(|(_, points)| points.len() > 1).collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let title = format!("{workload}: resident memory over time");
    let (x, y) = ("minutes".to_owned(), "MiB".to_owned());
    let svg = chart::lines(&Lines { title: title.clone(), x, scale: Scale::Linear, y, lines, limit: None })?;
    Ok(Some(picture(workload, "memory", &title, svg)))
}

/// One picture for each kind of wait, with a line for each controller.
fn latencies(record: &Comparison, workload: &str) -> Result<Vec<Picture>, ChartError> {
    let mut waits: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (side, arm) in &record.arms {
        let mut all: BTreeMap<&str, Vec<&Distribution>> = BTreeMap::new();
        let trials: Vec<&Trial> = whole(record, workload, *side).collect();
        for (name, waits) in trials.iter().flat_map(|trial| &trial.latencies) {
            all.entry(name).or_default().push(waits);
        }
        for (name, distributions) in all {
            if distributions.iter().map(|waits| waits.count).sum::<u64>() >= WAITS {
                waits.entry(name).or_default().push((arm.clone(), shares(&distributions)));
            }
        }
    }
    let drawn = waits.into_iter().map(|(name, lines)| {
        let title = format!("{workload}: {name}");
        let (x, y) = ("milliseconds".to_owned(), "share that took no longer".to_owned());
        let limit = None;
        let svg = chart::lines(&Lines { title: title.clone(), x, scale: Scale::Logarithmic, y, lines, limit })?;
        Ok(picture(workload, name, &title, svg))
    });
    drawn.collect()
}

/// Which share of waits took no longer, of several trials together; those that did not end keep the line below 1.
fn shares(distributions: &[&Distribution]) -> Vec<(f64, f64)> {
    let mut buckets: Vec<(f64, u64)> = distributions.iter().flat_map(|waits| waits.buckets.iter().copied()).collect();
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: u64 = distributions.iter().map(|waits| waits.count + waits.unfinished).sum();
    let mut sum = 0;
    let share = |(ms, count): (f64, u64)| {
        sum += count;
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
        let share = sum as f64 / all.max(1) as f64;
        // What is faster than the instrument is shown where the instrument ends.
        (ms.max(0.01), share)
    };
    buckets.into_iter().map(share).collect()
}

fn points(series: &Series, values: &[u32], times: f64) -> Vec<(f64, f64)> {
    values.iter().enumerate().map(|(step, value)| (series.seconds(step), f64::from(*value) * times)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::sample;

    #[test]
    fn a_record_has_its_pictures_and_an_empty_one_has_none() {
        let mut record = sample::record_alone("reference", "indexed-500", &[9000.0, 9100.0]);
        assert!(all(&record).expect("nothing to draw").is_empty());
        for trial in &mut record.trials {
            trial.latencies =
                [("first-pod".to_owned(), Distribution::of((1..40).map(|ms| Some(f64::from(ms)))))].into();
            let of = |value| vec![value; 8];
            trial.series = Some(Series {
                step_ms: 250,
                waiting: of(3),
                running: of(5),
                ended: of(1),
                released: of(0),
                requests: of(20),
            });
        }
        let pictures = all(&record).expect("they can be drawn");
        let names: Vec<&str> = pictures.iter().map(|picture| picture.name.as_str()).collect();
        assert_eq!(names, ["requests", "pods-head", "first-pod"]);
        assert!(pictures[0].svg.contains("budget"));
        record.trials.iter_mut().for_each(|trial| trial.void = Some("noise".to_owned()));
        assert!(all(&record).expect("nothing to draw").is_empty(), "void trials are in no picture");
    }

    #[test]
    fn trials_are_added_and_what_did_not_end_is_missing_at_the_top() {
        let one = Distribution::of([Some(1.0), Some(10.0), None]);
        let other = Distribution::of([Some(5.0)]);
        let line = shares(&[&one, &other]);
        let shares: Vec<f64> = line.iter().map(|point| point.1).collect();
        assert_eq!(shares, [0.25, 0.5, 0.75]);
        assert!(line.is_sorted_by(|a, b| a.0 < b.0));
    }
}
