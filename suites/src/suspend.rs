//! Suspended and resumed Jobs.

mod a_resuspended_job_can_be_edited;
mod completed_indexes_stay;
mod created_suspended_then_resumed;
mod edited_before_it_is_noticed;
mod edited_template_is_used;
mod no_effect_after_success;
mod no_effect_on_a_finished_job;
mod restart_creates_nothing;
mod running_pods_go_uncounted;
mod start_time_is_cleared;
mod start_time_stays_until_resumed;

pub use a_resuspended_job_can_be_edited::AResuspendedJobCanBeEdited;
pub use completed_indexes_stay::CompletedIndexesStay;
pub use created_suspended_then_resumed::CreatedSuspendedThenResumed;
pub use edited_before_it_is_noticed::EditedBeforeItIsNoticed;
pub use edited_template_is_used::EditedTemplateIsUsed;
pub use no_effect_after_success::NoEffectAfterSuccess;
pub use no_effect_on_a_finished_job::NoEffectOnAFinishedJob;
pub use restart_creates_nothing::RestartCreatesNothing;
pub use running_pods_go_uncounted::RunningPodsGoUncounted;
pub use start_time_is_cleared::StartTimeIsCleared;
pub use start_time_stays_until_resumed::StartTimeStaysUntilResumed;
