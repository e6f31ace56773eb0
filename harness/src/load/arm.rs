//! The two controllers that are compared: what they are called and how they are started.

use jobsworth_oracle::Ownership;

use crate::cluster::SubjectKind;
use crate::subject::Subject;

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
    pub name: String,
    /// What is started.
    pub kind: SubjectKind,
}

impl Arm {
    /// The subject of this name; those that take the whole place of the Job controller can be compared.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        subjects().find(|subject| subject.name == name).map(|Subject { name, kind, .. }| Self { name, kind })
    }

    /// The names that there are.
    #[must_use]
    pub fn names() -> Vec<String> {
        subjects().map(|subject| subject.name).collect()
    }
}

fn subjects() -> impl Iterator<Item = Subject> {
    Subject::known().into_iter().filter(|subject| matches!(subject.ownership(), Ownership::BuiltIn | Ownership::DropIn))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_and_reference_can_be_compared_and_nobody_else_is_known() {
        assert_eq!(Arm::named("builtin").map(|arm| arm.kind), Some(SubjectKind::BuiltIn));
        assert!(matches!(Arm::named("reference"), Some(Arm { kind: SubjectKind::Program(_), .. })));
        assert_eq!(Arm::named("other"), None);
    }
}
