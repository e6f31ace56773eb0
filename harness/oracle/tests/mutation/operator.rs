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
    let themes = [
        super::after::OPERATORS,
        super::conditions::OPERATORS,
        super::counters::OPERATORS,
        super::gone::OPERATORS,
        super::jobs::OPERATORS,
        super::late::OPERATORS,
        super::pods::OPERATORS,
        super::reasons::OPERATORS,
        super::requests::OPERATORS,
        super::shape::OPERATORS,
        super::times::OPERATORS,
        super::volcano::OPERATORS,
    ];
    themes.into_iter().flatten()
}
