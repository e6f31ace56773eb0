//! Labels, annotations, finalizers and names that the Job API reserves.

/// Annotation and (since 1.28) label with a pod's completion index (IDX-001, IDX-002).
pub const COMPLETION_INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// Finalizer that keeps a pod until it is counted (FIN-001).
pub const TRACKING_FINALIZER: &str = "batch.kubernetes.io/job-tracking";
/// Label with the name of a pod's Job.
pub const JOB_NAME: &str = "batch.kubernetes.io/job-name";
/// Label with the UID of a pod's Job.
pub const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";
/// The same as [`JOB_NAME`], older spelling.
pub const LEGACY_JOB_NAME: &str = "job-name";
/// The same as [`CONTROLLER_UID`], older spelling.
pub const LEGACY_CONTROLLER_UID: &str = "controller-uid";
/// Annotation with the counted failures of an index before this pod (BLI-001).
pub const INDEX_FAILURE_COUNT: &str = "batch.kubernetes.io/job-index-failure-count";
/// Annotation with the ignored failures of an index before this pod (BLI-001).
pub const INDEX_IGNORED_FAILURE_COUNT: &str = "batch.kubernetes.io/job-index-ignored-failure-count";
/// The value of `spec.managedBy` that means the built-in controller (MGB-001).
pub const BUILT_IN_CONTROLLER: &str = "kubernetes.io/job-controller";
/// Environment variable with the completion index (IDX-003).
pub const COMPLETION_INDEX_ENV: &str = "JOB_COMPLETION_INDEX";

/// Names that Volcano gives to what belongs to its Jobs.
pub mod volcano {
    /// Name of the Job: label and annotation of its pods (VJ-243, VJ-244).
    pub const JOB_NAME: &str = "volcano.sh/job-name";
    /// Name of the task: label and annotation of pods.
    pub const TASK_SPEC: &str = "volcano.sh/task-spec";
    /// Index of the pod in its task: label and annotation.
    pub const TASK_INDEX: &str = "volcano.sh/task-index";
    /// `status.version` when the pod was made: annotation of pods.
    pub const JOB_VERSION: &str = "volcano.sh/job-version";
    /// `status.retryCount` when the pod was made: annotation of pods.
    pub const JOB_RETRY_COUNT: &str = "volcano.sh/job-retry-count";
    /// Name of the gang: annotation of pods.
    pub const GROUP_NAME: &str = "scheduling.k8s.io/group-name";
    /// The controller is killing the pod: annotation, `true` (VJ-128, VJ-150).
    pub const OUT_OF_SYNC: &str = "volcano.sh/controller-out-of-sync";
    /// Index of the partition: label of pods (VJ-234).
    pub const PARTITION_ID: &str = "volcano.sh/partition-id";
}
