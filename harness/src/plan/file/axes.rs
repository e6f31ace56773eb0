//! A matrix becomes cells: combinations that can exist, and sentences about those that cannot.

use super::Combine;
use crate::{
    gates::GateTable,
    plan::{CellRequest, fit::gates_text, matrix},
    subject::Subject,
};
use jobsworth_api::{KubeVersion, Minor};
use std::collections::{BTreeMap, BTreeSet};

/// A matrix whose values have been read; an axis without values has one, which changes nothing.
pub(super) struct Axes {
    pub combine: Combine,
    pub kubernetes: Vec<Option<KubeVersion>>,
    pub emulate: Vec<Option<Minor>>,
    pub gates: Vec<BTreeMap<String, bool>>,
    pub controller: Vec<Option<Subject>>,
}

impl Axes {
    /// The cells, and what was left out.
    pub fn cells(&self) -> (Vec<CellRequest>, Vec<String>) {
        let table = GateTable::embedded();
        let sizes = [self.kubernetes.len(), self.emulate.len(), self.gates.len(), self.controller.len()];
        let refusal = |cell: &CellRequest| {
            let version = cell.version();
            let emulated = cell.emulate.filter(|minor| *minor != version.minor_version());
            table.check(version, emulated, &cell.gates).err()
        };
        let possible = |combination: &[usize]| refusal(&self.cell(combination)).is_none();
        let every = matrix::all(&sizes, |_| true);
        let count = matrix::all(&sizes, possible).len();
        let chosen = match self.combine {
            Combine::All => matrix::all(&sizes, possible),
            Combine::Pairwise => matrix::pairwise(&sizes, possible),
        };
        let mut left_out = Vec::new();
        if chosen.len() < count {
            left_out
                .push(format!("{} of {count} combinations: every two values meet in the others", count - chosen.len()));
        }
        // A controller never makes a cell impossible, so it is not named.
        let mut told = BTreeSet::new();
        for cell in every.iter().map(|combination| self.cell(combination)) {
            if let Some(why) = refusal(&cell).filter(|_| told.insert(words(&cell))) {
                left_out.push(format!("{}: {why}", words(&cell)));
            }
        }
        (chosen.iter().map(|combination| self.cell(combination)).collect(), left_out)
    }

    fn cell(&self, combination: &[usize]) -> CellRequest {
        CellRequest {
            kubernetes: self.kubernetes[combination[0]],
            other: None,
            emulate: self.emulate[combination[1]],
            gates: self.gates[combination[2]].clone(),
            controller: self.controller[combination[3]].clone(),
            nodes: None,
        }
    }
}

fn words(cell: &CellRequest) -> String {
    let emulated = cell.emulate.map(|minor| format!(" as {minor}")).unwrap_or_default();
    let gates = if cell.gates.is_empty() { String::new() } else { format!(" with {}", gates_text(&cell.gates)) };
    format!("{}{emulated}{gates}", cell.version())
}
