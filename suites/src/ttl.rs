//! KEP-592: finished Jobs are removed when their time is over.

mod a_failed_job_goes_too;
mod a_finalizer_holds_the_job;
mod an_owner_is_no_protection;
mod cleared_at_the_last_moment;
mod counted_from_the_finish;
mod extended_at_the_last_moment;
mod only_a_finished_job_goes;
mod pods_go_first;
mod recreated_namesake_stays;
mod restart_rebuilds_timers;
mod set_late;
mod zero_removes_at_once;

pub use a_failed_job_goes_too::AFailedJobGoesToo;
pub use a_finalizer_holds_the_job::AFinalizerHoldsTheJob;
pub use an_owner_is_no_protection::AnOwnerIsNoProtection;
pub use cleared_at_the_last_moment::ClearedAtTheLastMoment;
pub use counted_from_the_finish::CountedFromTheFinish;
pub use extended_at_the_last_moment::ExtendedAtTheLastMoment;
pub use only_a_finished_job_goes::OnlyAFinishedJobGoes;
pub use pods_go_first::PodsGoFirst;
pub use recreated_namesake_stays::RecreatedNamesakeStays;
pub use restart_rebuilds_timers::RestartRebuildsTimers;
pub use set_late::SetLate;
pub use zero_removes_at_once::ZeroRemovesAtOnce;
