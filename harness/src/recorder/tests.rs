//! Where a recording ends.

use super::{
    Book, Pages,
    entry::{self, Progress, State},
    file::TimelineFile,
    resource::Watched,
};
use crate::wire::Passed;
use jobsworth_api::Resource;
use jobsworth_oracle::{Ownership, Request, Setting};
use rstest::rstest;
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
    time::Duration,
};
use tokio::{
    sync::{broadcast, watch},
    time::Instant,
};

fn setting() -> Setting {
    Setting {
        case: "a/case".to_owned(),
        namespace: "jw-1".to_owned(),
        started: jiff::Timestamp::UNIX_EPOCH,
        kubernetes: "1.37.1".parse().unwrap(),
        emulated: None,
        gates: BTreeMap::new(),
        subject: "builtin".to_owned(),
        judged: Resource::JOBS,
        ownership: Ownership::BuiltIn,
        shared: false,
    }
}

/// A book in a folder of its own, which stays as long as the second value does.
fn book(apart: &[Resource]) -> (Book, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let pages = Pages {
        file: TimelineFile::create(&folder.path().join("timeline"), &setting()).unwrap(),
        world: jobsworth_oracle::World::default(),
        seen: Progress::default(),
        counted: BTreeMap::new(),
        entries: 0,
        stirred: Duration::ZERO,
        broken: None,
        apart: apart.iter().cloned().collect::<BTreeSet<_>>(),
        cut: None,
        heard: Vec::new(),
    };
    let book = Book {
        started: Instant::now(),
        pages: Mutex::new(pages),
        length: watch::Sender::new(0),
        pods: broadcast::Sender::new(1),
    };
    (book, folder)
}

/// An object of that resource is seen.
fn see(book: &Book, resource: &Resource, uid: &str, revision: u64) {
    let all = Watched::of(&setting());
    let watched = all.iter().find(|watched| watched.resource == *resource).unwrap();
    let object = json!({
        "metadata": {"name": uid, "namespace": "jw-1", "uid": uid, "resourceVersion": revision.to_string()},
    });
    entry::enter(book, watched, object, State::There).unwrap();
}

/// A request that was answered and took a while.
fn request(made: Option<u64>, came: Instant) -> Passed {
    let request = Request {
        by: "controller".to_owned(),
        verb: "update".to_owned(),
        on: "jobs/status".to_owned(),
        made,
        ..Request::default()
    };
    Passed { request, came: came.into_std() }
}

fn entries(book: &Book) -> usize {
    book.pages().entries
}

#[test]
fn what_is_newer_than_the_end_is_not_recorded_whichever_watch_brings_it() {
    let (book, _folder) = book(&[]);
    see(&book, &Resource::JOBS, "job", 7);
    assert!(book.cut(8));
    see(&book, &Resource::JOBS, "job", 9);
    see(&book, &Resource::EVENTS, "event", 10);
    assert_eq!(entries(&book), 1);
    see(&book, &Resource::PODS, "pod", 8);
    assert_eq!(entries(&book), 2, "what is as old as the end belongs to it");
}

#[test]
fn a_recording_does_not_end_before_what_is_in_it() {
    let (book, _folder) = book(&[]);
    see(&book, &Resource::JOBS, "job", 9);
    assert!(!book.cut(8), "the Job is newer than what is known of pods");
    see(&book, &Resource::PODS, "pod", 10);
    assert_eq!(entries(&book), 2);
    assert!(book.cut(10));
}

#[test]
fn revisions_of_another_store_say_nothing_of_the_end() {
    let (book, _folder) = book(&[Resource::EVENTS]);
    see(&book, &Resource::EVENTS, "event", 900);
    assert!(book.cut(8));
    see(&book, &Resource::EVENTS, "another", 901);
    assert_eq!(entries(&book), 2);
}

#[rstest]
#[case::made_what_was_seen(Some(8), 0, true)]
#[case::made_what_was_not_seen(Some(9), 0, false)]
#[case::refused_after_it_came_before_the_end(None, 0, true)]
#[case::refused_and_came_after_the_end(None, 3600, false)]
fn a_request_is_recorded_if_it_was_before_the_end(#[case] made: Option<u64>, #[case] after: u64, #[case] kept: bool) {
    let (book, _folder) = book(&[]);
    let now = Instant::now();
    assert!(book.cut(8));
    book.asked(request(made, now + Duration::from_secs(after)));
    assert_eq!(entries(&book) == 1, kept);
}

#[test]
fn before_there_is_an_end_every_request_is_recorded() {
    let (book, _folder) = book(&[]);
    book.asked(request(Some(u64::MAX), Instant::now()));
    book.asked(request(None, Instant::now()));
    assert_eq!(entries(&book), 2);
}

#[rstest]
#[case::a_write("update", "jobs/status", false)]
#[case::a_read("get", "jobs", true)]
#[case::an_event("create", "events", true)]
fn a_recording_does_not_end_between_a_request_and_what_it_made(
    #[case] verb: &str,
    #[case] on: &str,
    #[case] ends_before: bool,
) {
    let (book, _folder) = book(&[]);
    let Passed { request, came } = request(Some(9), Instant::now());
    let request = Request { verb: verb.to_owned(), on: on.to_owned(), ..request };
    book.asked(Passed { request, came });
    assert_eq!(book.cut(8), ends_before);
    assert!(book.cut(9), "by then a watch has brought what was made");
}

#[test]
fn what_an_audit_log_tells_afterwards_stands_where_it_was_over() {
    let (book, folder) = book(&[]);
    see(&book, &Resource::JOBS, "job", 7);
    let between = book.elapsed();
    book.pages().heard.push((between + Duration::from_secs(60), 9));
    for (sent, took_us) in [(between, 1), (between, 120_000_000)] {
        let sent_us = u64::try_from(sent.as_micros()).unwrap();
        let Passed { request, .. } = request(None, Instant::now());
        book.audited(Request { sent_us, took_us, ..request });
    }
    let written = std::fs::read_to_string(folder.path().join("timeline")).unwrap();
    let revisions: Vec<u64> = written
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["is"] == "request")
        .map(|line| line["rev"].as_u64().unwrap())
        .collect();
    assert_eq!(revisions, [7, 9]);
}

#[test]
fn what_came_after_the_end_is_not_taken_from_an_audit_log() {
    let (book, _folder) = book(&[]);
    assert!(book.cut(8));
    let Passed { request, .. } = request(None, Instant::now());
    book.audited(Request { sent_us: 3_600_000_000, ..request.clone() });
    assert_eq!(entries(&book), 0);
    book.audited(request);
    assert_eq!(entries(&book), 1);
}
