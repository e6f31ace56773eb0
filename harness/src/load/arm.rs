//! The controllers that do the work: what they are called, how they are started, and in which order they take turns.

use jobsworth_oracle::Ownership;

use super::schedule;
pub use super::schedule::Side;
use crate::cluster::subject_kind::JobApi;
use crate::cluster::{ClusterSpec, SubjectKind};
use crate::subject::Subject;

/// A controller that does the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// What is started.
    pub kind: SubjectKind,
}

impl From<Subject> for Arm {
    fn from(Subject { name, kind, .. }: Subject) -> Self {
        Self { name, kind }
    }
}

impl Arm {
    /// The subject of this name; those that take the whole place of the Job controller can be compared.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        subjects().find(|subject| subject.name == name).map(Self::from)
    }

    /// The names that there are.
    #[must_use]
    pub fn names() -> Vec<String> {
        subjects().map(|subject| subject.name).collect()
    }
}

fn subjects() -> impl Iterator<Item = Subject> {
    Subject::known().into_iter().filter(takes_turns)
}

/// Whether it can take turns with another: it takes the whole place of the Job controller.
#[must_use]
pub fn takes_turns(subject: &Subject) -> bool {
    matches!(subject.ownership(), Ownership::BuiltIn | Ownership::DropIn) && is_measured(&subject.kind)
}

/// Whether a load can be done by it: profiles submit Jobs of Kubernetes' own, and the controller must be a process of ours.
#[must_use]
pub fn is_measured(kind: &SubjectKind) -> bool {
    match kind {
        SubjectKind::BuiltIn => true,
        SubjectKind::Program(program) => program.api == JobApi::Batch,
        SubjectKind::Deployed(_) | SubjectKind::Installed { .. } | SubjectKind::InstalledVolcano => false,
    }
}

/// Who takes turns.
#[expect(clippy::large_enum_variant, reason = "there is one in a program")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineUp {
    /// Two, in adjacent pairs.
    Compared {
        /// The one that is compared with.
        base: Arm,
        /// The one that is compared.
        head: Arm,
    },
    /// One by itself: its figures are absolute, and no goal is about them.
    Alone(Arm),
}

impl LineUp {
    /// The sides of round number `round`, counted from 0, in the order in which they run by this seed.
    #[must_use]
    pub fn order(&self, round: u32, seed: u64) -> Vec<Side> {
        match self {
            Self::Compared { .. } => schedule::order(round, seed).into(),
            Self::Alone(_) => vec![Side::Head],
        }
    }

    /// The controller of a side.
    #[must_use]
    pub fn arm(&self, side: Side) -> &Arm {
        match (self, side) {
            (Self::Compared { base, .. }, Side::Base) => base,
            (Self::Compared { head, .. }, Side::Head) | (Self::Alone(head), _) => head,
        }
    }

    /// Every controller with its side.
    #[must_use]
    pub fn arms(&self) -> Vec<(Side, &Arm)> {
        match self {
            Self::Compared { base, head } => vec![(Side::Base, base), (Side::Head, head)],
            Self::Alone(head) => vec![(Side::Head, head)],
        }
    }

    /// Whether one takes turns with itself: that shows how quiet the machine is, and nobody has a goal there.
    #[must_use]
    pub fn is_control(&self) -> bool {
        matches!(self, Self::Compared { base, head } if base == head)
    }

    /// The cluster as they need it: what stands back for one of two stands back for the other.
    #[must_use]
    pub fn prepare(&self, spec: ClusterSpec) -> ClusterSpec {
        match self {
            Self::Compared { .. } => spec,
            Self::Alone(arm) => ClusterSpec { subject: arm.kind.clone(), ..spec },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(name: &str) -> Arm {
        Arm::named(name).expect("it is known")
    }

    #[test]
    fn built_in_and_reference_can_be_compared_and_nobody_else_is_known() {
        assert_eq!(Arm::named("builtin").map(|arm| arm.kind), Some(SubjectKind::BuiltIn));
        assert!(matches!(Arm::named("reference"), Some(Arm { kind: SubjectKind::Program(_), .. })));
        assert_eq!(Arm::named("other"), None);
        assert_eq!(Arm::named("volcano-reference"), None, "loads are of batch/v1 Jobs");
    }

    #[test]
    fn what_a_load_starts_itself_and_submits_jobs_to_is_measured() {
        let all = Subject::known();
        let measured: Vec<&str> =
            all.iter().filter(|subject| is_measured(&subject.kind)).map(|subject| subject.name.as_str()).collect();
        assert_eq!(measured, ["builtin", "reference", "beside"]);
        assert!(!is_measured(&SubjectKind::Installed { manager: "example.com/mine".to_owned() }));
    }

    #[test]
    fn who_has_jobs_of_its_own_beside_another_takes_no_turns_with_it() {
        let turns: Vec<String> = Subject::known().into_iter().filter(takes_turns).map(|subject| subject.name).collect();
        assert_eq!(turns, ["builtin", "reference"]);
    }

    #[test]
    fn two_take_turns_and_one_alone_has_every_round() {
        let two = LineUp::Compared { base: arm("builtin"), head: arm("reference") };
        for (round, seed) in [(0, 1), (1, 1), (0, 2), (1, 2)] {
            assert_eq!(two.order(round, seed), schedule::order(round, seed));
        }
        let one = LineUp::Alone(arm("reference"));
        assert_eq!((0..2).flat_map(|round| one.order(round, 1)).collect::<Vec<_>>(), [Side::Head, Side::Head]);
        assert_eq!(one.arms(), [(Side::Head, &arm("reference"))]);
        assert_eq!(two.arms()[0], (Side::Base, &arm("builtin")));
        let control = LineUp::Compared { base: arm("builtin"), head: arm("builtin") };
        assert!(control.is_control() && !two.is_control() && !one.is_control());
    }
}
