//! KEP-2214: every completion has an index.

mod a_dropped_index_runs_anew;
mod a_failed_index_is_tried_again;
mod complete_when_every_index_succeeded;
mod completed_indexes_are_compressed;
mod lowest_indexes_run_first;
mod nothing_to_do_is_complete;
mod pods_carry_their_index;
mod progress_survives_a_crash;
mod scaling_down_drops_indexes;

pub use a_dropped_index_runs_anew::ADroppedIndexRunsAnew;
pub use a_failed_index_is_tried_again::AFailedIndexIsTriedAgain;
pub use complete_when_every_index_succeeded::CompleteWhenEveryIndexSucceeded;
pub use completed_indexes_are_compressed::CompletedIndexesAreCompressed;
pub use lowest_indexes_run_first::LowestIndexesRunFirst;
pub use nothing_to_do_is_complete::NothingToDoIsComplete;
pub use pods_carry_their_index::PodsCarryTheirIndex;
pub use progress_survives_a_crash::ProgressSurvivesACrash;
pub use scaling_down_drops_indexes::ScalingDownDropsIndexes;
