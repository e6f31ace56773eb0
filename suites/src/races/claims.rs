//! What the model says of an encounter, as claims over what was recorded.

use super::job::{PODS, told_by};
use crate::words::*;
use jobsworth_race_model::{Encounter, Legal, Order, Outcome, Source as Reason};
use std::collections::BTreeSet;

/// Every end that there is.
const ENDS: [Outcome; 7] = [
    Outcome::Failed("PodFailurePolicy"),
    Outcome::Failed("BackoffLimitExceeded"),
    Outcome::Failed("DeadlineExceeded"),
    Outcome::Failed("MaxFailedIndexesExceeded"),
    Outcome::Failed("FailedIndexes"),
    Outcome::Complete("SuccessPolicy"),
    Outcome::Complete("CompletionsReached"),
];

/// What must be found. What is impossible claims nothing, and is no case.
pub fn of(encounter: Encounter) -> Expectations {
    let Legal::OneOf(legal) = encounter.legal() else { return Expectations::new() };
    let both = passed("both are true");
    let end = one_of(&legal).named(format!("the Job is {}", in_words(&legal)));
    let other: BTreeSet<Outcome> = ENDS.into_iter().filter(|end| !legal.contains(end)).collect();
    // A Job may be suspended before both are true; then it has to be so when nothing moves any more.
    let expectations = match legal.contains(&Outcome::Suspended) {
        true => Expectations::new()
            .and("it comes to what is legal", eventually(end.clone()))
            .and("and is so in the end", whenever(&passed("nothing moves any more"), end)),
        false => Expectations::new().and("it comes to what is legal", after(&both, eventually(end))),
    };
    let expectations = expectations.and("and to nothing else", never(one_of(&other).named("the Job ends otherwise")));
    let expectations = match legal.iter().all(|outcome| matches!(outcome, Outcome::Suspended)) {
        true => {
            expectations.and("it is not decided", never(job().has(FailureTarget).or(job().has(SuccessCriteriaMet))))
        }
        false => expectations,
    };
    match (encounter.order, encounter.first) {
        (Order::Then, Reason::Suspend) | (Order::Together, _) => expectations,
        (Order::Then, first) => {
            let told = job().has(told_by(first));
            expectations.and("what was told stays", stable(&told))
        }
        _ => expectations.and(
            "the first could not be told at once",
            before(&passed("a write was refused"), never(job().has(told_by(encounter.first)))),
        ),
    }
}

fn one_of(outcomes: &BTreeSet<Outcome>) -> Predicate {
    let none = Predicate::new("nothing", |_| false);
    outcomes.iter().map(|outcome| is(*outcome)).fold(none, |any, one| any.or(one))
}

fn is(outcome: Outcome) -> Predicate {
    match outcome {
        Outcome::Complete(reason) => job().has(Complete.because(reason)),
        Outcome::Failed(reason) => job().has(Failed.because(reason)),
        Outcome::Suspended => job().has(Suspended).and(job().active(0)),
        Outcome::Gone => job().is_gone(),
        Outcome::Running => job().active(PODS.cast_signed()),
    }
}

fn in_words(outcomes: &BTreeSet<Outcome>) -> String {
    outcomes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}
