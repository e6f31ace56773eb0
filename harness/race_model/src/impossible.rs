//! Which encounters cannot be, and why.
//!
//! That is said of Jobs that nobody edits besides what the encounter is about, and of pods that end by themselves: nobody but the controller
//! deletes them, and they are not restarted in place.

use crate::{Kind, Order, Source};

/// Why the first cannot meet the second in this order, if it cannot.
pub(crate) fn why(first: Source, second: Source, order: Order) -> Option<&'static str> {
    let both = |one: Source, other: Source| [first, second].contains(&one) && [first, second].contains(&other);
    let has = |one: Source| first == one || second == one;

    if has(Source::ManagedBy) {
        return Some("`managedBy` is immutable: no Job changes hands");
    }
    if has(Source::TimeToLive) && (first == Source::TimeToLive || order != Order::Then) {
        return Some("a time to live counts from the end: while it runs, nothing is left to decide");
    }
    if has(Source::TimeToLive)
        && [first.kind(), second.kind()].iter().any(|kind| matches!(kind, Kind::Pauses | Kind::Changes))
    {
        return Some("what has not ended has no time to live");
    }
    if has(Source::Completions) && (first.is_of_indexes() || second.is_of_indexes()) {
        return Some("a Job is either Indexed or not");
    }
    if both(Source::FailedIndexes, Source::AllIndexes) || both(Source::MaxFailedIndexes, Source::AllIndexes) {
        return Some("an index has failed, or all have succeeded");
    }
    if both(Source::FailJob, Source::AllIndexes) || both(Source::BackoffLimit, Source::AllIndexes) {
        return Some("the index whose pod failed has not succeeded, and gets no other pod");
    }
    if both(Source::ScaleDown, Source::ScaleUp) {
        return Some("a Job has one number of completions");
    }
    if both(Source::AllIndexes, Source::ScaleDown) {
        return Some("where all indexes have succeeded, there is nothing to scale down from");
    }
    why_in_order(first, second, order)
}

fn why_in_order(first: Source, second: Source, order: Order) -> Option<&'static str> {
    if order == Order::Together {
        return None;
    }
    if first.leaves_no_pod() && second.needs_a_pod() {
        return Some("the first leaves no pod whose end could bring the second about");
    }
    if first == Source::Suspend && order == Order::Then && second.needs_a_pod() {
        return Some("the pods of a suspended Job are released: how they end counts for nothing");
    }
    if matches!(first.kind(), Kind::Changes | Kind::Removes) && order != Order::Then {
        return Some("the first is stored by whoever asks for it, and not by the controller");
    }
    if first == Source::Deletion {
        return Some("a deleted Job is gone: there is nothing left to decide");
    }
    None
}
