//! Verifying: are the files those of the manifest, and does what was judged hold when it is judged again?

use super::{
    BundleError, Heard,
    manifest::{self, Covers, Manifest},
    sha256_of_file,
};
use crate::{
    case::Catalogue,
    report::{
        escape::terminal,
        evidence::{Evidence as _, FolderFiles},
        rejudge,
        schema::{
            CaseRecord, Run, State,
            verdicts::{CheckRecord, JudgedCase, Verdicts},
        },
        store, stored,
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Worth a line; nothing is wrong.
    Told,
    /// It cannot be told whether what is stored holds.
    Unknown,
    /// What is stored does not hold.
    Broken,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it means.
    pub weight: Weight,
    /// In words, fit for a terminal; begins with the file or the case.
    pub says: String,
}

/// What was looked at, and what was found.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// Files with a checksum, and how many of them are as they should be.
    pub files: (usize, usize),
    /// Verdicts that were judged again, and how many of them hold.
    pub verdicts: (usize, usize),
    /// Ids of the runs.
    pub runs: Vec<String>,
    /// Versions of the programs that ran and judged.
    pub programs: BTreeSet<String>,
    /// Everything worth a line, in the order in which it was found.
    pub findings: Vec<Finding>,
}

impl Verification {
    /// The heaviest finding; `None` when all holds and nothing is to be told.
    #[must_use]
    pub fn weight(&self) -> Option<Weight> {
        self.findings.iter().map(|finding| finding.weight).max()
    }

    fn add(&mut self, weight: Weight, says: String) {
        self.findings.push(Finding { weight, says });
    }
}

/// Verifies a run's folder or an unpacked bundle; `heard` is told each case as it is judged.
///
/// # Errors
/// When there is neither, or a report in it cannot be read.
pub fn folder(folder: &Path, catalogue: &Catalogue, heard: Heard<'_>) -> Result<Verification, BundleError> {
    let mut found = Verification::default();
    let manifest = manifest::read(folder)?;
    match &manifest {
        Some(manifest) => checksums(manifest, folder, &mut found),
        None => {
            found.add(Weight::Told, format!("{} is not there: no file of this folder has a checksum", manifest::NAME))
        }
    }
    let runs = manifest.map_or_else(
        || vec![(None, String::new())],
        |manifest| manifest.runs.into_iter().map(|run| (Some(run.id), run.folder)).collect(),
    );
    for (id, below) in runs {
        if !below.is_empty() && !rejudge::is_inside(&below) {
            found.add(Weight::Unknown, format!("{}: it is not a folder beside the manifest", terminal(&below)));
            continue;
        }
        let place = folder.join(&below);
        let run = stored::run(&place)?;
        if id.is_some_and(|id| id != run.id) {
            found.add(Weight::Broken, format!("{}: the manifest says that this is another run", terminal(&run.id)));
        }
        self::run(&run, &place, catalogue, &mut found, heard)?;
    }
    Ok(found)
}

fn checksums(manifest: &Manifest, folder: &Path, found: &mut Verification) {
    let there = FolderFiles::of(folder);
    for record in &manifest.files {
        found.files.0 += 1;
        let shown = terminal(&record.path);
        let exists = there.files().iter().any(|file| file.path == record.path);
        match exists.then(|| sha256_of_file(&folder.join(&record.path))) {
            None => found.add(Weight::Broken, format!("{shown}: it is in the manifest and not there")),
            Some(Err(error)) => found.add(Weight::Unknown, error.to_string()),
            Some(Ok((sha256, _))) if sha256 != record.sha256 => {
                found.add(
                    Weight::Broken,
                    format!("{shown}: its SHA-256 is not that of the manifest: it was edited or damaged"),
                );
            }
            Some(Ok(_)) => found.files.1 += 1,
        }
    }
    if manifest.covers == Covers::Everything {
        let known: BTreeSet<&str> = manifest.files.iter().map(|record| record.path.as_str()).collect();
        for file in
            there.files().iter().filter(|file| file.path != manifest::NAME && !known.contains(file.path.as_str()))
        {
            found.add(Weight::Broken, format!("{}: it is not in the manifest", terminal(&file.path)));
        }
    }
    for left in &manifest.left_out {
        found.add(Weight::Told, format!("{}: left out, since {}", terminal(&left.path), terminal(&left.because)));
    }
}

/// Judges every case of a run again, and compares.
fn run(
    run: &Run,
    folder: &Path,
    catalogue: &Catalogue,
    found: &mut Verification,
    heard: Heard<'_>,
) -> Result<(), BundleError> {
    found.runs.push(run.id.clone());
    found.programs.insert(run.program.version.clone());
    whole(run, found);
    let stored = store::verdicts(folder)?;
    if stored.is_none() {
        found.add(Weight::Unknown, "verdicts.json: it is not there".to_owned());
    }
    let mut stored: Option<BTreeMap<_, _>> = stored.map(by_turn);
    for case in run.cases.iter().filter(|case| rejudge::is_judged(case)) {
        heard(&case.case)?;
        found.verdicts.0 += 1;
        match rejudge::one(case, folder, &rejudge::claims_of(catalogue)) {
            Err(error) => found.add(Weight::Unknown, error.to_string()),
            Ok(judged) => {
                let kept = stored.as_mut().map(|stored| stored.remove(&turn(&judged)));
                let findings = compare(case, kept, &judged);
                found.verdicts.1 += usize::from(findings.iter().all(|finding| finding.weight == Weight::Told));
                found.findings.extend(findings);
            }
        }
    }
    for judged in stored.into_iter().flatten().map(|(_, judged)| judged) {
        found.add(
            Weight::Broken,
            format!(
                "{}: verdicts.json judges it, and run.json has no such turn",
                name(&judged.case, judged.attempt, &judged.cell)
            ),
        );
    }
    Ok(())
}

/// What can be wrong with a run as a whole.
fn whole(run: &Run, found: &mut Verification) {
    if run.state == State::Running {
        found.add(Weight::Unknown, "run.json: the run did not end in order, so cases are missing".to_owned());
        return;
    }
    let counted = crate::report::tally::of(run);
    if counted != run.outcome {
        found.add(Weight::Broken, "run.json: what it counts under `outcome` is not what its cases say".to_owned());
    }
    let claims_success = run.exit.as_ref().is_some_and(|exit| exit.code == 0);
    if claims_success && counted.failed + counted.inconclusive + counted.incomplete + counted.lost_cells > 0 {
        found.add(Weight::Broken, "run.json: its exit code is 0, which its cases contradict".to_owned());
    }
}

type Turn = (String, String, u32);

fn turn(judged: &JudgedCase) -> Turn {
    (judged.cell.clone(), judged.case.clone(), judged.attempt)
}

fn by_turn(verdicts: Verdicts) -> BTreeMap<Turn, JudgedCase> {
    verdicts.cases.into_iter().map(|judged| (turn(&judged), judged)).collect()
}

fn name(case: &str, attempt: u32, cell: &str) -> String {
    let attempt = if attempt > 1 { format!(" #{attempt}") } else { String::new() };
    format!("{}{attempt} in {}", terminal(case), terminal(cell))
}

/// One turn: as `run.json` has it, as `verdicts.json` has it (outside: whether there is one), and as it is judged now.
fn compare(case: &CaseRecord, stored: Option<Option<JudgedCase>>, judged: &JudgedCase) -> Vec<Finding> {
    let name = name(&case.case, case.attempt, &case.cell);
    let mut findings = Vec::new();
    let mut add = |weight, says: String| findings.push(Finding { weight, says: format!("{name}: {says}") });
    let now = judged.verdict.as_str();
    if case.verdict != judged.verdict {
        add(
            Weight::Broken,
            format!("run.json says {}, its timeline says {now}{}", case.verdict.as_str(), because(judged)),
        );
    }
    match stored {
        None => {}
        Some(None) => add(Weight::Broken, "verdicts.json has no such turn".to_owned()),
        Some(Some(stored)) if stored.verdict != judged.verdict => {
            add(
                Weight::Broken,
                format!("verdicts.json says {}, its timeline says {now}{}", stored.verdict.as_str(), because(judged)),
            );
        }
        Some(Some(stored)) if broken(&stored) != broken(judged) => {
            add(Weight::Broken, "verdicts.json names other broken sentences than its timeline".to_owned());
        }
        Some(Some(stored)) if stored != *judged => {
            add(
                Weight::Told,
                "the verdict holds; its sentences are in other words or more, as of another version".to_owned(),
            );
        }
        Some(Some(_)) => {}
    }
    findings
}

/// Sources of the broken sentences; their words may change from version to version.
fn broken(judged: &JudgedCase) -> Vec<&str> {
    let broken = judged.sentences.iter().filter(|sentence| matches!(sentence.check, CheckRecord::Broken(_)));
    broken.map(|sentence| sentence.source.0.as_str()).collect()
}

fn because(judged: &JudgedCase) -> String {
    let broken = judged.sentences.iter().find(|sentence| matches!(sentence.check, CheckRecord::Broken(_)));
    match (broken, judged.doubts.first()) {
        (Some(sentence), _) => format!(", since this is broken: {}", terminal(&sentence.says)),
        (None, Some(doubt)) => format!(", since {}", terminal(doubt)),
        (None, None) => String::new(),
    }
}
