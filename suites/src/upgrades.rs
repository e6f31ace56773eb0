//! Other versions of Kubernetes under Jobs that run (UPG-015, UPG-017 to UPG-023).

mod a_deadline_goes_on;
mod a_decision_is_carried_out;
mod a_foreign_job_stays_foreign;
mod a_running_job_goes_on;
mod a_suspended_job_sleeps_through;
mod a_time_to_live_goes_on;
mod an_api_server_ahead;
mod failed_indexes_are_kept;
mod finished_jobs_are_left_alone;
mod progress_is_kept;
mod stopping_pods_keep_their_places;
mod the_controller_dies_at_the_change;
mod the_start_of_a_suspended_job_is_cleared_since;
mod there_and_back;

pub use a_deadline_goes_on::ADeadlineGoesOn;
pub use a_decision_is_carried_out::ADecisionIsCarriedOut;
pub use a_foreign_job_stays_foreign::AForeignJobStaysForeign;
pub use a_running_job_goes_on::ARunningJobGoesOn;
pub use a_suspended_job_sleeps_through::ASuspendedJobSleepsThrough;
pub use a_time_to_live_goes_on::ATimeToLiveGoesOn;
pub use an_api_server_ahead::AnApiServerAhead;
pub use failed_indexes_are_kept::FailedIndexesAreKept;
pub use finished_jobs_are_left_alone::FinishedJobsAreLeftAlone;
pub use progress_is_kept::ProgressIsKept;
pub use stopping_pods_keep_their_places::StoppingPodsKeepTheirPlaces;
pub use the_controller_dies_at_the_change::TheControllerDiesAtTheChange;
pub use the_start_of_a_suspended_job_is_cleared_since::TheStartOfASuspendedJobIsClearedSince;
pub use there_and_back::ThereAndBack;
