//! Who gets a place, and which group is how, shown on gangs that nobody had to bring up.

use super::*;
use rstest::rstest;

const WAITING: GangBehaviour = GangBehaviour { phases: When::OnWord, room: None };

fn with_room(room: u64) -> GangBehaviour {
    GangBehaviour { phases: When::AtOnce, room: Some(room) }
}

fn pod(name: &str, priority: i32, state: State) -> Member {
    let task = name.split('-').next().unwrap_or_default().to_owned();
    Member { name: name.to_owned(), uid: name.to_owned(), task, priority, cpu: 100, state }
}

/// A gang that needs `min` of these pods.
fn gang(name: &str, phase: &str, min: usize, members: Vec<Member>) -> Gang {
    let members = members.into_iter().map(|pod| Member { uid: format!("{name}/{}", pod.name), ..pod }).collect();
    Gang {
        name: name.to_owned(),
        uid: name.to_owned(),
        came: (String::new(), name.to_owned()),
        phase: phase.to_owned(),
        min_member: min,
        min_cpu: 100 * u64::try_from(min).unwrap_or(0),
        members,
        ..Gang::default()
    }
}

fn three(state: State) -> Vec<Member> {
    ["a-0", "a-1", "a-2"].map(|name| pod(name, 0, state)).into()
}

fn starts(gangs: &[Gang], room: u64) -> Vec<String> {
    let is_start = |step: Step| match step {
        Step::Start { uid, .. } => Some(uid),
        Step::Phase { .. } => None,
    };
    steps(gangs, &with_room(room)).into_iter().filter_map(is_start).collect()
}

fn phase(gang: Gang, behaviour: &GangBehaviour) -> Option<&'static str> {
    steps(&[gang], behaviour).into_iter().find_map(|step| match step {
        Step::Phase { phase, .. } => Some(phase),
        Step::Start { .. } => None,
    })
}

/// VJ-268
#[rstest]
#[case::no_room(0, 0)]
#[case::room_for_less_than_the_gang(299, 0)]
#[case::room_for_the_gang(300, 3)]
fn a_gang_starts_whole_or_not_at_all(#[case] room: u64, #[case] started: usize) {
    assert_eq!(starts(&[gang("g", "Inqueue", 3, three(State::Waiting))], room).len(), started);
}

/// VJ-269
#[rstest]
#[case::as_much_as_there_is(250, Some("Inqueue"))]
#[case::a_fifth_more_than_there_is(249, Some("Pending"))]
#[case::far_more(100, Some("Pending"))]
fn a_group_waits_outside_until_its_minimum_fits_with_a_fifth_to_spare(
    #[case] room: u64,
    #[case] expected: Option<&str>,
) {
    assert_eq!(phase(gang("g", "", 3, vec![]), &with_room(room)), expected);
}

/// VJ-270
#[test]
fn the_most_important_pods_come_first() {
    let mut members = three(State::Waiting);
    members.push(pod("driver-0", 10, State::Waiting));
    assert_eq!(starts(&[gang("g", "Inqueue", 2, members)], 200), ["g/a-0", "g/driver-0"]);
}

/// VJ-271
#[test]
fn what_is_left_goes_to_whoever_has_least() {
    let gangs = [gang("g", "Inqueue", 2, three(State::Waiting)), gang("h", "Inqueue", 1, three(State::Waiting))];
    assert_eq!(starts(&gangs, 400), ["g/a-0", "g/a-1", "h/a-0", "h/a-1"]);
}

/// VJ-272
#[rstest]
#[case::nobody_has_a_place("Inqueue", three(State::Waiting), 0, None)]
#[case::enough_run("Inqueue", three(State::Placed), 300, Some("Running"))]
#[case::as_before("Running", three(State::Placed), 300, None)]
#[case::all_ended("Running", three(State::Ended), 300, Some("Completed"))]
#[case::some_run_and_the_rest_finds_no_room("Running",
    vec![pod("a-0", 0, State::Placed), pod("a-1", 0, State::Placed), pod("a-2", 0, State::Waiting)], 200, Some("Unknown"))]
fn a_group_is_as_its_pods_are(
    #[case] now: &str,
    #[case] members: Vec<Member>,
    #[case] room: u64,
    #[case] expected: Option<&str>,
) {
    assert_eq!(phase(gang("g", now, 3, members), &with_room(room)), expected);
}

/// VJ-273
#[test]
fn of_two_gangs_that_each_need_everything_one_gets_it_whole() {
    let gangs = [gang("g", "Inqueue", 3, three(State::Waiting)), gang("h", "Inqueue", 3, three(State::Waiting))];
    assert_eq!(starts(&gangs, 400), ["g/a-0", "g/a-1", "g/a-2"]);
}

/// VJ-274
#[rstest]
#[case::what_each_task_needs_is_there(&["a-0", "b-0"], 2)]
#[case::a_task_lacks_a_pod(&["a-0", "a-1"], 0)]
fn the_minimum_of_each_task_counts(#[case] names: &[&str], #[case] started: usize) {
    let members = names.iter().map(|name| pod(name, 0, State::Waiting)).collect();
    let minima = ["a", "b"].map(|task| (task.to_owned(), 1));
    let gang = Gang { min_task_member: minima.into(), ..gang("g", "Inqueue", 2, members) };
    assert_eq!(starts(&[gang], 1000).len(), started);
}

#[test]
fn with_room_for_everybody_groups_are_let_in_and_pods_are_left_to_others() {
    let gang = gang("g", "", 3, three(State::Waiting));
    let wanted = Step::Phase { group: "g".to_owned(), uid: "g".to_owned(), phase: "Inqueue" };
    assert_eq!(steps(std::slice::from_ref(&gang), &GangBehaviour::default()), [wanted]);
    assert!(steps(&[gang], &WAITING).is_empty());
}
