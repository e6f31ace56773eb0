//! The same operations in the order and with the structures of the built-in controller. Frozen: it is the measure of
//! the other benches, so that a figure is a ratio and not a property of the machine.

use std::collections::{BTreeMap, BTreeSet};

/// Ascending ranges, both ends inclusive.
pub type Intervals = Vec<(i64, i64)>;

/// Splits at commas, then at hyphens: one list per interval.
pub fn parse(text: &str, completions: i64) -> Intervals {
    let mut intervals = Intervals::new();
    let parts: Vec<String> = text.split(',').map(str::to_owned).collect();
    for part in parts {
        let limits: Vec<String> = part.split('-').map(str::to_owned).collect();
        let Ok(first) = limits[0].parse::<i64>() else { continue };
        if first >= completions {
            break;
        }
        let last = limits.get(1).and_then(|last| last.parse().ok()).unwrap_or(first).min(completions - 1);
        match intervals.last_mut() {
            Some(before) if before.1 + 1 == first => before.1 = last,
            _ => intervals.push((first, last)),
        }
    }
    intervals
}

/// Merges sorted new indexes into a new list of intervals.
pub fn merge(intervals: &Intervals, new: &[i64]) -> Intervals {
    let mut merged = Intervals::new();
    let mut push = |first: i64, last: i64| match merged.last_mut() {
        Some(before) if before.1 + 1 >= first => before.1 = before.1.max(last),
        _ => merged.push((first, last)),
    };
    let mut at = 0;
    for (first, last) in intervals {
        while at < new.len() && new[at] < *first {
            push(new[at], new[at]);
            at += 1;
        }
        push(*first, *last);
    }
    for index in &new[at..] {
        push(*index, *index);
    }
    merged
}

/// One text per interval, joined.
pub fn format(intervals: &Intervals) -> String {
    let mut text = String::new();
    for (first, last) in intervals {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&first.to_string());
        if last > first {
            text.push(if *last == first + 1 { ',' } else { '-' });
            text.push_str(&last.to_string());
        }
    }
    text
}

pub fn total(intervals: &Intervals) -> i64 {
    intervals.iter().map(|(first, last)| last - first + 1).sum()
}

/// The first so many indexes that are not completed.
pub fn pending(completed: &Intervals, completions: i64, count: usize) -> Vec<i64> {
    let mut pending = Vec::with_capacity(count);
    let mut next = 0;
    for (first, last) in completed {
        while next < *first && pending.len() < count {
            pending.push(next);
            next += 1;
        }
        next = last + 1;
    }
    while next < completions && pending.len() < count {
        pending.push(next);
        next += 1;
    }
    pending
}

/// How many listed indexes are completed: two pointers.
pub fn matching(listed: &Intervals, completed: &Intervals) -> i64 {
    let (mut a, mut b, mut count) = (0, 0, 0);
    while a < listed.len() && b < completed.len() {
        let (first, last) = (listed[a].0.max(completed[b].0), listed[a].1.min(completed[b].1));
        count += (last - first + 1).max(0);
        if listed[a].1 < completed[b].1 { a += 1 } else { b += 1 }
    }
    count
}

/// A pod as its annotations have it.
#[derive(Clone)]
pub struct Pod {
    pub uid: String,
    pub annotations: BTreeMap<String, String>,
    pub active: bool,
    pub succeeded: bool,
}

const INDEX: &str = "batch.kubernetes.io/job-completion-index";

pub fn index(pod: &Pod) -> i64 {
    pod.annotations.get(INDEX).and_then(|text| text.parse().ok()).unwrap_or(-1)
}

/// One sync without anything to do or with ended pods: sets, sorts with two look-ups per comparison, texts.
pub fn sync(pods: &[Pod], completed: &str, completions: i64) -> (usize, String) {
    let intervals = parse(completed, completions);
    let new: BTreeSet<i64> = pods.iter().filter(|pod| pod.succeeded).map(index).collect();
    let merged = merge(&intervals, &new.into_iter().collect::<Vec<_>>());
    let mut active: Vec<&Pod> = pods.iter().filter(|pod| pod.active).collect();
    active.sort_by_key(|pod| index(pod));
    let taken: BTreeSet<i64> = active.iter().map(|pod| index(pod)).collect();
    let mut sorted: Vec<&Pod> = pods.iter().collect();
    sorted.sort_by_key(|pod| index(pod));
    let uids: BTreeSet<&str> = sorted.iter().map(|pod| pod.uid.as_str()).collect();
    (taken.len() + uids.len(), format(&merged))
}
