//! A component that ended without having been asked to, and the slot in which a cluster tells of it.
//!
//! The slot holds the first one: others follow from it. The controller under test is the exception, as its end is its own
//! doing and no end of the cluster: any other component takes its place, and starting it again empties the slot.

use tokio::sync::watch;

use super::Component;

/// A component that ended without having been asked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnexpectedExit {
    /// Which one.
    pub component: Component,
    /// How it ended, for example `exit status: 1`.
    pub status: String,
    /// What it wrote last; of a panic its beginning.
    pub last_lines: Vec<String>,
}

impl UnexpectedExit {
    /// Whether it is the controller under test or its webhook: the judged, and no part of what it is judged on.
    #[must_use]
    pub fn is_subject(&self) -> bool {
        self.component.is_of_subject()
    }

    /// How the controller under test ended, where nobody says which of its programs it was.
    #[must_use]
    pub fn how(&self) -> String {
        match self.component {
            Component::Webhook => format!("{} of its webhook", self.status),
            _ => self.status.clone(),
        }
    }

    /// How it ended, with its last lines.
    #[must_use]
    pub fn in_full(&self) -> String {
        format!("{self}:\n{}", self.last_lines.join("\n"))
    }

    /// Puts it into the slot, unless something else was first.
    pub(crate) fn tell(self, slot: &watch::Sender<Option<Self>>) {
        slot.send_if_modified(|known| {
            let is_news = known.as_ref().is_none_or(|known| known.is_subject() && !self.is_subject());
            if is_news {
                *known = Some(self);
            }
            is_news
        });
    }

    /// Empties the slot, as the component runs again.
    pub(crate) fn forget(slot: &watch::Sender<Option<Self>>, component: Component) {
        slot.send_if_modified(|known| known.take_if(|known| known.component == component).is_some());
    }
}

impl std::fmt::Display for UnexpectedExit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ended unasked with {}", self.component, self.status)
    }
}

/// Resolves when a component of the cluster has ended unasked; never, if none does.
pub(crate) async fn unexpected(unexpected_exit: &mut watch::Receiver<Option<UnexpectedExit>>) -> UnexpectedExit {
    match unexpected_exit.wait_for(Option::is_some).await.ok().and_then(|lost| (*lost).clone()) {
        Some(lost) => lost,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn end_of(component: Component) -> UnexpectedExit {
        UnexpectedExit { component, status: "exit status: 1".to_owned(), last_lines: Vec::new() }
    }

    #[rstest]
    #[case::the_first_is_the_cause(&[Component::Etcd, Component::ApiServer], Component::Etcd)]
    #[case::the_subject_follows_from_others(&[Component::ApiServer, Component::Subject], Component::ApiServer)]
    #[case::the_subject_hides_no_lost_cluster(&[Component::Subject, Component::Etcd], Component::Etcd)]
    fn the_slot_holds_what_counts(#[case] ends: &[Component], #[case] told: Component) {
        let slot = watch::Sender::new(None);
        ends.iter().for_each(|component| end_of(*component).tell(&slot));
        assert_eq!(slot.borrow().clone().map(|unexpected_exit| unexpected_exit.component), Some(told));
    }

    #[test]
    fn a_component_that_runs_again_is_no_unexpected_exit_and_others_still_are() {
        let slot = watch::Sender::new(Some(end_of(Component::Subject)));
        UnexpectedExit::forget(&slot, Component::Base);
        assert!(slot.borrow().is_some());
        UnexpectedExit::forget(&slot, Component::Subject);
        assert_eq!(*slot.borrow(), None);
    }
}
