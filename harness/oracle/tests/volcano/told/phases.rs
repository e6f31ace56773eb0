//! V01 to V03 and V12 to V14: what a status says, and what follows what.

use super::{Told, breaks, legal};
use crate::story::{Story, admitted, completed, restarted, running, torn_down};
use serde_json::json;

pub const TOLD: &[Told] = &[
    breaks("V01", "from Pending to Completed", || admitted().phase("Completed")),
    breaks("V01", "Aborted without Aborting", || running().phase("Aborted")),
    breaks("V01", "from Restarting to Running", || running().restart().phase("Running")),
    breaks("V01", "an abortion that becomes a termination", || running().kill("Aborting").kill("Terminating")),
    breaks("V01", "from Aborted to Running without a restart", || {
        torn_down(running().kill("Aborting")).phase("Aborted").phase("Running")
    }),
    breaks("V01", "a phase that is none", || running().phase("Sleeping")),
    legal("V01", "back to Pending when pods are missing", || running().gone("worker-0").phase("Pending")),
    legal("V01", "an abortion while restarting", || running().restart().kill("Aborting")),
    legal("V01", "suspended and resumed", || {
        torn_down(running().kill("Aborting")).phase("Aborted").phase("Restarting").phase("Pending")
    }),
    legal("V01", "a status that is written twice", || {
        running().status(json!({"running": 1})).status(json!({"running": 2}))
    }),
    legal("V01", "a Job whose status the script writes", || running().tampered(json!({"state": {"phase": "Aborted"}}))),
    breaks("V02", "the version falls", || restarted().status(json!({"version": 0}))),
    breaks("V02", "the retries are forgotten", || restarted().status(json!({"retryCount": null}))),
    breaks("V02", "the version falls in the write that ends the Job", || {
        restarted().succeed("worker-0").succeed("worker-1").phase_with("Completed", json!({"version": 0}))
    }),
    legal("V02", "two kills raise it by two", || restarted().kill("Aborting")),
    legal("V02", "another Job of its name begins anew", || {
        let mut story = restarted().job_gone();
        story.job["metadata"]["uid"] = "another".into();
        story.edit(|job| job["status"] = json!({"state": {"phase": "Pending"}, "version": 0}))
    }),
    breaks("V03", "a completed Job runs again", || completed().phase("Running")),
    breaks("V03", "a failed Job is restarted", || {
        running().fail("worker-0").fail("worker-1").phase("Failed").restart()
    }),
    breaks("V03", "a terminated Job loses its phase", || {
        torn_down(running().kill("Terminating")).phase("Terminated").status(json!({"state": {"phase": null}}))
    }),
    breaks("V03", "a retry is counted after the end", || completed().status(json!({"retryCount": 1}))),
    legal("V03", "counters and version move after the end", || {
        completed().status(json!({"succeeded": 2, "version": 1})).status(json!({"succeeded": 0, "version": 2}))
    }),
    legal("V03", "an aborted Job comes back", || torn_down(running().kill("Aborting")).phase("Aborted").restart()),
    breaks("V12", "two conditions of one phase", || {
        running().status(json!({"conditions": [{"status": "Pending"}, {"status": "Pending"}, {"status": "Running"}]}))
    }),
    breaks("V12", "the present phase is not the last", || {
        running().status(json!({"conditions": [{"status": "Running"}, {"status": "Pending"}]}))
    }),
    breaks("V12", "a phase without its condition", || running().status(json!({"state": {"phase": "Pending"}}))),
    legal("V12", "a phase that comes again moves to the end", || running().phase("Pending").phase("Running")),
    legal("V12", "no conditions at all", || Story::new().status(json!({"state": {"phase": "Pending"}}))),
    breaks("V13", "a restart that is not counted", || running().phase_with("Restarting", json!({"version": 1}))),
    breaks("V13", "a restart that counts twice", || {
        running().phase_with("Restarting", json!({"version": 1, "retryCount": 2}))
    }),
    breaks("V13", "a retry is counted when the restart ends", || {
        torn_down(running().restart()).phase_with("Pending", json!({"retryCount": 2}))
    }),
    breaks("V13", "a retry is counted without a restart", || running().status(json!({"retryCount": 1}))),
    breaks("V13", "more restarts than the Job may have", || {
        let once = || Story::of(json!({"maxRetry": 1})).phase("Pending").restart();
        once().phase("Pending").restart()
    }),
    legal("V13", "the last restart ends the Job", || {
        Story::of(json!({"maxRetry": 1})).phase("Pending").restart().phase("Failed")
    }),
    legal("V13", "a resumption that counts", || torn_down(running().kill("Aborting")).phase("Aborted").restart()),
    legal("V13", "a resumption that does not", || {
        torn_down(running().kill("Aborting")).phase("Aborted").phase("Restarting")
    }),
    legal("V13", "no retries allowed, by a Job that passed no webhook", || {
        Story::of(json!({"maxRetry": 0})).phase("Pending").restart().phase("Failed")
    }),
    breaks("V14", "an abortion in the old version", || running().phase("Aborting")),
    breaks("V14", "a termination in the old version", || restarted().phase("Terminating")),
    breaks("V14", "a completion in the old version", || running().phase("Completing")),
    legal("V14", "a kill raises it", || running().kill("Completing")),
    legal("V14", "a restart of one pod does not", || {
        running().phase_with("Restarting", json!({"retryCount": 1})).phase("Pending")
    }),
    breaks("V17", "more run than there are", || running().status(json!({"running": 3}))),
    breaks("V17", "more succeeded than there were", || running().succeed("worker-0").status(json!({"succeeded": 9}))),
    breaks("V17", "pods are counted that nobody made", || admitted().status(json!({"pending": 1}))),
    legal("V17", "pods that are gone are counted for a while", || {
        running().stop("worker-0").gone("worker-0").status(json!({"running": 2}))
    }),
    legal("V17", "a pod whose creation nobody heard of", || running().gap("pods").status(json!({"running": 3}))),
];
