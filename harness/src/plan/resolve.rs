//! From a request to a plan: cells that can exist, and the cases that fit each of them.

use super::{
    CellRequest, Partition, PlanError, Request, Selection, filter,
    fit::{Fit, fit},
    order::shuffle,
};
use crate::gates::GateTable;
use crate::{
    binaries::KNOWN_VERSIONS,
    case::{AnyCase, Catalogue, Share},
    cluster::{Ability, Capabilities, ClusterSpec, Provider, Proxied, Route, SubjectKind, provider::Made},
    run::{Cell, CellPlan, Flaky, Keep, RunPlan, Turn},
    scene::Patience,
    slo::objective,
};
use jobsworth_api::KubeVersion;
use std::{collections::BTreeSet, path::Path};

/// The longest id of a cell; beyond it gates are counted instead of named.
const LONGEST_ID: usize = 100;

/// Why a case is skipped that would run while other runs have cases in its cluster.
const SHARED: &str = "bears no other case beside it: other runs share this cluster";

/// A plan, and what it was made of.
pub struct Resolved<'c> {
    /// What is run.
    pub run: RunPlan<'c>,
    /// What was asked for.
    pub asked: AskedFor,
}

/// What was asked for, as far as plans show it and records keep it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskedFor {
    /// Name of the plan, if one was named.
    pub plan: Option<String>,
    /// Ids of cases and names of suites.
    pub names: Vec<String>,
    /// The filter, as it was written.
    pub filter: String,
    /// How often each case.
    pub repeat: u32,
    /// Which shard.
    pub partition: Option<Partition>,
    /// What the plan's matrix left out, and why.
    pub left_out: Vec<String>,
}

impl From<Request> for AskedFor {
    fn from(request: Request) -> Self {
        let Request { plan, selection, repeat, partition, left_out, .. } = request;
        Self { plan, names: selection.names, filter: selection.filter.text, repeat, partition, left_out }
    }
}

impl Resolved<'_> {
    /// How many turns of cases there are over all cells.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.run.cells.iter().map(|cell| cell.turns.len()).sum()
    }

    /// Skips cases that bear no other beside them: runs that know nothing of these turns have theirs in the same cluster.
    pub fn share_the_cluster(&mut self) {
        for cell in &mut self.run.cells {
            let (alone, together): (Vec<_>, Vec<_>) =
                cell.turns.drain(..).partition(|turn| turn.case.about().needs.runs_alone());
            cell.turns = together;
            let first_turns = alone.into_iter().filter(|turn| turn.attempt == 1);
            cell.skips.extend(first_turns.map(|turn| (turn.case, SHARED.to_owned())));
        }
    }
}

/// Makes the plan of a request.
///
/// # Errors
/// When a name is unknown, or a cell cannot exist.
pub fn resolve(
    request: Request,
    id: String,
    catalogue: &Catalogue,
    provider: &dyn Provider,
) -> Result<Resolved<'static>, PlanError> {
    let gates = GateTable::embedded();
    let cases = selected(&request, catalogue, gates)?;
    let mut cells = Vec::new();
    let mut ids = BTreeSet::new();
    for wanted in &request.cells {
        if provider.made() == Made::ForTheRun {
            known_version(wanted, request.binaries.as_deref())?;
        }
        let mut cell = cell(wanted, provider, gates)?;
        cell.spec.route = route(provider.capabilities().proxied, request.keep, &cell.spec.subject);
        if !ids.insert(cell.id.clone()) {
            return Err(PlanError::TwiceTheSame(cell.id));
        }
        cells.push(cell_plan(cell, &cases, &request, &provider.capabilities(), gates));
    }
    let jobs = request.jobs.max(1);
    let run = RunPlan {
        id,
        cells,
        jobs,
        // A control plane that starts keeps a core busy: no more than the provider's own, and none for who wants no case beside another.
        clusters: jobs.min(usize::try_from(provider.costs().side_by_side).unwrap_or(1)),
        seed: request.seed,
        keep: request.keep,
        max_fail: request.max_fail,
        flaky: Flaky::default(),
        patience: Patience::default(),
        objectives: objective::parse(catalogue.objectives, "slos")?,
    };
    Ok(Resolved { run, asked: request.into() })
}

/// A cluster that may stay is made by a process of its own, and its controller's requests are not seen here.
fn route(proxied: Proxied, keep: Keep, subject: &SubjectKind) -> Route {
    let is_proxied = match proxied {
        Proxied::All => true,
        Proxied::Programs => matches!(subject, SubjectKind::Program(_)),
        Proxied::Nobody => false,
    };
    if is_proxied && keep == Keep::Never { Route::Proxied } else { Route::Direct }
}

fn selected(
    request: &Request,
    catalogue: &Catalogue,
    gates: &GateTable,
) -> Result<Vec<&'static dyn AnyCase>, PlanError> {
    let Selection { names, filter } = &request.selection;
    let gates: Vec<&str> = gates.gates().map(|gate| gate.name.as_str()).collect();
    filter::check(filter, catalogue, &gates)?;
    check_names(names, catalogue)?;
    let named =
        |about: &crate::About| names.is_empty() || names.iter().any(|name| about.id == name || about.suite() == name);
    let nothing_named = names.is_empty() && filter.is_all();
    let meant = catalogue.cases.iter().copied().filter(|case| {
        let about = case.about();
        named(&about) && filter.matches(&about) && !(nothing_named && case.share() == Share::OnRequest)
    });
    let in_shard = |(position, case): &(usize, &'static dyn AnyCase)| {
        request.partition.is_none_or(|partition| partition.holds(*position, case.about().id))
    };
    Ok(meant.enumerate().filter(in_shard).map(|(_, case)| case).collect())
}

fn check_names(names: &[String], catalogue: &Catalogue) -> Result<(), PlanError> {
    let abouts: Vec<crate::About> = catalogue.cases.iter().map(|case| case.about()).collect();
    for name in names {
        if abouts.iter().any(|about| about.id == name || about.suite() == name) {
            continue;
        }
        let suites: BTreeSet<&str> = abouts.iter().map(crate::About::suite).collect();
        let kind = if name.contains('/') { "case" } else { "case or suite" };
        return Err(PlanError::unknown(kind, name, abouts.iter().map(|about| about.id).chain(suites)));
    }
    Ok(())
}

/// Versions that are built must be known ones; a folder of ready programs may hold any.
///
/// # Errors
/// When the version is not known.
pub fn known_version(wanted: &CellRequest, binaries: Option<&Path>) -> Result<(), PlanError> {
    if binaries.is_some() {
        return Ok(());
    }
    [Some(wanted.version()), wanted.other].into_iter().flatten().try_for_each(buildable)
}

/// Whether there are modules to build the version from.
///
/// # Errors
/// When there are not, with those that are near.
pub fn buildable(version: KubeVersion) -> Result<(), PlanError> {
    if KNOWN_VERSIONS.contains(&version) {
        return Ok(());
    }
    let name = version.to_string();
    let known = KNOWN_VERSIONS.map(|version| version.to_string());
    Err(PlanError::none_of("Kubernetes version", &name, known.iter().map(String::as_str)))
}

/// The cell of a request.
///
/// # Errors
/// When a gate is unknown or cannot have that state there, or the version cannot be emulated.
pub fn cell(wanted: &CellRequest, provider: &dyn Provider, gates: &GateTable) -> Result<Cell, PlanError> {
    if let Some(gate) = wanted.gates.keys().find(|gate| gates.gate(gate).is_none()) {
        return Err(PlanError::unknown("feature gate", gate, gates.gates().map(|gate| gate.name.as_str())));
    }
    let (mut spec, subject) = (ClusterSpec::of(wanted.version()), wanted.subject());
    spec.other = wanted.other.filter(|other| *other != spec.version);
    spec.emulated = wanted.emulate.filter(|minor| *minor != spec.version.minor_version());
    spec.gates = wanted.gates.clone();
    if provider.capabilities().kubelets == Ability::Has {
        // A node with a kubelet is a container with a system in it: more than one is asked for.
        spec.nodes = 1;
    }
    spec.nodes = wanted.nodes.unwrap_or(spec.nodes);
    let id = cell_id(&spec, &subject.name);
    if let Err(why) = gates.check(spec.version, spec.emulated, &spec.gates) {
        return Err(PlanError::ImpossibleCell { cell: id, why });
    }
    let has_webhook = matches!(&subject.kind, SubjectKind::Program(program) if program.webhook.is_some());
    if has_webhook && provider.capabilities().webhooks == Ability::Lacks {
        return Err(PlanError::UnreachableWebhook { cell: id, provider: provider.name() });
    }
    if matches!(subject.kind, SubjectKind::Deployed(_)) && provider.capabilities().kubelets == Ability::Lacks {
        return Err(PlanError::NoPods { cell: id, provider: provider.name() });
    }
    Ok(Cell::of(id, provider.name(), &subject, spec))
}

fn cell_id(spec: &ClusterSpec, controller: &str) -> String {
    let mut id = spec.version.to_string();
    if let Some(other) = spec.other {
        id += &format!("-to-{other}");
    }
    if let Some(minor) = spec.emulated {
        id += &format!("-as-{minor}");
    }
    let gates: String =
        spec.gates.iter().map(|(gate, on)| format!("-{gate}-{}", if *on { "on" } else { "off" })).collect();
    if id.len() + gates.len() + controller.len() < LONGEST_ID {
        id += &gates;
    } else {
        let mut sum = sha2::Sha256::default();
        sha2::Digest::update(&mut sum, gates.as_bytes());
        let digest = sha2::Digest::finalize(sum);
        id += &format!("-{}-gates-{:02x}{:02x}{:02x}", spec.gates.len(), digest[0], digest[1], digest[2]);
    }
    id + "-" + controller
}

fn cell_plan(
    cell: Cell,
    cases: &[&'static dyn AnyCase],
    request: &Request,
    can: &Capabilities,
    gates: &GateTable,
) -> CellPlan<'static> {
    let mut fitting = Vec::new();
    let mut skips = Vec::new();
    for case in cases {
        match fit(&case.about().needs, &cell.spec, can, gates) {
            Fit::Fits => fitting.push(*case),
            Fit::Foreign => {}
            Fit::Skip(why) => skips.push((*case, why)),
        }
    }
    let mut turns = Vec::new();
    for attempt in 1..=request.repeat {
        let mut round = fitting.clone();
        shuffle(&mut round, request.seed.wrapping_add(u64::from(attempt - 1)));
        turns.extend(round.into_iter().map(|case| Turn { case, attempt }));
    }
    CellPlan { cell, turns, skips }
}

#[cfg(test)]
mod tests;
