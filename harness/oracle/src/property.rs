//! The closed temporal vocabulary: eight forms of claims about a whole timeline.

use crate::{
    narrate,
    predicate::{About, Predicate},
    timeline::Timeline,
    world::World,
};
use std::time::Duration;

/// A claim about a timeline.
#[derive(Clone, Debug)]
pub enum Property {
    /// True in every world.
    Always(Predicate),
    /// True in no world; with a window, in no world within that time from where the claim begins.
    Never {
        /// What must not be.
        what: Predicate,
        /// For how long, from where the claim begins; without it, to the end.
        window: Option<Duration>,
    },
    /// True in some world, within the limit if there is one.
    Eventually {
        /// What must come.
        what: Predicate,
        /// How long it may take from where the claim begins.
        within: Option<Duration>,
    },
    /// From the first world with the trigger on, the inner claim holds.
    After {
        /// Where the inner claim begins.
        trigger: Predicate,
        /// The inner claim.
        then: Box<Self>,
    },
    /// Up to the last world before the limit, the inner claim holds.
    Before {
        /// Where the inner claim ends.
        limit: Predicate,
        /// The inner claim.
        holds: Box<Self>,
    },
    /// In every world with the trigger, the other predicate is true too.
    Whenever {
        /// Which worlds are meant.
        trigger: Predicate,
        /// What must be true in them.
        also: Predicate,
    },
    /// Once true, true to the end.
    Stable(Predicate),
    /// One of several claims at least holds.
    AnyOf(Vec<Self>),
}

/// The outcome of one claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// It held, and there was occasion for it not to.
    Held,
    /// Nothing was seen that could have broken it, or history is missing.
    Vacuous(String),
    /// It did not hold.
    Broken(Breach),
}

/// Where and how a claim was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Revision of the first world that breaks it; 0 when it is the absence of a world that does.
    pub revision: u64,
    /// Arrival of that world.
    pub at: Duration,
    /// What the claim asks for.
    pub expected: String,
    /// What was seen instead.
    pub observed: String,
}

/// True in every world.
#[must_use]
pub fn always(what: Predicate) -> Property {
    Property::Always(what)
}

/// True in no world.
#[must_use]
pub fn never(what: Predicate) -> Property {
    Property::Never { what, window: None }
}

/// True in no world of the first `window` after the claim begins.
#[must_use]
pub fn never_within(window: Duration, what: Predicate) -> Property {
    Property::Never { what, window: Some(window) }
}

/// True in some world.
#[must_use]
pub fn eventually(what: Predicate) -> Property {
    Property::Eventually { what, within: None }
}

/// True in some world of the first `within` after the claim begins, or as much later as the [machine was late](crate::lag).
#[must_use]
pub fn eventually_within(within: Duration, what: Predicate) -> Property {
    Property::Eventually { what, within: Some(within) }
}

/// From the first world with `trigger` on, `then` holds.
#[must_use]
pub fn after(trigger: &Predicate, then: Property) -> Property {
    Property::After { trigger: trigger.clone(), then: Box::new(then) }
}

/// Until the first world with `limit`, `holds` holds.
#[must_use]
pub fn before(limit: &Predicate, holds: Property) -> Property {
    Property::Before { limit: limit.clone(), holds: Box::new(holds) }
}

/// Wherever `trigger` is true, `also` is.
#[must_use]
pub fn whenever(trigger: &Predicate, also: Predicate) -> Property {
    Property::Whenever { trigger: trigger.clone(), also }
}

/// Once true, `what` stays true.
#[must_use]
pub fn stable(what: &Predicate) -> Property {
    Property::Stable(what.clone())
}

/// One of `claims` at least holds. For bounds that a slow machine may miss now and then, and a slow controller always.
#[must_use]
pub fn any_of(claims: impl IntoIterator<Item = Property>) -> Property {
    Property::AnyOf(claims.into_iter().collect())
}

impl Property {
    /// Judges the claim on a timeline.
    ///
    /// # Guarantees
    /// *Held* is never said on missing evidence: a trigger that was not seen gives *vacuous*, and so
    /// does a claim of absence or permanence on a timeline with a gap or without its end. A claim that
    /// is *broken* stays broken whatever else is missing. A claim about the order between Events and other things is not
    /// judged where there is no such order.
    #[must_use]
    pub fn check(&self, timeline: &Timeline) -> Check {
        let about = self.about();
        if timeline.events_are_apart() && about.events && about.others {
            return Check::Vacuous(
                "events have a store of their own here, so nothing shows what came first: an event or a change"
                    .to_owned(),
            );
        }
        let worlds = timeline.all_worlds();
        let lag = worlds.last().map(|last| last.lag().allowance()).unwrap_or_default();
        self.over(worlds, &Evidence { doubt: timeline.doubt(), lag })
    }

    /// The claim in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Always(what) => format!("always: {what}"),
            Self::Never { what, window: None } => format!("never: {what}"),
            Self::Never { what, window: Some(window) } => format!("not within {}: {what}", seconds(*window)),
            Self::Eventually { what, within: None } => format!("eventually: {what}"),
            Self::Eventually { what, within: Some(limit) } => format!("within {}: {what}", seconds(*limit)),
            Self::After { trigger, then } => format!("after [{trigger}], {}", then.words()),
            Self::Before { limit, holds } => format!("before [{limit}], {}", holds.words()),
            Self::Whenever { trigger, also } => format!("whenever [{trigger}], also [{also}]"),
            Self::Stable(what) => format!("once [{what}], for good"),
            Self::AnyOf(claims) => {
                let words: Vec<String> = claims.iter().map(|claim| format!("[{}]", claim.words())).collect();
                format!("any of {}", words.join(", "))
            }
        }
    }

    /// What must come that is about nothing but Events; `None` where it must come before something else.
    pub(crate) fn awaited_event(&self) -> Option<&Predicate> {
        match self {
            Self::Eventually { what, .. } => {
                let About { events, others } = what.about();
                (events && !others).then_some(what)
            }
            Self::After { then, .. } => then.awaited_event(),
            _ => None,
        }
    }

    fn about(&self) -> About {
        match self {
            Self::Always(what) | Self::Never { what, .. } | Self::Eventually { what, .. } | Self::Stable(what) => {
                what.about()
            }
            Self::After { trigger, then } => trigger.about().and(then.about()),
            Self::Before { limit, holds } => limit.about().and(holds.about()),
            Self::Whenever { trigger, also } => trigger.about().and(also.about()),
            Self::AnyOf(claims) => claims.iter().map(Self::about).reduce(About::and).unwrap_or_default(),
        }
    }

    fn over(&self, worlds: &[World], evidence: &Evidence) -> Check {
        match self {
            Self::Always(what) => match worlds.iter().find(|world| !what.holds(world)) {
                Some(world) => self.broken_at(world),
                None => evidence.of_absence(),
            },
            Self::Never { what, window } => self.never_over(what, *window, worlds, evidence),
            Self::Eventually { what, within } => self.eventually_over(what, *within, worlds, evidence),
            Self::After { trigger, then } => match worlds.iter().position(|world| trigger.holds(world)) {
                Some(start) => then.over(&worlds[start..], evidence),
                None => Check::Vacuous(format!("not seen: {trigger}")),
            },
            Self::Before { limit, holds } => match worlds.iter().position(|world| limit.holds(world)) {
                Some(end) => holds.over(&worlds[..end], evidence),
                None => Check::Vacuous(format!("not seen: {limit}")),
            },
            Self::Whenever { trigger, also } => {
                let mut occasions = worlds.iter().filter(|world| trigger.holds(world)).peekable();
                if occasions.peek().is_none() {
                    return Check::Vacuous(format!("not seen: {trigger}"));
                }
                match occasions.find(|world| !also.holds(world)) {
                    Some(world) => self.broken_at(world),
                    None => evidence.of_absence(),
                }
            }
            Self::Stable(what) => match worlds.iter().position(|world| what.holds(world)) {
                None => Check::Vacuous(format!("not seen: {what}")),
                Some(start) => match worlds[start..].iter().find(|world| !what.holds(world)) {
                    Some(world) => self.broken_at(world),
                    None => evidence.of_absence(),
                },
            },
            Self::AnyOf(claims) => self.any_over(claims, worlds, evidence),
        }
    }

    /// One that holds decides; one that could not be judged might have held.
    fn any_over(&self, claims: &[Self], worlds: &[World], evidence: &Evidence) -> Check {
        let mut doubtful = None;
        let mut broken = None;
        for claim in claims {
            match claim.over(worlds, evidence) {
                Check::Held => return Check::Held,
                Check::Vacuous(why) => doubtful = Some(why),
                Check::Broken(breach) => broken = Some(breach),
            }
        }
        match (doubtful, broken) {
            (None, Some(breach)) => Check::Broken(Breach { expected: self.words(), ..breach }),
            (doubtful, _) => Check::Vacuous(doubtful.unwrap_or_else(|| "nothing was claimed".to_owned())),
        }
    }

    fn never_over(&self, what: &Predicate, window: Option<Duration>, worlds: &[World], evidence: &Evidence) -> Check {
        let start = worlds.first().map_or(Duration::ZERO, |world| world.at);
        let in_window = |world: &&World| window.is_none_or(|window| world.at < start + window);
        if let Some(world) = worlds.iter().filter(in_window).find(|world| what.holds(world)) {
            return self.broken_at(world);
        }
        let covered = window.is_none_or(|window| worlds.last().is_some_and(|last| last.at >= start + window));
        match covered {
            true => evidence.of_absence(),
            false => Check::Vacuous("the recording ends before the time is over".to_owned()),
        }
    }

    fn eventually_over(
        &self,
        what: &Predicate,
        within: Option<Duration>,
        worlds: &[World],
        evidence: &Evidence,
    ) -> Check {
        let start = worlds.first().map_or(Duration::ZERO, |world| world.at);
        match worlds.iter().find(|world| what.holds(world)) {
            Some(world) if within.is_none_or(|limit| world.at <= start + limit + evidence.lag) => Check::Held,
            Some(world) => self.broken_at(world),
            None => match &evidence.doubt {
                Some(doubt) => Check::Vacuous(doubt.clone()),
                None => self.absent(worlds),
            },
        }
    }

    fn absent(&self, worlds: &[World]) -> Check {
        let last = worlds.last().cloned().unwrap_or_default();
        Check::Broken(Breach {
            revision: last.revision,
            at: last.at,
            expected: self.words(),
            observed: format!("not seen up to {}: {}", seconds(last.at), narrate::world(&last)),
        })
    }

    fn broken_at(&self, world: &World) -> Check {
        Check::Broken(Breach {
            revision: world.revision,
            at: world.at,
            expected: self.words(),
            observed: format!("at {}: {}", seconds(world.at), narrate::world(world)),
        })
    }
}

/// What may be concluded from not having seen something.
struct Evidence {
    doubt: Option<String>,
    /// What the machine was late: what came in time may have been heard of so much later.
    lag: Duration,
}

impl Evidence {
    fn of_absence(&self) -> Check {
        match &self.doubt {
            None => Check::Held,
            Some(doubt) => Check::Vacuous(doubt.clone()),
        }
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.3}s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests;
