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
    pub mod misses;
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
use mutation::{history::History, misses::MISSES, operator};
use std::{
    collections::BTreeMap,
    fs::File,
    io::BufReader,
    path::Path,
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Mutants of one operator in one recording, at most; evenly taken from all places.
const PLACES: usize = 6;
/// Recordings of more entries only have to break no invariant.
const LONG: usize = 800;
/// Of a hundred mutants of the operators that invariants are to judge, so many must be found.
const SCORE: usize = 99;
/// Of a hundred mutants of all operators, with those that are known to be missed.
const OVERALL: usize = 99;
/// So many ways to falsify a history there must be.
const OPERATORS: usize = 60;

/// A recording by its name.
type Named = (String, Timeline);

/// Each reads a recording; without any, told ones that went through the file format.
fn recordings() -> Vec<Box<dyn Fn() -> Named + Sync>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/timelines/recorded");
    let found = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = found.filter(|path| path.extension().is_some_and(|extension| extension == "gz")).collect();
    found.sort();
    if found.is_empty() {
        return told().into_iter().map(|told| Box::new(move || told.clone()) as _).collect();
    }
    found.into_iter().map(|path| Box::new(move || recorded(&path)) as _).collect()
}

fn recorded(path: &Path) -> Named {
    let text = BufReader::new(GzDecoder::new(File::open(path).unwrap()));
    let timeline = wire::read(text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (path.file_stem().unwrap().to_string_lossy().into_owned(), timeline)
}

fn told() -> Vec<Named> {
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

/// Whether any invariant says no. The first that does is enough: there are many mutants, and most of an operator's break the same one.
fn is_found(mutant: &Timeline, likely: &mut usize) -> bool {
    let all = invariants::of(&mutant.setting.judged);
    let breaks = |place: &usize| all.get(*place).is_some_and(|it| matches!(it.check(mutant), Check::Broken(_)));
    let first = *likely;
    let others = (0..all.len()).filter(|place| *place != first);
    let found = std::iter::once(first).chain(others).find(breaks);
    *likely = found.unwrap_or(first);
    found.is_some()
}

/// So many of them, from all over.
fn spread(all: Vec<History>) -> Vec<History> {
    let count = all.len();
    let chosen = |place: &usize| count <= PLACES || (place * PLACES) / count != ((place + 1) * PLACES) / count;
    all.into_iter().enumerate().filter(|(place, _)| chosen(place)).map(|(_, history)| history).collect()
}

#[test]
fn recorded_histories_break_no_invariant() {
    let alarms: Vec<&String> = FOUND.iter().flat_map(|(alarms, _)| alarms).collect();
    assert!(alarms.is_empty(), "{alarms:#?}");
}

#[test]
fn what_is_falsified_is_found() {
    let mut tally: Tallies = operator::all().map(|operator| (operator.name, Tally::default())).collect();
    for (name, counted) in FOUND.iter().flat_map(|(_, tallies)| tallies) {
        let all = tally.entry(name).or_default();
        all.mutants += counted.mutants;
        all.survivors.extend_from_slice(&counted.survivors);
    }
    let is_missed = |name: &str| MISSES.iter().any(|(missed, _)| *missed == name);
    let (mutants, found) = sum(tally.values());
    let (judged, seen) = sum(tally.iter().filter(|(name, _)| !is_missed(name)).map(|(_, counted)| counted));
    println!("{found} of {mutants} mutants of {} operators found", tally.len());
    println!("{seen} of {judged} without the {} operators that are known to be missed", MISSES.len());
    for (operator, counted) in &tally {
        let (all, lost) = (counted.mutants, counted.survivors.len());
        match (all, lost) {
            (0, _) => println!("no place for “{operator}”"),
            (_, 0) => {}
            _ => println!("{lost} of {all} survived “{operator}”: {}", counted.survivors.join("; ")),
        }
    }
    assert!(seen * 100 >= judged * SCORE, "{seen} of {judged} found");
    assert!(found * 100 >= mutants * OVERALL, "{found} of {mutants} found");
}

/// What came of each recording, in their order: invariants that say no to it, and its mutants. Both tests ask, and reading takes long.
static FOUND: LazyLock<Vec<(Vec<String>, Tallies)>> = LazyLock::new(found);

/// As many at a time as there are processors.
fn found() -> Vec<(Vec<String>, Tallies)> {
    let (next, recordings) = (AtomicUsize::new(0), recordings());
    let work = || {
        let (mut done, mut likely) = (Vec::new(), BTreeMap::new());
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(recording) = recordings.get(place) else { return done };
            let (name, timeline) = recording();
            // Hundreds of pods that do the same add time, and no kind of place.
            let is_long = timeline.entries().len() > LONG;
            let tallies = if is_long { Tallies::new() } else { falsified_one(&name, &timeline, &mut likely) };
            done.push((place, (alarms(&name, &timeline), tallies)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, found)| found).collect()
}

fn alarms(name: &str, timeline: &Timeline) -> Vec<String> {
    let spread = History::of(timeline).timeline();
    let alarms = broken(timeline).into_iter().map(|says| format!("{name}: {says}"));
    let spread = broken(&spread).into_iter().map(|says| format!("{name}, with room between revisions: {says}"));
    alarms.chain(spread).collect()
}

/// `likely` has the place of the invariant that found the last mutant of each operator.
fn falsified_one(name: &str, timeline: &Timeline, likely: &mut BTreeMap<&'static str, usize>) -> Tallies {
    let history = History::of(timeline);
    let mut of = |operator: &operator::Operator| {
        let mut counted = Tally::default();
        let likely = likely.entry(operator.name).or_default();
        for (place, mutant) in spread((operator.mutants)(&history)).into_iter().enumerate() {
            counted.mutants += 1;
            if !is_found(&mutant.timeline(), likely) {
                counted.survivors.push(format!("{name}, place {place}"));
            }
        }
        counted
    };
    operator::all().map(|operator| (operator.name, of(operator))).collect()
}

/// By the operators' names.
type Tallies = BTreeMap<&'static str, Tally>;

/// How many mutants an operator made, and which of them passed.
#[derive(Default)]
struct Tally {
    mutants: usize,
    survivors: Vec<String>,
}

/// How many mutants there are, and how many of them are found.
fn sum<'t>(all: impl Iterator<Item = &'t Tally>) -> (usize, usize) {
    all.fold((0, 0), |(mutants, found), one| (mutants + one.mutants, found + one.mutants - one.survivors.len()))
}

#[test]
fn what_is_known_to_be_missed_is_an_operator() {
    for (missed, _) in MISSES {
        assert!(operator::all().any(|operator| operator.name == *missed), "{missed}");
    }
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
