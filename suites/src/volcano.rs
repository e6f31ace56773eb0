//! Volcano Jobs as cases ask for them, and what every case about them says of itself.

use jobsworth_api::{Minor, Resource};
use jobsworth_harness::{
    About, Claim, FaultNeeds, Needs, PodNeeds, Source, cluster::subject_kind::JobApi, scene::Write,
};
use jobsworth_oracle::{
    KnownDeviation,
    vocabulary::pods::{PodWord, word},
};
use k8s_openapi::api::core::v1::{Container, EnvVar, Pod};
use serde_json::{Value, json};

/// A Volcano Job that is going to be submitted: a builder whose every step names what differs from the plainest one.
#[derive(Clone, Debug)]
pub struct Gang(Value);

/// What a case about Volcano's Jobs needs: a cell whose controller is of that API.
pub const NEEDS: Needs = Needs {
    api: JobApi::Volcano,
    gates: &[],
    one_gate_of: &[],
    gates_off: &[],
    since: None,
    until: None,
    binaries_since: None,
    binaries_until: None,
    stands_alone: false,
    ttl_of_subject: false,
    restarts_subject: false,
    reads_metrics: false,
    fills_rate_limit: false,
    others_go_on: false,
    second_instance: false,
    faults: FaultNeeds::Nothing,
    refuses_writes: false,
    flips: &[],
    other_version: None,
    pods: PodNeeds::Any,
    own_nodes: false,
};

/// The facts about a case: `section` is the heading of the list of requirements under which the first of them stands.
#[must_use]
pub const fn about(
    id: &'static str,
    section: &'static str,
    says: &'static str,
    requirements: &'static [&'static str],
) -> About {
    About { id, claim: Claim { source: Source::Volcano, section, says }, requirements, needs: NEEDS }
}

/// The same for a case that kills the controller.
#[must_use]
pub const fn about_restarts(
    id: &'static str,
    section: &'static str,
    says: &'static str,
    requirements: &'static [&'static str],
) -> About {
    About { needs: Needs { restarts_subject: true, ..NEEDS }, ..about(id, section, says, requirements) }
}

/// The same for a case whose script has the scheduler's part, or queues of its own: where a scheduler runs, that has both.
#[must_use]
pub const fn about_as_scheduler(
    id: &'static str,
    section: &'static str,
    says: &'static str,
    requirements: &'static [&'static str],
) -> About {
    let pods = PodNeeds::Played("the script decides what becomes of groups and queues");
    About { needs: Needs { pods, ..NEEDS }, ..about(id, section, says, requirements) }
}

/// The same for a case in which something happens between the controller and the API server.
#[must_use]
pub const fn about_faults(
    id: &'static str,
    faults: FaultNeeds,
    section: &'static str,
    says: &'static str,
    requirements: &'static [&'static str],
) -> About {
    About { needs: Needs { faults, ..NEEDS }, ..about(id, section, says, requirements) }
}

/// A Job of one task `w` with so many pods.
#[must_use]
pub fn gang(replicas: u32) -> Gang {
    tasks(&[("w", replicas)])
}

/// A Job of these tasks, by name and number of pods.
#[must_use]
pub fn tasks(tasks: &[(&str, u32)]) -> Gang {
    let tasks: Vec<Value> = tasks.iter().map(|(name, replicas)| task(name, *replicas)).collect();
    Gang(json!({
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "job"},
        "spec": {"tasks": tasks},
    }))
}

/// What Volcano itself is known to do otherwise, where these sentences are concerned; `issue` is the number of the report, or the
/// requirement that tells of it. The subject `volcano` is of release 1.15 and no other, on whatever Kubernetes.
#[must_use]
pub const fn known(breaks: &'static [&'static str], issue: &'static str) -> KnownDeviation {
    KnownDeviation {
        subject: "volcano",
        since: Minor::new(1, 0),
        until: None,
        mended_in: &[],
        unless: None,
        breaks,
        source: issue,
    }
}

/// One task; a pod of it stops at once when it is told to.
#[must_use]
pub fn task(name: &str, replicas: u32) -> Value {
    json!({
        "name": name,
        "replicas": replicas,
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "terminationGracePeriodSeconds": 30,
                "containers": [{"name": "main", "image": "jobsworth.invalid/agent:v1"}],
            },
        },
    })
}

/// A policy: on this event, that action.
#[must_use]
pub fn on(event: &str, action: &str) -> Value {
    json!({"event": event, "action": action})
}

/// A policy: after this exit code, that action.
#[must_use]
pub fn on_exit(code: i32, action: &str) -> Value {
    json!({"exitCode": code, "action": action})
}

/// A policy: so long after this event, that action.
#[must_use]
pub fn on_after(event: &str, timeout: &str, action: &str) -> Value {
    json!({"event": event, "timeout": timeout, "action": action})
}

impl Gang {
    /// Under another name than `job`.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.0["metadata"]["name"] = name.into();
        self
    }

    /// With any field of `metadata`.
    #[must_use]
    pub fn metadata(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0["metadata"][field] = value.into();
        self
    }

    /// With any field of `spec`.
    #[must_use]
    pub fn spec(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0["spec"][field] = value.into();
        self
    }

    /// Without a field of `spec`.
    #[must_use]
    pub fn without(mut self, field: &str) -> Self {
        if let Some(spec) = self.0["spec"].as_object_mut() {
            spec.remove(field);
        }
        self
    }

    /// So many pods run together or not at all.
    #[must_use]
    pub fn min_available(self, pods: u32) -> Self {
        self.spec("minAvailable", pods)
    }

    /// So many runs, the first one included.
    #[must_use]
    pub fn max_retry(self, runs: u32) -> Self {
        self.spec("maxRetry", runs)
    }

    /// With one policy of the whole Job more.
    #[must_use]
    pub fn policy(mut self, policy: Value) -> Self {
        push(&mut self.0["spec"]["policies"], policy);
        self
    }

    /// With one policy of a task more.
    #[must_use]
    pub fn task_policy(mut self, task: usize, policy: Value) -> Self {
        push(&mut self.0["spec"]["tasks"][task]["policies"], policy);
        self
    }

    /// With a plugin.
    #[must_use]
    pub fn plugin(mut self, name: &str, arguments: &[&str]) -> Self {
        self.0["spec"]["plugins"][name] = arguments.into();
        self
    }

    /// With any field of a task; `null` takes it away.
    #[must_use]
    pub fn task(mut self, task: usize, field: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        match (value.is_null(), self.0["spec"]["tasks"][task].as_object_mut()) {
            (true, Some(fields)) => drop(fields.remove(field)),
            (_, _) => self.0["spec"]["tasks"][task][field] = value,
        }
        self
    }

    /// With any field of the `spec` of a task's pods.
    #[must_use]
    pub fn pod_spec(mut self, task: usize, field: &str, value: impl Into<Value>) -> Self {
        self.0["spec"]["tasks"][task]["template"]["spec"][field] = value.into();
        self
    }

    /// With any field of the `metadata` of a task's pods.
    #[must_use]
    pub fn pod_metadata(mut self, task: usize, field: &str, value: impl Into<Value>) -> Self {
        self.0["spec"]["tasks"][task]["template"]["metadata"][field] = value.into();
        self
    }

    /// With any field of the only container of a task's pods.
    #[must_use]
    pub fn container(mut self, task: usize, field: &str, value: impl Into<Value>) -> Self {
        self.0["spec"]["tasks"][task]["template"]["spec"]["containers"][0][field] = value.into();
        self
    }

    /// Pods of a task ask for this much CPU, for example `100m`.
    #[must_use]
    pub fn cpu(self, task: usize, cpu: &str) -> Self {
        self.container(task, "resources", json!({"requests": {"cpu": cpu}}))
    }

    /// As it is sent.
    #[must_use]
    pub fn json(self) -> Value {
        self.0
    }
}

impl From<Gang> for Value {
    fn from(gang: Gang) -> Self {
        gang.0
    }
}

/// An order to a queue: `OpenQueue` or `CloseQueue` (VJ-310).
#[must_use]
pub fn queue_order(queue: &str, action: &str) -> Write {
    let target =
        json!({"apiVersion": Resource::VOLCANO_QUEUES.api_version(), "kind": "Queue", "name": queue, "uid": ""});
    let command = json!({
        "apiVersion": Resource::VOLCANO_COMMANDS.api_version(),
        "kind": "Command",
        "metadata": {"generateName": format!("{}-", action.to_lowercase())},
        "action": action,
        "target": target,
    });
    Write::create_of(&Resource::VOLCANO_COMMANDS, command)
}

/// A queue below another, if that has a name; queues are in no namespace.
#[must_use]
pub fn queue(name: &str, parent: &str) -> Write {
    let mut queue = json!({
        "apiVersion": Resource::VOLCANO_QUEUES.api_version(),
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"weight": 1},
    });
    if !parent.is_empty() {
        queue["spec"]["parent"] = parent.into();
    }
    Write::create_of(&Resource::VOLCANO_QUEUES, queue).of_the_cluster()
}

/// The queue goes.
#[must_use]
pub fn no_queue(name: &str) -> Write {
    Write::delete_of(&Resource::VOLCANO_QUEUES, name).of_the_cluster()
}

/// The containers of a pod that are no init containers.
pub fn containers(pod: &Pod) -> impl Iterator<Item = &Container> {
    pod.spec.iter().flat_map(|spec| &spec.containers)
}

/// True of pods that nobody has told to stop.
#[must_use]
pub fn kept() -> PodWord {
    word("not told to stop", |pod| pod.metadata.deletion_timestamp.is_none())
}

/// True of pods whose containers all have a variable of this value.
#[must_use]
pub fn variable(name: &'static str, value: &'static str) -> PodWord {
    word(format!("with {name}={value}"), move |pod| {
        let is_it = |variable: &EnvVar| variable.name == name && variable.value.as_deref() == Some(value);
        containers(pod).all(|container| container.env.iter().flatten().any(is_it))
    })
}

fn push(list: &mut Value, item: Value) {
    match list.as_array_mut() {
        Some(items) => items.push(item),
        None => *list = json!([item]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gang_is_made_of_tasks_policies_and_plugins() {
        let gang = tasks(&[("ps", 1), ("w", 2)])
            .named("other")
            .min_available(2)
            .policy(on("PodFailed", "RestartJob"))
            .task_policy(1, on_exit(3, "AbortJob"))
            .task_policy(1, on_after("PodEvicted", "5s", "RestartTask"))
            .plugin("svc", &["--disable-network-policy=true"])
            .task(0, "name", ())
            .cpu(1, "100m")
            .json();
        assert_eq!(gang["metadata"]["name"], "other");
        assert_eq!(gang["spec"]["tasks"][0].get("name"), None);
        assert_eq!(gang["spec"]["tasks"][1]["policies"].as_array().map(Vec::len), Some(2));
        assert_eq!(gang["spec"]["plugins"]["svc"][0], "--disable-network-policy=true");
        let container = &gang["spec"]["tasks"][1]["template"]["spec"]["containers"][0];
        assert_eq!(container["resources"]["requests"]["cpu"], "100m");
    }

    /// Where a scheduler of its own runs, a case without that word would fight with it, or leave queues behind.
    #[test]
    fn who_plays_the_scheduler_says_so() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let suites =
            std::fs::read_dir(folder).unwrap().filter_map(|suite| std::fs::read_dir(suite.unwrap().path()).ok());
        let mut seen = 0;
        for case in suites.flatten().map(|case| case.unwrap().path()) {
            let text = std::fs::read_to_string(&case).unwrap();
            let plays = ["gangs_behave(", "scene.group_of(", "must(queue(", ".of_the_cluster()"];
            if text.contains("volcano_words") && plays.iter().any(|word| text.contains(word)) {
                seen += 1;
                let says = ["about_as_scheduler(", "about_restarts(", "about_faults("];
                assert!(says.iter().any(|word| text.contains(word)), "{}", case.display());
            }
        }
        assert!(seen > 15, "{seen} cases");
    }
}
