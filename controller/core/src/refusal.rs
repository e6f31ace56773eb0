//! Creations that were refused: how long the next ones wait, and what ends the wait early.
//!
//! A quota that is used up refuses creations and nothing else, so nothing else waits. What frees room is worth another
//! attempt at once: a pod of the Job that ended or is gone, and a changed spec.

use jiff::{SignedDuration, Timestamp};

/// The wait after the first refusal.
const FIRST: SignedDuration = SignedDuration::from_secs(1);
/// The longest wait.
const LAST: SignedDuration = SignedDuration::from_secs(60);

/// How much room the Job takes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// Its generation: another spec is another question.
    pub generation: i64,
    /// Pods that have not ended.
    pub live: usize,
    /// Pods that are there, ended ones included.
    pub present: usize,
}

/// Creations were refused, and none went through since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// How often in a row.
    times: u32,
    /// When the next attempt is due.
    until: Timestamp,
    /// What there was at that time.
    room: Room,
}

impl Refusal {
    /// After another refusal, in the room that was found and with as many pods created before it (SYN-005, BKO-017).
    pub fn after(before: Option<Self>, found: Room, created: usize, now: Timestamp) -> Self {
        let times = before.filter(|before| created == 0 && !before.has_room(found)).map_or(0, |before| before.times);
        let room =
            Room { live: found.live.saturating_add(created), present: found.present.saturating_add(created), ..found };
        let until = now.checked_add(delay(times)).unwrap_or(Timestamp::MAX);
        Self { times: times.saturating_add(1), until, room }
    }

    /// How long the next creations wait from now on, unless there is more room.
    pub fn wait(&self, now: Timestamp) -> SignedDuration {
        self.remaining(self.room, now)
    }

    /// How long creations still have to wait; never more than the longest wait, should the clock have been set back.
    pub fn remaining(&self, found: Room, now: Timestamp) -> SignedDuration {
        if self.has_room(found) {
            return SignedDuration::ZERO;
        }
        self.until.duration_since(now).clamp(SignedDuration::ZERO, LAST)
    }

    fn has_room(&self, found: Room) -> bool {
        found.generation != self.room.generation || found.live < self.room.live || found.present < self.room.present
    }
}

/// The wait after so many refusals before this one.
fn delay(times: u32) -> SignedDuration {
    let factor = 2_i32.checked_pow(times).unwrap_or(i32::MAX);
    FIRST.checked_mul(factor).map_or(LAST, |delay| delay.min(LAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { generation: 1, live: 10, present: 12 };

    #[test]
    fn each_refusal_in_a_row_doubles_the_wait_up_to_a_minute() {
        let mut refusal = None;
        let waits: Vec<i64> = (0..8)
            .map(|_| {
                let next = Refusal::after(refusal, ROOM, 0, Timestamp::UNIX_EPOCH);
                refusal = Some(next);
                next.remaining(ROOM, Timestamp::UNIX_EPOCH).as_secs()
            })
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    }

    #[test]
    fn a_creation_that_went_through_starts_the_row_anew() {
        let first = Refusal::after(None, ROOM, 0, Timestamp::UNIX_EPOCH);
        let second = Refusal::after(Some(first), ROOM, 3, Timestamp::UNIX_EPOCH);
        let found = Room { live: 13, present: 15, ..ROOM };
        assert_eq!(second.remaining(found, Timestamp::UNIX_EPOCH), FIRST);
        assert_eq!(second.remaining(ROOM, Timestamp::UNIX_EPOCH), SignedDuration::ZERO, "three of them are gone");
    }

    #[test]
    fn no_clock_makes_it_wait_for_longer_than_a_minute() {
        let late = Refusal::after(None, ROOM, 0, Timestamp::MAX);
        assert_eq!(late.remaining(ROOM, Timestamp::MIN), LAST);
    }
}
