//! Names in a filter that nothing has are mistakes: a filter that silently selects nothing helps nobody.

use super::{Filter, FilterError, Question, begins};
use crate::{
    case::{Catalogue, Source},
    nearest::{hint, nearest},
    plan::requirements,
};
use std::collections::BTreeSet;

/// Whether every name in the filter is one that the catalogue, or the table of gates, has.
///
/// # Errors
/// Names the first that is not, with its column and the nearest names.
pub fn check(filter: &Filter, catalogue: &Catalogue, gates: &[&str]) -> Result<(), FilterError> {
    for (question, column) in filter.root.questions() {
        if let Some(says) = complaint(question, catalogue, gates) {
            return Err(FilterError { text: filter.text.clone(), column, says, help: None });
        }
    }
    Ok(())
}

fn complaint(question: &Question, catalogue: &Catalogue, gates: &[&str]) -> Option<String> {
    let abouts = || catalogue.cases.iter().map(|case| case.about());
    match question {
        Question::Contains(text) => {
            let ids: Vec<&str> = abouts().map(|about| about.id).collect();
            missing("case with an id like", text, &ids, |id| id.contains(text.as_str()))
        }
        Question::Suite(name) => {
            let suites: BTreeSet<&str> = abouts().map(|about| about.suite()).collect();
            let suites: Vec<&str> = suites.into_iter().collect();
            missing("suite", name, &suites, |suite| suite == name)
        }
        Question::Gate(name) => missing("feature gate", name, gates, |gate| gate == name),
        Question::Requirement(number) => {
            let numbers: Vec<&str> = requirements::numbered(catalogue.requirements).map(|(number, _)| number).collect();
            missing("requirement", number, &numbers, |known| begins(known, number))
        }
        Question::Kep(number) => {
            let keps: BTreeSet<u16> = abouts()
                .filter_map(|about| match about.claim.source {
                    Source::Kep(kep) => Some(kep),
                    Source::JobController | Source::JobApi | Source::Volcano => None,
                })
                .collect();
            let known: Vec<String> = keps.iter().map(ToString::to_string).collect();
            (!keps.contains(number)).then(|| format!("no case checks KEP-{number}; there are {}", known.join(", ")))
        }
        Question::All | Question::None | Question::Matches(_) | Question::Restarts => None,
    }
}

fn missing(kind: &str, name: &str, known: &[&str], is: impl Fn(&str) -> bool) -> Option<String> {
    if known.iter().any(|known| is(known)) {
        return None;
    }
    Some(format!("there is no {kind} `{name}`{}", hint(&nearest(name, known.iter().copied()))))
}
