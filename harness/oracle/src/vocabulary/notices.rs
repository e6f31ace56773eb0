//! Words about Kubernetes Events.

use crate::predicate::Predicate;

/// An Event with this reason was written, about any object of the namespace.
#[must_use]
pub fn notice(reason: &'static str) -> NoticeWord {
    NoticeWord { reason, message: None, about: None, warns: false }
}

/// Events with a certain reason, perhaps a certain message, about a certain object, of type Warning.
#[derive(Clone, Debug)]
pub struct NoticeWord {
    reason: &'static str,
    message: Option<String>,
    about: Option<&'static str>,
    warns: bool,
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

    /// Only those of type Warning.
    #[must_use]
    pub fn that_warns(self) -> Self {
        Self { warns: true, ..self }
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
        let kind = if self.warns { "Warning " } else { "" };
        format!("{kind}{}{about}{message}", self.reason)
    }

    fn tally(&self, world: &crate::World) -> u32 {
        let matches = |notice: &&crate::fact::Notice| {
            notice.reason == self.reason
                && self.about.is_none_or(|about| notice.about == about)
                && self.message.as_ref().is_none_or(|text| notice.message.contains(text.as_str()))
                && (!self.warns || notice.kind == "Warning")
        };
        world.notices().iter().filter(matches).map(|notice| notice.count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::notice;
    use crate::{
        fact::{Fact, Notice},
        world::World,
    };
    use std::time::Duration;

    fn told(kind: &str) -> World {
        let notice = Notice {
            kind: kind.to_owned(),
            reason: "Ended".to_owned(),
            message: "it has ended".to_owned(),
            about: "Job/job".to_owned(),
            count: 1,
        };
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::Notice(notice));
        world
    }

    #[test]
    fn what_is_told_as_normal_is_no_warning() {
        let ended = || notice("Ended").on("Job/job").saying("ended");
        assert!(ended().was_written().holds(&told("Normal")));
        assert!(!ended().that_warns().was_written().holds(&told("Normal")));
        assert!(ended().that_warns().was_written().holds(&told("Warning")));
    }
}
