//! Jobs that CronJobs make: what decides whether the next one may start, and what becomes of those that have ended.

crate::cases! {
    the_next_waits_for_the_end,
    a_foreign_job_is_one_like_any_other,
}
mod clock;
