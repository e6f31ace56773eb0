//! Events and actions, the words of lifecycle policies and Commands (`bus.volcano.sh/v1alpha1`).

use crate::words::words;

words! { open
    /// What can happen to a job, a task or a pod. The schema refuses every other word (VJ-032, VJ-053).
    Event {
        /// Stands for every event that reaches policies (VJ-141).
        Any = "*",
        /// A pod is there, or went back to Pending (VJ-121, VJ-125).
        PodPending = "PodPending",
        /// A pod runs. Internal: no policy may name it (VJ-124, VJ-069).
        PodRunning = "PodRunning",
        /// A pod failed (VJ-122).
        PodFailed = "PodFailed",
        /// A pod was deleted by somebody else (VJ-127).
        PodEvicted = "PodEvicted",
        /// Part of the gang runs and the rest cannot be scheduled (VJ-129).
        Unknown = "Unknown",
        /// As many pods of a task succeeded as it has replicas (VJ-123).
        TaskCompleted = "TaskCompleted",
        /// The containers of a task were restarted too often (VJ-126).
        TaskFailed = "TaskFailed",
        /// Something changed that needs a look. Internal (VJ-120).
        OutOfSync = "OutOfSync",
        /// A Command came in. Internal (VJ-131).
        CommandIssued = "CommandIssued",
        /// Accepted in policies, raised by nothing (VJ-132).
        JobUpdated = "JobUpdated",
    }
}
words!(enum Event);

impl Event {
    /// Whether a policy may name it (VJ-069).
    #[must_use]
    pub fn is_for_policies(&self) -> bool {
        !matches!(self, Self::OutOfSync | Self::CommandIssued | Self::PodRunning | Self::Other(_))
    }
}

words! { open
    /// What is done to a job. The schema takes any word; policies may name some (VJ-070), Commands all (VJ-306).
    Action {
        /// Ends the job; it can be resumed.
        AbortJob = "AbortJob",
        /// Makes all pods anew.
        RestartJob = "RestartJob",
        /// Makes the pods of one task anew.
        RestartTask = "RestartTask",
        /// Makes one pod anew.
        RestartPod = "RestartPod",
        /// Makes the pods of one partition of a task anew.
        RestartPartition = "RestartPartition",
        /// Ends the job for good.
        TerminateJob = "TerminateJob",
        /// Ends the job as a success.
        CompleteJob = "CompleteJob",
        /// Takes an aborted job up again.
        ResumeJob = "ResumeJob",
        /// Looks at the job, and makes what is missing.
        SyncJob = "SyncJob",
        /// Puts the job in queue. A word of old releases; acts as an unknown one.
        EnqueueJob = "EnqueueJob",
        /// Looks at a queue.
        SyncQueue = "SyncQueue",
        /// Opens a queue.
        OpenQueue = "OpenQueue",
        /// Closes a queue.
        CloseQueue = "CloseQueue",
    }
}
words!(text Action);

impl Action {
    /// Whether a policy may name it (VJ-070).
    #[must_use]
    pub fn is_for_policies(&self) -> bool {
        matches!(
            self,
            Self::AbortJob
                | Self::RestartJob
                | Self::RestartTask
                | Self::RestartPod
                | Self::RestartPartition
                | Self::TerminateJob
                | Self::CompleteJob
                | Self::ResumeJob
        )
    }
}
