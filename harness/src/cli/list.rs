//! `list`: what there is.

mod races;

use super::{Failure, Stdout};
use crate::{
    binaries::{DEFAULT_VERSION, KNOWN_VERSIONS},
    case::{AnyCase, Catalogue},
    gates::{Freedom, GateTable, Maturity, emulation_window},
    plan::requirements::{Coverage, coverage},
    report::{Exit, escape::markdown, store},
    signoff::kep,
};
use clap::{Args, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use jobsworth_api::Resource;
use jobsworth_oracle::{invariants, judge::Expectation};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

#[derive(Args)]
pub(super) struct Arguments {
    /// What to list.
    #[arg(value_enum)]
    what: What,
    /// In which form.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Cases: what each claims, where that is said, what it needs.
    Cases,
    /// Claims of each case: a sentence, and what is asked of the recording.
    Claims,
    /// Suites with their number of cases.
    Suites,
    /// Requirement numbers, and which case checks which.
    Requirements,
    /// Feature gates of the Job API over the versions.
    Gates,
    /// Versions of Kubernetes that can be built.
    Versions,
    /// Invariants that are judged in every case.
    Invariants,
    /// Pairs of reasons to end a Job in every order: what may come of each, and which case judges it.
    Races,
    /// KEPs that have a sign-off sheet.
    Keps,
    /// Load profiles: what each trial does.
    Load,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Table,
    /// An array of objects.
    Json,
    /// The first column, one a line.
    Names,
    /// A table in Markdown.
    Markdown,
}

/// Columns, rows, and a sentence below.
struct Listing {
    columns: Vec<&'static str>,
    rows: Vec<Vec<Value>>,
    sum: String,
}

pub(super) fn execute(arguments: &Arguments, catalogue: &Catalogue, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let listing = match arguments.what {
        What::Cases => cases(catalogue),
        What::Claims => claims(catalogue),
        What::Suites => suites(catalogue),
        What::Requirements => requirements(catalogue),
        What::Gates => gates(),
        What::Versions => versions(),
        What::Invariants => invariants(),
        What::Races => races::matrix(catalogue),
        What::Keps => keps(catalogue)?,
        What::Load => loads(catalogue)?,
    };
    stdout.write(&match arguments.format {
        Format::Table => listing.table(),
        Format::Json => listing.json(),
        Format::Names => listing.names(),
        Format::Markdown => listing.markdown(),
    })?;
    Ok(Exit::Held)
}

impl Listing {
    fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header(self.columns.iter().map(|column| column.to_uppercase()));
        for row in &self.rows {
            table.add_row(row.iter().map(words));
        }
        let lines: Vec<String> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
        format!("{}\n\n{}\n", lines.join("\n"), self.sum)
    }

    fn json(&self) -> String {
        let object = |row: &Vec<Value>| -> Map<String, Value> {
            let keys = self.columns.iter().map(|column| column.replace(' ', "_"));
            keys.zip(row.iter().cloned()).collect()
        };
        store::json(&self.rows.iter().map(object).collect::<Vec<_>>())
    }

    fn names(&self) -> String {
        self.rows.iter().filter_map(|row| row.first()).map(|name| words(name) + "\n").collect()
    }

    fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|column| (*column).to_owned()).collect());
        text += &line(vec!["---".to_owned(); self.columns.len()]);
        for row in &self.rows {
            text += &line(row.iter().map(|cell| markdown(&words(cell))).collect());
        }
        format!("{text}\n{}\n", self.sum)
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

fn cases(catalogue: &Catalogue) -> Listing {
    let rows = catalogue.cases.iter().map(|case| {
        let about = case.about();
        let mut needs: Vec<String> = about.needs.gates.iter().map(|gate| format!("{gate} on")).collect();
        if !about.needs.one_gate_of.is_empty() {
            needs.push(format!("{} on", about.needs.one_gate_of.join(" or ")));
        }
        needs.extend(about.needs.gates_off.iter().map(|gate| format!("{gate} off")));
        needs.extend(about.needs.since.map(|minor| format!("since {minor}")));
        needs.extend(about.needs.until.map(|minor| format!("until {minor}")));
        needs.extend(about.needs.binaries_since.map(|minor| format!("binaries since {minor}")));
        needs.extend(about.needs.binaries_until.map(|minor| format!("binaries until {minor}")));
        needs.extend(about.needs.restarts_subject.then(|| "restarts".to_owned()));
        needs.extend(about.needs.second_instance.then(|| "two instances".to_owned()));
        needs.extend(about.needs.fills_rate_limit.then(|| "alone".to_owned()));
        needs.extend(about.needs.reads_metrics.then(|| "metrics".to_owned()));
        vec![
            about.id.into(),
            about.claim.says.into(),
            format!("{}, {}", about.claim.source, about.claim.section).into(),
            about.requirements.to_vec().into(),
            needs.into(),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let sum = format!("{} cases", rows.len());
    Listing { columns: vec!["case", "claim", "source", "requirements", "needs"], rows, sum }
}

fn claims(catalogue: &Catalogue) -> Listing {
    let of_case = |case: &&'static dyn AnyCase| {
        let id = case.about().id;
        let row = |claim: &Expectation| vec![id.into(), claim.says.clone().into(), claim.property.words().into()];
        case.expects().iter().map(row).collect::<Vec<_>>()
    };
    let rows: Vec<_> = catalogue.cases.iter().flat_map(of_case).collect();
    let sum = format!("{} claims of {} cases", rows.len(), catalogue.cases.len());
    Listing { columns: vec!["case", "claim", "asks"], rows, sum }
}

fn suites(catalogue: &Catalogue) -> Listing {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for case in catalogue.cases {
        *counts.entry(case.about().suite()).or_default() += 1;
    }
    let sum = format!("{} suites, {} cases", counts.len(), catalogue.cases.len());
    let rows = counts.into_iter().map(|(suite, cases)| vec![suite.into(), cases.into()]).collect();
    Listing { columns: vec!["suite", "cases"], rows, sum }
}

fn requirements(catalogue: &Catalogue) -> Listing {
    let all = coverage(catalogue);
    let (covered, judged) =
        (all.iter().filter(|one| one.is_covered()).count(), all.iter().filter(|one| one.is_in_every_case()).count());
    let sum = format!(
        "{covered} of {} requirements are covered: {judged} are judged in every case, the others by {} cases",
        all.len(),
        catalogue.cases.len()
    );
    let checks = |one: &Coverage<'_>| {
        let own = |judging: &&'static str| **judging != *one.number;
        let always = one.is_in_every_case().then_some("every case");
        always
            .into_iter()
            .chain(one.invariants.iter().copied().filter(own))
            .chain(one.cases.clone())
            .collect::<Vec<_>>()
    };
    let rows = all.iter().map(|one| vec![one.number.into(), one.phrase.into(), checks(one).into()]).collect();
    Listing { columns: vec!["requirement", "phrase", "cases"], rows, sum }
}

fn gates() -> Listing {
    let table = GateTable::embedded();
    let mut columns = vec!["gate", "switches", "stages", "removed"];
    columns.push("can be switched with");
    let rows = table.gates().map(|gate| {
        let stages: Vec<String> = gate
            .stages
            .iter()
            .map(|stage| {
                let maturity = match stage.maturity {
                    Maturity::Alpha => "alpha",
                    Maturity::Beta => "beta",
                    Maturity::Ga => "GA",
                };
                let locked = if stage.freedom == Freedom::Locked { " locked" } else { "" };
                format!("{maturity} {} {}{locked}", stage.since, if stage.default { "on" } else { "off" })
            })
            .collect();
        let both_ways = |place: &crate::gates::Versions| table.possible(&gate.name, true).contains(place);
        let free: Vec<String> = table
            .possible(&gate.name, false)
            .iter()
            .filter(|place| both_ways(place))
            .map(ToString::to_string)
            .collect();
        vec![
            gate.name.clone().into(),
            gate.switches.clone().into(),
            stages.into(),
            gate.removed.map(|minor| minor.to_string()).into(),
            free.into(),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let sum = format!("{} gates", rows.len());
    Listing { columns, rows, sum }
}

fn versions() -> Listing {
    let rows = KNOWN_VERSIONS.iter().map(|version| {
        let (from, to) = emulation_window(*version);
        let note = if *version == DEFAULT_VERSION { "default" } else { "" };
        vec![version.to_string().into(), format!("{from} to {to}").into(), note.into()]
    });
    Listing {
        columns: vec!["version", "can behave as", "note"],
        rows: rows.collect(),
        sum: format!("{} versions can be built; --binaries takes ready programs of any other", KNOWN_VERSIONS.len()),
    }
}

fn keps(catalogue: &Catalogue) -> Result<Listing, Failure> {
    let all = kep::all(catalogue).map_err(|error| Failure::undecided(error.to_string()))?;
    let rows = all.iter().map(|kep| {
        let gates = kep.gates.clone();
        vec![format!("KEP-{}", kep.number).into(), kep.title.clone().into(), gates.into(), kep.criteria.len().into()]
    });
    let sum = format!("{} KEPs have a sheet: `jobsworth signoff KEP RUN`", all.len());
    Ok(Listing { columns: vec!["kep", "title", "gates", "criteria"], rows: rows.collect(), sum })
}

fn invariants() -> Listing {
    let sets = [(Resource::JOBS, invariants::ALL), (Resource::VOLCANO_JOBS, invariants::volcano::ALL)];
    let rows = sets.iter().flat_map(|(api, all)| {
        all.iter().map(move |invariant| vec![invariant.id().into(), api.api_version().into(), invariant.says().into()])
    });
    let [of_kubernetes, of_volcano] = sets.each_ref().map(|(_, all)| all.len());
    Listing {
        columns: vec!["invariant", "Jobs of", "claim"],
        rows: rows.collect(),
        sum: format!(
            "{of_kubernetes} invariants are judged in every case, in those of Volcano's Jobs {of_volcano} others"
        ),
    }
}

fn loads(catalogue: &Catalogue) -> Result<Listing, Failure> {
    let all = super::load::all(catalogue)?;
    let rows = all.iter().map(|profile| {
        let workload = &profile.workload;
        let usual = if profile.usual { "usual" } else { "" };
        vec![
            workload.name.clone().into(),
            profile.id.clone().into(),
            workload.jobs().into(),
            (*workload.pods().end()).into(),
            workload.says.clone().into(),
            usual.into(),
        ]
    });
    let usual = all.iter().filter(|profile| profile.usual).count();
    let sum = format!("{} load profiles; `jobsworth load` runs the {usual} usual ones when none is named", all.len());
    Ok(Listing { columns: vec!["profile", "id", "jobs", "pods", "what is done", "note"], rows: rows.collect(), sum })
}
