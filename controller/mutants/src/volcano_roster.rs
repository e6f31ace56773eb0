//! The bad Volcano controllers: the single bug of each, the invariants that should notice it, and what it is put to.
//!
//! Numbers go on where those of the Job controller have a gap, and after its last: M57 to M62, M84 and on.

use std::sync::Arc;

use crate::mutant::{Make, Mutant, mutants};
use crate::volcano::Bug;

/// Every bad Volcano controller, in order of its number. This list is the only registry.
pub const MUTANTS: &[Mutant] = mutants! { Volcano; };

/// The bug of this number, ready to be put around a Volcano controller.
#[must_use]
pub fn bug(number: &str) -> Option<Arc<dyn Bug>> {
    let mutant = MUTANTS.iter().find(|mutant| mutant.number == number)?;
    match mutant.make {
        Make::Volcano(make) => Some(make()),
        Make::Job(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_put_to_a_case_of_volcanos() {
        for mutant in MUTANTS {
            assert!(mutant.trial.is_volcanos(), "{}: {}", mutant.number, mutant.trial.scenario);
            assert!(bug(mutant.number).is_some());
        }
    }
}
