//! Recorded histories pass, and what is falsified in them is found.
//!
//! Every operator falsifies every recording at every place where it applies (a bounded number of them, the
//! same ones each time). A place where the result could be a right history as well is spared, by the rule
//! that stands with the operator. What survives is printed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod mutation {
    pub mod after;
    pub mod asked;
    pub mod conditions;
    pub mod counters;
    pub mod gone;
    pub mod history;
    pub mod jobs;
    pub mod late;
    pub mod operator;
    pub mod pods;
    pub mod reasons;
    pub mod requests;
    pub mod shape;
    pub mod times;
    pub mod volcano;
}
#[expect(dead_code, reason = "the builder knows more steps than these tests tell")]
mod timelines;

use flate2::read::GzDecoder;
use jobsworth_oracle::{Check, Timeline, invariants, wire};
use mutation::{history::History, operator};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::BufReader,
    path::Path,
};

/// Mutants of one operator in one recording, at most; evenly taken from all places.
const PLACES: usize = 6;
/// Recordings of more entries only have to break no invariant.
const LONG: usize = 800;
/// Of a hundred mutants, so many must be found.
const SCORE: usize = 99;
/// So many ways to falsify a history there must be.
const OPERATORS: usize = 60;

/// The recordings, by name; without any, told ones that went through the file format.
fn recordings() -> Vec<(String, Timeline)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/timelines/recorded");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "gz") {
            let text = BufReader::new(GzDecoder::new(File::open(&path).unwrap()));
            let timeline = wire::read(text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            found.push((path.file_stem().unwrap().to_string_lossy().into_owned(), timeline));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    if found.is_empty() { told() } else { found }
}

fn told() -> Vec<(String, Timeline)> {
    let stories = [
        ("complete", timelines::two_complete()),
        ("failed", timelines::one_failed()),
        (
            "counting",
            timelines::ledger_of_two().release("a").release("b").ledger(&[], &[], serde_json::json!({"succeeded": 2})),
        ),
        ("running", timelines::three_run()),
    ];
    stories.map(|(name, story)| (name.to_owned(), reread(&story.end()))).into()
}

fn reread(timeline: &Timeline) -> Timeline {
    let mut lines = vec![wire::head(&timeline.setting)];
    lines.extend(timeline.entries().iter().map(wire::entry));
    lines.push(wire::end(&timeline.ending, timeline.entries().len()));
    wire::read((lines.join("\n") + "\n").as_bytes()).unwrap()
}

fn broken(timeline: &Timeline) -> Vec<String> {
    let breach = |invariant: &&dyn invariants::Invariant| match invariant.check(timeline) {
        Check::Broken(breach) => Some(format!("{}: {}; {}", invariant.id(), breach.expected, breach.observed)),
        _ => None,
    };
    invariants::of(&timeline.setting.judged).iter().filter_map(breach).collect()
}

/// Whether any invariant says no. The first that does is enough: there are many mutants.
fn is_found(mutant: &Timeline) -> bool {
    let all = invariants::of(&mutant.setting.judged).iter();
    all.into_iter().any(|invariant| matches!(invariant.check(mutant), Check::Broken(_)))
}

/// So many of them, from all over.
fn spread(all: Vec<History>) -> Vec<History> {
    let count = all.len();
    let chosen = |place: &usize| count <= PLACES || (place * PLACES) / count != ((place + 1) * PLACES) / count;
    all.into_iter().enumerate().filter(|(place, _)| chosen(place)).map(|(_, history)| history).collect()
}

#[test]
fn recorded_histories_break_no_invariant() {
    for (name, timeline) in recordings() {
        assert_eq!(broken(&timeline), Vec::<String>::new(), "{name}");
        let unedited = History::of(&timeline).timeline();
        assert_eq!(broken(&unedited), Vec::<String>::new(), "{name}: room between revisions changes nothing");
    }
}

#[test]
fn what_is_falsified_is_found() {
    // Hundreds of pods that do the same add time, and no kind of place.
    let mut recordings = recordings();
    recordings.retain(|(_, timeline)| timeline.entries().len() <= LONG);
    let (mut mutants, mut found) = (0, 0);
    let mut survivors: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut idle: BTreeSet<&str> = operator::all().map(|operator| operator.name).collect();
    for (name, timeline) in &recordings {
        let history = History::of(timeline);
        for operator in operator::all() {
            for (place, mutant) in spread((operator.mutants)(&history)).into_iter().enumerate() {
                mutants += 1;
                idle.remove(operator.name);
                match is_found(&mutant.timeline()) {
                    true => found += 1,
                    false => survivors.entry(operator.name).or_default().push(format!("{name}, place {place}")),
                }
            }
        }
    }
    println!("{found} of {mutants} mutants of {} operators found", operator::all().count());
    println!("no place for: {idle:?}");
    for (operator, places) in &survivors {
        println!("{} survived “{operator}”: {}", places.len(), places.join("; "));
    }
    assert!(found * 100 >= mutants * SCORE, "{found} of {mutants} found; survivors: {survivors:#?}");
}

#[test]
fn there_are_many_ways_to_falsify_and_each_says_what_it_spares() {
    let mut names: Vec<_> = operator::all().map(|operator| operator.name).collect();
    assert!(operator::all().all(|operator| !operator.spares.is_empty()));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), operator::all().count(), "two operators of one name");
    assert!(names.len() >= OPERATORS, "{} operators", names.len());
}
