//! `list races`: two reasons to end a Job, in every order.

use super::Listing;
use crate::case::Catalogue;
use jobsworth_race_model::{Encounter, Legal, Order, Outcome, Source, encounters};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Which cases judge an encounter, by their ids: several where it matters how pods go.
type Judged = BTreeMap<Encounter, Vec<&'static str>>;

/// A row for each pair, a column for each order.
pub(super) fn matrix(catalogue: &Catalogue) -> Listing {
    let mut judged = Judged::new();
    for (encounter, case) in (catalogue.races)() {
        judged.entry(encounter).or_default().push(case);
    }
    let columns = [Order::Together, Order::Then, Order::Crash, Order::Refused, Order::Late];
    let pairs = Source::ALL.into_iter().flat_map(|first| Source::ALL.into_iter().map(move |second| (first, second)));
    let rows = pairs.filter(|(first, second)| first != second).map(|(first, second)| {
        let names = [first, second].map(|source| Value::from(source.to_string()));
        let cells = columns.iter().map(|order| Value::from(words(in_order(first, second, *order), &judged)));
        names.into_iter().chain(cells).collect()
    });
    Listing {
        columns: vec![
            "first",
            "second",
            "in one sync",
            "one after the other",
            "crash before the write",
            "write refused once",
            "late watch",
        ],
        rows: rows.collect(),
        sum: sum(&judged),
    }
}

/// One look does not tell who was first.
fn in_order(first: Source, second: Source, order: Order) -> Encounter {
    match order.tells_apart() || first < second {
        true => Encounter { first, second, order },
        false => Encounter { first: second, second: first, order },
    }
}

fn words(encounter: Encounter, judged: &Judged) -> String {
    match (encounter.legal(), judged.get(&encounter)) {
        (Legal::Impossible(why), _) => format!("cannot be: {why}"),
        (Legal::OneOf(legal), Some(cases)) => format!("{}: {}", outcomes(&legal), cases.join(", ")),
        (Legal::OneOf(legal), None) => format!("{}: open", outcomes(&legal)),
    }
}

fn outcomes(legal: &BTreeSet<Outcome>) -> String {
    legal.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

fn sum(judged: &Judged) -> String {
    let (mut cases, mut impossible, mut open) = (0, 0, 0);
    for encounter in encounters() {
        match encounter.legal() {
            Legal::Impossible(_) => impossible += 1,
            Legal::OneOf(_) if judged.contains_key(&encounter) => cases += 1,
            Legal::OneOf(_) => open += 1,
        }
    }
    format!("{} encounters: {cases} are judged, {impossible} cannot be, {open} are open", cases + impossible + open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::with_its_case(
        Source::BackoffLimit,
        Source::SuccessRule,
        Order::Together,
        "Failed (BackoffLimitExceeded): a/case, an/other"
    )]
    #[case::whoever_is_named_first(
        Source::SuccessRule,
        Source::BackoffLimit,
        Order::Together,
        "Failed (BackoffLimitExceeded): a/case, an/other"
    )]
    #[case::that_nobody_judges(
        Source::BackoffLimit,
        Source::SuccessRule,
        Order::Then,
        "Failed (BackoffLimitExceeded): open"
    )]
    #[case::that_cannot_be(
        Source::TimeToLive,
        Source::SuccessRule,
        Order::Then,
        "cannot be: a time to live counts from the end: while it runs, nothing is left to decide"
    )]
    fn an_encounter_is_told(#[case] first: Source, #[case] second: Source, #[case] order: Order, #[case] told: &str) {
        let meeting = Encounter { first: Source::BackoffLimit, second: Source::SuccessRule, order: Order::Together };
        assert_eq!(words(in_order(first, second, order), &Judged::from([(meeting, vec!["a/case", "an/other"])])), told);
    }

    #[test]
    fn every_encounter_counts_once() {
        assert_eq!(sum(&Judged::new()).split(':').next(), Some("819 encounters"));
    }
}
