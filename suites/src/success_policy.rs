//! KEP-3998: a Job succeeds when its policy says so.

mod leader_index_decides;

pub use leader_index_decides::LeaderIndexDecides;
