//! What tenants got, what became of their Jobs, and what they took from the work that they came beside: tables for text, page and
//! summary alike.

use std::collections::BTreeMap;

use super::arm::Side;
use super::comparison::Comparison;
use super::latency::Distribution;
use super::quantile::median;
use super::record::Trial;
use super::tenant_figures::{TenantFigures, TenantJobs, TenantRequests, name_beside};

/// The wait of a Job's last pod, of which tenants must not take too much.
const LAST_POD_TO_END: &str = "last-pod-to-end";
/// The figures that are held against those of trials without tenants.
const FIGURES: [&str; 4] = ["makespan", "last-pod-to-end.p50", "last-pod-to-end.p90", "last-pod-to-end.max"];
/// All requests together.
const ALL: &str = "all";

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// What it shows.
    pub title: &'static str,
    /// The heads of its columns.
    pub heads: &'static [&'static str],
    /// How many columns are words; the others are numbers.
    pub words: usize,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// The tables of a record; none of one without tenants.
#[must_use]
pub fn grids(record: &Comparison) -> Vec<Grid> {
    let got = Grid {
        title: "Tenants (closed loop): what they got, all whole trials together",
        heads: &[
            "workload",
            "controller",
            "request",
            "count",
            "errors",
            "throttled",
            "p50 ms",
            "p90 ms",
            "p99 ms",
            "p99.9 ms",
            "max ms",
        ],
        words: 3,
        rows: visits(record).flat_map(|visit| visit.got()).collect(),
    };
    let jobs = Grid {
        title: "Tenants (closed loop): Jobs that they waited for, all whole trials together",
        heads: &[
            "workload",
            "controller",
            "tenant",
            "waited for",
            "ended",
            "given up",
            "open at the end",
            "longest without an end s",
        ],
        words: 3,
        rows: visits(record).flat_map(|visit| visit.jobs()).collect(),
    };
    let took = Grid {
        title: "With tenants over without, by the same controller, round by round",
        heads: &["workload", "controller", "figure", "without", "with", "ratio", "rounds"],
        words: 3,
        rows: visits(record).flat_map(|visit| visit.took()).collect(),
    };
    [got, jobs, took].into_iter().filter(|grid| !grid.rows.is_empty()).collect()
}

/// One workload, done by one controller with tenants and without.
struct Visited<'r> {
    workload: &'r str,
    arm: &'r str,
    with: BTreeMap<u32, &'r Trial>,
    without: BTreeMap<u32, &'r Trial>,
}

fn visits(record: &Comparison) -> impl Iterator<Item = Visited<'_>> {
    record.profiles.iter().flat_map(move |profile| {
        let beside = name_beside(&profile.name);
        record.arms.iter().filter_map(move |(&side, arm)| {
            let with = whole(record, &beside, side);
            let without = whole(record, &profile.name, side);
            (!with.is_empty()).then_some(Visited { workload: &profile.name, arm, with, without })
        })
    })
}

/// Trials that are whole, by their round.
fn whole<'r>(record: &'r Comparison, workload: &str, side: Side) -> BTreeMap<u32, &'r Trial> {
    let is_mine = |trial: &&Trial| trial.workload == workload && trial.side == side && trial.void.is_none();
    record.trials.iter().filter(is_mine).map(|trial| (trial.pair, trial)).collect()
}

impl Visited<'_> {
    fn tenants(&self) -> impl Iterator<Item = &TenantFigures> {
        self.with.values().filter_map(|trial| trial.tenants.as_ref())
    }

    fn got(&self) -> Vec<Vec<String>> {
        let mut by_name: BTreeMap<&str, Vec<&TenantRequests>> = BTreeMap::new();
        for (name, requests) in self.tenants().flat_map(|one| &one.requests) {
            by_name.entry(name).or_default().push(requests);
        }
        let all: Vec<&TenantRequests> = by_name.values().flatten().copied().collect();
        let sum = (!all.is_empty()).then(|| self.row(ALL, &all));
        let each = by_name.iter().map(|(name, requests)| self.row(name, requests));
        each.chain(sum).collect()
    }

    fn row(&self, name: &str, requests: &[&TenantRequests]) -> Vec<String> {
        let times = Distribution::together(requests.iter().map(|one| &one.times));
        let errors: u64 = requests.iter().flat_map(|one| one.errors.values()).sum();
        let throttled: u64 = requests.iter().map(|one| one.throttled).sum();
        let words = [self.workload, self.arm, name].map(str::to_owned);
        let counts = [times.count, errors, throttled].map(|count| count.to_string());
        let waits = [times.p50, times.p90, times.p99, times.p999, times.max].map(|ms| format!("{ms:.1}"));
        words.into_iter().chain(counts).chain(waits).collect()
    }

    fn jobs(&self) -> Vec<Vec<String>> {
        let mut by_kind: BTreeMap<&str, Vec<&TenantJobs>> = BTreeMap::new();
        for (kind, jobs) in self.tenants().flat_map(|one| &one.jobs) {
            by_kind.entry(kind).or_default().push(jobs);
        }
        let row = |(kind, jobs): (&str, Vec<&TenantJobs>)| {
            let TenantJobs { ended, given_up, open, longest_without_end_s } = TenantJobs::together(jobs);
            let words = [self.workload, self.arm, kind].map(str::to_owned);
            let counts = [ended + given_up + open, ended, given_up, open].map(|count| count.to_string());
            words.into_iter().chain(counts).chain([format!("{longest_without_end_s:.1}")]).collect::<Vec<String>>()
        };
        by_kind.into_iter().map(row).collect()
    }

    fn took(&self) -> Vec<Vec<String>> {
        let each = FIGURES.iter().filter_map(|figure| self.figure(figure));
        each.chain(self.pooled()).collect()
    }

    /// A figure of every round that has it with tenants and without.
    fn figure(&self, figure: &str) -> Option<Vec<String>> {
        let of = |trial: &Trial| trial.figures.get(figure).copied().filter(|value| *value > 0.0);
        let both =
            self.without.iter().filter_map(|(round, &trial)| of(trial).zip(self.with.get(round).copied().and_then(of)));
        let both: Vec<(f64, f64)> = both.collect();
        let (without, with): (Vec<f64>, Vec<f64>) = both.iter().copied().unzip();
        let ratios: Vec<f64> = both.iter().map(|(without, with)| with / without).collect();
        Some(self.effect(figure, [median(&without)?, median(&with)?, median(&ratios)?], both.len()))
    }

    /// The tail of the wait for a Job's end: 99 of 100, of all rounds together.
    fn pooled(&self) -> Option<Vec<String>> {
        let rounds = || self.without.keys().filter(|round| self.with.contains_key(*round));
        let of = |trials: &BTreeMap<u32, &Trial>| {
            let mine = rounds().filter_map(|round| trials.get(round)?.latencies.get(LAST_POD_TO_END));
            Distribution::together(mine).p99
        };
        let (without, with) = (of(&self.without), of(&self.with));
        let name = format!("{LAST_POD_TO_END}.p99, rounds together");
        (without > 0.0 && with > 0.0).then(|| self.effect(&name, [without, with, with / without], rounds().count()))
    }

    fn effect(&self, figure: &str, [without, with, ratio]: [f64; 3], rounds: usize) -> Vec<String> {
        let words = [self.workload, self.arm, figure].map(str::to_owned);
        let values = [format!("{without:.0}"), format!("{with:.0}"), format!("{ratio:.2}"), rounds.to_string()];
        words.into_iter().chain(values).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::sample;

    #[test]
    fn tenants_are_told_by_request_and_all_together() {
        let [got, _, _]: [Grid; 3] = grids(&sample::record_beside_tenants()).try_into().expect("all tables");
        assert_eq!(got.rows.len(), 2);
        assert_eq!(got.rows[0][..6], ["indexed-500", "builtin", "GET job: poll", "100", "1", "2"].map(str::to_owned));
        assert_eq!((got.rows[0][6].as_str(), got.rows[1][2].as_str()), ("1.0", ALL));
        assert_eq!(got.heads.len(), got.rows[0].len());
        assert!(got.title.contains("closed loop"));
    }

    #[test]
    fn jobs_of_tenants_that_had_not_ended_are_told_by_kind() {
        let [_, jobs, _]: [Grid; 3] = grids(&sample::record_beside_tenants()).try_into().expect("all tables");
        let row = ["indexed-500", "builtin", "batch-user", "7", "4", "1", "2", "60.5"].map(str::to_owned);
        assert_eq!(jobs.rows, [row]);
        assert_eq!(jobs.heads.len(), jobs.rows[0].len());
    }

    #[test]
    fn jobs_of_several_trials_are_added_and_the_longest_wait_stays() {
        let all = [
            TenantJobs { ended: 4, given_up: 1, open: 2, longest_without_end_s: 60.5 },
            TenantJobs { ended: 8, given_up: 0, open: 1, longest_without_end_s: 1.5 },
        ];
        let together = TenantJobs { ended: 12, given_up: 1, open: 3, longest_without_end_s: 60.5 };
        assert_eq!(TenantJobs::together(&all), together);
    }

    #[test]
    fn what_they_took_is_told_of_rounds_that_are_whole_on_both_sides() {
        let [_, _, took]: [Grid; 3] = grids(&sample::record_beside_tenants()).try_into().expect("all tables");
        let makespan = ["indexed-500", "builtin", "makespan", "1000", "1500", "1.50", "1"].map(str::to_owned);
        assert_eq!(took.rows[0], makespan);
        assert_eq!(took.rows[1][5..], ["2.00".to_owned(), "1".to_owned()], "{took:?}");
        assert_eq!(took.heads.len(), took.rows[0].len());
    }

    #[test]
    fn a_record_without_tenants_has_no_table_of_them() {
        assert!(grids(&sample::record_alone("builtin", "indexed-500", &[1000.0])).is_empty());
    }
}
