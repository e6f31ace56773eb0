//! Queues: the one that a job goes to (VJ-078 to VJ-081), and changes of queues themselves.

use jobsworth_volcano_api::well_known::{DEFAULT_QUEUE, ROOT_QUEUE};
use jobsworth_volcano_api::{Queue, QueueState};

use super::{Findings, Refusal};

/// What is known of the queue that a job names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobQueue {
    /// It could not be had, for this reason.
    Missing(String),
    /// It is there.
    Found {
        /// Its state; none if no controller has seen it.
        state: Option<QueueState>,
        /// How many queues name it as their parent.
        children: usize,
    },
}

/// Checks that jobs may go to a queue.
pub(super) fn check_job_queue(name: &str, queue: &JobQueue, findings: &mut Findings) {
    let (state, children) = match queue {
        JobQueue::Missing(reason) => return findings.add(format!("unable to find job queue: {reason};")),
        JobQueue::Found { state, children } => (*state, *children),
    };
    if name == ROOT_QUEUE {
        return findings.add("can not submit job to root queue;");
    }
    if state != Some(QueueState::Open) {
        let state = state.map_or("", |state| state.as_str());
        findings.add(format!("can only submit job to queue with state `Open`, queue `{name}` status is `{state}`;"));
    }
    if children > 0 {
        findings.add(format!("can only submit job to leaf queue, queue `{name}` has {children} child queues;"));
    }
}

/// What is done to a queue.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// It is created.
    Create(&'a Queue),
    /// It is changed.
    Update {
        /// What it was.
        old: &'a Queue,
        /// What it is to be.
        new: &'a Queue,
    },
    /// A queue of this name is deleted.
    Delete(&'a str),
}

/// Checks a change of a queue; `others` are all queues there are, the queue itself may be among them.
///
/// An open queue, even one with jobs, may be deleted (VJ-339). A change that leaves the spec alone is never refused.
///
/// # Errors
/// Everything that is wrong with it.
pub fn check(change: Change<'_>, others: &[Queue]) -> Result<(), Refusal> {
    let mut findings = Findings::default();
    match change {
        Change::Create(queue) => check_spec(queue, others, &mut findings),
        Change::Update { old, new } if old.spec == new.spec => {}
        Change::Update { old, new } => {
            check_spec(new, others, &mut findings);
            if name(new) == ROOT_QUEUE && old.spec.parent != new.spec.parent {
                findings.add("requestBody.spec.parent: the root queue has no parent;");
            }
        }
        Change::Delete(name) => check_deletion(name, others, &mut findings),
    }
    findings.verdict()
}

fn check_spec(queue: &Queue, others: &[Queue], findings: &mut Findings) {
    // 0 is what an absent weight is read as: without a schema default nobody said anything.
    if queue.spec.weight < 0 {
        findings.add(format!(
            "requestBody.spec.weight: Invalid value: {}: queue weight must be a positive integer;",
            queue.spec.weight
        ));
    }
    let (name, parent) = (name(queue), queue.spec.parent.as_str());
    if parent.is_empty() || name == ROOT_QUEUE {
        return;
    }
    let Some(found) = find(parent, others).or((parent == name).then_some(queue)) else {
        return findings.add(format!(
            "requestBody.spec.parent: queue {name} cannot use parent queue {parent}: it does not exist;"
        ));
    };
    if leads_to(found, name, others) {
        findings.add(format!(
            "requestBody.spec.parent: queue {name} cannot use parent queue {parent}: it would be above itself;"
        ));
    }
}

fn check_deletion(name: &str, others: &[Queue], findings: &mut Findings) {
    if [DEFAULT_QUEUE, ROOT_QUEUE].contains(&name) {
        return findings.add(format!("`{name}` queue can not be deleted;"));
    }
    let children: Vec<&str> = others.iter().filter(|queue| queue.spec.parent == name).map(self::name).collect();
    if !children.is_empty() {
        findings.add(format!(
            "queue {name} can not be deleted because it has {} child queues: {};",
            children.len(),
            children.join(", ")
        ));
    }
}

/// Whether a queue of this name is met on the way from a queue to the root.
fn leads_to(from: &Queue, name: &str, others: &[Queue]) -> bool {
    let mut at = Some(from);
    // As many steps as there are queues: what is longer goes round in a circle that somebody else made.
    for _ in 0..=others.len() {
        let Some(queue) = at else { return false };
        if self::name(queue) == name {
            return true;
        }
        at = find(&queue.spec.parent, others);
    }
    false
}

fn find<'a>(name: &str, others: &'a [Queue]) -> Option<&'a Queue> {
    others.iter().find(|queue| self::name(queue) == name)
}

fn name(queue: &Queue) -> &str {
    queue.metadata.name.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn queue(name: &str, parent: &str) -> Queue {
        let object = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name},
            "spec": {"weight": 1, "parent": parent}});
        serde_json::from_value(object).unwrap()
    }

    fn tree() -> Vec<Queue> {
        vec![
            queue("root", ""),
            queue("default", "root"),
            queue("a", "root"),
            queue("b", "a"),
            queue("c", "b"),
            queue("x", "y"),
            queue("y", "x"),
        ]
    }

    fn says(result: Result<(), Refusal>) -> String {
        result.map_or_else(|refusal| refusal.to_string(), |()| String::new())
    }

    #[rstest]
    #[case::below_the_root(queue("n", "root"), "")]
    #[case::without_a_parent(queue("n", ""), "")]
    #[case::below_nobody(queue("n", "z"), "it does not exist")]
    #[case::below_itself(queue("n", "n"), "above itself")]
    #[case::below_others_that_go_in_a_circle(queue("n", "x"), "")]
    fn a_new_queue_has_a_parent_that_is_there(#[case] new: Queue, #[case] part: &str) {
        let text = says(check(Change::Create(&new), &tree()));
        assert!(if part.is_empty() { text.is_empty() } else { text.contains(part) }, "{text}");
    }

    #[rstest]
    #[case::a_leaf_moves("c", "root", "")]
    #[case::a_branch_moves_below_its_own_leaf("a", "c", "above itself")]
    #[case::the_root_moves("root", "a", "has no parent")]
    fn a_queue_never_comes_to_be_above_itself(#[case] name: &str, #[case] parent: &str, #[case] part: &str) {
        let others = tree();
        let (old, new) = (find(name, &others).unwrap(), queue(name, parent));
        let text = says(check(Change::Update { old, new: &new }, &others));
        assert!(if part.is_empty() { text.is_empty() } else { text.contains(part) }, "{text}");
    }

    /// (VJ-339)
    #[rstest]
    #[case::a_leaf("c", "")]
    #[case::the_default("default", "`default` queue can not be deleted")]
    #[case::the_root("root", "`root` queue can not be deleted")]
    #[case::a_branch("b", "queue b can not be deleted because it has 1 child queues: c")]
    fn a_queue_with_children_stays(#[case] name: &str, #[case] part: &str) {
        let text = says(check(Change::Delete(name), &tree()));
        assert!(if part.is_empty() { text.is_empty() } else { text.contains(part) }, "{text}");
    }

    #[test]
    fn a_weight_is_not_negative() {
        let mut wrong = queue("n", "root");
        wrong.spec.weight = -1;
        assert!(says(check(Change::Create(&wrong), &tree())).contains("positive integer"));
        assert_eq!(
            says(check(Change::Update { old: &wrong, new: &wrong }, &tree())),
            "",
            "nothing of the spec changed"
        );
    }
}
