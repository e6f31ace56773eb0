//! The transition table, cell by cell (VJ-175 to VJ-188), and the functions of phases (VJ-168 to VJ-174).

use jobsworth_volcano_core::goals::{Goals, TaskGoal};
use jobsworth_volcano_core::pod::PodPhase;
use jobsworth_volcano_core::transition::markdown::{PHASES, table};
use jobsworth_volcano_core::transition::{self, Column, Kill, Next, Pass, cell_of, next_phase};
use jobsworth_volcano_core::{Phase, Profile, Tally, progress};
use rstest::rstest;

/// As section 2.5 has it, with what was seen of unknown words while restarting.
const COMPAT: &str = "\
| phase | SyncJob | RestartJob | RestartTask, RestartPod, RestartPartition | AbortJob | TerminateJob | CompleteJob | ResumeJob | any other word |
|---|---|---|---|---|---|---|---|---|
| Pending | sync; stays or Running | hard; Restarting; +1 | targeted; Restarting; +1 | soft; Aborting | soft; Terminating | soft; Completing | sync; stays or Running | sync; stays or Running |
| Running | sync; stays or Completed, Failed, Pending | hard; Restarting; +1 | targeted; Restarting; +1 | soft; Aborting | soft; Terminating | soft; Completing | sync; stays or Completed, Failed, Pending | sync; stays or Completed, Failed, Pending |
| Restarting | sync; stays or Failed, Pending | hard; stays or Failed, Pending | targeted; stays or Failed, Pending | hard; stays or Failed, Pending | hard; stays or Failed, Pending | hard; stays or Failed, Pending | hard; stays or Failed, Pending | hard; stays or Failed, Pending |
| Aborting | soft; Aborted when none alive | soft; Aborted when none alive | soft; Aborted when none alive | soft; Aborted when none alive | soft; Aborted when none alive | soft; Aborted when none alive | soft; Restarting; +1 | soft; Aborted when none alive |
| Aborted | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; Restarting; +1 | soft; stays |
| Completing | soft; Completed when none alive | soft; Completed when none alive | soft; Completed when none alive | soft; Completed when none alive | soft; Completed when none alive | soft; Completed when none alive | soft; Completed when none alive | soft; Completed when none alive |
| Terminating | soft; Terminated when none alive | soft; Terminated when none alive | soft; Terminated when none alive | soft; Terminated when none alive | soft; Terminated when none alive | soft; Terminated when none alive | soft; Terminated when none alive | soft; Terminated when none alive |
| Completed | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays |
| Failed | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays |
| Terminated | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays |
";

#[test]
fn release_1_15_has_the_table_of_the_catalogue() {
    assert_eq!(table(Profile::Compat115), COMPAT);
}

/// VJ-187, VJ-188.
#[test]
fn the_strict_table_differs_in_what_is_issued_while_restarting_and_in_resumptions() {
    let (strict, compat) = (table(Profile::Strict), table(Profile::Compat115));
    let differing: Vec<(&str, &str)> = strict.lines().zip(compat.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!(
        differing.iter().map(|(strict, _)| *strict).collect::<Vec<_>>(),
        [
            "| Restarting | sync; stays or Failed, Pending | hard; stays or Failed, Pending | targeted; stays or Failed, Pending | soft; Aborting | soft; Terminating | soft; Completing | hard; stays or Failed, Pending | hard; stays or Failed, Pending |",
            "| Aborting | soft; Aborted when none alive | soft; Aborted when none alive | soft; Aborted when none alive | soft; Aborted when none alive | soft; Aborted when none alive | soft; Aborted when none alive | soft; Restarting | soft; Aborted when none alive |",
            "| Aborted | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; stays | soft; Restarting | soft; stays |",
        ]
    );
}

/// The seed's own table has these edges, temporary phases passed over.
#[test]
fn the_seed_leads_where_its_table_has_a_star() {
    let lasting = [Phase::Pending, Phase::Aborted, Phase::Running, Phase::Completed, Phase::Terminated];
    let stars = |from: Phase| -> Vec<Phase> {
        let direct = |from| PHASES.into_iter().filter(move |to| transition::is_edge(Profile::Seed, from, *to));
        let mut reached: Vec<Phase> = direct(from).collect();
        let passing: Vec<Phase> = reached.iter().copied().filter(|phase| !lasting.contains(phase)).collect();
        reached.extend(passing.into_iter().flat_map(direct));
        let mut seen: Vec<Phase> =
            lasting.into_iter().filter(|phase| *phase == from || reached.contains(phase)).collect();
        seen.dedup();
        seen
    };
    // Aborting and Restarting are left for others too; the table is about lasting phases only.
    assert!(stars(Phase::Pending).starts_with(&[Phase::Pending, Phase::Aborted, Phase::Running]));
    assert_eq!(stars(Phase::Aborted), [Phase::Pending, Phase::Aborted]);
    assert_eq!(stars(Phase::Completed), [Phase::Completed]);
    assert_eq!(stars(Phase::Terminated), [Phase::Terminated]);
    assert!(!transition::is_edge(Profile::Seed, Phase::Running, Phase::Pending));
    assert!(!transition::is_edge(Profile::Seed, Phase::Pending, Phase::Terminating));
    assert!(!transition::is_edge(Profile::Seed, Phase::Pending, Phase::Completing));
}

/// Every phase, every kind of action, every class of counters, in every profile: the next phase is one that the table
/// names, and a job that is over stays as it is.
#[test]
fn every_cell_leads_where_the_table_says() {
    let mut walked = 0;
    for (profile, phase, column) in every_cell() {
        let cell = cell_of(profile, phase, column);
        for (tally, retries) in classes() {
            let next = next_phase(profile, phase, cell, &goals(), &tally, retries);
            let allowed = match cell.next {
                Next::Function => next == phase || progress::leads_to(profile, phase).contains(&next),
                Next::To(to) => next == to,
                Next::WhenNoneAlive(to) => next == if tally.all.none_alive() { to } else { phase },
                Next::Stay => next == phase,
            };
            assert!(allowed, "{profile:?} {phase} {column:?}: {next}");
            assert!(!transition::is_end(phase) || next == phase);
            assert!(cell.pass != Pass::Sync || !cell.retry);
            assert!(cell.pass != Pass::Kill(Kill::Targeted) || column == Column::Target);
            walked += 1;
        }
    }
    assert_eq!(walked, 3 * 10 * 8 * classes().len());
}

fn every_cell() -> impl Iterator<Item = (Profile, Phase, Column)> {
    let phases = |profile| PHASES.into_iter().map(move |phase| (profile, phase));
    let cells = Profile::ALL.into_iter().flat_map(phases);
    cells.flat_map(|(profile, phase)| Column::ALL.into_iter().map(move |column| (profile, phase, column)))
}

/// Three pods of task `a` (at least two) and one of `b`, of which the gang needs three.
fn goals() -> Goals {
    let task = |name: &str, replicas, least| TaskGoal {
        name: name.to_owned(),
        replicas,
        min_available: Some(least),
        max_restarts: 3,
    };
    let tasks = vec![task("a", 3, 2), task("b", 1, 1)];
    Goals { total: 4, min_available: 3, min_success: None, max_retry: 3, tasks }
}

/// Zero, one and all of four pods in each state, with and without retries left.
fn classes() -> Vec<(Tally, i32)> {
    let states = [
        (PodPhase::Pending, false),
        (PodPhase::Running, false),
        (PodPhase::Succeeded, false),
        (PodPhase::Failed, false),
        (PodPhase::Unknown, false),
        (PodPhase::Running, true),
    ];
    let mut classes = Vec::new();
    for retries in [0, 2, 3] {
        classes.push((Tally::default(), retries));
        for (phase, terminating) in states {
            for count in [1, 4] {
                let mut tally = Tally::default();
                (0..count).for_each(|at| tally.add(if at == 3 { "b" } else { "a" }, phase, terminating));
                classes.push((tally, retries));
            }
        }
    }
    classes
}

/// Pods from words like `a ok ok fails, b runs`.
fn tally(text: &str) -> Tally {
    let mut tally = Tally::default();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (task, states) = part.split_once(' ').unwrap();
        for state in states.split(' ') {
            match state {
                "waits" => tally.add(task, PodPhase::Pending, false),
                "runs" => tally.add(task, PodPhase::Running, false),
                "ok" => tally.add(task, PodPhase::Succeeded, false),
                "fails" => tally.add(task, PodPhase::Failed, false),
                "stops" => tally.add(task, PodPhase::Running, true),
                other => panic!("what is `{other}`?"),
            }
        }
    }
    tally
}

#[rstest]
#[case::not_enough_run("a runs runs, b waits", Phase::Pending)]
#[case::enough_run("a runs runs, b runs", Phase::Running)]
#[case::those_that_failed_count_too("a fails fails, b fails", Phase::Running)]
#[case::those_that_stop_do_not("a runs runs, b stops", Phase::Pending)]
fn pending(#[case] pods: &str, #[case] next: Phase) {
    assert_eq!(progress::after(Profile::Strict, Phase::Pending, &goals(), &tally(pods), 0), next);
}

#[rstest]
#[case::some_still_run("a ok ok ok, b runs", None, Phase::Running)]
#[case::all_succeeded("a ok ok ok, b ok", None, Phase::Completed)]
#[case::enough_succeeded("a ok ok fails, b ok", None, Phase::Completed)]
// VJ-171 a: the gang needs as many as its tasks do, so each task's own number counts.
#[case::a_task_falls_short("a ok ok ok, b fails", None, Phase::Failed)]
#[case::too_few_succeeded("a ok fails fails, b ok", None, Phase::Failed)]
#[case::a_success_is_enough("a ok runs runs, b runs", Some(1), Phase::Completed)]
#[case::not_the_successes_asked_for("a ok ok ok, b ok", Some(5), Phase::Failed)]
#[case::too_many_wait("a runs runs waits, b waits", None, Phase::Pending)]
#[case::one_may_wait("a runs runs waits, b runs", None, Phase::Running)]
#[case::a_pod_is_missing("a ok ok, b ok", None, Phase::Running)]
fn running(#[case] pods: &str, #[case] min_success: Option<i32>, #[case] next: Phase) {
    let goals = Goals { min_success, ..goals() };
    assert_eq!(progress::after(Profile::Strict, Phase::Running, &goals, &tally(pods), 0), next);
}

/// VJ-171: where the gang needs fewer pods than its tasks do together, a task may fall short.
#[test]
fn a_small_gang_does_not_ask_for_every_task() {
    let goals = Goals { min_available: 2, ..goals() };
    let pods = tally("a ok ok ok, b fails");
    assert_eq!(progress::after(Profile::Strict, Phase::Running, &goals, &pods, 0), Phase::Completed);
}

/// VJ-169.
#[test]
fn a_running_job_without_replicas_stays() {
    let goals = Goals { total: 0, min_available: 0, min_success: Some(0), ..Goals::default() };
    assert_eq!(progress::after(Profile::Strict, Phase::Running, &goals, &Tally::default(), 0), Phase::Running);
}

#[rstest]
#[case::pods_stop("a stops stops", 1, Phase::Restarting)]
#[case::enough_room_for_the_gang("a stops", 1, Phase::Pending)]
#[case::no_runs_left("a stops stops", 3, Phase::Failed)]
fn restarting(#[case] pods: &str, #[case] retries: i32, #[case] next: Phase) {
    assert_eq!(progress::after(Profile::Strict, Phase::Restarting, &goals(), &tally(pods), retries), next);
}

#[test]
fn the_page_on_volcano_shows_the_table_of_each_profile() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/volcano.md");
    let page = std::fs::read_to_string(page).unwrap();
    for profile in jobsworth_volcano_core::Profile::ALL {
        let table = table(profile);
        assert!(
            page.contains(&table),
            "docs/volcano.md has another table for {}; this is it:\n{table}",
            profile.as_str()
        );
    }
}
