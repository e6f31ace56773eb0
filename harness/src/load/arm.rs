//! The two controllers that are compared: what they are called and how they are started.

use jobsworth_oracle::Ownership;

use crate::cluster::{ClusterSpec, SubjectKind};
use crate::subject::{ALL, SubjectController};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The one that is compared with.
    Base,
    /// The one that is compared.
    Head,
}

/// A controller in the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Its name.
    pub name: &'static str,
    /// What is started.
    pub kind: SubjectKind,
}

impl Arm {
    /// The subject of this name; the two that take the whole place of the Job controller can be compared.
    #[must_use]
    pub fn named(name: &str, spec: &ClusterSpec) -> Option<Self> {
        let subject = subjects().find(|subject| subject.name() == name)?;
        Some(Self { name: subject.name(), kind: subject.prepare(spec.clone()).subject })
    }

    /// The names that there are.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        subjects().map(SubjectController::name).collect()
    }
}

fn subjects() -> impl Iterator<Item = &'static dyn SubjectController> {
    ALL.iter().copied().filter(|subject| matches!(subject.ownership(), Ownership::BuiltIn | Ownership::DropIn))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_and_reference_can_be_compared_and_nobody_else_is_known() {
        let spec = ClusterSpec::of(crate::binaries::DEFAULT_VERSION);
        assert_eq!(Arm::named("builtin", &spec).map(|arm| arm.kind), Some(SubjectKind::BuiltIn));
        assert!(matches!(Arm::named("reference", &spec), Some(Arm { kind: SubjectKind::DropIn(_), .. })));
        assert_eq!(Arm::named("other", &spec), None);
    }
}
