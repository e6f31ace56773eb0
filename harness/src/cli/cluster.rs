//! `cluster`: control planes for work at the desk, held by a process of their own.

mod agent;
mod image;

use super::{
    Failure, Global, Stdout,
    selection::Clusters,
    session::{block_on, controllers_are_ready},
    signals, surroundings,
};
use crate::{
    cluster::{
        self, Change, Cluster as _, ClusterSpec, Component, Keeping, LEFTOVERS, Provider, Step, SubjectKind,
        daemon::{attach, take_down},
        kind::{self, remains::Remains},
        kubeconfig,
        pace::Pace,
        process,
        provider::{Keepable, Making},
        registry::{Life, Registry},
    },
    gates::GateTable,
    plan::{self, provider::that_can_keep, request},
    report::{
        Exit,
        console::Volume,
        escape::{block, terminal},
        store,
    },
};
use clap::{Args, Subcommand};
use serde_json::json;
use std::{io::Write, path::PathBuf};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Bring one up; it stays until it is taken down.
    Up(Up),
    /// Take one down.
    Down {
        /// Its name.
        #[arg(default_value = "desk")]
        name: String,
    },
    /// List what there is.
    List {
        /// As a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Print the path of the administrator's kubeconfig.
    Kubeconfig {
        /// Name of the cluster.
        #[arg(default_value = "desk")]
        name: String,
    },
    /// Print the last lines that its components wrote.
    Logs {
        /// Name of the cluster.
        #[arg(default_value = "desk")]
        name: String,
        /// Only this component, for example `kube-apiserver`.
        #[arg(long)]
        component: Option<String>,
        /// How many lines of each.
        #[arg(long, default_value_t = 20)]
        lines: usize,
    },
    /// Switch feature gates of one that runs: each component is restarted, on the same store.
    Gates {
        /// Name of the cluster.
        name: String,
        /// The gates, for example `JobSuccessPolicy=false`.
        #[arg(value_name = "A=true,B=false")]
        gates: String,
    },
    /// Change one that runs to another version of Kubernetes, newer or older, on the same store.
    Upgrade {
        /// Name of the cluster.
        name: String,
        /// Version of Kubernetes.
        #[arg(long, value_name = "V", required_unless_present = "emulate")]
        kubernetes: Option<String>,
        /// The minor version that the binaries are to emulate.
        #[arg(long, value_name = "V", conflicts_with = "kubernetes")]
        emulate: Option<String>,
    },
    /// Remove what crashed owners left.
    Gc,
    /// Make a node image of kind on this machine, without a registry of containers.
    Image(image::Arguments),
    /// Write the image of the program that stands in pods to an archive, for `--provider existing`.
    Agent(agent::Arguments),
}

#[derive(Args)]
struct Up {
    /// Its name.
    #[arg(default_value = "desk")]
    name: String,
    /// Whose Job controller runs in it: `builtin`, `reference` in its place, or `beside` it.
    #[arg(long, value_name = "NAME", default_value = "builtin")]
    controller: String,
    /// Version of Kubernetes.
    #[arg(long, value_name = "V")]
    kubernetes: Option<String>,
    /// The minor version that the binaries emulate.
    #[arg(long, value_name = "V")]
    emulate: Option<String>,
    /// Feature gates.
    #[arg(long, value_name = "A=true,B=false")]
    gates: Option<String>,
    /// A folder with ready programs.
    #[arg(long, value_name = "DIR", env = "JOBSWORTH_BINARIES")]
    binaries: Option<PathBuf>,
    /// With kube-scheduler.
    #[arg(long)]
    scheduler: bool,
    /// With kwok, which plays nodes and pods.
    #[arg(long)]
    kwok: bool,
    #[command(flatten)]
    clusters: Clusters,
}

pub(super) fn execute(arguments: Arguments, global: Global, stdout: &mut Stdout) -> Result<Exit, Failure> {
    if let Action::Image(arguments) = &arguments.action {
        return image::execute(arguments, global, stdout);
    }
    if let Action::Agent(arguments) = &arguments.action {
        return agent::execute(arguments, stdout);
    }
    let registry = Registry::of_user(LEFTOVERS)?;
    match arguments.action {
        Action::Up(up) => bring_up(up, global, registry, stdout)?,
        Action::Down { name } => {
            match Remains::read(&registry.folder_of(&name)?) {
                Some(_) => kind::take_down(&registry, &name)?,
                None => block_on(take_down(&registry, &name))??,
            }
            stdout.line(&format!("{name} is gone"))?;
        }
        Action::List { json: true } => stdout.write(&listed_as_json(&registry)?)?,
        Action::List { json: false } => list(&registry, stdout)?,
        Action::Kubeconfig { name } => {
            stdout.line(&kubeconfig::administrator(&registry.site(&name)?).display().to_string())?;
        }
        Action::Logs { name, component, lines } => logs(&registry, &name, component.as_deref(), lines, stdout)?,
        Action::Gates { name, gates } => {
            let gates = request::gates(&gates)?;
            change(&registry, &name, &Change::Gates(gates), stdout)?;
        }
        Action::Upgrade { name, kubernetes, emulate } => {
            let to = match kubernetes.as_deref() {
                None => Change::Emulation(request::emulate(emulate.as_deref())?),
                version => Change::Version(request::kubernetes(version)?),
            };
            change(&registry, &name, &to, stdout)?;
        }
        Action::Gc => {
            let swept = registry.gc()?;
            match swept.removed.as_slice() {
                [] if swept.left.is_empty() => stdout.line("nothing was left")?,
                [] => {}
                names => stdout.line(&format!("removed {}", names.join(", ")))?,
            }
            let left = swept.left.iter().map(|(name, error)| format!("{name}: {}", crate::error_text::in_full(error)));
            let left: Vec<String> = left.collect();
            if !left.is_empty() {
                return Err(Failure::undecided(format!("failed to remove {}", left.join("; "))));
            }
        }
        Action::Image(_) | Action::Agent(_) => {}
    }
    Ok(Exit::Held)
}

fn bring_up(up: Up, global: Global, registry: Registry, stdout: &mut Stdout) -> Result<(), Failure> {
    let wanted = plan::CellRequest {
        kubernetes: Some(request::kubernetes(up.kubernetes.as_deref())?),
        other: None,
        emulate: request::emulate(up.emulate.as_deref())?,
        gates: up.gates.as_deref().map(request::gates).transpose()?.unwrap_or_default(),
        controller: Some(request::controller(&up.controller)?),
        nodes: up.clusters.nodes(),
    };
    let provider = up.clusters.asked_to_make()?;
    let cell = plan::resolve::cell(&wanted, provider, GateTable::embedded())?;
    let spec = ClusterSpec { scheduler: up.scheduler, kwok: up.kwok, ..cell.spec };
    can_stay(provider, &spec)?;
    controllers_are_ready(std::iter::once(&spec.subject))?;
    let volume = global.volume();
    let say = move |text: &str| {
        if volume != Volume::Quiet {
            // Progress is a courtesy; the result is what counts.
            let _ = writeln!(std::io::stderr(), "{}", terminal(text));
        }
    };
    let pace = Pace::default();
    let tell = move |step: Step| {
        if pace.tells(&step) {
            say(&step.to_string());
        }
    };
    // What is missing is told by whoever builds it: a cluster of this name may be up, and needs nothing.
    let wish = up.clusters.wish(&[], up.binaries);
    let ready = provider.probe(&wish).map_err(|why| Failure::undecided(block(&why.says)))?;
    let outlook = ready.programs.as_ref().and_then(|source| surroundings::outlook(source, [&spec]));
    outlook.into_iter().for_each(|outlook| say(&outlook.to_string()));
    let making = Making { registry: registry.clone(), ..cluster::making(Keeping::Keep)? };
    let clusters = ready.into_clusters(making)?;
    // Dropping it is what keeps it.
    drop(block_on(unless_interrupted(clusters.provision(&spec, &up.name, &tell)))???);
    told(&registry, &up.name, stdout)
}

/// Whether all of such a cluster can stay when the command ends.
fn can_stay(provider: &dyn Provider, spec: &ClusterSpec) -> Result<(), Failure> {
    let name = provider.name();
    let what = match (provider.can_keep(), spec) {
        (Keepable::Whole, _) => return Ok(()),
        (Keepable::Nothing, _) => {
            let says = format!("failed to keep a cluster of the provider `{name}`: they end with their run");
            let others = that_can_keep(&[Keepable::Whole, Keepable::WithoutProcesses]);
            return Err(Failure::misuse_with(says, format!("use --provider {others}")));
        }
        (_, ClusterSpec { subject: SubjectKind::Program(_), .. }) => "a controller that is a process beside it",
        (_, ClusterSpec { kwok: true, .. }) => "kwok",
        (Keepable::WithoutProcesses, _) => return Ok(()),
    };
    let others = that_can_keep(&[Keepable::Whole]);
    Err(Failure::misuse_with(
        format!("failed to keep a {name} cluster with {what}"),
        format!("use --provider {others}; or run --provider {name}, which has the controller for its cases"),
    ))
}

/// Gives up what is being made when a signal comes; dropping it removes it.
async fn unless_interrupted<T>(making: impl Future<Output = T>) -> Result<T, Failure> {
    let mut signals = signals::listen().map_err(|error| Failure::undecided(format!("failed to listen: {error}")))?;
    tokio::select! {
        made = making => Ok(made),
        signal = signals.first() => Err(Failure::interrupted(signal)),
    }
}

fn told(registry: &Registry, name: &str, stdout: &mut Stdout) -> Result<(), Failure> {
    let path = kubeconfig::administrator(&registry.site(name)?);
    stdout.line(&format!("{name} is up\nexport KUBECONFIG={}", path.display()))
}

/// Changes a cluster that its holder keeps, and shows what its components say then.
fn change(registry: &Registry, name: &str, change: &Change, stdout: &mut Stdout) -> Result<(), Failure> {
    if Remains::read(&registry.folder_of(name)?).is_some() {
        let says =
            format!("failed to change `{name}`: it was made by kind, and this changes clusters of local processes");
        let help = "use `cluster up` with --provider local, or a case that changes its cluster: run --provider kind gate-flips";
        return Err(Failure::misuse_with(says, help));
    }
    let report = block_on(async {
        let joined = attach(registry, name).await?;
        joined.change(change).await
    })??;
    for row in &report.attestation.rows {
        stdout.line(&format!("{:<24} {:<32} {}", row.component.to_string(), row.what, row.found))?;
    }
    if !report.attestation.holds() {
        return Err(Failure::undecided(format!("failed to prove that {name} is {change} now")));
    }
    stdout.line(&format!("{name}: {change}, attested after {:.1} s", report.took.as_secs_f64()))
}

const fn life_in_words(life: Life) -> &'static str {
    match life {
        Life::Owned => "up",
        _ => "abandoned",
    }
}

fn listed_as_json(registry: &Registry) -> Result<String, Failure> {
    let clusters = registry.list()?;
    let rows = clusters
        .iter()
        .map(|cluster| json!({"name": cluster.name, "life": life_in_words(cluster.life), "record": cluster.record}));
    Ok(store::json(&rows.collect::<Vec<_>>()))
}

fn list(registry: &Registry, stdout: &mut Stdout) -> Result<(), Failure> {
    let clusters = registry.list()?;
    if clusters.is_empty() {
        return stdout.line("there is no cluster");
    }
    for cluster in &clusters {
        let spec = cluster.record.as_ref().map(|record| {
            let spec = &record.spec;
            let emulated = spec.emulated.map(|minor| format!(" as {minor}")).unwrap_or_default();
            format!("{}{emulated}  {}", spec.version, plan::fit::gates_text(&spec.gates))
        });
        let line = format!("{:<24}  {:<10} {}", cluster.name, life_in_words(cluster.life), spec.unwrap_or_default());
        stdout.line(line.trim_end())?;
    }
    Ok(())
}

fn logs(
    registry: &Registry,
    name: &str,
    component: Option<&str>,
    lines: usize,
    stdout: &mut Stdout,
) -> Result<(), Failure> {
    let by_kind = Remains::read(&registry.folder_of(name)?);
    let site = registry.site(name)?;
    let running: Vec<Component> = match by_kind {
        Some(_) => kind::PARTS.to_vec(),
        None => registry.record(name)?.processes.into_keys().collect(),
    };
    let wanted: Vec<Component> =
        running.iter().copied().filter(|one| component.is_none_or(|name| one.to_string() == name)).collect();
    if wanted.is_empty() {
        let names: Vec<String> = running.iter().map(ToString::to_string).collect();
        let name = component.unwrap_or("");
        return Err(plan::PlanError::none_of("component", name, names.iter().map(String::as_str)).into());
    }
    for component in wanted {
        let (place, tail) = match &by_kind {
            Some(remains) => (remains.control_plane(), block_on(kind::log_tail(remains, component, lines))??),
            None => (site.log(component).display().to_string(), process::last_lines(&site.log(component), lines)),
        };
        stdout.line(&format!("==> {component}  {place}"))?;
        for line in tail {
            stdout.line(&terminal(&line))?;
        }
    }
    Ok(())
}
