//! What a controller should reach against another one: data of a [`profile`](super::profile), never of the program.

use std::collections::BTreeMap;

/// What the ratio of a figure should be at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The figure.
    pub figure: String,
    /// The most that head over base may be.
    pub at_most: f64,
}

/// The goals of each workload, by its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Goals(BTreeMap<String, Vec<Goal>>);

impl Goals {
    /// With those of one workload more.
    #[must_use]
    pub fn with(mut self, workload: &str, goals: Vec<Goal>) -> Self {
        self.0.insert(workload.to_owned(), goals);
        self
    }

    /// The goal of a figure, if it has one.
    #[must_use]
    pub fn of(&self, workload: &str, figure: &str) -> Option<f64> {
        self.0.get(workload)?.iter().find(|goal| goal.figure == figure).map(|goal| goal.at_most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_one_of_its_workload_only() {
        let goal = |figure: &str, at_most| Goal { figure: figure.to_owned(), at_most };
        let goals =
            Goals::default().with("ttl-1000", vec![goal("requests", 0.55)]).with("wide", vec![goal("requests", 1.0)]);
        assert_eq!(goals.of("ttl-1000", "requests"), Some(0.55));
        assert_eq!(goals.of("wide", "requests"), Some(1.0));
        assert_eq!((goals.of("wide", "events"), goals.of("narrow", "requests")), (None, None));
    }
}
