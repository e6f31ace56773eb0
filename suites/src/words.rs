//! What nearly every case needs in scope.

pub use crate::case_id;
pub use crate::draft::{
    Draft, any, counted, exits, exits_otherwise, has_condition, indexed, indexes, some_of, work_queue,
};
pub use jobsworth_api::{
    ConditionKind::{Complete, Failed, FailureTarget, SuccessCriteriaMet, Suspended},
    Minor, Resource,
};
pub use jobsworth_harness::{
    About, AnyCase, Case, Claim, FaultNeeds, KnownEnd, Needs, Neighbour, PodNeeds, Scene, Source, Stop,
    scene::{
        Change, Disruption, End, InForce, Look, Mishap, Propagation, Veto, When, Write, any_write, change_of,
        creation_of, deletion_of,
    },
};
pub use jobsworth_oracle::{
    Expectations, KnownDeviation, Predicate,
    property::{
        Property, after, always, any_of, before, eventually, eventually_within, never, never_within, stable, whenever,
    },
    vocabulary::{
        answer, changed, changing, counts, index, job,
        job::ConditionWords,
        job_named, notice, passed, pod_groups, pod_named, pods,
        pods::{
            annotated, disrupted, failed, live, restarted_times, running, stopped, stopping, succeeded, terminating,
            tracked, untracked, word,
        },
        requests,
        requests::RequestWord,
        workloads,
    },
};
pub use serde_json::json;
pub use std::time::Duration;

/// With one of these gates on, every end has its interim condition and waits for pods that are still
/// stopping (STA-004 to STA-006).
pub const DELAYED_END: &[&str] = &["JobManagedBy", "JobPodReplacementPolicy"];
