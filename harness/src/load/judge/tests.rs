//! What is judged while a load flows, and what is dropped once it is.

use std::collections::BTreeMap;

use jobsworth_api::Resource;
use jobsworth_oracle::Ownership;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn setting() -> Setting {
    Setting {
        case: "load".to_owned(),
        namespace: "load".to_owned(),
        started: jiff::Timestamp::UNIX_EPOCH,
        kubernetes: "1.37.1".parse().expect("a version"),
        emulated: None,
        gates: BTreeMap::new(),
        subject: "reference".to_owned(),
        judged: Resource::JOBS,
        ownership: Ownership::DropIn,
        shared: false,
    }
}

/// Versions of Jobs of two pods at parallelism 1; `live` says how many pods are alive at the same time.
struct Stream {
    revision: u64,
    at: Duration,
    versions: Vec<SeenVersion>,
}

impl Stream {
    fn new() -> Self {
        Self { revision: 10, at: Duration::ZERO, versions: Vec::new() }
    }

    fn put(&mut self, kind: Kind, presence: Presence, mut object: Value) {
        self.revision += 1;
        self.at += Duration::from_millis(50);
        object["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        let object = RawValue::from_string(object.to_string()).expect("JSON");
        self.versions.push(SeenVersion { at: self.at, kind, presence, object });
    }

    fn job(&mut self, number: u32, presence: Presence) {
        let spec = json!({"completions": 2, "parallelism": 1, "completionMode": "NonIndexed", "backoffLimit": 6, "suspend": false,
            "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": format!("j{number}")}},
            "template": {"metadata": {"labels": {"batch.kubernetes.io/controller-uid": format!("j{number}"), "controller-uid": format!("j{number}"),
                "batch.kubernetes.io/job-name": format!("small-{number}"), "job-name": format!("small-{number}")}},
                "spec": {"containers": [{"name": "main", "image": "x"}], "restartPolicy": "Never"}}});
        let meta = json!({"name": format!("small-{number}"), "namespace": "load", "uid": format!("j{number}"), "generation": 1,
            "creationTimestamp": "1970-01-01T00:00:00Z"});
        self.put(Kind::Job, presence, json!({"metadata": meta, "spec": spec, "status": {}}));
    }

    fn pod(&mut self, job: u32, pod: u32, phase: &str, presence: Presence) {
        let meta = json!({"name": format!("small-{job}-{pod}abcd"), "generateName": format!("small-{job}-"), "namespace": "load",
            "uid": format!("j{job}p{pod}"), "creationTimestamp": "1970-01-01T00:00:00Z",
            "managedFields": [{"manager": "somebody", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}}],
            "labels": {"batch.kubernetes.io/controller-uid": format!("j{job}"), "controller-uid": format!("j{job}"),
                "batch.kubernetes.io/job-name": format!("small-{job}"), "job-name": format!("small-{job}")},
            "finalizers": ["batch.kubernetes.io/job-tracking"],
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": format!("small-{job}"), "uid": format!("j{job}"),
                "controller": true, "blockOwnerDeletion": true}]});
        let spec = json!({"containers": [{"name": "main", "image": "x"}], "restartPolicy": "Never"});
        self.put(Kind::Pod, presence, json!({"metadata": meta, "spec": spec, "status": {"phase": phase}}));
    }

    /// A Job whose pods run one after the other, or at once; then all of it goes.
    fn life(&mut self, number: u32, at_once: u32) {
        self.job(number, Presence::There);
        for pod in 0..at_once {
            self.pod(number, pod, "Pending", Presence::There);
        }
        for pod in 0..at_once {
            self.pod(number, pod, "Succeeded", Presence::There);
            self.pod(number, pod, "Succeeded", Presence::Gone);
        }
        self.job(number, Presence::Gone);
    }

    fn judged(&self) -> Judged {
        let mut histories = Histories::new(setting());
        self.versions.iter().for_each(|seen| histories.enter(seen));
        histories.conclude(&Ending::Complete)
    }
}

#[test]
fn one_pod_too_many_is_told_in_the_words_of_a_case() {
    let mut stream = Stream::new();
    (0..3).for_each(|number| stream.life(number, 1));
    assert_eq!(stream.judged().broken, []);
    stream.life(3, 2);
    let judged = stream.judged();
    assert_eq!((judged.jobs, judged.broken_jobs), (4, 1));
    let broken = judged.broken.iter().find(|broken| broken.invariant == "S17").expect("parallelism is broken");
    assert_eq!(broken.says, "no pod is created while as many are alive as parallelism allows");
    assert_eq!(broken.expected, "at most 1 live pods");
    assert_eq!(broken.observed, "Job small-3: 2 live pods with pod small-3-1abcd, parallelism 1");
    let complaint = judged.complaint().expect("it is broken");
    assert!(complaint.starts_with("S17 “no pod is created") && complaint.contains("1 of 4 Jobs"), "{complaint}");
}

#[test]
fn a_history_that_was_given_up_is_a_doubt_and_no_breach() {
    let judged = Judged { given_up: 2, jobs: 3, ..Judged::default() };
    assert_eq!(judged.complaint(), None);
    assert_eq!(judged.doubt().as_deref(), Some("the histories of 2 Jobs grew too large to judge"));
    assert_eq!(Judged { jobs: 3, ..Judged::default() }.doubt(), None);
}

#[test]
fn a_trial_that_was_cut_short_concludes_nothing_from_what_was_not_seen() {
    let mut stream = Stream::new();
    stream.life(0, 2);
    let mut histories = Histories::new(setting());
    stream.versions.iter().for_each(|seen| histories.enter(seen));
    let judged = histories.conclude(&Ending::Fault("cut".to_owned()));
    assert!(judged.broken.iter().any(|broken| broken.invariant == "S17"), "what was seen was seen");
}

#[test]
fn a_thread_of_its_own_comes_to_the_same() {
    let mut stream = Stream::new();
    (0..5).for_each(|number| stream.life(number, 1 + number % 2));
    let wanted = stream.judged();
    let judge = Judge::start(setting()).expect("a thread");
    let input = judge.input();
    stream.versions.drain(..).for_each(|seen| input.send(seen));
    assert_eq!(judge.conclude(&Ending::Complete).expect("it lives"), wanted);
    assert_eq!(wanted.broken_jobs, 2);
}

#[test]
fn the_earliest_breach_is_told_however_many_histories_are_open_at_the_end() {
    let mut stream = Stream::new();
    (0..20).for_each(|number| stream.life(number, 2));
    let judged = stream.judged();
    let broken = judged.broken.iter().find(|broken| broken.invariant == "S17").expect("parallelism is broken");
    assert!(broken.observed.starts_with("Job small-0:"), "{}", broken.observed);
    assert!(judged.broken.is_sorted_by_key(|broken| broken.revision));
}

proptest! {
    // Each judges up to 120 Jobs.
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// However many Jobs come and go, only those are held that are there, or were shortly before.
    #[test]
    fn what_is_held_does_not_grow_with_what_has_been(lives in 1_u32..120) {
        let mut stream = Stream::new();
        (0..lives).for_each(|number| stream.life(number, 1));
        let mut histories = Histories::new(setting());
        let mut most = 0;
        for seen in &stream.versions {
            histories.enter(seen);
            most = most.max(histories.open());
        }
        // A life takes 250 ms here, and three seconds go by before it is closed.
        prop_assert!(most <= 14, "{most}");
        let judged = histories.conclude(&Ending::Complete);
        prop_assert_eq!((judged.jobs, judged.versions), (u64::from(lives), u64::from(lives) * 5));
        prop_assert!(judged.most_bytes < 14 * 20_000);
    }
}
