//! What the user asks for: flags over a plan file over defaults.

use super::{CellRequest, Filter, Partition, PlanError, PlanFile};
use crate::{binaries::DEFAULT_VERSION, run::Keep, subject::Subject};
use jobsworth_api::{KubeVersion, Minor};
use std::{collections::BTreeMap, path::PathBuf};

/// Everything that decides what is run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The plan it came from, if one was named.
    pub plan: Option<String>,
    /// The cells.
    pub cells: Vec<CellRequest>,
    /// Which cases.
    pub selection: Selection,
    /// How many cases side by side.
    pub jobs: usize,
    /// How often each case.
    pub repeat: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// Which clusters stay.
    pub keep: Keep,
    /// Stop after so many failed cases.
    pub max_fail: Option<u32>,
    /// Which shard.
    pub partition: Option<Partition>,
    /// A folder with ready programs.
    pub binaries: Option<PathBuf>,
    /// What the plan's matrix left out, and why.
    pub left_out: Vec<String>,
}

/// Which cases are meant.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Ids of cases and names of suites; empty means every case.
    pub names: Vec<String>,
    /// The filter; a case must pass it too.
    pub filter: Filter,
}

/// The flags, where they were given.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// Ids of cases and names of suites.
    pub names: Vec<String>,
    /// `-E`
    pub filter: Option<String>,
    /// `--kubernetes`
    pub kubernetes: Vec<String>,
    /// `--other-kubernetes`
    pub other_kubernetes: Option<String>,
    /// `--emulate`
    pub emulate: Option<String>,
    /// `--gates`
    pub gates: Option<String>,
    /// `--controller` by name, each an axis value
    pub controllers: Vec<String>,
    /// Controllers that flags describe, each an axis value after those
    pub described: Vec<Subject>,
    /// `--repeat`
    pub repeat: Option<u32>,
    /// `--jobs`
    pub jobs: Option<usize>,
    /// `--keep`
    pub keep: Option<Keep>,
    /// `--max-fail`
    pub max_fail: Option<u32>,
    /// `--partition`
    pub partition: Option<String>,
    /// `--binaries`
    pub binaries: Option<PathBuf>,
    /// `--nodes`
    pub nodes: Option<u32>,
}

impl Flags {
    /// Whether they say what the cells are; then a plan's do not count.
    fn make_cells(&self) -> bool {
        !self.kubernetes.is_empty() || self.emulate.is_some() || self.gates.is_some()
    }
}

impl Request {
    /// Lays the flags over the plan. Versions, emulation and gates replace the plan's cells, controllers multiply them; ids
    /// and `-E` replace its filter; everything else replaces the key of the same name.
    ///
    /// # Errors
    /// When a flag cannot be read.
    pub fn of(flags: Flags, plan: Option<PlanFile>, seed: u64, default_jobs: usize) -> Result<Self, PlanError> {
        let flags_make_cells = flags.make_cells();
        let mut cells = cells(&flags, plan.as_ref())?;
        cells.iter_mut().for_each(|cell| cell.nodes = flags.nodes.or(cell.nodes));
        let filter = match (&flags.filter, plan.as_ref().and_then(|plan| plan.filter.clone())) {
            (Some(text), _) => super::filter::parse(text)?,
            (None, Some(filter)) if flags.names.is_empty() => filter,
            _ => Filter::all(),
        };
        let plan = plan.as_ref();
        Ok(Self {
            cells,
            selection: Selection { names: flags.names, filter },
            jobs: flags.jobs.or(plan.and_then(|plan| plan.jobs)).unwrap_or(default_jobs),
            repeat: flags.repeat.or(plan.and_then(|plan| plan.repeat)).unwrap_or(1),
            seed,
            keep: flags.keep.unwrap_or(Keep::Never),
            max_fail: flags.max_fail.or(plan.and_then(|plan| plan.max_fail)),
            partition: flags.partition.as_deref().map(str::parse).transpose()?,
            binaries: flags.binaries,
            left_out: plan.filter(|_| !flags_make_cells).map(|plan| plan.left_out.clone()).unwrap_or_default(),
            plan: plan.map(|plan| plan.name.clone()),
        })
    }
}

fn cells(flags: &Flags, plan: Option<&PlanFile>) -> Result<Vec<CellRequest>, PlanError> {
    let planned = plan.map(|plan| plan.cells.as_slice()).unwrap_or_default();
    let known: Vec<Subject> = plan.map(|plan| plan.controllers.clone()).unwrap_or_default();
    let cells = if flags.make_cells() || planned.is_empty() {
        cells_of(&flags.kubernetes, flags.emulate.as_deref(), flags.gates.as_deref())?
    } else {
        planned.iter().cloned().map(CellRequest::settled).collect()
    };
    let cells = with_other(cells, flags.other_kubernetes.as_deref())?;
    let by_name = flags.controllers.iter().map(|name| named(name, &known));
    let controllers: Vec<Subject> =
        by_name.chain(flags.described.iter().cloned().map(Ok)).collect::<Result<_, PlanError>>()?;
    if controllers.is_empty() {
        return Ok(cells);
    }
    let mut crossed: Vec<CellRequest> = Vec::new();
    for cell in &cells {
        for controller in &controllers {
            let cell = CellRequest { controller: Some(controller.clone()), ..cell.clone() };
            // Cells of a plan that differed in the controller only become the same.
            if !crossed.contains(&cell) {
                crossed.push(cell);
            }
        }
    }
    Ok(crossed)
}

/// The same cells with this other version beside their own.
fn with_other(cells: Vec<CellRequest>, other: Option<&str>) -> Result<Vec<CellRequest>, PlanError> {
    let Some(text) = other else { return Ok(cells) };
    let other = version("the other Kubernetes version", text)?;
    Ok(cells.into_iter().map(|cell| CellRequest { other: Some(other), ..cell }).collect())
}

/// One cell per version, the newest known without any; each with this emulation and these gates.
fn cells_of(
    kubernetes: &[String],
    emulate: Option<&str>,
    gates_text: Option<&str>,
) -> Result<Vec<CellRequest>, PlanError> {
    let emulate = self::emulate(emulate)?;
    let gates = gates_text.map(gates).transpose()?.unwrap_or_default();
    let versions: Vec<KubeVersion> = match kubernetes {
        [] => vec![DEFAULT_VERSION],
        named => named.iter().map(|text| self::kubernetes(Some(text))).collect::<Result<_, _>>()?,
    };
    let cell = |version| {
        CellRequest { kubernetes: Some(version), emulate, gates: gates.clone(), ..CellRequest::default() }.settled()
    };
    Ok(versions.into_iter().map(cell).collect())
}

/// The version of the binaries; the default without a text.
///
/// # Errors
/// When the text is not one.
pub fn kubernetes(text: Option<&str>) -> Result<KubeVersion, PlanError> {
    text.map_or(Ok(DEFAULT_VERSION), |text| version("the Kubernetes version", text))
}

/// The version that they emulate, if any.
///
/// # Errors
/// When the text is not one.
pub fn emulate(text: Option<&str>) -> Result<Option<Minor>, PlanError> {
    text.map(|text| version("the version to emulate", text)).transpose()
}

fn version<T: std::str::FromStr<Err: std::fmt::Display>>(what: &'static str, text: &str) -> Result<T, PlanError> {
    text.parse().map_err(|error: T::Err| PlanError::Unreadable { what, text: text.to_owned(), why: error.to_string() })
}

/// Reads `A=true,B=false`.
///
/// # Errors
/// When a part is not `Name=true` or `Name=false`, or a gate is named twice.
pub fn gates(text: &str) -> Result<BTreeMap<String, bool>, PlanError> {
    let mut read = BTreeMap::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let unreadable = |why: &str| PlanError::Unreadable {
            what: "the feature gates",
            text: text.to_owned(),
            why: format!("{why}; expected Name=true or Name=false, joined by commas"),
        };
        let (name, on) = part.split_once('=').ok_or_else(|| unreadable(&format!("`{part}` has no `=`")))?;
        let on = match on.trim() {
            "true" => true,
            "false" => false,
            other => return Err(unreadable(&format!("`{other}` is neither true nor false"))),
        };
        if read.insert(name.trim().to_owned(), on).is_some() {
            return Err(unreadable(&format!("`{}` is named twice", name.trim())));
        }
    }
    Ok(read)
}

/// The controller of this name, one that comes along.
///
/// # Errors
/// When there is none; names the nearest.
pub fn controller(name: &str) -> Result<Subject, PlanError> {
    named(name, &[])
}

/// The controller of this name: one that comes along, or one of a plan's own.
fn named(name: &str, own: &[Subject]) -> Result<Subject, PlanError> {
    let all: Vec<Subject> = Subject::known().into_iter().chain(own.iter().cloned()).collect();
    let found = all.iter().find(|subject| subject.name == name).cloned();
    found.ok_or_else(|| PlanError::none_of("controller", name, all.iter().map(|subject| subject.name.as_str())))
}
