//! What the reference controller should reach against the built-in one, as data.

/// A workload or any, a figure, and what the ratio should be at most.
type Goal = (Option<&'static str>, &'static str, f64);

/// Where two rows fit, the first one counts.
const GOALS: &[Goal] = &[
    (Some("indexed-500"), "makespan", 1.00),
    (Some("policy-499"), "makespan", 1.00),
    (Some("small-behind-large"), "makespan", 1.00),
    (Some("ttl-1000"), "requests", 0.55),
    (None, "requests", 1.00),
    (Some("indexed-500"), "last-pod-to-end.p50", 0.35),
    (Some("small-behind-large"), "last-pod-to-end.p50", 0.35),
    (Some("policy-499"), "policy-to-condition", 0.10),
    (Some("small-behind-large"), "first-pod.small.p90", 0.50),
    (None, "cpu-s", 0.70),
    (None, "memory-mib", 0.50),
];

/// The goal of a figure, if it has one.
#[must_use]
pub fn of(workload: &str, figure: &str) -> Option<f64> {
    let fits = |goal: &&Goal| goal.0.is_none_or(|name| name == workload) && goal.1 == figure;
    GOALS.iter().find(fits).map(|goal| goal.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deletions_of_expired_jobs_have_a_stricter_goal_than_other_requests() {
        assert_eq!(of("ttl-1000", "requests"), Some(0.55));
        assert_eq!(of("indexed-500", "requests"), Some(1.0));
        assert_eq!(of("indexed-500", "events"), None);
    }
}
