//! What a controller counts of its work, in its metrics: as the claims of a case, from one point of the script to another.

crate::cases! {
    ends_are_counted_once,
    creations_tell_their_reason,
    what_is_behind_is_put_off,
}
