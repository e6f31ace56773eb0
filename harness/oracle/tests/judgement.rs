//! From sentences to a verdict, the words of cases, and histories as text.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "the builder knows more steps than these tests tell")]
mod timelines;

use jobsworth_api::{
    ConditionKind::{Complete, FailureTarget, SuccessCriteriaMet},
    KubeVersion, Minor,
};
use jobsworth_oracle::{
    Answer, Death, Ending, Expectations, Fact, KnownDeviation, Predicate, Request, Timeline, Verdict,
    fact::{Cause, Entry, Notice},
    judge, narrate,
    property::{Property, after, before, eventually, never, whenever},
    vocabulary::{answer, index, job, job::ConditionWords as _, job_named, notice, passed, pod_named, pods},
};
use rstest::rstest;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use timelines::{Story, one_failed, three_run, two_complete, two_decided};

fn never_seen() -> Predicate {
    passed("never")
}

fn stalled() -> Ending {
    Ending::Stalled { waited_for: "the moon".to_owned(), limit: Duration::from_secs(60) }
}

fn cut_short() -> Ending {
    let (after, limit) = (Duration::from_secs(5), Duration::from_secs(60));
    Ending::CutShort { waited_for: "the moon".to_owned(), after, limit }
}

fn never_ran() -> Value {
    let message = "runc create failed: fork/exec: resource temporarily unavailable";
    let state = json!({"terminated": {"exitCode": 128, "reason": "StartError", "message": message}});
    let container =
        json!({"name": "main", "image": "x", "imageID": "", "ready": false, "restartCount": 0, "state": state});
    json!({"status": {"containerStatuses": [container]}})
}

fn died() -> Ending {
    Ending::Death(Death {
        status: "exit status: 101".to_owned(),
        last_words: vec!["thread 'main' panicked".to_owned()],
    })
}

fn good() -> Expectations {
    Expectations::from([("it is complete", eventually(job().has(Complete)))])
}

fn bad() -> Expectations {
    good().and("it never is", never(job().has(Complete)))
}

fn untested() -> Expectations {
    good().and("never means never", whenever(&never_seen(), job().has(Complete)))
}

#[rstest]
#[case::every_claim_held(good(), two_complete(), Verdict::Pass)]
#[case::a_claim_is_broken(bad(), two_complete(), Verdict::Fail)]
#[case::an_invariant_is_broken(good(), two_complete().status(json!({"active": 1})), Verdict::Fail)]
#[case::a_claim_was_not_put_to_the_test(untested(), two_complete(), Verdict::Inconclusive)]
#[case::there_is_a_hole(good(), two_complete().gap("pods"), Verdict::Inconclusive)]
#[case::a_breach_is_heard_before_a_hole(bad(), two_complete().gap("pods"), Verdict::Fail)]
#[case::the_script_waited_in_vain(good(), two_complete().ending(stalled()), Verdict::Inconclusive)]
#[case::the_script_waited_for_what_was_claimed(good(), two_decided().ending(stalled()), Verdict::Fail)]
#[case::the_wait_was_cut_short(good(), two_complete().ending(cut_short()), Verdict::Inconclusive)]
#[case::what_a_cut_wait_did_not_see_is_not_absent(good(), two_decided().ending(cut_short()), Verdict::Inconclusive)]
#[case::what_was_seen_before_the_cut_counts(bad(), two_complete().ending(cut_short()), Verdict::Fail)]
#[case::the_harness_gave_up(good(), two_complete().ending(Ending::Fault("no disk".to_owned())), Verdict::Inconclusive)]
#[case::the_file_was_cut(good(), two_complete().ending(Ending::Truncated), Verdict::Inconclusive)]
#[case::the_controller_died(good(), two_complete().ending(died()), Verdict::Fail)]
#[case::a_pod_never_ran_for_want_of_the_machine(bad(), two_complete().pod("0a", never_ran()), Verdict::Inconclusive)]
#[case::nothing_was_claimed(Expectations::new(), two_complete(), Verdict::Pass)]
fn verdicts(#[case] expectations: Expectations, #[case] story: Story, #[case] verdict: Verdict) {
    let judgement = judge(&story.end(), &expectations);
    assert_eq!(judgement.verdict, verdict, "{:#?} {:#?}", judgement.doubts, judgement.broken().collect::<Vec<_>>());
    assert_eq!(verdict == Verdict::Pass, judgement.doubts.is_empty() && judgement.broken().count() == 0);
    assert!(verdict != Verdict::Inconclusive || !judgement.doubts.is_empty());
}

fn known(subject: &'static str, since: u32, until: Option<u32>, breaks: &'static [&'static str]) -> KnownDeviation {
    let (since, until) = (Minor::new(1, since), until.map(|until| Minor::new(1, until)));
    KnownDeviation { subject, since, until, mended_in: &[], unless: None, breaks, source: "a page" }
}

/// The stories are told of the built-in controller of 1.37.
#[rstest]
#[case::as_known("builtin", 36, None, &["it never is"], Verdict::Deviates)]
#[case::an_invariant_as_known("builtin", 30, Some(37), &["it never is", "S01"], Verdict::Deviates)]
#[case::of_another_controller("reference", 36, None, &["it never is"], Verdict::Fail)]
#[case::of_a_later_version("builtin", 38, None, &["it never is"], Verdict::Fail)]
#[case::of_an_earlier_version("builtin", 30, Some(36), &["it never is"], Verdict::Fail)]
#[case::something_else_is_wrong("builtin", 36, None, &["S01"], Verdict::Fail)]
fn what_is_known_of_a_controller_is_no_failure_of_it(
    #[case] subject: &'static str,
    #[case] since: u32,
    #[case] until: Option<u32>,
    #[case] breaks: &'static [&'static str],
    #[case] verdict: Verdict,
) {
    let judgement = judge(&two_complete().end(), &bad().known(known(subject, since, until, breaks)));
    assert_eq!(judgement.verdict, verdict);
    assert_eq!(judgement.broken().count(), 1, "the evidence stays");
    let shown = judgement.deviation.map(|deviation| deviation.shown);
    assert_eq!(shown, (verdict == Verdict::Deviates).then_some(true));
}

/// The first fixes of two minors came in patches.
const MENDED: &[KubeVersion] = &[KubeVersion::new(1, 35, 7), KubeVersion::new(1, 36, 3)];

#[rstest]
#[case::before_the_range("1.33.9", Verdict::Fail)]
#[case::a_minor_that_was_never_mended("1.34.12", Verdict::Deviates)]
#[case::the_last_patch_that_deviates("1.35.6", Verdict::Deviates)]
#[case::the_patch_with_the_fix("1.35.7", Verdict::Fail)]
#[case::a_later_patch("1.35.10", Verdict::Fail)]
#[case::an_early_patch_of_the_next_minor("1.36.2", Verdict::Deviates)]
#[case::the_fix_of_the_next_minor("1.36.3", Verdict::Fail)]
#[case::after_the_range("1.37.0", Verdict::Fail)]
fn a_deviation_that_a_patch_mended_excuses_no_later_one(#[case] version: &str, #[case] verdict: Verdict) {
    let mut story = two_complete();
    story.setting.kubernetes = version.parse().unwrap();
    let known = KnownDeviation { mended_in: MENDED, ..known("builtin", 34, Some(36), &["it never is"]) };
    assert_eq!(judge(&story.end(), &bad().known(known)).verdict, verdict);
}

#[test]
fn two_known_deviations_may_show_at_once_and_each_excuses_its_own() {
    let two = || bad().known(known("builtin", 36, None, &["S01"])).known(known("builtin", 36, None, &["it never is"]));
    let judgement = judge(&two_complete().end(), &two());
    assert_eq!(
        (judgement.verdict, judgement.deviation.map(|deviation| deviation.shown)),
        (Verdict::Deviates, Some(true))
    );
}

#[test]
fn a_known_deviation_that_does_not_show_is_news_and_a_pass() {
    let judgement = judge(&two_complete().end(), &good().known(known("builtin", 36, None, &["it never is"])));
    assert_eq!((judgement.verdict, judgement.deviation.map(|deviation| deviation.shown)), (Verdict::Pass, Some(false)));
}

#[rstest]
#[case::it_shows(bad(), Verdict::Deviates, Some(true))]
#[case::it_does_not_and_that_is_no_news(good(), Verdict::Pass, None)]
fn a_deviation_that_shows_now_and_then_is_told_when_it_does(
    #[case] expectations: Expectations,
    #[case] verdict: Verdict,
    #[case] shown: Option<bool>,
) {
    let judgement = judge(&two_complete().end(), &expectations.possibly(known("builtin", 36, None, &["it never is"])));
    assert_eq!((judgement.verdict, judgement.deviation.map(|deviation| deviation.shown)), (verdict, shown));
}

#[test]
fn a_known_deviation_is_no_excuse_for_a_death() {
    let judgement =
        judge(&two_complete().ending(died()).end(), &bad().known(known("builtin", 36, None, &["it never is"])));
    assert_eq!(judgement.verdict, Verdict::Fail);
}

/// A status that kube-controller-manager wrote in any version up to 1.35 while a pod had to wait for its replacement
/// (kubernetes#139428).
const MORE_READY: &str =
    "Job.batch \"job\" is invalid: status.ready: Invalid value: 1: cannot set more ready pods than active";
const NEGATIVE: &str =
    "Job.batch \"job\" is invalid: status.failed: Invalid value: -1: must be greater than or equal to 0";

#[rstest]
#[case::as_known("1.35.4", "builtin", MORE_READY, Verdict::Deviates)]
#[case::mended("1.36.4", "builtin", MORE_READY, Verdict::Fail)]
#[case::of_another_controller("1.35.4", "reference", MORE_READY, Verdict::Fail)]
#[case::another_refusal("1.35.4", "builtin", NEGATIVE, Verdict::Fail)]
fn what_is_known_of_a_controller_in_every_case_is_no_failure_of_it(
    #[case] version: &str,
    #[case] subject: &str,
    #[case] says: &str,
    #[case] verdict: Verdict,
) {
    let write = Request { verb: "update".into(), on: "jobs/status".into(), name: "job".into(), ..Request::default() };
    let mut story = Story::plain(2, 1).create("a").start(1).run("a").wait(1);
    (story.setting.kubernetes, story.setting.subject) = (version.parse().unwrap(), subject.to_owned());
    let refused = Request { code: Some(422), says: says.into(), from: Some(105), ..write };
    let judgement = judge(&story.asks(refused).end(), &Expectations::new());
    assert_eq!(judgement.verdict, verdict, "{:#?}", judgement.broken().collect::<Vec<_>>());
    let source = judgement.deviation.map(|deviation| deviation.source.rsplit('/').next().unwrap());
    assert_eq!(source, (verdict == Verdict::Deviates).then_some("139428"));
}

#[test]
fn that_nothing_showed_of_what_may_show_anywhere_is_no_news() {
    let mut story = two_complete();
    story.setting.kubernetes = "1.35.4".parse().unwrap();
    let judgement = judge(&story.end(), &good());
    assert_eq!((judgement.verdict, judgement.deviation), (Verdict::Pass, None));
}

/// The event of the end, in the order in which it arrives and with a revision of its own.
fn told_of_its_end(events_apart: bool, revision: u64) -> Story {
    let story = if events_apart { Story::plain(1, 1).events_apart() } else { Story::plain(1, 1) };
    let story = story.create("a").start(1).run("a").succeed("a");
    let story = story.ledger(&["a"], &[], json!({"active": 0}));
    let story = story.condition("SuccessCriteriaMet", "CompletionsReached", json!({})).release("a");
    story.finish("Complete", "CompletionsReached", json!({"succeeded": 1})).notice("Completed", revision)
}

#[rstest]
#[case::in_order(false, 900, before(&job().has(Complete), never(notice("Completed").was_written())), Verdict::Pass)]
#[case::out_of_order(false, 1, before(&job().has(Complete), never(notice("Completed").was_written())), Verdict::Fail)]
#[case::no_order(true, 1, before(&job().has(Complete), never(notice("Completed").was_written())), Verdict::Inconclusive)]
#[case::no_order_though_it_looks_right(true, 900, after(&job().has(Complete), eventually(notice("Completed").was_written())), Verdict::Inconclusive)]
#[case::no_order_in_one_world(true, 900, eventually(job().has(Complete).and(notice("Completed").was_written())), Verdict::Inconclusive)]
#[case::events_alone(true, 1, eventually(notice("Completed").was_written()), Verdict::Pass)]
#[case::events_alone_can_break(true, 1, never(notice("Completed").was_written()), Verdict::Fail)]
#[case::objects_alone(true, 1, eventually(job().has(Complete)), Verdict::Pass)]
fn where_events_have_a_store_of_their_own_their_order_is_a_doubt(
    #[case] events_apart: bool,
    #[case] revision: u64,
    #[case] claim: Property,
    #[case] verdict: Verdict,
) {
    let timeline = told_of_its_end(events_apart, revision).end();
    let judgement = judge(&timeline, &Expectations::from([("the end is told in time", claim)]));
    assert_eq!(judgement.verdict, verdict, "{:#?} {:#?}", judgement.doubts, judgement.broken().collect::<Vec<_>>());
    let is_said = judgement.doubts.iter().any(|doubt| doubt.contains("a store of their own"));
    assert_eq!(is_said, verdict == Verdict::Inconclusive, "{:?}", judgement.doubts);
}

#[test]
fn events_without_an_order_are_placed_by_their_arrival() {
    let timeline = told_of_its_end(true, 1).end();
    assert!(matches!(timeline.entries().last().map(|entry| &entry.fact), Some(Fact::Notice(_))));
}

#[test]
fn the_death_of_the_controller_is_the_one_thing_broken_in_what_it_left_undone() {
    let judgement = judge(&two_decided().ending(died()).end(), &good());
    let broken: Vec<_> = judgement.broken().map(|sentence| sentence.source.as_str()).collect();
    assert_eq!(broken, ["controller"], "what did not come before its death is no second breach");
    let observed = judgement.broken().filter_map(|sentence| sentence.breach()).map(|breach| breach.observed.clone());
    assert_eq!(observed.collect::<Vec<_>>(), ["it ended unasked with exit status: 101"]);
}

#[test]
fn an_invariant_without_occasion_is_no_doubt() {
    let judgement = judge(&Story::plain(1, 1).end(), &Expectations::new());
    assert_eq!((judgement.verdict, judgement.doubts), (Verdict::Pass, vec![]));
}

#[test]
fn the_same_history_gives_the_same_judgement() {
    let timeline = one_failed().end();
    assert_eq!(judge(&timeline, &bad()), judge(&timeline, &bad()));
}

#[rstest]
#[case::a_condition(job().has(Complete), true)]
#[case::another_condition(job().has(FailureTarget), false)]
#[case::its_reason(job().has(SuccessCriteriaMet.because("CompletionsReached")), true)]
#[case::another_reason(job().has(SuccessCriteriaMet.because("SuccessPolicy")), false)]
#[case::its_message(job().has(Complete.because("CompletionsReached").saying("why")), true)]
#[case::a_false_condition(job().has(Complete.is_false()), false)]
#[case::finished(job().is_finished(), true)]
#[case::a_job_by_another_name(job_named("other").exists(), false)]
#[case::a_job_that_never_was_is_gone(job_named("other").is_gone(), true)]
#[case::started(job().has_started(), true)]
#[case::counters(job().active(0).and(job().succeeded(2)).and(job().failed(0)), true)]
#[case::absent_counters_are_zero(job().failed(0), true)]
#[case::indexes_as_text(job().completed_indexes("0,1"), true)]
#[case::absent_failed_indexes_are_not_empty(job().failed_indexes(""), false)]
#[case::all_pods(pods().count(2), true)]
#[case::pods_of_an_index(index(1).count(1), true)]
#[case::a_pod_by_name(pod_named("job-0-0axxx").all(pods::succeeded()), true)]
#[case::stopped_pods(pods().that_are(pods::stopped()).at_least(2), true)]
#[case::live_pods(pods().any(pods::live()), false)]
#[case::held_pods(pods().any(pods::tracked()), false)]
#[case::running_pods(pods().running(0), true)]
#[case::no_event(notice("Completed").was_written(), false)]
#[case::not_passed(passed("here"), false)]
fn words_about_a_complete_job(#[case] word: Predicate, #[case] expected: bool) {
    let last = two_complete().end().worlds().last().unwrap();
    assert_eq!(word.holds(&last), expected, "{word}");
    assert_eq!(word.clone().negated().holds(&last), !expected, "{}", word.negated());
}

#[test]
fn a_creation_is_true_in_its_own_world_only() {
    let created: Vec<bool> = three_run().end().worlds().map(|world| index(1).created().holds(&world)).collect();
    assert_eq!(created.iter().filter(|created| **created).count(), 1);
    assert!(created[3], "the world after the second pod: nothing, the Job, one pod, this pod");
}

fn with(facts: Vec<Fact>) -> Timeline {
    let entries = facts.into_iter().zip(1u64..).map(|(fact, revision)| Entry {
        revision,
        at: Duration::from_millis(revision),
        fact,
    });
    Timeline::seal(two_complete().setting, entries.collect(), Ending::Complete)
}

fn refusal() -> Fact {
    Fact::Answer(Answer {
        to: "a write".to_owned(),
        code: 422,
        reason: "Invalid".to_owned(),
        message: "no".to_owned(),
        causes: vec![Cause {
            field: "status.ready".to_owned(),
            reason: "FieldValueInvalid".to_owned(),
            message: "more than active".to_owned(),
        }],
        warnings: vec!["careful".to_owned()],
        body: Arc::new(json!({"spec": {"n": 1}})),
    })
}

fn event(count: u32) -> Fact {
    Fact::Notice(Notice {
        kind: "Normal".to_owned(),
        reason: "Completed".to_owned(),
        message: "Job completed".to_owned(),
        about: "Job/job".to_owned(),
        count,
    })
}

#[rstest]
#[case::refused_with_a_cause(answer("a write").is_refused("status.ready", "FieldValueInvalid"), true)]
#[case::refused_on_another_field(answer("a write").is_refused("status.active", "FieldValueInvalid"), false)]
#[case::refused_saying_so(answer("a write").is_refused_saying("status.ready", "than active"), true)]
#[case::refused_with_a_code(answer("a write").is_refused_with(422), true)]
#[case::not_accepted(answer("a write").is_accepted(), false)]
#[case::another_write(answer("another").is_refused_with(422), false)]
#[case::a_warning(answer("a write").warns("care"), true)]
#[case::a_field_of_the_object(answer("a write").has("/spec/n", 1), true)]
#[case::an_absent_field_is_null(answer("a write").has("/spec/m", serde_json::Value::Null), true)]
#[case::an_event(notice("Completed").was_written(), true)]
#[case::an_event_saying_something_else(notice("Completed").saying("failed").was_written(), false)]
#[case::an_event_about_this_object(notice("Completed").on("Job/job").was_written(), true)]
#[case::an_event_about_another_object(notice("Completed").on("Job/other").was_written(), false)]
#[case::events_add_up(notice("Completed").saying("completed").more_than(2), true)]
#[case::and_not_to_more(notice("Completed").more_than(3), false)]
fn words_about_answers_and_events(#[case] word: Predicate, #[case] expected: bool) {
    let last = with(vec![refusal(), event(1), event(2)]).worlds().last().unwrap();
    assert_eq!(word.holds(&last), expected, "{word}");
}

#[test]
fn a_place_in_a_history_is_shown_with_what_is_around_it() {
    let timeline = two_complete().end();
    let revision = timeline.entries()[5].revision;
    insta::assert_snapshot!(narrate::around(&timeline, revision, Duration::ZERO, 2));
}

#[test]
fn a_request_that_broke_a_sentence_is_shown_although_it_went_well() {
    let request = Request { verb: "list".to_owned(), on: "pods".to_owned(), code: Some(200), ..Request::default() };
    let timeline = two_complete().asks(request).end();
    let (asked, _) = timeline.requests().last().expect("it was asked");
    let text = narrate::around(&timeline, asked.revision, asked.at, 1);
    assert!(text.lines().any(|line| line.starts_with("> ") && line.contains("list")), "{text}");
    assert!(!narrate::around(&timeline, asked.revision, Duration::ZERO, 1).contains("list"));
}

#[rstest]
#[case::before_the_beginning(0, 3)]
#[case::after_the_end(u64::MAX, 3)]
fn a_place_outside_the_history_is_its_nearest_end(#[case] revision: u64, #[case] lines: usize) {
    let text = narrate::around(&two_complete().end(), revision, Duration::ZERO, 2);
    assert_eq!((text.lines().count(), text.matches('>').count()), (lines, 1), "{text}");
}

#[test]
fn nothing_recorded_is_nothing_shown() {
    assert_eq!(narrate::around(&with(vec![]), 7, Duration::ZERO, 2), "");
}

#[rstest]
#[case::as_known(None, "builtin", 103, Verdict::Deviates)]
#[case::with_the_gate_off(Some(false), "builtin", 103, Verdict::Deviates)]
#[case::mended(Some(true), "builtin", 103, Verdict::Fail)]
#[case::of_another_controller(None, "reference", 103, Verdict::Fail)]
#[case::it_knew_of_the_decision(None, "builtin", 1_000, Verdict::Fail)]
fn a_pod_of_a_controller_that_has_not_seen_its_own_decision(
    #[case] gate: Option<bool>,
    #[case] subject: &str,
    #[case] from: u64,
    #[case] verdict: Verdict,
) {
    let counts = json!({"active": 0, "ready": 0, "terminating": 1, "succeeded": 1, "completedIndexes": "0"});
    let spec = json!({"completions": 2, "parallelism": 2, "completionMode": "Indexed",
        "successPolicy": {"rules": [{"succeededIndexes": "0"}]}});
    let mut story = Story::of(spec).create("0a").create("1a").start(2).run("0a").run("1a").succeed("0a").stop("1a");
    story.setting.subject = subject.to_owned();
    story.setting.gates.remove("StaleControllerConsistencyJob");
    story.setting.gates.extend(gate.map(|is_on| ("StaleControllerConsistencyJob".to_owned(), is_on)));
    let says = "Matched rules at index 0";
    let story = story.condition_saying("SuccessCriteriaMet", "SuccessPolicy", says, counts).release("0a").create("0b");
    let made = story.revision();
    let asked = |verb: &str, on: &str| Request { verb: verb.into(), on: on.into(), ..Request::default() };
    let creation = Request { code: Some(201), made: Some(made), ..asked("create", "pods") };
    let says = "the object has been modified".to_owned();
    let status =
        Request { code: Some(409), from: Some(from), name: "job".into(), says, ..asked("update", "jobs/status") };
    let judgement = judge(&story.asks(creation).asks(status).end(), &Expectations::new());
    let broken: Vec<_> = judgement.broken().map(|sentence| sentence.source.as_str().to_owned()).collect();
    assert_eq!((judgement.verdict, broken), (verdict, vec!["S07".to_owned(), "S16".to_owned()]));
}
