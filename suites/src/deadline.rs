//! The active deadline of a Job.

mod a_suspended_job_has_none;
mod fires_while_creations_are_refused;
mod fires_without_a_pod_event;
mod follows_the_field;
mod not_after_success_is_decided;
mod resumed_too_late_without_the_gate;
mod survives_a_restart;
mod zero_fails_before_any_pod;

pub use a_suspended_job_has_none::ASuspendedJobHasNone;
pub use fires_while_creations_are_refused::FiresWhileCreationsAreRefused;
pub use fires_without_a_pod_event::FiresWithoutAPodEvent;
pub use follows_the_field::FollowsTheField;
pub use not_after_success_is_decided::NotAfterSuccessIsDecided;
pub use resumed_too_late_without_the_gate::ResumedTooLateWithoutTheGate;
pub use survives_a_restart::SurvivesARestart;
pub use zero_fails_before_any_pod::ZeroFailsBeforeAnyPod;
