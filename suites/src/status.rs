//! What a Job's status and events say about it.

mod a_failure_is_announced_with_its_reason;
mod a_job_without_a_controller_waits;
mod a_quiet_job_is_left_alone;
mod conditions_of_others_stay;
mod events_tell_the_story;
mod without_both_gates_the_end_is_immediate;

pub use a_failure_is_announced_with_its_reason::AFailureIsAnnouncedWithItsReason;
pub use a_job_without_a_controller_waits::AJobWithoutAControllerWaits;
pub use a_quiet_job_is_left_alone::AQuietJobIsLeftAlone;
pub use conditions_of_others_stay::ConditionsOfOthersStay;
pub use events_tell_the_story::EventsTellTheStory;
pub use without_both_gates_the_end_is_immediate::WithoutBothGatesTheEndIsImmediate;
