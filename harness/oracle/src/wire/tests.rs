//! What is written reads back; what was cut off or edited is told apart.

use super::{TimelineError, end, entry, head, read};
use crate::regime::{Phase, Regime, RegimeMark};
use crate::{
    fact::{Answer, Cause, Entry, Fact, Notice},
    recorded::Seen,
    request::Request,
    setting::{Ownership, Setting},
    timeline::{Death, Ending, Timeline},
};
use jobsworth_api::Resource;
use k8s_openapi::api::batch::v1::Job;
use rstest::rstest;
use serde_json::json;
use std::{sync::Arc, time::Duration};

fn setting() -> Setting {
    Setting {
        case: "suite/case".to_owned(),
        namespace: "jw-1".to_owned(),
        started: "2026-01-01T00:00:00Z".parse().unwrap(),
        kubernetes: "1.37.1".parse().unwrap(),
        emulated: Some("1.35".parse().unwrap()),
        gates: [("JobManagedBy".to_owned(), true)].into(),
        subject: "builtin".to_owned(),
        judged: Resource::JOBS,
        ownership: Ownership::ManagedBy("example.com/other".to_owned()),
        shared: true,
    }
}

fn facts() -> Vec<Fact> {
    let job = json!({"metadata": {"name": "job"}, "spec": {"template": {}, "aFieldOfTheFuture": 7}});
    let cause = Cause { field: "spec".into(), reason: "FieldValueInvalid".into(), message: "no".into() };
    vec![
        Fact::there::<Job>(Seen::new(job.clone()).unwrap()),
        Fact::Notice(Notice {
            kind: "Normal".into(),
            reason: "SuccessfulCreate".into(),
            message: "Created pod: a".into(),
            about: "Job/job".into(),
            count: 1,
        }),
        Fact::Answer(Answer {
            to: "a write".into(),
            code: 422,
            reason: "Invalid".into(),
            message: "no".into(),
            causes: vec![cause],
            warnings: vec!["careful".into()],
            body: Arc::new(json!(null)),
        }),
        Fact::Request(Arc::new(Request {
            by: "system:serviceaccount:kube-system:job-controller".into(),
            verb: "patch".into(),
            on: "pods".into(),
            name: "job-a".into(),
            sent_us: 3,
            took_us: 900,
            stored: Some(200),
            fault: Some("the answer was lost".into()),
            uid: Some("u".into()),
            made: Some(7),
            patch: Some(Arc::new(json!({"metadata": {"uid": "u"}}))),
            ..Request::default()
        })),
        Fact::Mark("half way".into()),
        Fact::Regime(RegimeMark {
            mark: "JobManagedBy off, attested".into(),
            phase: Phase::Attested,
            regime: Regime { gates: [("JobManagedBy".to_owned(), false)].into(), ..Regime::from(&setting()) },
        }),
        Fact::Gap("pods".into()),
        Fact::gone::<Job>(Seen::new(job).unwrap()),
    ]
}

fn file(ending: Option<&Ending>) -> String {
    let mut lines = vec![head(&setting())];
    for (revision, fact) in (1u64..).zip(facts()) {
        lines.push(entry(&Entry { revision, at: Duration::from_millis(revision), fact }));
    }
    lines.extend(ending.map(|ending| end(ending, facts().len())));
    lines.join("\n") + "\n"
}

fn rewritten(timeline: &Timeline) -> String {
    let mut lines = vec![head(&timeline.setting)];
    lines.extend(timeline.entries().iter().map(entry));
    lines.push(end(&timeline.ending, timeline.entries().len()));
    lines.join("\n") + "\n"
}

#[test]
fn what_is_written_reads_back_with_every_field() {
    let stalled = Ending::Stalled { waited_for: "the moon".into(), limit: Duration::from_secs(60) };
    let (after, limit) = (Duration::from_millis(5_250), Duration::from_secs(60));
    let cut_short = Ending::CutShort { waited_for: "the moon".into(), after, limit };
    let death = Death { status: "signal: 9 (SIGKILL)".into(), last_words: vec!["one".into(), "two".into()] };
    let rest = [Ending::Death(death), Ending::Fault("etcd died".into()), Ending::Truncated];
    for ending in [Ending::Complete, stalled, cut_short].into_iter().chain(rest) {
        let text = file(Some(&ending));
        let timeline = read(text.as_bytes()).unwrap();
        assert_eq!(timeline.ending, ending);
        assert_eq!(rewritten(&timeline), text, "nothing may be lost, not even fields that nobody knows");
    }
}

#[rstest]
#[case::jobs_of_kubernetes(Resource::JOBS, false)]
#[case::jobs_of_somebody_else(Resource::new("batch.volcano.sh", "v1alpha1", "jobs", "Job"), true)]
fn a_timeline_of_another_api_says_so(#[case] judged: Resource, #[case] is_said: bool) {
    let line = head(&Setting { judged: judged.clone(), ..setting() });
    assert_eq!(line.contains("judged"), is_said, "{line}");
    let timeline = read((line + "\n").as_bytes()).unwrap();
    assert_eq!(timeline.setting.judged, judged);
}

#[test]
fn what_somebody_elses_api_has_is_kept_as_an_object() {
    let object = json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "job"}});
    let line = json!({"rev": 1, "at_us": 1, "is": "object", "object": object}).to_string();
    let timeline = read(format!("{}\n{line}\n", head(&setting())).as_bytes()).unwrap();
    assert!(timeline.jobs().is_empty());
    let again: serde_json::Value = serde_json::from_str(&entry(&timeline.entries()[0])).unwrap();
    assert_eq!(again.to_string(), line);
}

#[test]
fn a_file_without_its_end_is_truncated() {
    assert_eq!(read(file(None).as_bytes()).unwrap().ending, Ending::Truncated);
}

#[test]
fn half_a_last_line_is_left_out() {
    let text = file(Some(&Ending::Complete));
    let timeline = read(&text.as_bytes()[..text.len() - 10]).unwrap();
    assert_eq!((timeline.ending.clone(), timeline.entries().len()), (Ending::Truncated, facts().len()));
}

#[test]
fn a_line_that_was_edited_is_named() {
    let text = file(Some(&Ending::Complete)).replace("\"is\":\"mark\"", "\"is\":\"mrak\"");
    assert!(matches!(read(text.as_bytes()), Err(TimelineError::Entry { line: 6, .. })));
}

#[test]
fn a_line_that_was_removed_is_missed() {
    let text = file(Some(&Ending::Complete));
    let shorter: Vec<&str> = text.lines().enumerate().filter(|(n, _)| *n != 2).map(|(_, line)| line).collect();
    let read = read(shorter.join("\n").as_bytes());
    assert!(matches!(read, Err(TimelineError::Count { counted: 8, found: 7 })));
}

#[test]
fn another_schema_is_refused() {
    let text = file(None).replace("timeline/v1", "timeline/v9");
    assert!(matches!(read(text.as_bytes()), Err(TimelineError::Head(_))));
}
