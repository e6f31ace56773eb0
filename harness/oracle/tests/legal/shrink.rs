//! The smallest history that is still judged so: choices are left out and made smaller while that is the case.

use super::{
    census::Entry,
    choice::Choices,
    history::{self, History},
};
use jobsworth_oracle::narrate;
use k8s_openapi::api::batch::v1::Job;

/// So many histories are made for it at most.
const EFFORT: usize = 2000;

pub fn smallest(history: History, wrong: &str) -> History {
    let key = key(wrong);
    let mut best = history;
    let mut effort = 0;
    let mut block = best.taken.len().max(1);
    while block > 0 && effort < EFFORT {
        let mut from = 0;
        let mut improved = false;
        while from < best.taken.len() && effort < EFFORT {
            let until = (from + block).min(best.taken.len());
            let shorter: Vec<u32> = [&best.taken[..from], &best.taken[until..]].concat();
            let mut duller = best.taken.clone();
            duller[from..until].iter_mut().for_each(|choice| *choice = 0);
            let mut smaller = best.taken.clone();
            smaller[from..until].iter_mut().for_each(|choice| *choice /= 2);
            let found = [shorter, duller, smaller].into_iter().find_map(|choices| {
                effort += 1;
                let next = history::tell(Choices::again(choices));
                (is_smaller(&next, &best) && Entry::of(&next).wrong.iter().any(|other| self::key(other) == key))
                    .then_some(next)
            });
            match found {
                Some(next) => (best, improved) = (next, true),
                None => from += block,
            }
        }
        if !improved {
            block /= 2;
        }
    }
    best
}

/// What of a sentence stays the same when the history is made smaller: the number of the invariant, and what it expects.
pub fn key(wrong: &str) -> String {
    let (id, rest) = wrong.split_once(' ').unwrap_or_default();
    let expected = rest.split_once(": ").map_or("", |(_, words)| words);
    let expected = expected.split("; saw").next().unwrap_or_default();
    format!("{id} {}", expected.chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>())
}

fn is_smaller(one: &History, other: &History) -> bool {
    let size = |history: &History| {
        let sum: u64 = history.taken.iter().map(|choice| u64::from(*choice)).sum();
        (history.timeline.entries().len(), history.taken.len(), sum)
    };
    size(one) < size(other)
}

/// The history for people: what happened besides, and all entries.
pub fn shown(history: &History) -> String {
    let entries = history.timeline.entries().iter().map(|entry| {
        let status = entry.fact.version::<Job>().map(|job| job.raw["status"].to_string()).unwrap_or_default();
        format!("{} {status}", narrate::entry(entry))
    });
    let told = history.told.iter().map(|told| format!("  - {told}"));
    told.chain(entries).chain(Entry::of(history).wrong).collect::<Vec<_>>().join("\n")
}
