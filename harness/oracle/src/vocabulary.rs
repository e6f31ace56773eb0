//! The words in which cases state their claims.

pub mod answers;
pub mod counts;
mod delays;
pub mod job;
pub mod notices;
pub mod objects;
pub mod pods;
pub mod requests;
pub mod volcano;
pub mod writes;

pub use answers::answer;
pub use counts::counts;
pub use job::{JobWord, job, job_named};
pub use notices::notice;
pub use objects::{pod_groups, workloads};
pub use pods::{PodWord, index, pod_named, pods};
pub use requests::requests;
pub use writes::last_write;

use crate::predicate::Predicate;

/// The script has passed the point of this name.
#[must_use]
pub fn passed(mark: impl Into<String>) -> Predicate {
    let mark = mark.into();
    Predicate::new(format!("the script has passed “{mark}”"), move |world| world.has_passed(&mark))
}

/// The control plane has been changed to this, for example `JobSuccessPolicy off`, and every component has said so.
#[must_use]
pub fn changed(to: &str) -> Predicate {
    passed(format!("{to}, attested")).named(format!("{to} is attested"))
}

/// The control plane begins to be changed to this.
#[must_use]
pub fn changing(to: &str) -> Predicate {
    passed(format!("changing to {to}")).named(format!("the change to {to} begins"))
}
