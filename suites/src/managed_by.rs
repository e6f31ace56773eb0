//! Jobs that are left to another controller.

mod a_foreign_job_is_left_alone;
mod a_foreign_namesake_is_left_alone;
mod foreign_pods_stay_tracked;
mod ignored_with_the_gate_off;
mod the_field_is_immutable;
mod the_reserved_value_means_built_in;
mod time_to_live_holds_for_foreign_jobs;

pub use a_foreign_job_is_left_alone::AForeignJobIsLeftAlone;
pub use a_foreign_namesake_is_left_alone::AForeignNamesakeIsLeftAlone;
pub use foreign_pods_stay_tracked::ForeignPodsStayTracked;
pub use ignored_with_the_gate_off::IgnoredWithTheGateOff;
pub use the_field_is_immutable::TheFieldIsImmutable;
pub use the_reserved_value_means_built_in::TheReservedValueMeansBuiltIn;
pub use time_to_live_holds_for_foreign_jobs::TimeToLiveHoldsForForeignJobs;
