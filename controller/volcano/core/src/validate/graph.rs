//! Which tasks wait for which (VJ-082).

use std::collections::{BTreeMap, BTreeSet};

use jobsworth_volcano_api::TaskSpec;

/// Whether there is an order in which every task comes after those that it depends on. A task that waits for one that does not
/// exist has no place in any order. Takes time in proportion to what is written: anybody may write a long chain.
pub(super) fn is_acyclic(tasks: &[TaskSpec]) -> bool {
    let waiting: BTreeMap<&str, BTreeSet<&str>> = tasks.iter().map(|task| (task.name.as_str(), needs(task))).collect();
    let mut left: BTreeMap<&str, usize> = waiting.iter().map(|(name, needs)| (*name, needs.len())).collect();
    let mut followers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, needs) in &waiting {
        for needed in needs {
            followers.entry(needed).or_default().push(name);
        }
    }
    let mut ready: Vec<&str> = left.iter().filter(|(_, left)| **left == 0).map(|(name, _)| *name).collect();
    let mut placed = 0_usize;
    while let Some(name) = ready.pop() {
        placed = placed.saturating_add(1);
        for follower in followers.get(name).into_iter().flatten() {
            if let Some(left) = left.get_mut(follower) {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    ready.push(follower);
                }
            }
        }
    }
    placed == waiting.len()
}

fn needs(task: &TaskSpec) -> BTreeSet<&str> {
    task.depends_on.iter().flat_map(|depends| &depends.name).map(String::as_str).collect()
}
