//! A component that ended without having been asked to, and the slot in which a cluster tells of it.
//!
//! The slot holds the first one: others follow from it. The controller under test is the exception, as its end is its own
//! doing and no end of the cluster: any other component takes its place, and starting it again empties the slot.

use std::process::ExitStatus;

use nix::sys::signal::Signal;
use std::os::unix::process::ExitStatusExt as _;
use tokio::sync::watch;

use super::Component;

/// Where the kernel counts the processes that it killed for lack of memory.
const COUNTERS: &str = "/proc/vmstat";

/// A component that ended without having been asked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Casualty {
    /// Which one.
    pub component: Component,
    /// How it ended, for example `exit status: 1`.
    pub status: String,
    /// What it wrote last; of a panic its beginning.
    pub last_lines: Vec<String>,
}

impl Casualty {
    /// Whether it is the controller under test: the judged, and no part of what it is judged on.
    #[must_use]
    pub fn is_subject(&self) -> bool {
        self.component == Component::Subject
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

impl std::fmt::Display for Casualty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ended unasked with {}", self.component, self.status)
    }
}

/// Resolves when a component of the cluster has ended unasked; never, if none does.
pub(crate) async fn unexpected(casualty: &mut watch::Receiver<Option<Casualty>>) -> Casualty {
    match casualty.wait_for(Option::is_some).await.ok().and_then(|lost| (*lost).clone()) {
        Some(lost) => lost,
        None => std::future::pending().await,
    }
}

/// How many processes of this machine the kernel has killed for lack of memory; 0 where it does not say.
pub(super) fn memory_kills() -> u64 {
    kills_in(&std::fs::read_to_string(COUNTERS).unwrap_or_default())
}

fn kills_in(counters: &str) -> u64 {
    let count = counters.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// An exit status in words. `kills` is how many processes the kernel has killed for lack of memory meanwhile: it does not
/// say which, but nobody else kills with -9 what nobody has asked to end.
pub(super) fn in_words(status: ExitStatus, kills: u64) -> String {
    let was_killed = status.signal() == Some(Signal::SIGKILL as i32);
    if was_killed && kills > 0 { format!("{status}, killed for lack of memory") } else { status.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn end_of(component: Component) -> Casualty {
        Casualty { component, status: "exit status: 1".to_owned(), last_lines: Vec::new() }
    }

    #[rstest]
    #[case::the_first_is_the_cause(&[Component::Etcd, Component::ApiServer], Component::Etcd)]
    #[case::the_subject_follows_from_others(&[Component::ApiServer, Component::Subject], Component::ApiServer)]
    #[case::the_subject_hides_no_lost_cluster(&[Component::Subject, Component::Etcd], Component::Etcd)]
    fn the_slot_holds_what_counts(#[case] ends: &[Component], #[case] told: Component) {
        let slot = watch::Sender::new(None);
        ends.iter().for_each(|component| end_of(*component).tell(&slot));
        assert_eq!(slot.borrow().clone().map(|casualty| casualty.component), Some(told));
    }

    #[test]
    fn a_component_that_runs_again_is_no_casualty_and_others_still_are() {
        let slot = watch::Sender::new(Some(end_of(Component::Subject)));
        Casualty::forget(&slot, Component::Base);
        assert!(slot.borrow().is_some());
        Casualty::forget(&slot, Component::Subject);
        assert_eq!(*slot.borrow(), None);
    }

    #[test]
    fn the_kernels_count_is_found_among_its_counters() {
        assert_eq!(kills_in("pgfault 7\noom_kill 3\nthp_fault_alloc 1\n"), 3);
        assert_eq!(kills_in("pgfault 7\n"), 0);
    }

    #[rstest]
    #[case::an_exit(0x100, 1, "exit status: 1")]
    #[case::an_abort(6, 1, "signal: 6 (SIGABRT)")]
    #[case::killed_by_somebody(9, 0, "signal: 9 (SIGKILL)")]
    #[case::killed_by_the_kernel(9, 1, "signal: 9 (SIGKILL), killed for lack of memory")]
    fn an_end_for_lack_of_memory_is_said(#[case] status: i32, #[case] kills: u64, #[case] says: &str) {
        assert_eq!(in_words(ExitStatus::from_raw(status), kills), says);
    }
}
