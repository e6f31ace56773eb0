//! Words about Kubernetes Events.

use crate::predicate::Predicate;

/// An Event with this reason was written, about any object of the namespace.
#[must_use]
pub fn notice(reason: &'static str) -> NoticeWord {
    NoticeWord { reason, message: None }
}

/// Events with a certain reason, perhaps a certain message.
#[derive(Clone, Debug)]
pub struct NoticeWord {
    reason: &'static str,
    message: Option<String>,
}

impl NoticeWord {
    /// Only those whose message contains `text`.
    #[must_use]
    pub fn saying(self, text: impl Into<String>) -> Self {
        Self { message: Some(text.into()), ..self }
    }

    /// There was one.
    #[must_use]
    pub fn was_written(self) -> Predicate {
        let words = format!("the event {} was written", self.words());
        Predicate::of_events(words, move |world| self.tally(world) > 0)
    }

    /// It happened more than `n` times.
    #[must_use]
    pub fn more_than(self, n: u32) -> Predicate {
        let words = format!("the event {} was written more than {n} times", self.words());
        Predicate::of_events(words, move |world| self.tally(world) > n)
    }

    fn words(&self) -> String {
        let message = self.message.as_ref().map(|text| format!(" (“{text}”)")).unwrap_or_default();
        format!("{}{message}", self.reason)
    }

    fn tally(&self, world: &crate::World) -> u32 {
        let matches = |notice: &&crate::timeline::Notice| {
            notice.reason == self.reason
                && self.message.as_ref().is_none_or(|text| notice.message.contains(text.as_str()))
        };
        world.notices().iter().filter(matches).map(|notice| notice.count).sum()
    }
}
