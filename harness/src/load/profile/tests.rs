//! Load profiles: a whole one, wrong ones, impossible ones.

use rstest::rstest;

use super::*;
use crate::load::workload::{Pods, Policy, Scenario, Start, Success};

const HEAD: &str = "schema: jobsworth/load-profile/v1\nname: mine\nsays: Mine.\n";
const WIDE: &str = "mix: [{name: wide, jobs: 1, completions: 500}]\n";

#[test]
fn a_whole_profile_is_read() {
    let text = format!(
        "{HEAD}id: M1\nusual: true\nrounds: 2\nnamespaces: 3\nlimit: 10m\nseed: 7\nbudget: {{qps: 50, burst: 60}}\nmix:\n\
         - {{name: large, jobs: 1, completions: 400, parallelism: 40, success-policy: {{indexes: every-second, bytes: 9, count: 2}}}}\n\
         - {{name: small, jobs: 8, completions: 5, mode: NonIndexed, per-second: 2.5, begin: 1s, arrivals: random, ttl: 1m}}\n\
         - {{name: last, jobs: 2, completions: 1, after-first-pod-of: small}}\n\
         pods: {{run-time: 500ms, per-second: 10, template-bytes: 4000}}\ngoals: [{{goal: G2, figure: first-pod.small.p90, at-most: 0.5, interval-at-most: 0.6}}]\n"
    );
    let profile = parse(&text, "mine.yaml").unwrap();
    assert_eq!((profile.id.as_deref(), profile.usual, profile.rounds), (Some("M1"), true, 2));
    assert_eq!(profile.budget, Some(Rate { qps: 50, burst: 60 }));
    let (id, figure) = (Some("G2".to_owned()), "first-pod.small.p90".to_owned());
    let goal = Goal { id, figure, at_most: 0.5, interval_at_most: Some(0.6) };
    assert_eq!(profile.goals, [goal]);
    assert!(profile.is_called("m1") && profile.is_called("mine") && !profile.is_called(""));
    let workload = profile.workload;
    assert_eq!((workload.scenario, workload.namespaces, workload.seed), (Scenario::Work, 3, 7));
    assert_eq!((workload.limit, workload.template_bytes), (Duration::from_secs(600), 4000));
    let run_time = Duration::from_millis(500);
    assert_eq!(workload.pods, Pods::Succeed(Success { run_time, per_second: Some(10), below_index: None }));
    let [large, small, last] = workload.cohorts.as_slice() else { panic!("{:?}", workload.cohorts) };
    assert_eq!(large.policy, Some(Policy::every_second(400, 9, Some(2))));
    assert_eq!((large.at_once(), small.at_once(), small.ttl_s), (40, 5, Some(60)));
    let begin = Duration::from_secs(1);
    assert_eq!(small.start, Start::Paced { begin, per_second: 2.5, arrivals: Arrivals::Random });
    assert_eq!(last.start, Start::AfterFirstPodOf("small".to_owned()));
}

#[rstest]
#[case::an_unknown_key("pds: {}\n", "there is no key `pds` here", "did you mean `pods`?")]
#[case::an_unknown_key_of_pods("pods: {run-tim: 1s}\n", "there is no key `run-tim` here", "did you mean `run-time`?")]
#[case::an_unknown_figure(
    "goals: [{figure: makspan, at-most: 1}]\n",
    "there is no figure `makspan`",
    "did you mean `makespan`?"
)]
#[case::a_figure_of_steps_that_do_not_follow_each_other(
    "goals: [{figure: last-pod-to-end.wide.p90, at-most: 1}]\n",
    "there is no figure `last-pod-to-end.wide.p90`",
    "figures of this profile are"
)]
#[case::a_figure_of_which_more_is_better(
    "goals: [{figure: rate-held, at-most: 1}]\n",
    "of `rate-held` more is better",
    "say `find-rate` with `ratio-at-least`"
)]
#[case::a_goal_with_a_name_that_is_none(
    "goals: [{goal: G 1, figure: makespan, at-most: 1}]\n",
    "a goal cannot be called `G 1`",
    "letters, digits and `-`"
)]
#[case::a_goal_of_nothing("goals: [{figure: makespan, at-most: 0}]\n", "`at-most` is 0", "it goes from 0.001 to 1000")]
#[case::an_interval_that_ends_before_the_goal(
    "goals: [{figure: makespan, at-most: 1, interval-at-most: 0.9}]\n",
    "`interval-at-most` is 0.9",
    "it goes from 1 to 1000"
)]
#[case::no_time("limit: soon\n", "`limit` is `soon`, which is no time", "write for example `500ms`")]
#[case::a_time_that_is_over("limit: -5s\n", "`limit` is `-5s`", "")]
#[case::a_budget_of_nothing("budget: {qps: 0, burst: 1}\n", "`qps` is 0", "it goes from 1 to 1000")]
#[case::no_namespace("namespaces: 0\n", "`namespaces` is 0", "it goes from 1 to 100")]
#[case::nothing_expires("expire-over: 5s\n", "nothing expires in this scenario", "say `scenario: expiry`")]
#[case::no_policy("scenario: leader\n", "is about one Job whose `success-policy`", "change the mix or the scenario")]
#[case::nothing_is_finished("scenario: expiry\n", "each cohort is `born: finished`", "")]
#[case::nothing_is_there("scenario: restart\n", "needs a cohort that is `born: running`", "")]
#[case::no_end("pods: {below-index: 100}\n", "no Job would ever end", "give a Job a `success-policy`")]
#[case::a_rate_of_jobs_without_a_pace(
    "find-rate: {probe: 60s, end-within: 5s}\n",
    "Jobs that come at a pace",
    "`per-second`"
)]
#[case::a_probe_that_shows_nothing(
    "find-rate: {probe: 1s, end-within: 5s}\n",
    "`probe` is 1 s",
    "no backlog can be seen to grow in less than 5 s"
)]
#[case::a_ratio_of_rates_of_nothing(
    "find-rate: {probe: 60s, end-within: 5s, ratio-at-least: 0}\n",
    "`ratio-at-least` is 0",
    "it goes from 0.001 to 1000"
)]
#[case::a_soak_without_a_pace("soak: {memory-mib-per-hour: 8}\n", "in a soak Jobs come", "`per-second`")]
#[case::pods_that_do_not_end("scenario: suspension\npods: {run-time: 1s}\n", "pods do not succeed by themselves", "")]
fn what_cannot_be_is_refused(#[case] more: &str, #[case] says: &str, #[case] help: &str) {
    refused(&format!("{HEAD}{WIDE}{more}"), says, help);
}

#[rstest]
#[case::no_jobs("{name: a, jobs: 0, completions: 1}", "`jobs` is 0", "it goes from 1 to 100000")]
#[case::no_completions("{name: a, jobs: 1, completions: 0}", "`completions` is 0", "")]
#[case::too_parallel("{name: a, jobs: 1, completions: 2, parallelism: 3}", "`parallelism` is 3", "lower it")]
#[case::more_than_the_api_allows(
    "{name: a, jobs: 1, completions: 100001}",
    "cannot have parallelism 100001",
    "the API allows 10000"
)]
#[case::a_bad_name("{name: a-b, jobs: 1, completions: 1}", "`a-b` cannot be the name of a cohort", "")]
#[case::a_name_twice("{name: wide, jobs: 1, completions: 1}", "there are two cohorts `wide`", "rename")]
#[case::behind_nobody(
    "{name: a, jobs: 1, completions: 1, after-first-pod-of: wid}",
    "there is no other cohort `wid`",
    "did you mean `wide`?"
)]
#[case::behind_itself("{name: a, jobs: 1, completions: 1, after-first-pod-of: a}", "there is no other cohort `a`", "")]
#[case::a_beginning_without_a_pace("{name: a, jobs: 1, completions: 1, begin: 1s}", "these Jobs have no pace", "")]
#[case::two_times("{name: a, jobs: 1, completions: 1, per-second: 1, after-first-pod-of: wide}", "not both", "")]
#[case::too_fast("{name: a, jobs: 1, completions: 1, per-second: 1001}", "`per-second` is 1001", "")]
#[case::born_in_the_wrong_scenario(
    "{name: a, jobs: 1, completions: 1, born: running}",
    "in this scenario Jobs cannot be there before the controller like this",
    ""
)]
#[case::a_limit_per_index_without_indexes(
    "{name: a, jobs: 1, completions: 1, mode: NonIndexed, backoff-limit-per-index: 1}",
    "a NonIndexed Job cannot have a limit per index",
    "say `mode: Indexed`"
)]
#[case::a_failure_that_never_comes(
    "{name: a, jobs: 1, completions: 9, pod-failure-policy: fail-job}",
    "no pod ever fails in this scenario",
    "say `scenario: leader`"
)]
#[case::a_policy_without_indexes(
    "{name: a, jobs: 1, completions: 9, mode: NonIndexed, success-policy: {indexes: leader}}",
    "a NonIndexed Job cannot have a success policy",
    "say `mode: Indexed`"
)]
#[case::more_bytes_than_the_api_takes(
    "{name: a, jobs: 1, completions: 9, success-policy: {indexes: every-second, bytes: 65537}}",
    "`bytes` is 65537",
    "the API takes 1 to 65536 bytes"
)]
#[case::a_count_that_is_never_met(
    "{name: a, jobs: 1, completions: 9, success-policy: {indexes: every-second, count: 6}}",
    "`count` is 6, but the rule names 5 indexes",
    ""
)]
fn cohorts_that_cannot_be_are_refused(#[case] cohort: &str, #[case] says: &str, #[case] help: &str) {
    refused(&format!("{HEAD}mix:\n- {{name: wide, jobs: 1, completions: 5}}\n- {cohort}\n"), says, help);
}

#[test]
fn work_without_a_cohort_that_is_submitted_is_refused() {
    let finished = "mix:\n- {name: a, jobs: 1, completions: 1, born: finished}\n";
    refused(&format!("{HEAD}{finished}"), "in `scenario: work` at least one cohort is submitted", "");
}

#[track_caller]
fn refused(text: &str, says: &str, help: &str) {
    let error = parse(text, "mine.yaml").expect_err("it cannot be");
    let problem = error.problems.iter().find(|problem| problem.says.contains(says));
    let problem = problem.unwrap_or_else(|| panic!("{error}"));
    assert!(problem.line > 0, "{problem:?}");
    assert!(problem.help.as_deref().unwrap_or_default().contains(help), "{problem:?}");
}

#[test]
fn every_mistake_is_told_at_once_and_in_order() {
    let text = format!("{HEAD}mix: [{{name: A, jobs: 0, completions: 0}}]\nlimit: never\n");
    let error = parse(&text, "mine.yaml").expect_err("it cannot be");
    assert_eq!(error.problems.len(), 5, "{error}");
    assert!(error.problems.is_sorted_by_key(|problem| (problem.line, problem.column)), "{error}");
}

#[test]
fn the_digest_is_that_of_the_text() {
    let (one, other) =
        (parse(&format!("{HEAD}{WIDE}"), "a").unwrap(), parse(&format!("{HEAD}seed: 2\n{WIDE}"), "a").unwrap());
    assert_eq!(one.digest.len(), 64);
    assert_ne!(one.digest, other.digest);
}
