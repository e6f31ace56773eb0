//! Faults between a controller of the bench and the API server: a proxy that both talk through, and the process behind it. What
//! happens to any controller in a run is `wire`'s.
//!
//! A [`ProxiedController`] is one controller process with a [`FaultProxy`] of its own. The proxy shows it one namespace as if that were the
//! whole cluster, so many controllers share a control plane without knowing of each other. It numbers the controller's writes,
//! and at one of them it does what a [`Fault`] says: kill, lose the answer, answer something else. Rules F01 to F20 of the
//! fault matrix that need no more than this are covered; nothing is delayed or reordered.

mod fault_bench;
mod fault_proxy;
mod instance;
mod proxied_controller;
mod request_log;
mod request_target;

pub use fault_bench::FaultBench;
pub use fault_proxy::FaultProxy;
pub use instance::Instance;
pub use proxied_controller::{ProxiedController, Started};
pub use request_log::{Fault, NetworkFault, Passage, RequestLog};
pub use request_target::{Kind, RequestTarget};
