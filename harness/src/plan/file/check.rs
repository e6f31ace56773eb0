//! What a plan file must mean, beyond its form; all mistakes at once.

use super::{CellText, MatrixText, PlanFile, PlanText, SCHEMA, axes::Axes};
use crate::subject::Subject;
use crate::{
    gates::GateTable,
    nearest::nearest,
    plan::{CellRequest, controller, controller::ControllerText, filter},
    yaml::{Place, Problem},
};
use serde_yaml::{Location, Spanned};
use std::{collections::BTreeMap, str::FromStr};

/// The version that binaries show without emulating another.
const OWN: &str = "own";
/// Most cells in a plan.
const CELLS: usize = 100;

pub(super) fn checked(written: PlanText, text: &str) -> Result<PlanFile, Vec<Problem>> {
    let known = Subject::known();
    let names = known.iter().map(|known| known.name.clone());
    let names = names.chain(written.controllers.iter().map(|own| own.name.value.clone())).collect();
    let mut checker = Checker { text, names, subjects: known.to_vec(), problems: Vec::new() };
    let controllers = checker.controllers(&written.controllers);
    checker.subjects.extend(controllers.iter().cloned());
    checker.schema(&written.schema);
    checker.name(&written.name);
    let filter = written.filter.as_ref().and_then(|written| checker.filter(written));
    let jobs = checker.number(written.jobs.as_ref(), "jobs", 256).map(usize::from);
    let repeat = checker.number(written.repeat.as_ref(), "repeat", 10_000);
    let max_fail = checker.number(written.max_fail.as_ref(), "max-fail", u32::MAX);
    if written.cells.len() > CELLS {
        let says = format!("there are {} cells; a plan has {CELLS} at most", written.cells.len());
        checker.problems.push(Place::default().problem(says, None));
    }
    let mut cells: Vec<CellRequest> = written.cells.iter().map(|cell| checker.cell(cell)).collect();
    let axes = written.matrix.as_ref().map(|matrix| checker.axes(matrix));
    if !checker.problems.is_empty() {
        checker.problems.sort_by_key(|problem| (problem.line, problem.column));
        return Err(checker.problems);
    }
    let (combined, left_out) = axes.map(|axes| axes.cells()).unwrap_or_default();
    // What is written out comes first, and once.
    combined.into_iter().for_each(|cell| {
        if !cells.contains(&cell) {
            cells.push(cell);
        }
    });
    if cells.len() > CELLS {
        let says = format!("there are {} cells with those of the matrix; a plan has {CELLS} at most", cells.len());
        return Err(vec![Place::default().problem(says, Some("`combine: pairwise` makes fewer".to_owned()))]);
    }
    let (name, says) = (written.name.value, written.says);
    Ok(PlanFile { name, says, cells, controllers, left_out, filter, jobs, repeat, max_fail })
}

/// An axis without values has one: as it is.
fn or_none<T>(values: Vec<Option<T>>) -> Vec<Option<T>> {
    if values.is_empty() { vec![None] } else { values }
}

struct Checker<'a> {
    text: &'a str,
    /// Of controllers that cells can name.
    names: Vec<String>,
    /// Those of them that have no mistake.
    subjects: Vec<Subject>,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn add(&mut self, at: &Location, says: impl Into<String>, help: Option<String>) {
        self.problems.push(Place::of(self.text, at).problem(says, help));
    }

    fn schema(&mut self, written: &Spanned<String>) {
        if written.value != SCHEMA {
            let says = format!("the schema `{}` is not known", written.value);
            self.add(&written.referenced, says, Some(format!("this program reads `{SCHEMA}`")));
        }
    }

    fn name(&mut self, written: &Spanned<String>) {
        let name = &written.value;
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
        let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
        if !starts || name.len() > 60 || !name.chars().all(good) {
            let help = "a name has 1 to 60 of a-z, 0-9, `_` and `-`, and starts with a letter";
            self.add(&written.referenced, format!("`{name}` cannot be the name of a plan"), Some(help.to_owned()));
        }
    }

    fn filter(&mut self, written: &Spanned<String>) -> Option<filter::Filter> {
        match filter::parse(&written.value) {
            Ok(filter) => Some(filter),
            Err(error) => {
                let says = format!("the filter is wrong at its column {}: {}", error.column, error.says);
                self.add(&written.referenced, says, error.help);
                None
            }
        }
    }

    fn number<T: Copy + PartialOrd + From<u8> + std::fmt::Display>(
        &mut self,
        written: Option<&Spanned<T>>,
        key: &str,
        most: T,
    ) -> Option<T> {
        let written = written?;
        if written.value < T::from(1) || written.value > most {
            let says = format!("`{key}` is {}; it goes from 1 to {most}", written.value);
            self.add(&written.referenced, says, None);
        }
        Some(written.value)
    }

    fn axes(&mut self, written: &MatrixText) -> Axes {
        let emulate = |checker: &mut Self, text: &Spanned<String>| match text.value.as_str() {
            OWN => None,
            _ => checker.version(Some(text)),
        };
        Axes {
            combine: written.combine,
            kubernetes: or_none(written.kubernetes.iter().map(|text| self.version(Some(text))).collect()),
            emulate: or_none(written.emulate.iter().map(|text| emulate(self, text)).collect()),
            gates: match written.gates.as_slice() {
                [] => vec![BTreeMap::new()],
                sets => sets.iter().map(|set| self.gates(set)).collect(),
            },
            controller: or_none(written.controller.iter().map(|text| self.controller(text)).collect()),
        }
    }

    fn controllers(&mut self, written: &[ControllerText]) -> Vec<Subject> {
        let mut checker = controller::Checker::of(self.text);
        let subjects = written.iter().map(|one| checker.subject(one)).collect();
        for (index, one) in written.iter().enumerate() {
            let name = &one.name.value;
            if written[..index].iter().any(|other| other.name.value == *name) {
                self.add(&one.name.referenced, format!("there are two controllers `{name}`"), None);
            }
        }
        checker.done(subjects).unwrap_or_else(|problems| {
            self.problems.extend(problems);
            Vec::new()
        })
    }

    fn gates(&mut self, written: &BTreeMap<String, Spanned<bool>>) -> BTreeMap<String, bool> {
        let mut gates = BTreeMap::new();
        for (name, on) in written {
            gates.insert(name.clone(), on.value);
            self.gate(name, &on.referenced);
        }
        gates
    }

    fn cell(&mut self, written: &CellText) -> CellRequest {
        let gates = self.gates(&written.gates);
        CellRequest {
            kubernetes: self.version(written.kubernetes.as_ref()),
            other: self.version(written.other_kubernetes.as_ref()),
            emulate: self.version(written.emulate.as_ref()),
            gates,
            controller: written.controller.as_ref().and_then(|controller| self.controller(controller)),
            nodes: self.number(written.nodes.as_ref(), "nodes", u32::MAX),
        }
    }

    fn version<T: FromStr<Err: std::fmt::Display>>(&mut self, written: Option<&Spanned<String>>) -> Option<T> {
        let written = written?;
        match written.value.parse() {
            Ok(version) => Some(version),
            Err(error) => {
                self.add(&written.referenced, error.to_string(), None);
                None
            }
        }
    }

    fn gate(&mut self, name: &str, at: &Location) {
        let table = GateTable::embedded();
        if table.gate(name).is_none() {
            let near = nearest(name, table.gates().map(|gate| gate.name.as_str()));
            let help = near.first().map(|near| format!("did you mean `{near}`?"));
            self.add(at, format!("there is no feature gate `{name}`"), help);
        }
    }

    fn controller(&mut self, written: &Spanned<String>) -> Option<Subject> {
        if !self.names.contains(&written.value) {
            let help = format!("there is {}", self.names.join(", "));
            self.add(&written.referenced, format!("there is no controller `{}`", written.value), Some(help));
        }
        self.subjects.iter().find(|subject| subject.name == written.value).cloned()
    }
}
