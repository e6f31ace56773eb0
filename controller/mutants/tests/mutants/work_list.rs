//! What is to be tried, and what came of it.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use jobsworth_mutants::roster::{Mutant, Trial};

/// One thing to do, with a subject of its own.
#[derive(Clone, Debug)]
pub enum Work {
    /// The controller without a bug, in all of these at once: they have one outage.
    Controls(Vec<Trial>),
    /// A mutant in its trial.
    Mutant(&'static Mutant),
}

/// What a subject did in a trial.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The mutant's number; none for the controller without a bug.
    pub mutant: Option<&'static str>,
    /// The trial.
    pub trial: Trial,
    /// The verdict.
    pub verdict: Verdict,
    /// How long the trial took.
    pub took: Duration,
}

/// How a subject comes out of a trial.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Nothing was broken.
    Passes,
    /// What was broken: the numbers of rules, or `claim`, each with its sentence.
    Rejected(Vec<(String, String)>),
    /// Nobody can tell, and why.
    Unclear(String),
}

/// The list of work, and of findings.
#[derive(Debug)]
pub struct WorkList {
    open: Mutex<VecDeque<Work>>,
    closed: Mutex<Vec<Finding>>,
}

impl WorkList {
    /// With this to do.
    pub fn of(work: Vec<Work>) -> Self {
        Self { open: Mutex::new(work.into()), closed: Mutex::default() }
    }

    /// What to do next.
    pub fn next(&self) -> Option<Work> {
        self.open.lock().expect("no lane panics").pop_front()
    }

    /// Takes findings down.
    pub fn close(&self, findings: Vec<Finding>) {
        for finding in &findings {
            let who = finding.mutant.unwrap_or("no bug");
            let seconds = finding.took.as_secs_f64();
            let verdict = match &finding.verdict {
                Verdict::Passes => "passes".to_owned(),
                Verdict::Rejected(broken) if finding.mutant.is_none() => format!("is rejected: {broken:?}"),
                Verdict::Rejected(broken) => format!("rejected by {}", numbers(broken)),
                Verdict::Unclear(why) => format!("no verdict: {}", first_line(why)),
            };
            println!("{who:6} {:60} {seconds:5.1} s  {verdict}", words(&finding.trial));
        }
        self.closed.lock().expect("no lane panics").extend(findings);
    }

    /// All findings.
    pub fn findings(&self) -> Vec<Finding> {
        self.closed.lock().expect("no lane panics").clone()
    }
}

/// What matters of a long text.
pub fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The trial in a few words.
pub fn words(trial: &Trial) -> String {
    format!("{} ({:?})", trial.scenario, trial.outage)
}

/// The numbers of broken rules, each once; claims are counted.
pub fn numbers(broken: &[(String, String)]) -> String {
    let claims = broken.iter().filter(|(number, _)| number == "claim").count();
    let mut numbers: Vec<String> = Vec::new();
    for (number, _) in broken.iter().filter(|(number, _)| number != "claim") {
        if !numbers.contains(number) {
            numbers.push(number.clone());
        }
    }
    if claims > 0 {
        numbers.push(format!("{claims} claim{}", if claims == 1 { "" } else { "s" }));
    }
    numbers.join(" ")
}
