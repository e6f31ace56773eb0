//! Histories that pass, and what is falsified in them is found.
//!
//! Every operator falsifies every history at every place where it applies. A place where the result could be a right
//! history as well is spared, by the rule that stands with the operator.

use crate::{broken_by, story, timelines::merge};
use jobsworth_api::well_known::volcano;
use jobsworth_oracle::{Entry, Fact, Recorded, Sighting, Timeline, recorded::volcano::Job};
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

/// Of a hundred falsified histories, so many must be found.
const SCORE: usize = 95;

/// One way to falsify a history.
struct Operator {
    name: &'static str,
    /// Which places are left out because the result is a history that a right controller may leave, too.
    spares: &'static str,
    mutants: fn(&Timeline) -> Vec<Timeline>,
}

const OPERATORS: &[Operator] = &[
    Operator {
        name: "the phase becomes another",
        spares: "first phases; Pending and Running, which follow each other",
        mutants: |timeline| {
            let places =
                places::<Job>(timeline, |job| !["", "Pending", "Running"].contains(&text(job, "/status/state/phase")));
            let wrong =
                |place: &usize| edited(timeline, *place, |job| job["status"]["state"]["phase"] = "Running".into());
            places.iter().map(wrong).collect()
        },
    },
    Operator {
        name: "the version falls",
        spares: "versions of 0; the first write that raises it",
        mutants: |timeline| {
            let raised = places::<Job>(timeline, |job| number(job, "/status/version") > 0);
            let fallen = |place: &usize| edited(timeline, *place, |job| job["status"]["version"] = json!(0));
            raised.iter().skip(1).map(fallen).collect()
        },
    },
    Operator {
        name: "a retry more",
        spares: "nothing",
        mutants: |timeline| {
            let all = places::<Job>(timeline, |job| job["status"]["state"]["phase"].is_string());
            let more = |place: &usize| {
                edited(timeline, *place, |job| {
                    job["status"]["retryCount"] = json!(number(job, "/status/retryCount") + 1);
                })
            };
            all.iter().map(more).collect()
        },
    },
    Operator {
        name: "retries are forgotten",
        spares: "Jobs without any",
        mutants: |timeline| {
            let counted = places::<Job>(timeline, |job| number(job, "/status/retryCount") > 0);
            counted.iter().map(|place| edited(timeline, *place, |job| job["status"]["retryCount"] = json!(0))).collect()
        },
    },
    Operator {
        name: "a condition is written twice",
        spares: "a Job without any",
        mutants: |timeline| {
            let any = places::<Job>(timeline, |job| job["status"]["conditions"][0].is_object());
            let twice = |place: &usize| {
                edited(timeline, *place, |job| {
                    let first = job["status"]["conditions"][0].clone();
                    job["status"]["conditions"].as_array_mut().unwrap().push(first);
                })
            };
            any.iter().map(twice).collect()
        },
    },
    Operator {
        name: "the newest condition is lost",
        spares: "a Job with one, which then has none",
        mutants: |timeline| {
            let several = places::<Job>(timeline, |job| job["status"]["conditions"][1].is_object());
            let lost = |place: &usize| {
                edited(timeline, *place, |job| drop(job["status"]["conditions"].as_array_mut().unwrap().pop()))
            };
            several.iter().map(lost).collect()
        },
    },
    Operator {
        name: "a pod of another version",
        spares: "later versions of the pod: the first tells",
        mutants: |timeline| {
            let change = json!({"metadata": {"annotations": {volcano::JOB_VERSION: "7"}}});
            births(timeline).iter().map(|place| edited(timeline, *place, |pod| merge(pod, change.clone()))).collect()
        },
    },
    Operator {
        name: "a pod under a name of its own",
        spares: "later versions of the pod: the first tells",
        mutants: |timeline| {
            let change = json!({"metadata": {"name": "job-worker-x"}});
            births(timeline).iter().map(|place| edited(timeline, *place, |pod| merge(pod, change.clone()))).collect()
        },
    },
    Operator {
        name: "a pod with an owner of another API",
        spares: "nothing",
        mutants: |timeline| {
            let owned = |pod: &mut Value| pod["metadata"]["ownerReferences"][0]["apiVersion"] = "batch/v1".into();
            births(timeline).iter().map(|place| edited(timeline, *place, owned)).collect()
        },
    },
    Operator {
        name: "a pod before everything else",
        spares: "nothing",
        mutants: |timeline| {
            let early = |place: &usize| {
                let mut entries = timeline.entries().to_vec();
                // Just after the Job.
                entries[*place].revision = timeline.entries()[0].revision;
                Timeline::seal(timeline.setting.clone(), entries, timeline.ending.clone())
            };
            births(timeline).iter().map(early).collect()
        },
    },
    Operator {
        name: "a pod that is made after the last word",
        spares: "Jobs that may still make some",
        mutants: |timeline| {
            let last = places::<Job>(timeline, |_| true).pop().unwrap();
            let over = ["Completed", "Failed", "Terminated", "Aborted"];
            if !over.contains(&text(raw(timeline, last), "/status/state/phase")) {
                return Vec::new();
            }
            let late = |place: &usize| {
                let mut entries = timeline.entries().to_vec();
                let mut pod = raw(timeline, *place).clone();
                pod["metadata"]["uid"] = "late".into();
                let revision = entries.last().unwrap().revision + 1;
                let at = entries.last().unwrap().at;
                entries.push(Entry { revision, at, fact: Fact::Object(Sighting::of_any_kind(pod).unwrap()) });
                Timeline::seal(timeline.setting.clone(), entries, timeline.ending.clone())
            };
            births(timeline).iter().map(late).collect()
        },
    },
    Operator {
        name: "the group is never let in",
        spares: "Jobs without a pod",
        mutants: |timeline| {
            if births(timeline).is_empty() {
                return Vec::new();
            }
            let shut = timeline.entries().iter().map(|entry| {
                let Some(sighting) = entry.fact.sighting().filter(|sighting| sighting.kind() == "PodGroup") else {
                    return entry.clone();
                };
                let mut group = (**sighting.raw()).clone();
                group["status"] = json!({});
                Entry { fact: again(&entry.fact, group), ..entry.clone() }
            });
            vec![Timeline::seal(timeline.setting.clone(), shut.collect(), timeline.ending.clone())]
        },
    },
    Operator {
        name: "what a plugin makes is never made",
        spares: "Jobs without svc and ssh, and a Service, which no pod mounts",
        mutants: |timeline| {
            let has = |kind: &str| timeline.entries().iter().any(|entry| is_kind(entry, kind));
            let without = |kind: &&str| {
                let rest = timeline.entries().iter().filter(|entry| !is_kind(entry, kind)).cloned().collect();
                Timeline::seal(timeline.setting.clone(), rest, timeline.ending.clone())
            };
            ["ConfigMap", "Secret"].iter().filter(|kind| has(kind)).map(without).collect()
        },
    },
];

fn raw(timeline: &Timeline, place: usize) -> &Value {
    timeline.entries()[place].fact.sighting().unwrap().raw()
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

fn is_kind(entry: &Entry, kind: &str) -> bool {
    entry.fact.sighting().is_some_and(|sighting| sighting.kind() == kind)
}

/// Places of the versions of this kind of which this is true.
fn places<K: Recorded>(timeline: &Timeline, is_one: impl Fn(&Value) -> bool) -> Vec<usize> {
    let entries = timeline.entries().iter().enumerate();
    let found = entries.filter(|(_, entry)| entry.fact.there_is::<K>().is_some_and(|seen| is_one(&seen.raw)));
    found.map(|(place, _)| place).collect()
}

/// Places at which pods are made.
fn births(timeline: &Timeline) -> Vec<usize> {
    let mut known = std::collections::BTreeSet::new();
    let all = places::<Pod>(timeline, |_| true);
    all.into_iter().filter(|place| known.insert(text(raw(timeline, *place), "/metadata/uid").to_owned())).collect()
}

fn again(fact: &Fact, object: Value) -> Fact {
    let sighting = Sighting::of_any_kind(object).unwrap();
    match fact {
        Fact::ObjectGone(_) => Fact::ObjectGone(sighting),
        _ => Fact::Object(sighting),
    }
}

fn edited(timeline: &Timeline, place: usize, change: impl FnOnce(&mut Value)) -> Timeline {
    let mut entries = timeline.entries().to_vec();
    let mut object = raw(timeline, place).clone();
    change(&mut object);
    entries[place].fact = again(&entries[place].fact, object);
    Timeline::seal(timeline.setting.clone(), entries, timeline.ending.clone())
}

fn lives() -> Vec<(&'static str, Timeline)> {
    let stories = [
        ("completed", story::completed()),
        ("restarted", story::restarted()),
        ("aborted", story::torn_down(story::running().kill("Aborting")).phase("Aborted")),
        ("terminated", story::torn_down(story::restarted().kill("Terminating")).phase("Terminated")),
        ("with plugins", story::with_plugins()),
        ("failed", story::torn_down(story::restarted().restart()).phase("Failed")),
    ];
    stories.map(|(name, story)| (name, story.end())).into()
}

#[test]
fn whole_lives_break_nothing() {
    for (name, timeline) in lives() {
        assert_eq!(broken_by(&timeline), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn what_is_falsified_is_found() {
    let (mut all, mut found, mut survivors) = (0, 0, Vec::new());
    for operator in OPERATORS {
        let before = all;
        for (name, timeline) in lives() {
            for (place, mutant) in (operator.mutants)(&timeline).into_iter().enumerate() {
                all += 1;
                match broken_by(&mutant).is_empty() {
                    false => found += 1,
                    true => survivors.push(format!("“{}” in {name}, place {place}", operator.name)),
                }
            }
        }
        assert!(all > before, "“{}” has no place", operator.name);
        assert!(!operator.spares.is_empty());
    }
    println!("{found} of {all} found; survivors: {survivors:#?}");
    assert!(found * 100 >= all * SCORE, "{found} of {all} found; survivors: {survivors:#?}");
}
