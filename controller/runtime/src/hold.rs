//! Who has to wait because an answer said `Retry-After`: the calls of that verb for that object, and nobody else's.
//!
//! client-go sleeps and repeats the request in place, ten times at most. A worker that sleeps serves nobody, so here the call
//! is given up until then, the round ends, and the object comes back when the time is over.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::key::Uid;

/// The longest time that an answer can ask for: a minute.
pub const WAIT_AT_MOST: Duration = Duration::from_secs(60);
/// The shortest: a second, the unit of `Retry-After`.
pub const WAIT_AT_LEAST: Duration = Duration::from_secs(1);
/// How often in a row an answer may ask for time before the call counts as failed.
const ASKED_AT_MOST: u32 = 10;
/// From so many entries on, those that are over are removed.
const REMEMBERED_AT_MOST: usize = 1024;

/// Which calls for an object wait together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Reads.
    Get,
    /// Creations.
    Create,
    /// Changes of a part.
    Patch,
    /// Deletions.
    Delete,
    /// Replacements, those of a status included.
    Update,
}

/// What waits until when.
#[derive(Debug, Default)]
pub struct Holds {
    all: Mutex<BTreeMap<(Uid, Verb), Hold>>,
}

#[derive(Clone, Copy, Debug)]
struct Hold {
    until: Instant,
    asked: u32,
}

impl Holds {
    /// How long such a call still has to wait, if it does.
    pub fn left(&self, owner: &Uid, verb: Verb) -> Option<Duration> {
        let until = self.with(|all| all.get(&(owner.clone(), verb)).map(|hold| hold.until))?;
        Some(until.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    /// An answer asked for `wait`. Returns how much it gets, between [`WAIT_AT_LEAST`] and [`WAIT_AT_MOST`]; none the eleventh
    /// time in a row, as in `client-go`, which repeats a request ten times.
    pub fn ask(&self, owner: &Uid, verb: Verb, wait: Duration) -> Option<Duration> {
        let wait = wait.clamp(WAIT_AT_LEAST, WAIT_AT_MOST);
        let now = Instant::now();
        let until = now.checked_add(wait)?;
        self.with(|all| {
            if all.len() >= REMEMBERED_AT_MOST {
                all.retain(|_, hold| now.saturating_duration_since(hold.until) < WAIT_AT_MOST);
            }
            let hold = all.entry((owner.clone(), verb)).or_insert(Hold { until: now, asked: 0 });
            // Calls side by side ask together: that is once.
            if hold.until <= now {
                hold.asked = hold.asked.saturating_add(1);
            }
            hold.until = hold.until.max(until);
            if hold.asked <= ASKED_AT_MOST {
                return Some(wait);
            }
            hold.asked = 0;
            None
        })
    }

    /// Such a call was answered without being put off. Another one of its kind may have been, meanwhile.
    pub fn clear(&self, owner: &Uid, verb: Verb) {
        let (key, now) = ((owner.clone(), verb), Instant::now());
        self.with(|all| {
            if all.get(&key).is_some_and(|hold| hold.until <= now) {
                all.remove(&key);
            }
        });
    }

    fn with<T>(&self, change: impl FnOnce(&mut BTreeMap<(Uid, Verb), Hold>) -> T) -> T {
        change(&mut self.all.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_that_verb_of_that_object_waits_and_only_for_that_time() {
        let (holds, owner) = (Holds::default(), Uid::from("a"));
        let wait = Duration::from_secs(5);
        assert_eq!(holds.ask(&owner, Verb::Create, wait), Some(wait));
        assert_eq!(holds.left(&owner, Verb::Create), Some(wait));
        assert_eq!((holds.left(&owner, Verb::Update), holds.left(&"b".into(), Verb::Create)), (None, None));
        tokio::time::advance(wait).await;
        assert_eq!(holds.left(&owner, Verb::Create), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_eleventh_time_in_a_row_is_one_too_many() {
        let (holds, owner) = (Holds::default(), Uid::from("a"));
        let mut granted = 0;
        for _ in 0..11 {
            granted += u32::from(holds.ask(&owner, Verb::Create, WAIT_AT_LEAST).is_some());
            assert!(
                holds.ask(&owner, Verb::Create, WAIT_AT_LEAST).is_some() || granted == 10,
                "side by side it is one"
            );
            tokio::time::advance(WAIT_AT_LEAST).await;
        }
        assert_eq!(granted, 10);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_asked_to_wait_for_an_hour_or_not_at_all() {
        let (holds, owner) = (Holds::default(), Uid::from("a"));
        assert_eq!(holds.ask(&owner, Verb::Get, Duration::from_secs(3600)), Some(WAIT_AT_MOST));
        assert_eq!(holds.ask(&owner, Verb::Get, Duration::ZERO), Some(WAIT_AT_LEAST));
    }
}
