//! The examples: each is admitted, and says all that the defaults would.

use jobsworth_volcano_api::{Job, QueueState};
use jobsworth_volcano_core::defaults;
use jobsworth_volcano_core::validate::create::{Surroundings, check};
use jobsworth_volcano_core::validate::queue::JobQueue;
use rstest::rstest;

use crate::deployment::documents;

#[rstest]
#[case::training_with_parameter_servers(include_str!("../../examples/tensorflow.yaml"))]
#[case::workers_reached_by_ssh(include_str!("../../examples/mpi.yaml"))]
#[case::a_driver_and_executors(include_str!("../../examples/spark.yaml"))]
#[case::one_policy_for_everything(include_str!("../../examples/restart-on-anything.yaml"))]
fn an_example_is_admitted(#[case] text: &str) {
    let documents = documents(text);
    let job = documents.iter().find(|it| it["kind"] == "Job").unwrap();
    let mut job: Job = serde_json::from_value(job.clone()).unwrap();
    defaults::apply(&mut job.spec, "volcano");
    let templates = vec![Vec::new(); job.spec.tasks.len()];
    check(&job, &Surroundings { queue: JobQueue::Found { state: Some(QueueState::Open), children: 0 }, templates })
        .unwrap();
}
