//! A controller that must be rejected: its bug, what it is put to, and who should notice.

use std::sync::Arc;

use crate::decorator::Decorator;
use crate::outage::Outage;
use crate::volcano::Bug;

/// A controller that must be rejected.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// For example `M05`.
    pub number: &'static str,
    /// The kind of decorator.
    pub kind: &'static str,
    /// The single bug.
    pub bug: &'static str,
    /// Invariants that should notice it, the likeliest first: of a history (S), of liveness (L).
    pub expects: &'static [&'static str],
    /// What it is put to.
    pub trial: Trial,
    /// Whose bug it is, and how it is made.
    pub make: Make,
}

/// How a bug is made, and of which controller it is.
#[derive(Clone, Copy, Debug)]
pub enum Make {
    /// Of the Job controller.
    Job(fn() -> Arc<dyn Decorator>),
    /// Of the Volcano controller.
    Volcano(fn() -> Arc<dyn Bug>),
}

/// A scenario in an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trial {
    /// The id of a case of the catalogue, or of a scenario of the test tree: those of the suite `bench`.
    pub scenario: &'static str,
    /// What is wrong with the network meanwhile.
    pub outage: Outage,
}

impl Trial {
    /// Whether it is about Volcano's Jobs, and so for the Volcano controller.
    #[must_use]
    pub fn is_volcanos(&self) -> bool {
        self.scenario.starts_with("volcano-")
    }
}

/// Lines of a list: number, kind, the bug in words, the rules that should notice it, the bug, the outage and the scenario.
macro_rules! mutants {
    ($of:ident; $($number:ident $kind:ident $bug:literal [$($expects:ident)*] $make:expr, $outage:ident $scenario:literal;)*) => {
        &[$($crate::mutant::Mutant {
            number: stringify!($number),
            kind: stringify!($kind),
            bug: $bug,
            expects: &[$(stringify!($expects)),*],
            trial: $crate::mutant::Trial { scenario: $scenario, outage: $crate::outage::Outage::$outage },
            make: $crate::mutant::Make::$of(|| std::sync::Arc::new($make)),
        }),*]
    };
}
pub(crate) use mutants;
