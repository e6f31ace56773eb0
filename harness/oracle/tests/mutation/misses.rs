//! What no invariant judges yet, or not everywhere: operators some of whose mutants pass, and what an invariant would have to see.

pub const MISSES: &[(&str, &str)] = &[
    (
        "count the failures of an index anew",
        "a pod carries on the count of the failed pod before it (BLI-001, BLI-011)",
    ),
    (
        "take somebody else's finalizer away with the own",
        "a release takes the tracking finalizer and no other (FIN-007)",
    ),
    (
        "delete a surplus pod before it is let go",
        "which decision a deletion belongs to, where one follows within half a minute (PAR-017)",
    ),
    (
        "let a pod go before it is recorded",
        "which pod of an index was recorded, and pods that others let go at the same time (FIN-002)",
    ),
    ("ask for a pod after the end", "no creation is sent while the Job is being deleted (SYN-019, SYN-020)"),
    ("ask for another status after the end", "no status is sent while the Job is being deleted (SYN-019)"),
];
