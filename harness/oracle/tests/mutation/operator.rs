//! What a mutation is: a name, the places it spares, and the histories it makes.

use super::history::History;

/// One way to falsify a history.
pub struct Operator {
    pub name: &'static str,
    /// Which places are left out because the result is a history that a right controller may leave, too.
    pub spares: &'static str,
    pub mutants: fn(&History) -> Vec<History>,
}

/// All operators.
pub fn all() -> impl Iterator<Item = &'static Operator> {
    [super::conditions::OPERATORS, super::counters::OPERATORS, super::pods::OPERATORS, super::times::OPERATORS]
        .into_iter()
        .flatten()
}
