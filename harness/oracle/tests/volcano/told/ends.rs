//! V07, V08 and V15: what is left at the end, and when a Job goes.

use super::{Told, breaks, legal};
use crate::story::{Story, admitted_of, both_run, completed, running, torn_down};
use serde_json::json;

/// A Job that failed while its second worker runs.
fn failed() -> Story {
    running().fail("worker-0").restart().phase("Failed")
}

/// A completed Job that lives for ten seconds more.
fn mortal() -> Story {
    both_run(admitted_of(json!({"ttlSecondsAfterFinished": 10})))
        .succeed("worker-0")
        .succeed("worker-1")
        .phase("Completed")
}

pub const TOLD: &[Told] = &[
    breaks("V07", "a pod runs on after the failure", || failed().wait(20).mark("long after")),
    breaks("V07", "a pod is told to stop much too late", || failed().wait(20).stop("worker-1")),
    breaks("V07", "a pod runs on after the success", || {
        running().succeed("worker-0").phase("Completed").wait(20).mark("long after")
    }),
    breaks("V07", "a pod that was on its way at the end runs on", || {
        failed().stop("worker-1").create("worker-2").wait(20).mark("long after")
    }),
    breaks("V07", "a pod runs on until somebody deletes the Job", || {
        failed().wait(60).job_gone().wait(1).mark("long after")
    }),
    legal("V07", "nobody saw the pod go", || failed().gap("pods").wait(20).mark("long after")),
    legal("V07", "a pod that takes its time to stop", || failed().stop("worker-1").wait(60).mark("long after")),
    legal("V07", "the recording ends before time is up", || failed().wait(2).mark("soon after")),
    legal("V07", "a subject that was killed begins anew", || {
        failed().wait(20).mark("subject crashed").mark("subject restarted").wait(2).stop("worker-1")
    }),
    legal("V07", "the Job is gone, and its pods follow", || failed().job_gone().wait(20).mark("long after")),
    breaks("V08", "aborted while a pod stops", || {
        running().kill("Aborting").stop("worker-0").stop("worker-1").gone("worker-0").phase("Aborted")
    }),
    breaks("V08", "terminated while a pod runs", || running().kill("Terminating").phase("Terminated")),
    breaks("V08", "completed while a pod runs", || running().succeed("worker-0").kill("Completing").phase("Completed")),
    legal("V08", "aborted when the last is gone", || torn_down(running().kill("Aborting")).phase("Aborted")),
    legal("V08", "pods that have ended are kept", || {
        running().succeed("worker-0").fail("worker-1").kill("Terminating").phase("Terminated")
    }),
    legal("V08", "enough successes complete a Job at once", || {
        running().succeed("worker-0").phase("Completed").stop("worker-1")
    }),
    breaks("V15", "deleted before its time", || mortal().wait(5).delete_job("foregroundDeletion")),
    breaks("V15", "deleted while it runs", || {
        both_run(admitted_of(json!({"ttlSecondsAfterFinished": 1}))).wait(5).delete_job("foregroundDeletion")
    }),
    breaks("V15", "an aborted Job is deleted", || {
        torn_down(both_run(admitted_of(json!({"ttlSecondsAfterFinished": 1}))).kill("Aborting"))
            .phase("Aborted")
            .wait(5)
            .delete_job("foregroundDeletion")
    }),
    legal("V15", "deleted in time", || mortal().wait(11).delete_job("foregroundDeletion").job_gone()),
    legal("V15", "deleted by the script", || mortal().deletion_answered().delete_job("foregroundDeletion")),
    legal("V15", "deleted without a TTL", || completed().delete_job("foregroundDeletion")),
    legal("V15", "deleted in the background", || mortal().delete_job("example.com/held")),
];
