//! The one list of cases. CLI, `cargo test` and the printed catalogue are expanded from it.

/// Calls `$make!` with every suite and its cases: `suite { name: Case, ... }`.
///
/// A case's id is its suite and its name with hyphens: `success_policy { leader_index_decides: ... }`
/// is `success-policy/leader-index-decides`.
#[macro_export]
macro_rules! for_each_case {
    ($make:ident) => {
        $make! {
            success_policy {
                leader_index_decides: $crate::success_policy::LeaderIndexDecides,
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
