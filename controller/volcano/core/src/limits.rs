//! Numbers that bound how long a sync waits and when it gives up.

use jiff::SignedDuration;

use crate::Profile;

/// What a controller is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Which Volcano to follow.
    pub profile: Profile,
    /// Failed passes in a row after which a job is terminated, where the profile does that; `None` for never
    /// (VJ-190, VJ-191).
    pub requeues: Option<u32>,
    /// How soon to look again when a cache is behind our own write.
    pub catch_up: SignedDuration,
    /// For how long a pod that was created is counted without being seen.
    pub expectations: SignedDuration,
    /// How long a status that has nothing new but its counters waits after the last write. A status that tells of pods that
    /// were just made does not wait: it is how evictions that nobody watched are noticed.
    pub counters: SignedDuration,
    /// How soon to try again where somebody else's pod has the name that a pod needs (VJ-164).
    pub name_taken: SignedDuration,
}

impl Limits {
    /// Upstream's numbers, and where upstream has none such as disturb nobody.
    #[must_use]
    pub const fn of(profile: Profile) -> Self {
        Self {
            profile,
            requeues: Some(15),
            catch_up: SignedDuration::from_millis(50),
            expectations: SignedDuration::from_secs(30),
            counters: match profile {
                Profile::Strict => SignedDuration::from_secs(1),
                Profile::Compat115 | Profile::Seed => SignedDuration::ZERO,
            },
            name_taken: SignedDuration::from_secs(5),
        }
    }
}
