//! What a job asks for in numbers.

use jobsworth_volcano_api::well_known::DEFAULT_MAX_RETRY;
use jobsworth_volcano_api::{JobSpec, TaskSpec};

/// The numbers of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goals {
    /// Replicas of all tasks.
    pub total: i32,
    /// `spec.minAvailable`.
    pub min_available: i32,
    /// `spec.minSuccess`.
    pub min_success: Option<i32>,
    /// Runs that the job has (VJ-186).
    pub max_retry: i32,
    /// The tasks in their order.
    pub tasks: Vec<TaskGoal>,
}

/// The numbers of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskGoal {
    /// Its name.
    pub name: String,
    /// Its replicas.
    pub replicas: i32,
    /// Its `minAvailable`, if it has one.
    pub min_available: Option<i32>,
    /// Container restarts after which it has failed (VJ-126).
    pub max_restarts: i32,
}

impl Goals {
    /// The goals of a spec.
    #[must_use]
    pub fn of(spec: &JobSpec) -> Self {
        let tasks: Vec<TaskGoal> = spec.tasks.iter().map(TaskGoal::of).collect();
        Self {
            total: tasks.iter().fold(0, |sum, task| sum.saturating_add(task.replicas)),
            min_available: spec.min_available,
            min_success: spec.min_success,
            max_retry: or_default(spec.max_retry),
            tasks,
        }
    }

    /// A task by its name.
    #[must_use]
    pub fn task(&self, name: &str) -> Option<&TaskGoal> {
        self.tasks.iter().find(|task| task.name == name)
    }
}

impl TaskGoal {
    fn of(task: &TaskSpec) -> Self {
        Self {
            name: task.name.clone(),
            replicas: task.replicas,
            min_available: task.min_available,
            max_restarts: or_default(task.max_retry),
        }
    }

    /// What the task adds to the sum that the job's least number is held against (VJ-171, VJ-274).
    #[must_use]
    pub fn needed(&self) -> i32 {
        self.min_available.unwrap_or(self.replicas)
    }
}

/// 0 stands for the default, as nothing else can be told from it (VJ-017, VJ-126).
const fn or_default(retries: i32) -> i32 {
    if retries == 0 { DEFAULT_MAX_RETRY } else { retries }
}
