//! No false alarms: histories of a correct world, made at random, are judged *fail* by no invariant.
//!
//! `JOBSWORTH_LEGAL_HISTORIES` says how many, `JOBSWORTH_LEGAL_SEED` which; `JOBSWORTH_LEGAL_FIRST` begins with another than the
//! first, to repeat one that failed.

mod census;
mod choice;
mod collector;
mod controller;
mod ends;
mod history;
mod holes;
mod json;
mod life;
mod nodes;
mod objects;
mod people;
mod profile;
mod requests;
mod shape;
mod shrink;
mod ttl;
mod world;

use census::{Census, Entry};
use choice::Choices;
use history::History;
use std::{collections::BTreeMap, sync::mpsc::channel};

/// So many kinds of alarms are told in their smallest form.
const SHOWN: usize = 20;
/// So many histories of one kind of alarm are named.
const NAMED: usize = 20;

/// Which histories are made.
#[derive(Clone, Copy, Debug)]
struct Plan {
    seed: u64,
    first: u64,
    count: u64,
}

impl Plan {
    fn from_environment() -> Self {
        let setting = |name: &str, otherwise: u64| match std::env::var(name) {
            Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text:?}")),
            Err(_) => otherwise,
        };
        Self {
            seed: setting("JOBSWORTH_LEGAL_SEED", 1),
            first: setting("JOBSWORTH_LEGAL_FIRST", 0),
            count: setting("JOBSWORTH_LEGAL_HISTORIES", 2000),
        }
    }

    fn history(self, number: u64) -> History {
        history::tell(Choices::of_seed(self.seed.wrapping_mul(0x1000_0000_01b3).wrapping_add(number)))
    }

    fn how_to_repeat(self, number: u64) -> String {
        format!("JOBSWORTH_LEGAL_SEED={} JOBSWORTH_LEGAL_FIRST={number} JOBSWORTH_LEGAL_HISTORIES=1", self.seed)
    }
}

#[test]
fn no_legal_history_is_judged_a_failure() {
    let plan = Plan::from_environment();
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (tell, told) = channel();
    for worker in 0..workers as u64 {
        let tell = tell.clone();
        std::thread::spawn(move || {
            for number in (plan.first + worker..plan.first + plan.count).step_by(workers) {
                let entry = Entry::of(&plan.history(number));
                // Nobody listens any more when another has failed.
                if tell.send((number, entry)).is_err() {
                    return;
                }
            }
        });
    }
    drop(tell);
    let mut census = Census::default();
    let mut wrong: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    for (number, entry) in told {
        for sentence in &entry.wrong {
            wrong.entry(shrink::key(sentence)).or_default().push((number, sentence.clone()));
        }
        census.take(entry);
    }
    let alarms: Vec<String> = wrong.values().take(SHOWN).map(|alarms| alarm(plan, alarms)).collect();
    assert!(wrong.is_empty(), "{} kinds of alarms: {:#?}\n{}", wrong.len(), wrong.keys(), alarms.join("\n\n"));
    assert_eq!(census.histories(), plan.count, "a worker fell: {plan:?}");
    println!("{}", census.table(plan.seed));
    census.assert_enough();
}

/// Alarms of one kind: how many, in which histories, and the first in its smallest form.
fn alarm(plan: Plan, alarms: &[(u64, String)]) -> String {
    let (number, sentence) = &alarms[0];
    let history = shrink::smallest(plan.history(*number), sentence);
    let (count, repeat, shown) = (alarms.len(), plan.how_to_repeat(*number), shrink::shown(&history));
    let others: Vec<u64> = alarms.iter().map(|(number, _)| *number).skip(1).take(NAMED).collect();
    format!("{count} such alarms, the first in history {number} ({repeat}): {sentence}\nothers in {others:?}\n{shown}")
}

#[test]
fn a_seed_makes_one_history_and_its_choices_make_it_again() {
    let plan = Plan { seed: 1, first: 0, count: 1 };
    for number in 0..20 {
        let (one, again) = (plan.history(number), history::tell(Choices::again(plan.history(number).taken)));
        assert_eq!(one.shape, again.shape, "{number}");
        assert_eq!(format!("{:?}", one.timeline.entries()), format!("{:?}", again.timeline.entries()), "{number}");
    }
}
