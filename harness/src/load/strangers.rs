//! Who may change Jobs and pods while a trial runs: the controller under test, those who play its world, and the rest of the control plane.
//! Whatever anybody else changes is nobody's work, and a trial with it says little.

/// Users of the harness and of the control plane around the controller: whoever submits Jobs and plays pods, kwok, the scheduler, the
/// controller manager and the API server itself.
const KNOWN: [&str; 5] = [
    "jobsworth:administrator",
    "jobsworth:kwok",
    "system:kube-scheduler",
    "system:kube-controller-manager",
    "system:apiserver",
];
/// The controllers of the control plane, for example the garbage collector, each as its own service account.
const CONTROLLERS: &str = "system:serviceaccount:kube-system:";

/// What the service account of tenants is called, in whatever namespace.
pub const TENANTS: &str = "jobsworth-tenants";

/// Whether a request of this kind, for example `patch pods/status`, by this user is one that a trial has no place for.
#[must_use]
pub fn is_out_of_place(user: &str, request: &str) -> bool {
    changes_the_work(request) && !(KNOWN.contains(&user) || user.starts_with(CONTROLLERS) || is_tenant(user))
}

/// Whether this user is the service account of tenants.
fn is_tenant(user: &str) -> bool {
    let account = user.strip_prefix("system:serviceaccount:").and_then(|account| account.split_once(':'));
    account.is_some_and(|(_, name)| name == TENANTS)
}

/// Whether a request writes a Job or a pod, or a part of one.
fn changes_the_work(request: &str) -> bool {
    let Some((verb, resource)) = request.split_once(' ') else { return false };
    let whole = resource.split_once('/').map_or(resource, |(whole, _)| whole);
    matches!(verb, "create" | "update" | "patch" | "delete" | "deletecollection") && matches!(whole, "jobs" | "pods")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::the_submitter("jobsworth:administrator", "create jobs", false)]
    #[case::the_scheduler("system:kube-scheduler", "create pods/binding", false)]
    #[case::the_garbage_collector("system:serviceaccount:kube-system:generic-garbage-collector", "delete pods", false)]
    #[case::a_tenant("system:serviceaccount:load-tenants-1:jobsworth-tenants", "patch jobs", false)]
    #[case::kwok("jobsworth:kwok", "patch pods/status", false)]
    #[case::another_controller("system:serviceaccount:queues:manager", "patch jobs", true)]
    #[case::a_part_of_a_pod("somebody", "update pods/status", true)]
    #[case::all_of_them("somebody", "deletecollection pods", true)]
    #[case::who_only_looks("somebody", "list pods", false)]
    #[case::who_is_busy_elsewhere("somebody", "create configmaps", false)]
    #[case::pods_of_another_group("somebody", "delete pods.metrics.k8s.io", false)]
    #[case::no_resource("somebody", "get", false)]
    fn only_those_who_belong_to_a_trial_change_jobs_and_pods(
        #[case] user: &str,
        #[case] request: &str,
        #[case] is_odd: bool,
    ) {
        assert_eq!(is_out_of_place(user, request), is_odd);
    }
}
