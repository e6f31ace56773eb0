//! Which pods belong to a Job: adoption and release.

mod a_deleted_job_frees_its_pods;
mod a_foreign_controllers_pod_keeps_its_finalizer;
mod a_matching_orphan_is_adopted;
mod a_namesakes_pods_are_strangers;
mod a_relabelled_pod_is_released;
mod freed_though_nobody_watched;

pub use a_deleted_job_frees_its_pods::ADeletedJobFreesItsPods;
pub use a_foreign_controllers_pod_keeps_its_finalizer::AForeignControllersPodKeepsItsFinalizer;
pub use a_matching_orphan_is_adopted::AMatchingOrphanIsAdopted;
pub use a_namesakes_pods_are_strangers::ANamesakesPodsAreStrangers;
pub use a_relabelled_pod_is_released::ARelabelledPodIsReleased;
pub use freed_though_nobody_watched::FreedThoughNobodyWatched;
