//! Bugs of rest and of recovery: writes without a reason, what is owed after a restart or after watches that were cut, and who may
//! work where there are two instances. Made from the list of rules and the controller's code, by somebody who had not seen what
//! checks it.

use crate::bugs::{leases, restarts, restless, watches};
use crate::mutant::{Mutant, mutants};

/// In order of their numbers.
pub(super) const MUTANTS: &[Mutant] = mutants! { Job;
    M244 restless "makes the probe time of a suspension new with each look" [L3]
        restless::ProbesOfSuspensions::default(), Fair "deadline/a-suspended-job-has-none";
    M245 restless "writes the status of a finished Job as it is when somebody edits the Job" [L3]
        restless::EditsOfFinishedJobs::default(), Fair "suspend/no-effect-on-a-finished-job";
    M246 restless "writes that no pod stops, and takes it back, where a Job has failures" [L3]
        restless::NoStoppingPods::default(), Fair "backoff/failures-are-counted-while-others-run";
    M247 restless "notes on a Job how many seconds are left until its deadline" [L3]
        restless::SecondsLeft::default(), Fair "hostile/times-at-their-limits";
    M248 restarts "looks at Jobs with active pods only twelve seconds after its start" [L6]
        restarts::JobsWithActivePods::default(), Fair "indexed-job/progress-survives-a-crash";
    M249 restarts "leaves the finalizer on pods of a gone Job that stop already when it starts" [L6 L4 S26]
        restarts::StoppingPodsOfTheStart::default(), Fair "ownership/freed-though-nobody-watched";
    M250 restarts "never acts on a deadline that passed before its start" [L6 L2]
        restarts::DeadlinesOfTheAbsence::default(), Fair "races/deadline-with-scale-up";
    M251 restarts "never ends the delay after failures of before its start" [L6 L2]
        restarts::DelaysOfTheAbsence::default(), Fair "backoff/failures-at-once-add-up";
    M252 watches "lists again only twenty seconds after a watch has lost its place" [L8]
        watches::ListsAfterTheFirst::default(), Fair "bad-days/history-that-is-compacted-is-listed-again";
    M253 watches "keeps pods that a new list does not have any more" [L8 L1 L2]
        watches::PodsThatWentUnseen::default(), GoingUnseen "parallelism/the-least-far-go-first";
    M254 watches "takes the first that a watch says after a cut for known" [L8 L1 L2]
        watches::FirstNewsAfterACut::default(), Fair "bad-days/watches-that-are-cut-are-taken-up-again";
    M255 watches "does not look at Jobs of which a new list shows changes" [L8 L1 L2]
        watches::WhatIsListedAgain::default(), Fair "bad-days/history-that-is-compacted-is-listed-again";
    M256 leases "goes on after a sleep until several renewals of its lease have failed" [S30]
        leases::RenewalsThatFailed::default(), Fair "leader-election/a-leader-that-slept-is-followed";
    M257 leases "begins with what it listed when it became a standby" [S17 S30]
        leases::ListsOfTheStandby::default(), PodsLate "leader-election/a-killed-leader-is-followed";
    M258 leases "waits for another's lease only as long as its own renewals may take" [S30]
        leases::DurationsOfOthers::default(), Fair "leader-election/a-strangers-lease-is-respected";
    M259 leases "goes on without a look when its lease is deleted, until that would have run out" [S30]
        leases::DeletedLeases::default(), Fair "leader-election/a-deleted-lease-is-taken-anew";
};

#[cfg(test)]
mod tests;
