//! Words about Kubernetes Events.

use crate::predicate::Predicate;

/// An Event with this reason was written, about any object of the namespace.
#[must_use]
pub fn notice(reason: &'static str) -> NoticeWord {
    NoticeWord { reason, message: None, about: None }
}

/// Events with a certain reason, perhaps a certain message.
#[derive(Clone, Debug)]
pub struct NoticeWord {
    reason: &'static str,
    message: Option<String>,
    about: Option<&'static str>,
}

impl NoticeWord {
    /// Only those whose message contains `text`.
    #[must_use]
    pub fn saying(self, text: impl Into<String>) -> Self {
        Self { message: Some(text.into()), ..self }
    }

    /// Only those about this object, by kind and name: `Job/job`.
    #[must_use]
    pub fn on(self, about: &'static str) -> Self {
        Self { about: Some(about), ..self }
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
        let about = self.about.map(|about| format!(" on {about}")).unwrap_or_default();
        format!("{}{about}{message}", self.reason)
    }

    fn tally(&self, world: &crate::World) -> u32 {
        let matches = |notice: &&crate::fact::Notice| {
            notice.reason == self.reason
                && self.about.is_none_or(|about| notice.about == about)
                && self.message.as_ref().is_none_or(|text| notice.message.contains(text.as_str()))
        };
        world.notices().iter().filter(matches).map(|notice| notice.count).sum()
    }
}
