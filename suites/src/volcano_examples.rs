//! The examples of `controller/volcano/examples`, word for word.

crate::cases! {
    training_ends_with_its_workers,
    a_launcher_ends_its_workers,
    a_driver_ends_its_executors,
    any_event_begins_all_anew,
}

use jobsworth_harness::yaml::{self, Limits};
use serde_json::Value;

const LIMITS: Limits = Limits { what: "example", largest: 64 * 1024, documents: 4, depth: 32, nodes: 10_000 };

/// The objects of an example, in their order.
fn objects(text: &str) -> Vec<Value> {
    yaml::several(text, "example", &LIMITS).expect("a test reads all examples")
}

/// The Job of an example.
fn the_job(text: &str) -> Value {
    objects(text).pop().expect("a test reads all examples")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::tensorflow(include_str!("../../controller/volcano/examples/tensorflow.yaml"), &["Job"])]
    #[case::mpi(include_str!("../../controller/volcano/examples/mpi.yaml"), &["Job"])]
    #[case::spark(include_str!("../../controller/volcano/examples/spark.yaml"), &["PriorityClass", "Job"])]
    #[case::restart(include_str!("../../controller/volcano/examples/restart-on-anything.yaml"), &["Job"])]
    fn an_example_ends_with_its_job(#[case] text: &str, #[case] kinds: &[&str]) {
        let found: Vec<Value> = objects(text).into_iter().map(|mut object| object["kind"].take()).collect();
        assert_eq!(found, kinds);
        assert_eq!(the_job(text)["apiVersion"], "batch.volcano.sh/v1alpha1");
    }
}
