//! The judgement about made-up facts.

use rstest::rstest;

use super::*;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What is wrong, by check.
fn wrong(facts: &Facts, lease: Until, now: Instant) -> Vec<String> {
    let failed = |check: Check| check.wrong.map(|wrong| format!("{}: {wrong}", check.name));
    facts.judge(lease, now).into_iter().filter_map(failed).collect()
}

fn places(hired: usize, there: usize) -> Facts {
    Facts { parts: BTreeMap::from([("workers", Places { hired, there })]), ..Facts::default() }
}

#[rstest]
#[case::all_are_there(places(5, 5), &[])]
#[case::one_is_missing(places(5, 4), &["workers: 4 of 5 are there"])]
#[case::one_is_missing_at_the_end(Facts { stopping: true, ..places(5, 4) }, &[])]
fn parts(#[case] facts: Facts, #[case] expected: &[&str]) {
    assert_eq!(wrong(&facts, Until::Always, Instant::now()), expected);
}

#[rstest]
#[case::it_just_spoke(0, &[])]
#[case::it_is_quiet(180, &[])]
#[case::it_is_stalled(181, &["things-watch: nothing came for 181 s or longer"])]
fn a_watch(#[case] silent: u64, #[case] expected: &[&str]) {
    let spoke = Instant::now();
    let facts = Facts {
        parts: BTreeMap::from([("things-watch", Places { hired: 1, there: 1 })]),
        watches: BTreeMap::from([("things-watch", spoke + SILENCE)]),
        stopping: false,
    };
    assert_eq!(wrong(&facts, Until::Always, spoke + seconds(silent)), expected);
    let stopping = Facts { stopping: true, ..facts };
    assert_eq!(wrong(&stopping, Until::Always, spoke + seconds(silent)), [""; 0]);
}

#[rstest]
#[case::it_is_held(-3, &[])]
#[case::it_ran_out(20, &[])]
#[case::it_is_stuck(21, &["leaderElection: the right to write ended 21 s ago, and the program goes on"])]
fn the_lease(#[case] past: i64, #[case] expected: &[&str]) {
    let start = Instant::now() + seconds(100);
    let now = if past < 0 { start - seconds(past.unsigned_abs()) } else { start + seconds(past.unsigned_abs()) };
    assert_eq!(wrong(&Facts::default(), Until::At(start), now), expected);
}

#[test]
fn a_standby_and_one_without_an_election_are_alive() {
    let names = |lease| Facts::default().judge(lease, Instant::now()).into_iter().map(|it| it.name).collect::<Vec<_>>();
    assert_eq!(names(Until::Never), ["ping", "leaderElection"]);
    assert_eq!(names(Until::Always), ["ping"]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_beats_is_alive_for_ever_and_one_that_stops_is_not() {
    let liveness = Arc::new(Liveness::new(Fence::open()));
    let _watch = liveness.register("things-watch");
    let heartbeat = liveness.heartbeat("things-watch");
    for _ in 0..10 {
        tokio::time::advance(SILENCE).await;
        assert_eq!(liveness.answer("livez", false, Instant::now()), (true, "ok".to_owned()));
        heartbeat.beat();
    }
    tokio::time::advance(SILENCE + seconds(1)).await;
    assert!(!liveness.answer("livez", false, Instant::now()).0);
}

#[tokio::test(start_paused = true)]
async fn every_check_has_a_line_when_all_are_asked_for() {
    let liveness = Arc::new(Liveness::new(Fence::shut()));
    let _watch = liveness.register("things-watch");
    let text = "[+]ping ok\n[+]leaderElection ok\n[+]things-watch ok\nhealthz check passed\n";
    assert_eq!(liveness.answer("healthz", true, Instant::now()), (true, text.to_owned()));
}
