//! Which Volcano a decision follows.

/// A set of rules. Where they part, a function below says how, with the requirement number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// What Volcano promises, without its known bugs (section 7 of the catalogue).
    #[default]
    Strict,
    /// Release 1.15, known bugs included: events are what handlers saw, not what is there.
    Compat115,
    /// The design document of December 2018 made runnable.
    Seed,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Compat115, Self::Seed];

    /// The name that flags and pages use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Compat115 => "compat-1.15",
            Self::Seed => "seed",
        }
    }

    /// The profile of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == name)
    }

    /// Whether events come from what handlers saw alone. Otherwise they follow from what is there, so that none is lost
    /// while the controller is down (VJ-202) and none comes back after it was acted on.
    #[must_use]
    pub const fn follows_requests(self) -> bool {
        matches!(self, Self::Compat115)
    }

    /// Whether pods wait for the `PodGroup` to be in queue (VJ-162). The seed creates them right away.
    #[must_use]
    pub const fn delays_pods(self) -> bool {
        !matches!(self, Self::Seed)
    }

    /// Whether a task's policies stand in for the job's, instead of before them (VJ-139).
    #[must_use]
    pub const fn task_policies_replace(self) -> bool {
        matches!(self, Self::Seed)
    }

    /// Whether only the first container's exit code counts (VJ-144).
    #[must_use]
    pub const fn sees_first_container_only(self) -> bool {
        matches!(self, Self::Compat115)
    }

    /// Whether the request about an Unknown `PodGroup` counts as one of version 0 (VJ-140).
    #[must_use]
    pub const fn unknown_has_version_zero(self) -> bool {
        matches!(self, Self::Compat115)
    }

    /// Whether pods that are scaled away count as evicted (VJ-230).
    #[must_use]
    pub const fn scaling_evicts(self) -> bool {
        matches!(self, Self::Compat115)
    }

    /// Whether each pass that kills raises the version, the passes of finished jobs included (VJ-108).
    #[must_use]
    pub const fn every_kill_raises_version(self) -> bool {
        matches!(self, Self::Compat115)
    }

    /// Whether a pass that kills counts terminating pods only (VJ-115, VJ-327).
    #[must_use]
    pub const fn kills_forget_counters(self) -> bool {
        matches!(self, Self::Compat115)
    }

    /// Whether a targeted kill takes the job's `PodGroup` and plugin objects with it (VJ-154, VJ-155).
    #[must_use]
    pub const fn targeted_kill_tears_down(self) -> bool {
        matches!(self, Self::Compat115)
    }

    /// Whether the time of the last transition moves with every write of a full sync (VJ-114).
    #[must_use]
    pub const fn every_write_is_a_transition(self) -> bool {
        matches!(self, Self::Compat115)
    }

    /// Whether `state.reason` and `state.message` tell of the last transition (VJ-106).
    #[must_use]
    pub const fn gives_reasons(self) -> bool {
        !matches!(self, Self::Compat115)
    }

    /// Whether a job whose passes keep failing is terminated (VJ-191).
    #[must_use]
    pub const fn gives_up(self) -> bool {
        matches!(self, Self::Compat115)
    }

    /// Whether an unusable volume becomes an `emptyDir` (VJ-248).
    #[must_use]
    pub const fn falls_back_to_empty_dir(self) -> bool {
        matches!(self, Self::Seed)
    }

    /// Whether a succeeded pod whose object was deleted runs again (VJ-127, issue 3296).
    #[must_use]
    pub const fn repeats_lost_successes(self) -> bool {
        matches!(self, Self::Compat115)
    }

    /// Whether the status of a kill is written last, so that a failed write loses the action (VJ-153, VJ-322).
    #[must_use]
    pub const fn writes_status_last(self) -> bool {
        matches!(self, Self::Compat115)
    }
}
