//! The words in which cases state their claims.

pub mod answers;
pub mod job;
pub mod notices;
pub mod pods;

pub use answers::answer;
pub use job::{JobWord, job, job_named};
pub use notices::notice;
pub use pods::{PodWord, index, pod_named, pods};

use crate::predicate::Predicate;

/// The script has passed the point of this name.
#[must_use]
pub fn passed(mark: &'static str) -> Predicate {
    Predicate::new(format!("the script has passed “{mark}”"), move |world| world.has_passed(mark))
}
