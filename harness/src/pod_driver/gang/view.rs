//! Groups and their pods as a scheduler sees them, made of what was recorded.

use jobsworth_api::well_known::volcano::{GROUP_NAME, TASK_SPEC as TASK};
use jobsworth_oracle::{
    World,
    recorded::volcano::PodGroup,
    vocabulary::pods::{is_stopping, is_terminal, phase},
};
use k8s_openapi::api::core::v1::Pod;
use serde_json::Value;
use std::collections::BTreeMap;

/// A gang, with the pods that it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Gang {
    pub name: String,
    pub uid: String,
    /// Where it stands among gangs of one priority: who came first is served first.
    pub came: (String, String),
    /// Empty where nobody has given it one (VJ-335).
    pub phase: String,
    pub min_member: usize,
    /// The same for each task; empty where the sum is more than `min_member`, since then it binds nobody (VJ-274).
    pub min_task_member: BTreeMap<String, usize>,
    /// CPU that the gang must have, in thousandths (VJ-260).
    pub min_cpu: u64,
    pub members: Vec<Member>,
}

/// A pod of a gang.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Member {
    pub name: String,
    pub uid: String,
    pub task: String,
    pub priority: i32,
    /// What it asks for, in thousandths.
    pub cpu: u64,
    pub state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// It has no place.
    #[default]
    Waiting,
    /// It has a place, and takes up what it asked for.
    Placed,
    /// It is at its end and takes up nothing.
    Ended,
}

/// The gangs of a world, each with its pods.
pub(super) fn of(world: &World) -> Vec<Gang> {
    let stays = |group: &&jobsworth_oracle::Seen<PodGroup>| group.metadata.deletion_timestamp.is_none();
    let mut gangs: Vec<Gang> = world.all::<PodGroup>().filter(stays).map(|group| gang(group, &group.raw)).collect();
    for pod in world.pods() {
        let group = annotation(pod, GROUP_NAME);
        let home = gangs.iter_mut().find(|gang| gang.name == group);
        if let (Some(gang), Some(member)) = (home, member(pod)) {
            gang.members.push(member);
        }
    }
    gangs.sort_by(|a, b| a.came.cmp(&b.came));
    gangs
}

fn gang(group: &PodGroup, raw: &Value) -> Gang {
    let count = |count: i32| usize::try_from(count).unwrap_or(0);
    let tasks: BTreeMap<String, usize> =
        group.spec.min_task_member.iter().map(|(task, min)| (task.clone(), count(*min))).collect();
    let min_member = count(group.spec.min_member);
    let binds = tasks.values().sum::<usize>() <= min_member;
    let name = group.metadata.name.clone().unwrap_or_default();
    let created = group.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default();
    Gang {
        came: (created, name.clone()),
        name,
        uid: group.metadata.uid.clone().unwrap_or_default(),
        phase: group.status.phase.clone().unwrap_or_default(),
        min_member,
        min_task_member: if binds { tasks } else { BTreeMap::new() },
        min_cpu: raw.pointer("/spec/minResources/cpu").and_then(Value::as_str).and_then(thousandths).unwrap_or(0),
        members: Vec::new(),
    }
}

/// A pod that counts; one that stops without ever having had a place is on its way out.
fn member(pod: &Pod) -> Option<Member> {
    let spec = pod.spec.as_ref()?;
    let requests = spec.containers.iter().filter_map(|container| container.resources.as_ref()?.requests.as_ref());
    let cpu = requests.filter_map(|requests| thousandths(&requests.get("cpu")?.0)).sum();
    let state = match () {
        () if is_terminal(pod) => State::Ended,
        () if spec.node_name.is_some() || phase(pod) == "Running" => State::Placed,
        () if is_stopping(pod) => return None,
        () => State::Waiting,
    };
    Some(Member {
        name: pod.metadata.name.clone()?,
        uid: pod.metadata.uid.clone()?,
        task: annotation(pod, TASK).to_owned(),
        priority: spec.priority.unwrap_or(0),
        cpu,
        state,
    })
}

fn annotation<'p>(pod: &'p Pod, key: &str) -> &'p str {
    pod.metadata.annotations.as_ref().and_then(|all| all.get(key)).map_or("", String::as_str)
}

/// CPU in thousandths, of `2`, `1.5` or `250m`; nothing for what is finer or written in another way.
fn thousandths(quantity: &str) -> Option<u64> {
    if let Some(milli) = quantity.strip_suffix('m') {
        return milli.parse().ok();
    }
    let (whole, part) = quantity.split_once('.').unwrap_or((quantity, ""));
    let part: u64 = match part.len() {
        0 => 0,
        digits @ 1..=3 => part.parse::<u64>().ok()? * 10_u64.pow(3 - u32::try_from(digits).ok()?),
        _ => return None,
    };
    whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_oracle::{Fact, Seen};
    use rstest::rstest;
    use serde_json::json;
    use std::time::Duration;

    #[rstest]
    #[case::thousandths("250m", Some(250))]
    #[case::whole("2", Some(2000))]
    #[case::one_digit("1.5", Some(1500))]
    #[case::three_digits("0.125", Some(125))]
    #[case::finer("0.0001", None)]
    #[case::of_bytes("1Ki", None)]
    fn cpu_is_read(#[case] text: &str, #[case] value: Option<u64>) {
        assert_eq!(thousandths(text), value);
    }

    #[test]
    fn a_gang_has_its_group_s_numbers_and_its_pods() {
        let group = json!({"metadata": {"name": "g", "uid": "u"}, "spec": {"minMember": 2, "minTaskMember": {"w": 2},
            "minResources": {"cpu": "200m"}}, "status": {"phase": "Inqueue"}});
        let pod = json!({"metadata": {"name": "p", "uid": "v", "annotations": {GROUP_NAME: "g", TASK: "w"}},
            "spec": {"priority": 7, "containers": [{"name": "c", "resources": {"requests": {"cpu": "0.1"}}}]}});
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::there::<PodGroup>(Seen::new(group).unwrap()));
        world.apply(2, Duration::ZERO, &Fact::there::<Pod>(Seen::new(pod).unwrap()));
        let gangs = of(&world);
        assert_eq!((gangs[0].min_member, gangs[0].min_cpu, gangs[0].phase.as_str()), (2, 200, "Inqueue"));
        assert_eq!(gangs[0].min_task_member, BTreeMap::from([("w".to_owned(), 2)]));
        let one = &gangs[0].members[0];
        assert_eq!((one.task.as_str(), one.priority, one.cpu, one.state), ("w", 7, 100, State::Waiting));
    }
}
