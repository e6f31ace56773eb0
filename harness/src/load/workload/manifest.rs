//! The manifests of a workload's Jobs.

use serde_json::{Value, json};

use super::pods_by::runs_for;
use super::{Cohort, FailurePolicy, Mode, Pods, PodsBy, Workload, job_name};
use crate::cluster::nodes;

/// How long pods take to stop, in seconds; the `terminationGracePeriodSeconds` of the template.
pub const GRACE_S: u64 = 1;
/// With this a container exits whose pod fails its Job.
pub const FATAL: i32 = 42;
/// The only container of every pod.
pub const CONTAINER: &str = "main";
/// The annotation that fills templates up.
const PADDING: &str = "jobsworth.dev/padding";
/// The annotation that tells stages of kwok how long a pod runs, ours and those of a cluster that has them.
const RUNS_FOR: &str = "jobsworth.dev/runs-for";

impl Workload {
    /// The manifest of Job number `number` of a cohort, given to this manager if there is one.
    #[must_use]
    pub fn job(&self, cohort: &Cohort, number: u32, manager: Option<&str>) -> Value {
        let mode = match cohort.mode {
            Mode::Indexed => "Indexed",
            Mode::NonIndexed => "NonIndexed",
        };
        let mut spec = json!({
            "completions": cohort.completions,
            "parallelism": cohort.parallelism,
            "completionMode": mode,
            "template": self.template(),
        });
        if let Some(policy) = &cohort.policy {
            let mut rule = json!({"succeededIndexes": policy.succeeded_indexes()});
            if let Some(count) = policy.succeeded_count() {
                rule["succeededCount"] = json!(count);
            }
            spec["successPolicy"] = json!({"rules": [rule]});
        }
        if let Some(retries) = cohort.index_retries {
            spec["backoffLimitPerIndex"] = json!(retries);
        }
        if let Some(policy) = cohort.failure_policy {
            spec["podFailurePolicy"] = json!({"rules": [rule(policy)]});
        }
        if let Some(ttl) = cohort.ttl_s {
            spec["ttlSecondsAfterFinished"] = json!(ttl);
        }
        if let Some(manager) = manager {
            spec["managedBy"] = json!(manager);
        }
        let name = job_name(&cohort.name, number);
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec})
    }

    /// The pod template, of at least as many bytes as the workload says.
    #[must_use]
    pub fn template(&self) -> Value {
        let mut template = json!({"spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": false,
            "terminationGracePeriodSeconds": GRACE_S,
            "containers": [{"name": CONTAINER, "image": "nobody-runs-it"}],
        }});
        match self.pods_by {
            // Bound from the start: no scheduler, and no request for it.
            PodsBy::Direct => template["spec"]["nodeName"] = json!(nodes::name(0)),
            PodsBy::Kwok => template["metadata"]["annotations"][RUNS_FOR] = json!(runs_for(self.pods)),
            PodsBy::Nodes => self.run_agent(&mut template),
        }
        let missing = self.template_bytes.saturating_sub(template.to_string().len());
        if missing > 0 {
            template["metadata"]["annotations"][PADDING] = json!("x".repeat(missing));
        }
        template
    }

    /// A pod like those of the Jobs that belongs to nobody and ends as soon as it runs.
    #[must_use]
    pub fn bare_pod(&self, number: usize) -> Value {
        let mut pod = self.template();
        pod["apiVersion"] = json!("v1");
        pod["kind"] = json!("Pod");
        pod["metadata"]["name"] = json!(format!("bare-{number}"));
        if self.pods_by == PodsBy::Kwok {
            pod["metadata"]["annotations"][RUNS_FOR] = json!("0s");
        }
        pod
    }

    /// Has a kubelet run the agent, which ends by itself; without an argument it runs until it is told to stop.
    fn run_agent(&self, template: &mut Value) {
        let mut container = json!({"name": CONTAINER, "image": self.image});
        if let Pods::Succeed(_) = self.pods {
            container["args"] = json!(["run-for", runs_for(self.pods)]);
        }
        template["spec"]["containers"] = json!([container]);
        template["metadata"]["annotations"][RUNS_FOR] = json!(runs_for(self.pods));
    }
}

/// The only rule of a pod failure policy.
fn rule(policy: FailurePolicy) -> Value {
    match policy {
        FailurePolicy::IgnoreDisruptions => {
            let disrupted = json!([{"type": "DisruptionTarget", "status": "True"}]);
            json!({"action": "Ignore", "onPodConditions": disrupted})
        }
        FailurePolicy::FailJob => {
            let exit = json!({"operator": "In", "values": [FATAL]});
            json!({"action": "FailJob", "onExitCodes": exit})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{sample, workload::Policy};

    #[test]
    fn the_manifest_says_what_the_profile_says() {
        let workload = sample::workload("policy-499");
        let job = workload.job(&workload.cohorts[0], 0, None);
        assert_eq!(job["metadata"]["name"], "wide-0");
        assert_eq!(job["spec"]["successPolicy"], json!({"rules": [{"succeededIndexes": "0"}]}));
        assert!(job["spec"].get("ttlSecondsAfterFinished").is_none() && job["spec"].get("managedBy").is_none());
        let expired = sample::workload("ttl-1000");
        let job = expired.job(&expired.cohorts[0], 7, Some("example.com/mine"));
        assert_eq!(
            (&job["spec"]["ttlSecondsAfterFinished"], &job["spec"]["completionMode"]),
            (&json!(60), &json!("NonIndexed"))
        );
        assert_eq!(
            (&job["metadata"]["name"], &job["spec"]["managedBy"]),
            (&json!("expired-7"), &json!("example.com/mine"))
        );
    }

    #[test]
    fn a_count_is_part_of_the_rule() {
        let mut workload = sample::workload("policy-499");
        workload.cohorts[0].policy = Some(Policy::every_second(10, 100, Some(3)));
        let job = workload.job(&workload.cohorts[0], 0, None);
        let rule = json!({"succeededIndexes": "0,2,4,6,8", "succeededCount": 3});
        assert_eq!(job["spec"]["successPolicy"]["rules"], json!([rule]));
    }

    #[test]
    fn policies_go_together() {
        let mut workload = sample::workload("indexed-500");
        let plain = workload.job(&workload.cohorts[0], 0, None);
        assert!(plain["spec"].get("podFailurePolicy").is_none() && plain["spec"].get("backoffLimitPerIndex").is_none());
        workload.cohorts[0].index_retries = Some(3);
        workload.cohorts[0].failure_policy = Some(FailurePolicy::IgnoreDisruptions);
        let job = workload.job(&workload.cohorts[0], 0, None);
        assert_eq!(job["spec"]["backoffLimitPerIndex"], 3);
        assert_eq!(job["spec"]["podFailurePolicy"]["rules"][0]["action"], "Ignore");
        workload.cohorts[0].failure_policy = Some(FailurePolicy::FailJob);
        let job = workload.job(&workload.cohorts[0], 0, None);
        let rule = json!({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [FATAL]}});
        assert_eq!(job["spec"]["podFailurePolicy"]["rules"], json!([rule]));
    }

    #[test]
    fn pods_that_really_run_end_by_themselves_and_find_their_own_node() {
        let image = Some("example.com/agent:v1".to_owned());
        let pods_by = PodsBy::Nodes;
        let mut workload = Workload { image, pods_by, template_bytes: 2_000, ..sample::workload("indexed-500") };
        let template = workload.template();
        assert!(template["spec"].get("nodeName").is_none() && template.to_string().len() >= 2_000);
        let container = json!({"name": "main", "image": "example.com/agent:v1", "args": ["run-for", "0ms"]});
        assert_eq!(template["spec"]["containers"], json!([container]));
        workload.pods = Pods::Linger;
        let template = workload.template();
        assert!(template["spec"]["containers"][0].get("args").is_none(), "they run until they are told to stop");
        assert_eq!(template["metadata"]["annotations"][RUNS_FOR], "240h");
    }

    #[test]
    fn a_template_is_filled_up_to_its_size_and_never_cut() {
        let plain = sample::workload("indexed-500");
        let own = plain.template().to_string().len();
        assert!(plain.template().get("metadata").is_none());
        let filled = Workload { template_bytes: own + 500, ..plain.clone() };
        assert!(filled.template().to_string().len() >= own + 500);
        assert_eq!(Workload { template_bytes: 10, ..plain }.template().to_string().len(), own);
    }

    #[test]
    fn a_pod_for_the_driver_has_its_node_and_one_for_kwok_says_how_long_it_runs() {
        let direct = Workload { template_bytes: 900, ..sample::workload("policy-499") };
        let kwok = Workload { pods_by: PodsBy::Kwok, ..direct.clone() };
        assert_eq!(direct.template()["spec"]["nodeName"], nodes::name(0));
        assert!(direct.template()["metadata"]["annotations"].get(RUNS_FOR).is_none());
        let template = kwok.template();
        assert!(template["spec"].get("nodeName").is_none(), "the scheduler finds one: {template}");
        assert_eq!(template["metadata"]["annotations"][RUNS_FOR], "240h");
        assert!(template["metadata"]["annotations"][PADDING].is_string() && template.to_string().len() >= 900);
        let bare = kwok.bare_pod(7);
        assert_eq!((&bare["kind"], &bare["metadata"]["name"]), (&json!("Pod"), &json!("bare-7")));
        assert_eq!((&bare["metadata"]["annotations"][RUNS_FOR], &bare["spec"]), (&json!("0s"), &template["spec"]));
        assert!(direct.bare_pod(0)["metadata"]["annotations"].get(RUNS_FOR).is_none());
    }
}
