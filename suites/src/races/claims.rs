//! What the model says of an encounter, as claims over what was recorded.

use super::job::{PODS, is_stored, told_by};
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
    let allowed = &legal | &encounter.on_the_way();
    let other: BTreeSet<Outcome> = ENDS.into_iter().filter(|end| !allowed.contains(end)).collect();
    let pauses = |outcome: &Outcome| matches!(outcome, Outcome::Suspended | Outcome::Running);
    // A Job may be so before both are true; then it has to be so when nothing moves any more.
    let expectations = match legal.iter().any(pauses) {
        true => Expectations::new()
            .and("it comes to what is legal", eventually(end.clone()))
            .and("and is so in the end", whenever(&passed("nothing moves any more"), end)),
        false => Expectations::new().and("it comes to what is legal", after(&both, eventually(end))),
    };
    let expectations = expectations.and("and to nothing else", never(one_of(&other).named("the Job ends otherwise")));
    let expectations = match legal.iter().all(pauses) {
        true => expectations.and("it is not decided", never(decided())),
        false => expectations,
    };
    let expectations = in_order(expectations, encounter, &legal);
    match (encounter.first, encounter.order, encounter.second) {
        (Reason::Suspend, Order::Then, Reason::ScaleDown) => expectations.known(NEVER_STARTED),
        _ => expectations,
    }
}

/// A suspended Job has no start any more, and without one the API server takes no end of it.
const NEVER_STARTED: KnownDeviation = KnownDeviation {
    subject: "builtin",
    since: Minor::new(1, 37),
    until: Some(Minor::new(1, 37)),
    mended_in: &[],
    unless: None,
    breaks: &["it comes to what is legal", "W01"],
    source: "docs/differences.md#done-while-suspended",
};

/// What its order adds.
fn in_order(expectations: Expectations, encounter: Encounter, legal: &BTreeSet<Outcome>) -> Expectations {
    let told = job().has(told_by(encounter.first));
    let not_yet = |mark: &str| before(&passed(mark), never(told.clone()));
    match (encounter.order, encounter.first) {
        // Before anything else is made true: a controller that does not see it never comes to that.
        (Order::Then, Reason::ScaleUp) => {
            expectations.and("the index that was added gets its pod", eventually(is_stored(Reason::ScaleUp)))
        }
        (Order::Then, Reason::Suspend) | (Order::Together, _) => expectations,
        (Order::Then, _) if legal.contains(&Outcome::Gone) => {
            let stays = after(&passed("the first is told"), always(told.or(job().is_gone())));
            expectations.and("what was told stays as long as the Job does", stays)
        }
        (Order::Then, _) => expectations.and("what was told stays", stable(&told)),
        (Order::Late, _) => {
            expectations.and("the first was not told before both were true", not_yet("a decision is on its way"))
        }
        _ => expectations.and("the first could not be told at once", not_yet("a write was refused")),
    }
}

fn decided() -> Predicate {
    job().has(FailureTarget).or(job().has(SuccessCriteriaMet))
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
        // The index that it was given last has a pod.
        Outcome::Running => index(PODS).running(1).and(decided().negated()),
    }
}

fn in_words(outcomes: &BTreeSet<Outcome>) -> String {
    outcomes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}
