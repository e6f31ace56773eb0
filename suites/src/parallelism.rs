//! How many pods a Job runs, and what they look like.

mod a_queue_ends_with_its_first_success;
mod a_template_gives_no_identity;
mod no_more_pods_than_are_missing;
mod parallelism_can_change;
mod pods_are_recognisably_the_jobs;
mod surplus_goes_in_parts;

pub use a_queue_ends_with_its_first_success::AQueueEndsWithItsFirstSuccess;
pub use a_template_gives_no_identity::ATemplateGivesNoIdentity;
pub use no_more_pods_than_are_missing::NoMorePodsThanAreMissing;
pub use parallelism_can_change::ParallelismCanChange;
pub use pods_are_recognisably_the_jobs::PodsAreRecognisablyTheJobs;
pub use surplus_goes_in_parts::SurplusGoesInParts;
