//! What no invariant judges yet, or not everywhere: operators some of whose mutants pass, and what an invariant would have to see.

pub const MISSES: &[(&str, &str)] = &[
    ("do not say how many pods are ready", "a status with a start has a number of ready pods (STA-016)"),
    ("create a pod that restarts otherwise", "the pod's restart policy is that of the template (PAR-014)"),
    (
        "create a pod with a variable of its own",
        "a container has the template's variables, and the index (IDX-003, IDX-004)",
    ),
    ("create a pod for an index out of range", "the index of a new pod is below the completions (IDX-001)"),
    ("start before the Job is there", "a start is not earlier than the Job's creation (STA-011)"),
    ("start in the future", "a start is not later than the version that first has it (STA-011)"),
    ("start a Job that waits", "a Job that is created suspended has no start (SUS-001)"),
    (
        "count the failures of an index anew",
        "a pod carries on the count of the failed pod before it (BLI-001, BLI-011)",
    ),
    (
        "take somebody else's finalizer away with the own",
        "a release takes the tracking finalizer and no other (FIN-007)",
    ),
    ("decide in the future", "a condition is not later than the version that first has it (STA-008)"),
    ("decide for a reason that there is not", "a decision has one of the documented reasons (SUC-020, BKO-004)"),
    ("decide by a rule that the Job does not have", "the field that a reason speaks of is set (DLN-001, BLI-008)"),
    ("suspend for a reason that there is not", "Suspended goes with JobSuspended and JobResumed (SUS-001, SUS-003)"),
    (
        "delete a surplus pod before it is let go",
        "a pod that the controller deletes, by its requests, has lost its finalizer unless the Job is decided (PAR-017)",
    ),
    (
        "let a pod go before it is recorded",
        "a pod that the ledger or its index records had its finalizer until then, whatever the Job's policy (FIN-002)",
    ),
    ("ask for a pod after the end", "no creation is sent a second after the terminal status (SYN-019, SYN-020)"),
    ("ask for another status after the end", "no status of a finished Job is sent, taken or not (SYN-019)"),
    (
        "ask for refused pods thirty times in a second",
        "refused creations are bounded for a namespace (SYN-005, PAR-011)",
    ),
    (
        "write against conflicts thirty times in a second",
        "conflicts on one version of an object are bounded, too (SYN-005)",
    ),
    ("Volcano: count more running pods than there ever were", "a counter is not above the pods there were (VJ-162)"),
];
