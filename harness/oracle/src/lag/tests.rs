//! What a recording shows of a slow machine, and what it does not.

use super::*;
use rstest::rstest;
use serde_json::json;

fn version(seconds: &[u32], is_stopping: bool) -> ObjectMeta {
    let write = |second: &u32| json!({"manager": "m", "time": format!("2026-01-01T00:00:{second:02}Z")});
    let writes: Vec<_> = seconds.iter().map(write).collect();
    let mut metadata = json!({"managedFields": writes});
    if is_stopping {
        metadata["deletionTimestamp"] = "2026-01-01T00:00:30Z".into();
    }
    serde_json::from_value(metadata).unwrap()
}

fn heard(versions: &[(Option<ObjectMeta>, ObjectMeta, u64)]) -> Duration {
    let mut lag = Lag::default();
    for (before, version, at) in versions {
        lag.heard(before.as_ref(), version, Duration::from_millis(*at));
    }
    lag.longest()
}

#[rstest]
#[case::heard_at_once(&[(1, 1_000), (5, 5_100)], 0)]
#[case::within_the_second_in_which_it_was_written(&[(1, 1_000), (5, 5_900)], 0)]
#[case::four_seconds_late(&[(1, 1_000), (5, 10_000)], 4_000)]
#[case::the_first_was_late(&[(1, 6_000), (9, 9_000)], 4_000)]
#[case::only_one(&[(1, 50_000)], 0)]
#[case::none(&[], 0)]
fn a_version_is_late_if_another_was_heard_of_sooner(#[case] heard_of: &[(u32, u64)], #[case] late: u64) {
    let versions: Vec<_> = heard_of.iter().map(|(second, at)| (None, version(&[*second], false), *at)).collect();
    assert_eq!(heard(&versions), Duration::from_millis(late));
}

#[rstest]
#[case::a_write_that_leaves_no_time_behind(version(&[1], false), 0)]
#[case::a_deletion(version(&[1, 2], true), 0)]
#[case::a_write(version(&[1, 2], false), 7_000)]
fn what_does_not_tell_its_time_shows_no_lag(#[case] later: ObjectMeta, #[case] late: u64) {
    let first = version(&[1], false);
    let versions = [(None, first.clone(), 1_000), (Some(first), later, 10_000)];
    assert_eq!(heard(&versions), Duration::from_millis(late));
}

#[rstest]
#[case::answered(Some(200), None, 3)]
#[case::refused(Some(503), None, 3)]
#[case::without_an_answer(None, None, 0)]
#[case::the_case_did_it(Some(200), Some("held"), 0)]
fn the_controllers_slowest_request_shows_lag(
    #[case] code: Option<u16>,
    #[case] fault: Option<&str>,
    #[case] seconds: u64,
) {
    let mut lag = Lag::default();
    let fault = fault.map(str::to_owned);
    lag.waited(&Request { code, fault, took_us: 3_000_000, ..Request::default() });
    lag.waited(&Request { code: Some(200), took_us: 1_000, ..Request::default() });
    assert_eq!(lag.longest().as_secs(), seconds);
    assert_eq!(lag.allowance().as_secs(), seconds * 2);
}
