//! Two sources in an order, and what may come of it.

use crate::{Kind, Order, Outcome, Source, impossible};
use std::{collections::BTreeSet, fmt};

/// Two different sources in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Encounter {
    /// The one that is there first, where the order tells them apart.
    pub first: Source,
    /// The other.
    pub second: Source,
    /// How they meet.
    pub order: Order,
}

/// What may come of an encounter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Legal {
    /// Any of these, and nothing else.
    OneOf(BTreeSet<Outcome>),
    /// It cannot be, for this reason.
    Impossible(&'static str),
}

/// Every pair of different sources in every order, each once.
pub fn encounters() -> impl Iterator<Item = Encounter> {
    let pairs = Source::ALL.into_iter().flat_map(|first| Source::ALL.into_iter().map(move |second| (first, second)));
    let all =
        pairs.flat_map(|(first, second)| Order::ALL.into_iter().map(move |order| Encounter { first, second, order }));
    all.filter(|it| if it.order.tells_apart() { it.first != it.second } else { it.first < it.second })
}

impl Encounter {
    /// What may come of it.
    ///
    /// One look that finds both decides by precedence (STA-001). What is stored stays (STA-002, SUC-010). What was decided and
    /// not stored is decided anew from what is there, by precedence (SYN-026); a controller that lives on may also stay with what it had
    /// decided, and one that hears late may not know of the second in time.
    #[must_use]
    pub fn legal(self) -> Legal {
        if let Some(why) = impossible::why(self.first, self.second, self.order) {
            return Legal::Impossible(why);
        }
        let by_precedence = one_look(self.first, self.second);
        let by_order = BTreeSet::from([stored(self.first, self.second)]);
        // Pods of a Job that is suspended are released before anybody is told: how they end may count for nothing already.
        let released = self.first == Source::Suspend && self.second.needs_a_pod();
        Legal::OneOf(match self.order {
            Order::Crash if released => &by_precedence | &by_order,
            Order::Together | Order::Crash => by_precedence,
            Order::Then => by_order,
            Order::Refused | Order::Late => &by_precedence | &by_order,
        })
    }

    /// What may be declared on the way to a Job that is gone: nobody forbids to decide about a Job as long as it is there.
    #[must_use]
    pub fn on_the_way(self) -> BTreeSet<Outcome> {
        let ways = [self.first, self.second].map(Source::kind);
        match ways.contains(&Kind::Removes) {
            true => ways.into_iter().map(alone).filter(|outcome| *outcome != Outcome::Gone).collect(),
            false => BTreeSet::new(),
        }
    }
}

impl fmt::Display for Encounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}: {}", self.first, self.second, self.order)
    }
}

/// What comes of one look that finds both.
fn one_look(one: Source, other: Source) -> BTreeSet<Outcome> {
    if [one, other].iter().any(|source| source.kind() == Kind::Removes) {
        return BTreeSet::from([Outcome::Gone]);
    }
    let (early, late) = if one <= other { (one, other) } else { (other, one) };
    BTreeSet::from([match (early.kind(), late.kind()) {
        // Whether a rule looks at a pod whose index is asked for no more is said nowhere.
        (fails @ Kind::Fails(_), done) if early == Source::FailJob && late == Source::ScaleDown => {
            return BTreeSet::from([alone(fails), alone(done)]);
        }
        // The index that has failed is asked for no more, and its failure does not count (BLI-015, PAR-017).
        (Kind::Fails(_), done) if late == Source::ScaleDown && early.needs_a_pod() => alone(done),
        // More is asked of the Job: what was done is not all of it any more. A rule and a failure stay what they are.
        (Kind::Completes("CompletionsReached"), Kind::Changes) => Outcome::Running,
        (Kind::Fails("FailedIndexes"), Kind::Changes) => Outcome::Running,
        // A Job that has all it wants is complete, suspended or not (SUS-004, PAR-020).
        (Kind::Pauses, Kind::Completes(reason)) => Outcome::Complete(reason),
        // A suspended Job has no deadline (DLN-004).
        (Kind::Fails("DeadlineExceeded"), Kind::Pauses) => Outcome::Suspended,
        (kind, _) => alone(kind),
    }])
}

/// What comes of the first, stored before the second is true.
fn stored(first: Source, second: Source) -> Outcome {
    match (first.kind(), second.kind()) {
        (_, Kind::Removes) => Outcome::Gone,
        // Neither is a verdict: the second decides as if it were alone, but for what a suspended Job cannot have.
        (Kind::Pauses, Kind::Completes(reason)) if !second.needs_a_pod() => Outcome::Complete(reason),
        (Kind::Pauses, _) => Outcome::Suspended,
        (Kind::Changes, kind) => alone(kind),
        (kind, _) => alone(kind),
    }
}

fn alone(kind: Kind) -> Outcome {
    match kind {
        Kind::Fails(reason) => Outcome::Failed(reason),
        Kind::Completes(reason) => Outcome::Complete(reason),
        Kind::Pauses => Outcome::Suspended,
        Kind::Removes => Outcome::Gone,
        Kind::Changes => Outcome::Running,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
