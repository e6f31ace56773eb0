//! Names that both ends of the API know.

/// Group and version of `Job`.
pub const BATCH_API_VERSION: &str = "batch.volcano.sh/v1alpha1";
/// Group and version of `PodGroup` and `Queue`.
pub const SCHEDULING_API_VERSION: &str = "scheduling.volcano.sh/v1beta1";
/// Group and version of `Command`.
pub const BUS_API_VERSION: &str = "bus.volcano.sh/v1alpha1";

/// The queue of jobs that name none (VJ-016, VJ-038).
pub const DEFAULT_QUEUE: &str = "default";
/// The queue that is above all others and takes no jobs (VJ-080).
pub const ROOT_QUEUE: &str = "root";
/// The scheduler of jobs that name none, unless the webhook is told another (VJ-039).
pub const DEFAULT_SCHEDULER: &str = "volcano";
/// Runs of a job, and restarts of a task's containers, if none are given (VJ-035, VJ-040).
pub const DEFAULT_MAX_RETRY: i32 = 3;
/// What the name of a task without one starts with; its index follows (VJ-033).
pub const DEFAULT_TASK_PREFIX: &str = "default";

/// Name of the job: label and annotation of its pods (VJ-243, VJ-244).
pub const JOB_NAME: &str = "volcano.sh/job-name";
/// Namespace of the job: label of its pods (VJ-243).
pub const JOB_NAMESPACE: &str = "volcano.sh/job-namespace";
/// Name of the task: label and annotation of its pods (VJ-243, VJ-244).
pub const TASK_SPEC: &str = "volcano.sh/task-spec";
/// Index of the pod in its task: label and annotation (VJ-243, VJ-244).
pub const TASK_INDEX: &str = "volcano.sh/task-index";
/// Name of the queue: label and annotation of pods (VJ-243, VJ-244, VJ-336).
pub const QUEUE_NAME: &str = "volcano.sh/queue-name";
/// `status.version` when the pod was made: annotation (VJ-244).
pub const JOB_VERSION: &str = "volcano.sh/job-version";
/// `status.retryCount` when the pod was made: annotation (VJ-244).
pub const JOB_RETRY_COUNT: &str = "volcano.sh/job-retry-count";
/// Job and task: annotation of pods (VJ-244).
pub const TEMPLATE_UID: &str = "volcano.sh/template-uid";
/// Name of the gang: annotation of pods (VJ-244).
pub const GROUP_NAME: &str = "scheduling.k8s.io/group-name";
/// The pod is being killed by its controller: annotation, `true` (VJ-128, VJ-150).
pub const OUT_OF_SYNC: &str = "volcano.sh/controller-out-of-sync";
/// Index of the partition: label of pods (VJ-234).
pub const PARTITION_ID: &str = "volcano.sh/partition-id";
/// The task's topology policy: annotation of pods (VJ-245).
pub const NUMA_TOPOLOGY_POLICY: &str = "volcano.sh/numa-topology-policy";
/// Whether pods may be preempted: label and annotation, copied from the job (VJ-245).
pub const PREEMPTABLE: &str = "volcano.sh/preemptable";
/// For how long pods are safe from preemption: label and annotation, copied from the job (VJ-245).
pub const COOLDOWN_TIME: &str = "volcano.sh/cooldown-time";
/// Annotation copied from the job (VJ-245).
pub const REVOCABLE_ZONE: &str = "volcano.sh/revocable-zone";
/// Annotation copied from the job; wins over `JDB_MAX_UNAVAILABLE` (VJ-245).
pub const JDB_MIN_AVAILABLE: &str = "volcano.sh/jdb-min-available";
/// Annotation copied from the job (VJ-245).
pub const JDB_MAX_UNAVAILABLE: &str = "volcano.sh/jdb-max-unavailable";
/// The queue of gangs in a namespace that name none: annotation of the namespace (VJ-258).
pub const NAMESPACE_QUEUE: &str = "scheduling.volcano.sh/queue-name";

/// Plugins that a job may name (VJ-073).
pub const PLUGINS: [&str; 8] = ["env", "hcclrank", "mpi", "pytorch", "ray", "ssh", "svc", "tensorflow"];
