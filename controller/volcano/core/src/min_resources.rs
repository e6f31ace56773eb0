//! What the first pods of a gang use together: `minResources` (VJ-260, section 3.2.1).

use std::collections::BTreeMap;

use jobsworth_volcano_api::quantity::Amount;
use jobsworth_volcano_api::{JobSpec, TaskSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

type Amounts = BTreeMap<String, Amount>;
type Quantities = BTreeMap<String, Quantity>;

/// Values of priority classes by name.
pub type Priorities = BTreeMap<String, i32>;

/// The sum over the pods that make up the gang, in the words of quotas. A quantity that cannot be read counts as none.
#[must_use]
pub fn min_resources(spec: &JobSpec, priorities: &Priorities) -> Quantities {
    let mut sum = Amounts::new();
    for (task, count) in first_pods(spec, priorities) {
        let count = u32::try_from(count).unwrap_or_default();
        for (name, amount) in usage(task).into_iter().filter(|_| count > 0) {
            add(&mut sum, name, amount.times(count));
        }
    }
    sum.into_iter().map(|(name, amount)| (name, Quantity::from(amount))).collect()
}

/// How many pods of which task the gang is made of, tasks of high priority first.
#[must_use]
pub fn first_pods<'a>(spec: &'a JobSpec, priorities: &Priorities) -> Vec<(&'a TaskSpec, i32)> {
    let mut tasks: Vec<&TaskSpec> = spec.tasks.iter().collect();
    let priority = |task: &TaskSpec| {
        let class = task.template.spec.as_ref().and_then(|pod| pod.priority_class_name.as_ref());
        class.and_then(|class| priorities.get(class)).copied().unwrap_or_default()
    };
    // A stable sort: tasks of one priority keep their order.
    tasks.sort_by_key(|task| std::cmp::Reverse(priority(task)));
    let least = |task: &TaskSpec| task.min_available.unwrap_or(task.replicas);
    let sum = tasks.iter().fold(0i32, |sum, task| sum.saturating_add(least(task)));
    let mut missing = spec.min_available.max(0);
    let mut take = |most: i32| {
        let taken = most.clamp(0, missing);
        missing = missing.saturating_sub(taken);
        taken
    };
    if spec.min_available < sum {
        return tasks.into_iter().map(|task| (task, take(task.replicas))).collect();
    }
    let first: Vec<i32> = tasks.iter().map(|task| take(least(task))).collect();
    let rest = tasks.into_iter().zip(first);
    rest.map(|(task, taken)| (task, taken.saturating_add(take(task.replicas.saturating_sub(taken))))).collect()
}

/// What one pod of the task counts for in quotas: requests by name and as `requests.<name>`, limits as `limits.<name>`.
fn usage(task: &TaskSpec) -> Amounts {
    let none = PodSpec::default();
    let pod = task.template.spec.as_ref().unwrap_or(&none);
    let mut usage: Amounts =
        [("pods", 1), ("count/pods", 1)].map(|(name, count)| (name.to_owned(), Amount::whole(count))).into();
    for (name, amount) in total(pod, requests) {
        usage.insert(format!("requests.{name}"), amount);
        usage.insert(name, amount);
    }
    for (name, amount) in total(pod, |resources| resources.limits.clone().unwrap_or_default()) {
        usage.insert(format!("limits.{name}"), amount);
    }
    usage
}

/// Requests; what only has a limit asks for that much, as the API server has it.
fn requests(resources: &ResourceRequirements) -> Quantities {
    let mut requests = resources.limits.clone().unwrap_or_default();
    requests.extend(resources.requests.clone().unwrap_or_default());
    requests
}

/// Of a pod: its containers and sidecars side by side, or the largest moment of its initialisation; what the pod itself
/// says of a resource wins; its overhead comes on top.
fn total(pod: &PodSpec, pick: impl Fn(&ResourceRequirements) -> Quantities) -> Amounts {
    let of = |resources: Option<&ResourceRequirements>| resources.map(|all| amounts(&pick(all))).unwrap_or_default();
    let of_container = |container: &Container| of(container.resources.as_ref());
    let mut sum = Amounts::new();
    for (name, amount) in pod.containers.iter().flat_map(of_container) {
        add(&mut sum, name, amount);
    }
    let (mut sidecars, mut peak) = (Amounts::new(), Amounts::new());
    for container in pod.init_containers.iter().flatten() {
        let own = of_container(container);
        let stays = container.restart_policy.as_deref() == Some("Always");
        let mut moment = sidecars.clone();
        for (name, amount) in own {
            add(&mut moment, name, amount);
        }
        for (name, amount) in &moment {
            raise(&mut peak, name, *amount);
        }
        if stays {
            sidecars = moment;
        }
    }
    for (name, amount) in sidecars {
        add(&mut sum, name, amount);
    }
    for (name, amount) in peak {
        raise(&mut sum, &name, amount);
    }
    sum.extend(of(pod.resources.as_ref()));
    let overhead = pod.overhead.as_ref().map(amounts).unwrap_or_default();
    for (name, amount) in overhead.into_iter().filter(|(name, _)| sum.contains_key(name)).collect::<Vec<_>>() {
        add(&mut sum, name, amount);
    }
    sum
}

fn amounts(quantities: &Quantities) -> Amounts {
    let read = |(name, quantity): (&String, &Quantity)| Some((name.clone(), Amount::try_from(quantity).ok()?));
    quantities.iter().filter_map(read).collect()
}

fn add(sum: &mut Amounts, name: String, amount: Amount) {
    let known = sum.get(&name).copied();
    sum.insert(name, known.map_or(amount, |known| known.plus(amount)));
}

fn raise(most: &mut Amounts, name: &str, amount: Amount) {
    if most.get(name).is_none_or(|known| amount > *known) {
        most.insert(name.to_owned(), amount);
    }
}
