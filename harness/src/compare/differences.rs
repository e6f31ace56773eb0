//! What else is not the same on both sides: what a change of verdicts or times may come from.

use super::{cells::Pairs, wire::Difference};
use crate::{
    plan::fit::gates_text,
    report::schema::{CellRecord, Host, Run},
};
use std::collections::{BTreeMap, BTreeSet};

const NOTHING: &str = "–";

/// Everything that differs, what judged first, then what was judged, then where.
#[must_use]
pub fn all(base: &Run, head: &Run, pairs: &Pairs<'_>) -> Vec<Difference> {
    let mut found = Differences { about: String::new(), rows: Vec::new() };
    found.add("program that judged", &base.program.version, &head.program.version);
    let several = pairs.pairs.len() > 1;
    for (one, other) in &pairs.pairs {
        found.about = if several { format!("{}: ", other.id) } else { String::new() };
        of_cells(one, other, &mut found);
    }
    found.about.clear();
    for cell in &pairs.only_base {
        found.add("cell", &cell.id, NOTHING);
    }
    for cell in &pairs.only_head {
        found.add("cell", NOTHING, &cell.id);
    }
    found.rows.extend(machine(&base.host, &head.host));
    of_plans(base, head, &mut found);
    found.rows
}

/// What differs between the machines; nothing where their times compare.
#[must_use]
pub fn machine(base: &Host, head: &Host) -> Vec<Difference> {
    let mut found = Differences { about: "machine: ".to_owned(), rows: Vec::new() };
    found.add("processor", &base.cpu, &head.cpu);
    found.add("cores", &base.cores.to_string(), &head.cores.to_string());
    found.add("memory in bytes", &base.memory_bytes.to_string(), &head.memory_bytes.to_string());
    found.add("kernel", &base.kernel, &head.kernel);
    found.rows
}

/// What differs between two lists of programs and their sums.
#[must_use]
pub fn programs(base: &BTreeMap<String, String>, head: &BTreeMap<String, String>) -> Vec<Difference> {
    let mut found = Differences { about: String::new(), rows: Vec::new() };
    found.sums(base, head);
    found.rows
}

struct Differences {
    about: String,
    rows: Vec<Difference>,
}

impl Differences {
    fn add(&mut self, about: &str, base: &str, head: &str) {
        if base != head {
            let said = |text: &str| if text.is_empty() { NOTHING.to_owned() } else { text.to_owned() };
            self.rows.push(Difference { about: format!("{}{about}", self.about), base: said(base), head: said(head) });
        }
    }

    fn sums(&mut self, base: &BTreeMap<String, String>, head: &BTreeMap<String, String>) {
        let names: BTreeSet<&String> = base.keys().chain(head.keys()).collect();
        let sum = |of: &BTreeMap<String, String>, name| of.get(name).cloned().unwrap_or_default();
        for name in names {
            self.add(&format!("SHA-256 of {name}"), &sum(base, name), &sum(head, name));
        }
    }
}

fn of_cells(base: &CellRecord, head: &CellRecord, found: &mut Differences) {
    let (wanted, now) = (&base.wanted, &head.wanted);
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    found.add("provider", &base.provider, &head.provider);
    found.add("controller", &base.subject, &head.subject);
    found.add("flags of the controller", &wanted.controller.join(" "), &now.controller.join(" "));
    found.add("Kubernetes", &wanted.kubernetes, &now.kubernetes);
    found.add("emulates", &optional(&wanted.emulated), &optional(&now.emulated));
    found.add("changes to", &optional(&wanted.other), &optional(&now.other));
    found.add("gates asked for", &gates_text(&wanted.gates), &gates_text(&now.gates));
    found.sums(&base.binaries, &head.binaries);
    attested(base, head, found);
}

/// What was found, by fact and component.
type Facts = BTreeMap<(String, String), String>;

/// Facts that components told: one row for each fact, with the components that agree on it.
fn attested(base: &CellRecord, head: &CellRecord, found: &mut Differences) {
    let facts = |cell: &CellRecord| -> Facts {
        let rows = cell.attested.iter().flat_map(|attested| &attested.rows);
        rows.map(|row| ((row.what.clone(), row.component.clone()), row.found.clone())).collect()
    };
    let holds = |cell: &CellRecord| match &cell.attested {
        None => "nothing attested",
        Some(attested) if attested.holds => "attested",
        Some(_) => "not what was asked for",
    };
    found.add("attestation", holds(base), holds(head));
    if base.attested.is_none() || head.attested.is_none() {
        return;
    }
    let (old, new) = (facts(base), facts(head));
    let told = |facts: &Facts, component: &str| facts.keys().filter(|(_, of)| of == component).count();
    let components: BTreeSet<&str> = old.keys().chain(new.keys()).map(|(_, component)| component.as_str()).collect();
    // A controller of somebody else tells nothing of itself: that is one difference, not ten.
    let (both, one_only): (BTreeSet<&str>, BTreeSet<&str>) =
        components.into_iter().partition(|component| told(&old, component) > 0 && told(&new, component) > 0);
    for component in one_only {
        let number = |facts| match told(facts, component) {
            0 => String::new(),
            number => format!("{number} facts"),
        };
        found.add(&format!("attested by {component}"), &number(&old), &number(&new));
    }
    let places: BTreeSet<&(String, String)> = old.keys().chain(new.keys()).collect();
    let mut grouped: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
    for place in places.into_iter().filter(|(_, component)| both.contains(component.as_str())) {
        let (one, other) = (old.get(place).map_or("", String::as_str), new.get(place).map_or("", String::as_str));
        if one != other {
            grouped.entry((&place.0, one, other)).or_default().push(&place.1);
        }
    }
    for ((what, one, other), components) in grouped {
        found.add(&format!("{what} of {}", components.join(", ")), one, other);
    }
}

fn of_plans(base: &Run, head: &Run, found: &mut Differences) {
    let selected = |run: &Run| format!("{} {}", run.plan.names.join(" "), run.plan.filter).trim().to_owned();
    found.add("cases selected", &selected(base), &selected(head));
    let part = |run: &Run| run.plan.partition.clone().unwrap_or_default();
    found.add("part of the cases", &part(base), &part(head));
    found.add("cases side by side", &base.plan.jobs.to_string(), &head.plan.jobs.to_string());
    found.add("turns of each case", &base.plan.repeat.to_string(), &head.plan.repeat.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compare::cells::pair,
        report::schema::{Attested, AttestedRow, sample},
    };

    fn row(component: &str, what: &str, found: &str) -> AttestedRow {
        let [component, what, found] = [component, what, found].map(str::to_owned);
        AttestedRow { component, what, wanted: found.clone(), found, ok: true }
    }

    fn between(base: &Run, head: &Run) -> Vec<String> {
        let rows = all(base, head, &pair(&base.cells, &head.cells));
        rows.into_iter().map(|row| format!("{}: {} → {}", row.about, row.base, row.head)).collect()
    }

    #[test]
    fn runs_that_are_alike_have_no_differences() {
        assert_eq!(between(&sample::nasty(), &sample::nasty()), Vec::<String>::new());
    }

    #[test]
    fn everything_that_can_explain_another_verdict_is_told() {
        let (mut base, mut head) = (sample::empty(), sample::empty());
        let facts = |version: &str, gate: &str| Attested {
            holds: true,
            rows: vec![
                row("kube-apiserver", "/version", version),
                row("subject", "/version", version),
                row("kube-apiserver", "gate JobSuccessPolicy", gate),
                row("kube-apiserver", "gate JobManagedBy", "true"),
            ],
        };
        base.cells[0].attested = Some(facts("v1.36.4", "true"));
        head.cells[0].attested = Some(facts("v1.37.1", "false"));
        head.cells[0].wanted.kubernetes = "1.37.2".to_owned();
        head.cells[0].wanted.gates.insert("JobSuccessPolicy".to_owned(), false);
        head.cells[0].subject = "reference".to_owned();
        head.cells[0].binaries.insert("etcd".to_owned(), "11ee".to_owned());
        head.program.version = "0.2.0".to_owned();
        head.host.cores = 64;
        head.plan.repeat = 10;
        head.plan.filter = "suite(ttl)".to_owned();
        assert_eq!(
            between(&base, &head),
            [
                "program that judged: 0.1.0 → 0.2.0",
                "controller: builtin → reference",
                "Kubernetes: 1.37.1 → 1.37.2",
                "gates asked for: – → JobSuccessPolicy=false",
                "SHA-256 of etcd: 00ff → 11ee",
                "/version of kube-apiserver, subject: v1.36.4 → v1.37.1",
                "gate JobSuccessPolicy of kube-apiserver: true → false",
                "machine: cores: 2 → 64",
                "cases selected: all() → suite(ttl)",
                "turns of each case: 1 → 10",
            ]
        );
    }

    #[test]
    fn a_component_that_tells_nothing_on_one_side_is_one_difference() {
        let (mut base, mut head) = (sample::empty(), sample::empty());
        let facts = |rows| Some(Attested { holds: true, rows });
        let server = || row("kube-apiserver", "/version", "v1.37.1");
        base.cells[0].attested =
            facts(vec![server(), row("job-controller", "build", "a"), row("job-controller", "x", "b")]);
        head.cells[0].attested = facts(vec![server()]);
        assert_eq!(between(&base, &head), ["attested by job-controller: 2 facts → –"]);
    }

    #[test]
    fn a_cell_that_only_one_has_is_told_and_several_are_named() {
        let (mut base, mut head) = (sample::empty(), sample::empty());
        let called = |ids: &[&str]| -> Vec<CellRecord> {
            let cell = sample::empty().cells.remove(0);
            ids.iter().map(|id| CellRecord { id: (*id).to_owned(), ..cell.clone() }).collect()
        };
        base.cells = called(&["a", "b"]);
        head.cells = called(&["a", "b", "c"]);
        head.cells.iter_mut().filter(|cell| cell.id == "b").for_each(|cell| cell.provider = "kind".to_owned());
        assert_eq!(between(&base, &head), ["b: provider: local → kind", "cell: – → c"]);
    }
}
