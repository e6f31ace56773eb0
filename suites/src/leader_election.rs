//! Two instances of a controller, of which one leads: it dies, it sleeps, it loses its lease. That nothing is written by who does not
//! hold the lease is judged by S30 in each.

use crate::words::*;

/// A lease of 4 s, and 5 s in which whoever follows begins (L6), with as much again for a slow machine.
const SOON: Duration = Duration::from_secs(4 + 5 + 5);

crate::cases! {
    a_killed_leader_is_followed,
    a_leader_that_slept_is_followed,
    a_deleted_lease_is_taken_anew,
    a_strangers_lease_is_respected,
}
