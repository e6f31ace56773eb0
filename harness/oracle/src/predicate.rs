//! A named question about one world.

use crate::world::World;
use std::{fmt, sync::Arc};

/// A question about one [`World`], with the words in which reports quote it.
#[derive(Clone)]
pub struct Predicate {
    words: String,
    about: About,
    ask: Arc<dyn Fn(&World) -> bool + Send + Sync>,
}

/// Which entries a question is about. Between Events and the rest there may be no order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) events: bool,
    pub(crate) others: bool,
}

impl About {
    pub(crate) const fn and(self, other: Self) -> Self {
        Self { events: self.events || other.events, others: self.others || other.others }
    }
}

impl Predicate {
    /// A predicate from its words and its question.
    pub fn new(words: impl Into<String>, ask: impl Fn(&World) -> bool + Send + Sync + 'static) -> Self {
        Self { words: words.into(), about: About { events: false, others: true }, ask: Arc::new(ask) }
    }

    /// A predicate that looks at nothing but the Events of a world.
    pub fn of_events(words: impl Into<String>, ask: impl Fn(&World) -> bool + Send + Sync + 'static) -> Self {
        Self { about: About { events: true, others: false }, ..Self::new(words, ask) }
    }

    /// What it is about.
    pub(crate) const fn about(&self) -> About {
        self.about
    }

    /// Whether it is true in `world`.
    #[must_use]
    pub fn holds(&self, world: &World) -> bool {
        (self.ask)(world)
    }

    /// The predicate in words.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// The same question in other words.
    #[must_use]
    pub fn named(self, words: impl Into<String>) -> Self {
        Self { words: words.into(), ..self }
    }

    /// True where both are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let words = format!("{} and {}", self.words, other.words);
        let about = self.about.and(other.about);
        Self { about, ..Self::new(words, move |world| self.holds(world) && other.holds(world)) }
    }

    /// True where either is.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let words = format!("{} or {}", self.words, other.words);
        let about = self.about.and(other.about);
        Self { about, ..Self::new(words, move |world| self.holds(world) || other.holds(world)) }
    }

    /// True where this is not.
    #[must_use]
    pub fn negated(self) -> Self {
        let about = self.about;
        Self { about, ..Self::new(format!("not ({})", self.words), move |world| !self.holds(world)) }
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}
