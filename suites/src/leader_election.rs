//! Two instances of a controller, of which one leads: it dies, it sleeps, it loses its lease. That nothing is written by who does not
//! hold the lease is judged by S30 in each.

use crate::words::*;

/// A lease of 4 s, and 5 s in which whoever follows begins (L6), with as much again for a slow machine.
const SOON: Duration = Duration::from_secs(4 + 5 + 5);

/// Whoever is built on `client-go` looks at its lease and at its work at the same time: one that wakes up after its lease has run out
/// writes what it finds to do before it knows. What it finds is old: it makes pods that the other has made, too.
const WRITES_BEFORE_IT_KNOWS: KnownDeviation = KnownDeviation {
    subject: "builtin",
    since: Minor::new(1, 36),
    until: None,
    mended_in: &[],
    breaks: &["S16", "S17", "S18", "S19", "S30"],
    source: "docs/differences.md#a-lease-that-was-slept-through",
};

crate::cases! {
    a_killed_leader_is_followed,
    a_leader_that_slept_is_followed,
    a_deleted_lease_is_taken_anew,
    a_strangers_lease_is_respected,
}
