//! What the user asks for: flags over a plan file over defaults.

use super::{Filter, Partition, PlanError, PlanFile, nearest::nearest, provider::CONTROLLERS};
use crate::{binaries::DEFAULT_VERSION, run::Keep};
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
}

/// Which cases are meant.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Ids of cases and names of suites; empty means every case.
    pub names: Vec<String>,
    /// The filter; a case must pass it too.
    pub filter: Filter,
}

/// One cell that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRequest {
    /// Version of the binaries.
    pub kubernetes: KubeVersion,
    /// The version to which cases of the cell may change it.
    pub other: Option<KubeVersion>,
    /// The version they emulate.
    pub emulate: Option<Minor>,
    /// Feature gates.
    pub gates: BTreeMap<String, bool>,
    /// Name of the controller under test.
    pub controller: String,
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
    /// `--controller`, each an axis value
    pub controllers: Vec<String>,
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
}

impl Request {
    /// Lays the flags over the plan. Versions, emulation and gates replace the plan's cells, controllers multiply them; ids
    /// and `-E` replace its filter; everything else replaces the key of the same name.
    ///
    /// # Errors
    /// When a flag cannot be read.
    pub fn of(flags: Flags, plan: Option<PlanFile>, seed: u64, default_jobs: usize) -> Result<Self, PlanError> {
        let cells = cells(&flags, plan.as_ref())?;
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
            plan: plan.map(|plan| plan.name.clone()),
        })
    }
}

fn cells(flags: &Flags, plan: Option<&PlanFile>) -> Result<Vec<CellRequest>, PlanError> {
    let by_flags = !flags.kubernetes.is_empty() || flags.emulate.is_some() || flags.gates.is_some();
    let planned = plan.map(|plan| plan.cells.as_slice()).unwrap_or_default();
    let cells = if by_flags || planned.is_empty() {
        cells_of(&flags.kubernetes, flags.emulate.as_deref(), flags.gates.as_deref())?
    } else {
        let of = |cell: &super::file::PlannedCell| CellRequest {
            kubernetes: cell.kubernetes.unwrap_or(DEFAULT_VERSION),
            other: cell.other,
            emulate: cell.emulate,
            gates: cell.gates.clone(),
            controller: cell.controller.clone().unwrap_or_else(|| CONTROLLERS[0].to_owned()),
        };
        planned.iter().map(of).collect()
    };
    let cells = with_other(cells, flags.other_kubernetes.as_deref())?;
    if flags.controllers.is_empty() {
        return Ok(cells);
    }
    let controllers: Vec<String> = flags.controllers.iter().map(|name| controller(name)).collect::<Result<_, _>>()?;
    let mut crossed: Vec<CellRequest> = Vec::new();
    for cell in &cells {
        for controller in &controllers {
            let cell = CellRequest { controller: controller.clone(), ..cell.clone() };
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
///
/// # Errors
/// When a version or the gates cannot be read.
pub fn cells_of(
    kubernetes: &[String],
    emulate: Option<&str>,
    gates_text: Option<&str>,
) -> Result<Vec<CellRequest>, PlanError> {
    let emulate = emulate.map(|text| version("the version to emulate", text)).transpose()?;
    let gates = gates_text.map(gates).transpose()?.unwrap_or_default();
    let versions: Vec<KubeVersion> = match kubernetes {
        [] => vec![DEFAULT_VERSION],
        named => named.iter().map(|text| version("the Kubernetes version", text)).collect::<Result<_, _>>()?,
    };
    let cell = |kubernetes| CellRequest {
        kubernetes,
        other: None,
        emulate,
        gates: gates.clone(),
        controller: CONTROLLERS[0].to_owned(),
    };
    Ok(versions.into_iter().map(cell).collect())
}

/// Reads a version.
///
/// # Errors
/// When it is none; `what` says what it should be.
pub fn version<T: std::str::FromStr<Err: std::fmt::Display>>(what: &'static str, text: &str) -> Result<T, PlanError> {
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

/// The controller of this name.
///
/// # Errors
/// When there is none; names the nearest.
pub fn controller(name: &str) -> Result<String, PlanError> {
    if CONTROLLERS.contains(&name) {
        return Ok(name.to_owned());
    }
    let mut nearest = nearest(name, CONTROLLERS);
    if nearest.is_empty() {
        nearest = CONTROLLERS.map(str::to_owned).to_vec();
    }
    Err(PlanError::Unknown { kind: "controller", name: name.to_owned(), nearest })
}
