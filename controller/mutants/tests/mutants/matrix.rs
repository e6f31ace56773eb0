//! The kill matrix, and whether it is good enough.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use jobsworth_mutants::roster::Mutant;

use crate::work_list::{Finding, Verdict, first_line, numbers, words};

/// Prints every mutant with what rejected it; fails when one survives, or when the controller without a bug is rejected.
pub fn print(chosen: &[&'static Mutant], findings: &[Finding], took: Duration, folder: &Path) -> ExitCode {
    println!("\n{:5} {:10} {:58} {:12} {:6} rejected by", "", "kind", "trial", "expected", "time");
    let (mut rejected, mut as_expected, mut survivors) = (0, 0, Vec::new());
    for mutant in chosen {
        let finding = findings.iter().find(|finding| finding.mutant == Some(mutant.number));
        let (by, time) = match finding.map(|finding| (&finding.verdict, finding.took)) {
            Some((Verdict::Rejected(broken), took)) => {
                rejected += 1;
                as_expected += usize::from(broken.iter().any(|(number, _)| is_expected(mutant, number)));
                (numbers(broken), took)
            }
            Some((Verdict::Passes, took)) => (survives(mutant, "SURVIVES", &mut survivors), took),
            Some((Verdict::Unclear(why), took)) => (survives(mutant, first_line(why), &mut survivors), took),
            None => (survives(mutant, "was not tried", &mut survivors), Duration::ZERO),
        };
        let (number, kind, expects) = (mutant.number, mutant.kind, mutant.expects.join(" "));
        println!("{number:5} {kind:10} {:58} {expects:12} {:4.0} s {by}", words(&mutant.trial), time.as_secs_f64());
    }
    let good: Vec<&Finding> = findings.iter().filter(|finding| finding.mutant.is_none()).collect();
    let bad: Vec<&&Finding> = good.iter().filter(|finding| !matches!(finding.verdict, Verdict::Passes)).collect();
    println!(
        "\n{rejected} of {} mutants rejected, {as_expected} of them by a rule that was expected to, the others by other \
         rules or claims",
        chosen.len()
    );
    println!(
        "the controller without a bug passes {} of {} trials; all in {:.0} s",
        good.len() - bad.len(),
        good.len(),
        took.as_secs_f64()
    );
    for line in survivors {
        println!("survives: {line}");
    }
    for finding in &bad {
        println!("false alarm: {}: {:?}", words(&finding.trial), finding.verdict);
    }
    println!("timelines and wire logs: {}", folder.display());
    if rejected == chosen.len() && bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The claims of a case are where liveness is judged, and what no invariant should notice.
fn is_expected(mutant: &Mutant, number: &str) -> bool {
    let by_claim = || mutant.expects.is_empty() || mutant.expects.iter().any(|rule| rule.starts_with('L'));
    mutant.expects.contains(&number) || (number == "claim" && by_claim())
}

fn survives(mutant: &Mutant, why: &str, survivors: &mut Vec<String>) -> String {
    survivors.push(format!("{}, which {}: {why}", mutant.number, mutant.bug));
    why.to_owned()
}
