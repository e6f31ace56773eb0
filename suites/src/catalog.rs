//! The one list of cases. CLI, `cargo test` and the printed catalogue are expanded from it.

/// Calls `$make!` with every suite and its cases: `suite { name: Case, ... }`.
///
/// A case's id is its suite and its name with hyphens: `success_policy { leader_index_decides: ... }`
/// is `success-policy/leader-index-decides`.
#[macro_export]
macro_rules! for_each_case {
    ($make:ident) => {
        $make! {
            indexed_job {
            }
            success_policy {
                leader_index_decides: $crate::success_policy::LeaderIndexDecides,
            }
            failure_policy {
            }
            backoff {
            }
            index_backoff {
            }
            deadline {
            }
            suspend {
            }
            pod_replacement {
            }
            managed_by {
            }
            ownership {
            }
            ttl {
            }
            validation {
            }
            status_validation {
            }
        }
    };
}

macro_rules! as_slice {
    ($($suite:ident { $($name:ident: $case:expr,)* })*) => {
        &[$($(&$case,)*)*]
    };
}

/// Every case, in the order of the list.
pub const CASES: &[&dyn jobsworth_harness::Case] = for_each_case!(as_slice);
