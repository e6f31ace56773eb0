//! `shard write`: the manifests of a run or of a load in slices.

mod load;

use crate::{
    case::Catalogue,
    cli::{
        Failure, Stdout,
        existing::may_begin,
        plan,
        selection::{Planned, Selection, Sliced, planned},
    },
    cluster::{SubjectKind, namespace::policy, provider::Standing, subject_kind::JobApi},
    report::{Exit, escape::terminal, store},
    shard::{
        self, SLICES_MAX, image,
        inside::{PLAN_FILE, PLAN_FOLDER},
        manifests::{self, NamespaceBy, Wanted, Work},
    },
};
use clap::Args;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    load: load::Sizes,
    #[command(flatten)]
    selection: Selection,
}

/// How many slices, where they are, and where that is written.
#[derive(Args)]
struct Place {
    /// How many slices, each a pod.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(SLICES_MAX)),
        help_heading = "Slices")]
    slices: u32,
    /// The image of this program, as `shard image` makes it, where nodes have it or can pull it.
    #[arg(long, value_name = "REF", default_value = image::NAME, help_heading = "Slices")]
    image: String,
    /// Name of the Job and of whatever belongs to it.
    #[arg(long, value_name = "NAME", default_value = "jobsworth", value_parser = shard::name, help_heading = "Slices")]
    name: String,
    /// The namespace of the Job; cases and loads have namespaces of their own.
    #[arg(long, value_name = "NAME", default_value = "jobsworth", help_heading = "Slices")]
    namespace: String,
    /// The namespace is there already: it is not part of the manifests.
    #[arg(long, help_heading = "Slices")]
    namespace_exists: bool,
    /// Where pods reach the API server, in a cluster whose Services do not work.
    #[arg(long, value_name = "HOST:PORT", value_parser = server, help_heading = "Slices")]
    api_server: Option<(String, u16)>,
    /// The file to write; `-` is stdout.
    #[arg(short, long, value_name = "FILE", default_value = "-", help_heading = "Output")]
    out: PathBuf,
}

/// What slices do, and the cluster that the user named for it.
struct Cut {
    context: String,
    uid: String,
    /// The kubeconfig, as a command names it.
    kubeconfig: String,
    /// The word that the namespaces of slices have as a label.
    word: String,
    api: JobApi,
    work: Work,
    /// Text files that go along, by name.
    files: BTreeMap<String, String>,
    /// What each slice is told.
    arguments: Vec<String>,
    /// How much there is to do, in words.
    found: String,
}

pub(super) fn execute(arguments: Arguments, catalogue: &Catalogue, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let Arguments { place, load, selection } = arguments;
    let (cut, standing) = if load.is_asked_for() {
        load.cut(&place, selection, catalogue, stdout)?
    } else {
        cases(&place, selection, catalogue, stdout)?
    };
    written(&place, &cut, &standing, stdout)
}

/// A run that is cut into slices.
fn cases(
    place: &Place,
    selection: Selection,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<(Cut, Standing), Failure> {
    let Sliced { selection, arguments, plan } = selection.sliced(&place.name, &format!("{PLAN_FOLDER}/{PLAN_FILE}"))?;
    let named = selection.cluster().map(|(context, uid)| (context.to_owned(), uid.to_owned()));
    let kubeconfig = shown(selection.kubeconfig());
    let word = policy::label(selection.sharing().unwrap_or(&place.name));
    let planned = planned(selection, catalogue)?;
    let standing = planned.provider.as_ref().ok().and_then(|choice| choice.ready.standing.clone());
    let standing = standing.ok_or_else(nowhere)?;
    may_begin(&standing, || plan::show(&planned, stdout).map(drop))?;
    // Consent is given by the uid, and nobody is asked without a context.
    let (context, uid) = named.ok_or_else(unnamed)?;
    can_be_cut(&planned, place.slices)?;
    let cut = Cut {
        context,
        uid,
        kubeconfig,
        word,
        api: planned.resolved.run.cells.first().map(|cell| cell.cell.spec.subject.api()).unwrap_or_default(),
        work: Work::Cases,
        files: plan.into_iter().map(|text| (PLAN_FILE.to_owned(), text)).collect(),
        arguments,
        found: turns(planned.resolved.turns()),
    };
    Ok((cut, standing))
}

fn nowhere() -> Failure {
    Failure::misuse_with("failed to look at the cluster: there is none", "name it with --kubeconfig and --context")
}

fn unnamed() -> Failure {
    Failure::misuse_with("failed to choose the cluster: it is not named", "name it with --context and --yes-cluster")
}

fn shown(kubeconfig: Option<&Path>) -> String {
    kubeconfig.unwrap_or(Path::new("FILE")).display().to_string()
}

/// Writes the manifests, and tells what is done with them.
fn written(place: &Place, cut: &Cut, standing: &Standing, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let Place { slices, image, name, namespace, namespace_exists, api_server, out } = place;
    let text = manifests::yaml(&Wanted {
        name,
        namespace,
        namespace_by: if *namespace_exists { NamespaceBy::User } else { NamespaceBy::Manifests },
        slices: *slices,
        image,
        context: &cut.context,
        uid: &cut.uid,
        api: cut.api,
        gates: &standing.gates,
        api_server: api_server.as_ref().map(|(host, port)| (host.as_str(), *port)),
        files: &cut.files,
        work: cut.work,
        arguments: &cut.arguments,
    });
    if out == Path::new("-") {
        stdout.write(&text)?;
        return Ok(Exit::Held);
    }
    store::write_whole(out, text.as_bytes())?;
    let file = terminal(&out.display().to_string());
    let way = format!("--kubeconfig {} --context {}", terminal(&cut.kubeconfig), terminal(&cut.context));
    let next = Next { file: &file, name, namespace: &terminal(namespace), way: &way, word: &cut.word };
    stdout.line(&format!("{file} has {} in {slices} slices\n{}", cut.found, next.commands()))?;
    Ok(Exit::Held)
}

/// What the commands that follow are about.
struct Next<'a> {
    file: &'a str,
    name: &'a str,
    namespace: &'a str,
    /// The flags of kubectl and of `collect` that lead to the cluster.
    way: &'a str,
    /// The word that namespaces of cases have as a label.
    word: &'a str,
}

impl Next<'_> {
    /// A line for each command, in the order in which they are used.
    fn commands(&self) -> String {
        let Self { file, name, namespace, way, word } = self;
        format!(
            "apply     kubectl {way} apply -f {file}\n\
             collect   jobsworth shard collect {name} --namespace {namespace} {way} --wait 60\n\
             stop      kubectl {way} --namespace {namespace} delete job {name} --cascade=foreground --wait\n\
             remove    kubectl {way} delete -f {file}\n\
             remains   kubectl {way} delete namespace -l {}={word}",
            policy::SHARING,
        )
    }
}

/// Whether each slice can have something to do, and nothing that all of them would put into the cluster.
fn can_be_cut(planned: &Planned<'_>, slices: u32) -> Result<(), Failure> {
    let found = planned.resolved.turns();
    if found < slices as usize {
        let says = format!("failed to cut the cases into {slices} slices: there are {}", turns(found));
        return Err(Failure::misuse_with(
            says,
            "ask for fewer slices, or select more; `jobsworth plan` lists what is run",
        ));
    }
    let deployed =
        planned.resolved.run.cells.iter().find(|cell| matches!(cell.cell.spec.subject, SubjectKind::Deployed(_)));
    let Some(cell) = deployed else { return Ok(()) };
    let says =
        format!("failed to cut the cases into slices: each would put the controller {} there", cell.cell.subject);
    Err(Failure::misuse_with(says, "install it once, and name its manager with --manager"))
}

fn turns(number: usize) -> String {
    if number == 1 { "1 turn of a case".to_owned() } else { format!("{number} turns of cases") }
}

/// Host and port of a server.
fn server(text: &str) -> Result<(String, u16), String> {
    let read = text.rsplit_once(':').and_then(|(host, port)| Some((host.trim_matches(['[', ']']), port.parse().ok()?)));
    match read {
        Some((host, port)) if !host.is_empty() => Ok((host.to_owned(), port)),
        _ => Err("expected HOST:PORT, for example 10.0.0.1:6443".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn pods_are_stopped_before_their_rights_are_removed_and_their_remains_are_named() {
        let next = Next {
            file: "shards.yaml",
            name: "nightly",
            namespace: "ours",
            way: "--kubeconfig mine --context kind-ex",
            word: "nightly-7",
        };
        let commands = next.commands();
        let lines: Vec<&str> = commands.lines().skip(2).collect();
        let told = [
            "stop      kubectl --kubeconfig mine --context kind-ex --namespace ours delete job nightly --cascade=foreground --wait",
            "remove    kubectl --kubeconfig mine --context kind-ex delete -f shards.yaml",
            "remains   kubectl --kubeconfig mine --context kind-ex delete namespace -l jobsworth.dev/sharing=nightly-7",
        ];
        assert_eq!(lines, told);
    }

    #[rstest]
    #[case::by_four_numbers("10.89.0.2:6443", Some(("10.89.0.2", 6443)))]
    #[case::by_eight("[fd00::1]:6443", Some(("fd00::1", 6443)))]
    #[case::without_a_port("10.89.0.2", None)]
    #[case::without_a_host(":6443", None)]
    #[case::with_a_port_that_is_none("host:https", None)]
    fn servers(#[case] text: &str, #[case] expected: Option<(&str, u16)>) {
        assert_eq!(server(text).ok(), expected.map(|(host, port)| (host.to_owned(), port)));
    }
}
