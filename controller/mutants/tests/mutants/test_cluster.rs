//! A control plane on which one subject after the other is tried.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use jobsworth_harness::binaries::{DEFAULT_VERSION, Source};
use jobsworth_harness::case::AnyCase;
use jobsworth_harness::cluster::local::LocalProvider;
use jobsworth_harness::cluster::registry::Registry;
use jobsworth_harness::cluster::{
    ClusterError, ClusterProvider, ClusterSpec, ControllerProgram, LEFTOVERS, Route, SubjectKind,
};
use jobsworth_harness::gates::GateTable;
use jobsworth_harness::run::execute::run_case;
use jobsworth_harness::run::{CaseReport, Cell, prepared_cell::PreparedCell};
use jobsworth_harness::subject::{Subject, checkout};
use jobsworth_mutants::request_rules;
use jobsworth_mutants::roster::Trial;
use jobsworth_oracle::{self as oracle};
use tokio::sync::watch;

use crate::bench;
use crate::work_list::{Finding, Verdict, Work};

/// Trials of the controller without a bug that run side by side. Half of the time they only wait until nothing is written any more.
const SIDE_BY_SIDE: usize = 10;
/// How long a trial may take before it is given up.
const LIMIT: Duration = Duration::from_secs(240);

/// One control plane comes up at a time: together they would wait for each other.
static COMING_UP: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A control plane, brought up when it is needed.
pub struct TestCluster {
    number: usize,
    folder: PathBuf,
    stage: Option<PreparedCell>,
    subjects: u64,
}

/// The program that is put before the suite, with its flags.
pub struct Program {
    /// What it asked and was told.
    pub wire_log: PathBuf,
    /// How it is put into a cluster.
    kind: SubjectKind,
}

impl Program {
    /// A script below `folder`: the harness starts a program without flags of its own.
    pub fn write(folder: &Path, label: &str, mutant: Option<&str>, trial: &Trial) -> std::io::Result<Self> {
        use clap::ValueEnum;
        let (path, wire_log) = (folder.join(format!("{label}.sh")), folder.join(format!("{label}.wire.ndjson")));
        let outage = trial.outage.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let mutant = mutant.map(|number| format!(" --mutant {number}")).unwrap_or_default();
        let program = match trial.is_volcanos() {
            true => env!("CARGO_BIN_EXE_jobsworth-volcano-mutant"),
            false => env!("CARGO_BIN_EXE_jobsworth-mutant"),
        };
        let flags = format!("{mutant} --outage {outage} --wire-log '{}'", wire_log.display());
        fs::write(&wire_log, "")?;
        fs::write(&path, format!("#!/bin/sh\nexec '{program}'{flags} \"$@\"\n"))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        let kind = if trial.is_volcanos() { volcano(&path) } else { SubjectKind::drop_in(&path) };
        Ok(Self { wire_log, kind })
    }

    fn subject(&self) -> Subject {
        Subject::of("mutant", self.kind.clone())
    }
}

/// The Volcano controller as it always comes, but for its program: the webhook has no bug.
fn volcano(program: &Path) -> SubjectKind {
    match Subject::volcano_reference().kind {
        SubjectKind::Program(reference) => {
            SubjectKind::Program(ControllerProgram { program: program.to_owned(), ..reference })
        }
        other => other,
    }
}

impl TestCluster {
    /// Without a control plane yet.
    pub fn new(number: usize, folder: PathBuf) -> Self {
        Self { number, folder, stage: None, subjects: 0 }
    }

    /// Tries what is to be tried.
    pub async fn carry_out(&mut self, work: Work) -> Vec<Finding> {
        let (mutant, trials) = match &work {
            Work::Controls(trials) => (None, trials.clone()),
            Work::Mutant(mutant) => (Some(mutant.number), vec![mutant.trial]),
        };
        let begun = Instant::now();
        let tried = tokio::time::timeout(LIMIT * 2, self.attempt(mutant, &trials)).await;
        let tried = tried.unwrap_or_else(|_| Err("it took too long".to_owned()));
        tried.unwrap_or_else(|because| {
            // Whatever happened to it, the next subject gets another control plane.
            let verdict = Verdict::Unclear(because);
            let took = begun.elapsed();
            trials.iter().map(|trial| Finding { mutant, trial: *trial, verdict: verdict.clone(), took }).collect()
        })
    }

    /// Takes the control plane down.
    pub async fn end(&mut self) {
        if let Some(stage) = self.stage.take()
            && let Err(error) = stage.cluster.destroy().await
        {
            println!("a control plane could not be removed: {error}");
        }
    }

    async fn attempt(&mut self, mutant: Option<&'static str>, trials: &[Trial]) -> Result<Vec<Finding>, String> {
        let first = trials.first().ok_or("there is nothing to try")?;
        self.subjects += 1;
        let label = format!("{}-{}-{}", mutant.unwrap_or("control"), self.number, self.subjects);
        let program = Program::write(&self.folder, &label, mutant, first).map_err(|error| error.to_string())?;
        self.set(&label, &program, first).await?;
        let stage = self.stage.as_ref().ok_or("there is no control plane")?;
        let (alone, together): (Vec<&Trial>, Vec<&Trial>) = trials.iter().partition(|trial| runs_alone(trial));
        let mut findings = Vec::new();
        for (trials, side_by_side) in [(together, SIDE_BY_SIDE), (alone, 1)] {
            let tried = trials.into_iter().map(|trial| try_one(stage, &program, mutant, *trial));
            findings.extend(stream::iter(tried).buffer_unordered(side_by_side).collect::<Vec<_>>().await);
        }
        let lost = stage.cluster.unexpected_exit().borrow().is_some();
        if lost || needs_two(first) {
            self.end().await;
        }
        Ok(findings)
    }

    /// Another subject on the same control plane; a control plane first, if there is none with the gates of this trial. Two instances have
    /// one of their own.
    async fn set(&mut self, label: &str, program: &Program, trial: &Trial) -> Result<(), String> {
        let in_words = |error: ClusterError| format!("{error}");
        let (gates, second_instance) = (gates(trial), needs_two(trial));
        let fits = |stage: &PreparedCell| {
            !second_instance && stage.cell.spec.gates == gates && stage.cell.spec.subject.api() == program.kind.api()
        };
        if self.stage.as_ref().is_some_and(|stage| !fits(stage)) {
            self.end().await;
        }
        match &mut self.stage {
            Some(stage) => {
                stage.subject = stage.cluster.start_subject(&program.subject().kind).await.map_err(in_words)?.into();
            }
            None => {
                let webhook = Subject::volcano_reference();
                if let Some(program) = webhook.kind.program().filter(|_| program.kind.api() == webhook.kind.api()) {
                    checkout::make_ready(program, &|line| println!("{line}")).map_err(|error| error.to_string())?;
                }
                let source = Source::choose(None).map_err(|error| error.to_string())?;
                let provider = LocalProvider::new(source, Registry::of_user(LEFTOVERS).map_err(in_words)?);
                // As in a run: through the proxy, which cases interfere on and whose log is judged.
                let spec =
                    ClusterSpec { gates, route: Route::Proxied, second_instance, ..ClusterSpec::of(DEFAULT_VERSION) };
                let spec = program.subject().prepare(spec);
                let name = format!("mutants-{}-{}-{}", std::process::id(), self.number, self.subjects);
                let turn = COMING_UP.lock().await;
                let cluster = provider.provision(&spec, &name, &|_| ()).await.map_err(in_words)?;
                drop(turn);
                let cell = Cell::of(label.to_owned(), "local", &program.subject(), spec);
                let stage = PreparedCell::set(&cell, cluster, self.folder.clone(), 0).await;
                self.stage = Some(stage.map_err(|unfit| unfit.because)?);
            }
        }
        if let Some(stage) = &mut self.stage {
            label.clone_into(&mut stage.cell.id);
            stage.seed = (self.number as u64) << 32 | self.subjects;
        }
        Ok(())
    }
}

fn case(trial: &Trial) -> Option<&'static dyn AnyCase> {
    let own = bench::CASES.iter().copied().find(|case| case.about().id == trial.scenario);
    own.or_else(|| jobsworth_suites::CATALOGUE.case(trial.scenario))
}

/// Gates that are off otherwise and that the trial needs on.
pub fn gates(trial: &Trial) -> BTreeMap<String, bool> {
    let table = GateTable::embedded();
    let needed = case(trial).map_or(&[] as &[&str], |case| case.about().needs.gates);
    let is_off = |gate: &&&str| table.effective(DEFAULT_VERSION, None, &BTreeMap::new(), gate) != Some(true);
    needed.iter().filter(is_off).map(|gate| ((*gate).to_owned(), true)).collect()
}

/// Whether the trial is about two instances.
pub fn needs_two(trial: &Trial) -> bool {
    case(trial).is_some_and(|case| case.about().needs.second_instance)
}

fn runs_alone(trial: &Trial) -> bool {
    case(trial).is_none_or(|case| case.about().needs.runs_alone())
}

async fn try_one(stage: &PreparedCell, program: &Program, mutant: Option<&'static str>, trial: Trial) -> Finding {
    let begun = Instant::now();
    let verdict = match case(&trial) {
        Some(case) => in_a_case(stage, program, case).await,
        None => Err(format!("there is no case {}", trial.scenario)),
    };
    Finding { mutant, trial, verdict: verdict.unwrap_or_else(Verdict::Unclear), took: begun.elapsed() }
}

async fn in_a_case(stage: &PreparedCell, program: &Program, case: &'static dyn AnyCase) -> Result<Verdict, String> {
    let (_never, stop) = watch::channel(None);
    let report = run_case(stage, case, 1, stop).await.map_err(|incomplete| incomplete.because)?;
    let manners = request_rules::judge(&program.wire_log, &report.namespace).map_err(|error| error.to_string())?;
    let mut broken = broken(&report);
    broken.extend(manners.into_iter().map(|breach| (breach.rule.to_owned(), breach.says)));
    Ok(match (broken.is_empty(), report.judgement.verdict) {
        (false, _) => Verdict::Rejected(broken),
        (true, oracle::Verdict::Pass) => Verdict::Passes,
        (true, _) => Verdict::Unclear(report.judgement.doubts.join("; ")),
    })
}

/// The broken sentences, the earliest breach first.
fn broken(report: &CaseReport) -> Vec<(String, String)> {
    let mut broken: Vec<_> = report.judgement.broken().collect();
    broken.sort_by_key(|sentence| sentence.breach().map(|breach| breach.revision));
    let told = broken.into_iter().map(|sentence| {
        let observed = sentence.breach().map(|breach| breach.observed.clone()).unwrap_or_default();
        (sentence.source.as_str().to_owned(), format!("{}: {observed}", sentence.says))
    });
    told.collect()
}
