//! Which case fits which cell, and why not.

use crate::gates::GateTable;
use crate::{
    case::{FaultNeeds, Needs, Neighbour, PodNeeds},
    cluster::{Ability, Capabilities, ClusterSpec, SubjectKind},
};
use std::{collections::BTreeMap, fmt};

/// Without it `spec.managedBy` is dropped from new Jobs.
const MANAGED_BY: &str = "JobManagedBy";
/// Between the kind of a reason and what is so here.
const KIND_ENDS: &str = ": ";

/// Whether a case applies in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It does.
    Fits,
    /// It is about another API than the cell's, and is none of the cell's cases.
    Foreign,
    /// It does not, for this reason.
    Skip(String),
}

/// Whether a case with these needs applies in a cell of this cluster.
///
/// Gates are looked up in the state that version, emulation and the cell's own settings give them.
#[must_use]
pub fn fit(needs: &Needs, spec: &ClusterSpec, can: &Capabilities, gates: &GateTable) -> Fit {
    if needs.api != spec.subject.api() {
        return Fit::Foreign;
    }
    if let Some(unfit) = unfit_version(needs, spec) {
        return unfit;
    }
    let state = |gate: &str| gates.effective(spec.version, spec.emulated, &spec.gates, gate);
    for gate in needs.gates {
        if state(gate) != Some(true) {
            return skip("needs a gate on", format!("{gate} is {}", words(state(gate))));
        }
    }
    if !needs.one_gate_of.is_empty() && !needs.one_gate_of.iter().any(|gate| state(gate) == Some(true)) {
        return skip("needs a gate on", format!("none of {} is", needs.one_gate_of.join(", ")));
    }
    for gate in needs.gates_off {
        if state(gate) != Some(false) {
            return skip("needs a gate off", format!("{gate} is {}", words(state(gate))));
        }
    }
    if needs.ttl_of_subject && !spec.subject.offers_ttl() {
        return skip(
            "needs a controller that deletes finished Jobs itself",
            "this one leaves that to the built-in one",
        );
    }
    if needs.reads_metrics && !spec.subject.offers_metrics() {
        return skip("needs a controller whose metrics are at hand", "this one shows none here");
    }
    if spec.subject.manager().is_some() {
        if needs.stands_alone {
            return skip("needs a controller in the place of the built-in one", "this one works beside it");
        }
        if state(MANAGED_BY) != Some(true) {
            return skip(
                "needs a gate on for a controller beside",
                format!("{MANAGED_BY} is {}", words(state(MANAGED_BY))),
            );
        }
    }
    if let Some(unfit) = unfit_pods(needs, spec, can) {
        return unfit;
    }
    if needs.own_nodes && can.own_nodes == Ability::Lacks {
        return skip("acts on nodes or chooses them by our label", "the nodes of this provider are not ours");
    }
    if needs.refuses_writes && can.policies == Ability::Lacks {
        return skip("has writes refused by a policy", "nothing may be installed in this cluster");
    }
    if needs.restarts_subject && can.restarts == Ability::Lacks {
        return skip("restarts the subject", "this provider cannot");
    }
    if needs.restarts_subject && matches!(spec.subject, SubjectKind::Deployed(_)) {
        return skip("restarts the subject", "it runs in pods, which their kubelets start again");
    }
    if needs.faults != FaultNeeds::Nothing && spec.route.is_direct() {
        return skip("interferes with the controller's requests", "they pass no proxy of ours here");
    }
    if let Some(unfit) = needs.second_instance.then(|| no_second_instance(spec, can)).flatten() {
        return unfit;
    }
    if needs.others_go_on && can.others_apart == Ability::Lacks && spec.subject == SubjectKind::BuiltIn {
        return skip("needs the garbage collector while the subject is away", "here both are one program");
    }
    if needs.changes_cluster() && can.changes == Ability::Lacks {
        return skip("changes the control plane while it runs", "this provider cannot");
    }
    let cannot = needs.flips.iter().find_map(|gate| not_switchable(gate, spec, gates));
    cannot.or_else(|| not_a_neighbour(needs.other_version?, spec)).unwrap_or(Fit::Fits)
}

/// Why this version is not one that a case is about, if it is not.
fn unfit_version(needs: &Needs, spec: &ClusterSpec) -> Option<Fit> {
    let api = spec.behaves_as();
    let binaries = spec.version.minor_version();
    if let Some(since) = needs.since.filter(|since| api < *since) {
        return Some(skip("holds in other versions", format!("since {since}, and this cell behaves as {api}")));
    }
    if let Some(until) = needs.until.filter(|until| api > *until) {
        return Some(skip("holds in other versions", format!("until {until}, and this cell behaves as {api}")));
    }
    if let Some(since) = needs.binaries_since.filter(|since| binaries < *since) {
        return Some(skip("holds with newer binaries", format!("since {since}, and these are {}", spec.version)));
    }
    if let Some(until) = needs.binaries_until.filter(|until| binaries > *until) {
        return Some(skip("holds with older binaries", format!("until {until}, and these are {}", spec.version)));
    }
    None
}

/// A reason is its kind, by which reports sum skips, and what is so here.
fn skip(kind: &str, here: impl fmt::Display) -> Fit {
    Fit::Skip(format!("{kind}{KIND_ENDS}{here}"))
}

/// The kind of a reason to skip: the same for every gate and every version.
#[must_use]
pub fn kind(reason: &str) -> &str {
    reason.split_once(KIND_ENDS).map_or(reason, |(kind, _)| kind)
}

/// Why a gate cannot be switched off and on in this cell, if it cannot.
fn not_switchable(gate: &str, spec: &ClusterSpec, gates: &GateTable) -> Option<Fit> {
    let kind = "switches a gate off and on";
    if matches!(spec.subject, SubjectKind::Deployed(_)) {
        return Some(skip(kind, "the controller runs in pods, and its manifests stay as they are"));
    }
    let state = gates.effective(spec.version, spec.emulated, &spec.gates, gate);
    if state != Some(true) {
        return Some(skip(kind, format!("{gate} is {}", words(state))));
    }
    let mut off = spec.gates.clone();
    off.insert(gate.to_owned(), false);
    let locked = gates.check(spec.version, spec.emulated, &off).is_err();
    let alone = spec.subject.manager().is_some() && gate == MANAGED_BY;
    match (locked, alone) {
        (true, _) => Some(skip(kind, format!("{gate} is locked to on here"))),
        (_, true) => Some(skip(kind, format!("a controller beside needs {gate} on"))),
        _ => None,
    }
}

/// Why the subject cannot run twice in this cell, if it cannot.
fn no_second_instance(spec: &ClusterSpec, can: &Capabilities) -> Option<Fit> {
    let kind = "needs two instances of the controller";
    if can.second_instance == Ability::Lacks {
        return Some(skip(kind, "this provider starts one"));
    }
    if !spec.subject.offers_election() {
        return Some(skip(kind, "this one is not known to elect a leader"));
    }
    spec.route.is_direct().then(|| skip(kind, "they are told apart by proxies of ours, and there are none here"))
}

/// Why the cell has no such other version, if it has none.
fn not_a_neighbour(wanted: Neighbour, spec: &ClusterSpec) -> Option<Fit> {
    let word = match wanted {
        Neighbour::Newer => "a newer",
        Neighbour::Older => "an older",
        Neighbour::Any => "another",
    };
    let fits = spec.other.is_some_and(|other| match wanted {
        Neighbour::Newer => other > spec.version,
        Neighbour::Older => other < spec.version,
        Neighbour::Any => true,
    });
    let here = spec.other.map_or_else(|| "this cell has none".to_owned(), |other| format!("this cell has {other}"));
    (!fits).then(|| skip(&format!("changes to {word} Kubernetes"), here))
}

/// Why the pods of this provider are not the ones that the case needs.
fn unfit_pods(needs: &Needs, spec: &ClusterSpec, can: &Capabilities) -> Option<Fit> {
    let real = can.kubelets == Ability::Has;
    match needs.pods {
        PodNeeds::Any => None,
        PodNeeds::Played(why) if real => Some(skip("needs played pods", why)),
        PodNeeds::Played(_) => None,
        PodNeeds::Real { .. } if !real => Some(skip("needs pods that really run", "nobody runs containers here")),
        PodNeeds::Real { nodes } if nodes > spec.nodes => {
            Some(skip("needs more nodes for pods", format!("{nodes}, and this cluster has {}", spec.nodes)))
        }
        PodNeeds::Real { .. } => None,
    }
}

fn words(state: Option<bool>) -> &'static str {
    match state {
        Some(true) => "on",
        Some(false) => "off",
        None => "not known in this version",
    }
}

/// The gates of a cell as text: `JobManagedBy=false,JobSuccessPolicy=true`.
#[must_use]
pub fn gates_text(gates: &BTreeMap<String, bool>) -> String {
    gates.iter().map(|(gate, on)| format!("{gate}={on}")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Route;
    use crate::cluster::subject_kind::{ControllerImage, JobApi};
    use jobsworth_api::{KubeVersion, Minor};
    use rstest::rstest;

    const KIND: Capabilities = crate::cluster::kind::CAPABILITIES;
    const LOCAL: Capabilities = crate::cluster::local::CAPABILITIES;
    const GATE: &[&str] = &["JobSuccessPolicy"];
    const BOTH: &[&str] = &["JobManagedBy", "JobPodReplacementPolicy"];

    fn emulating(minor: u32, off: &[&str]) -> ClusterSpec {
        let mut spec = ClusterSpec::of(KubeVersion::new(1, 35, 4));
        spec.emulated = Some(Minor::new(1, minor));
        spec.gates = off.iter().map(|gate| ((*gate).to_owned(), false)).collect();
        spec
    }

    #[rstest]
    #[case::a_gate_that_is_on_by_default(Needs { gates: GATE, ..Needs::default() }, 35, &[], None)]
    #[case::a_gate_that_was_switched_off(Needs { gates: GATE, ..Needs::default() }, 32, GATE,
        Some("needs a gate on: JobSuccessPolicy is off"))]
    #[case::a_gate_that_must_be_off(Needs { gates_off: GATE, ..Needs::default() }, 32, GATE, None)]
    #[case::a_gate_that_should_be_off(Needs { gates_off: GATE, ..Needs::default() }, 32, &[],
        Some("needs a gate off: JobSuccessPolicy is on"))]
    #[case::a_gate_of_later_times(Needs { gates: &["WorkloadWithJob"], ..Needs::default() }, 32, &[],
        Some("needs a gate on: WorkloadWithJob is not known in this version"))]
    #[case::one_gate_of_two_is_enough(Needs { one_gate_of: BOTH, ..Needs::default() }, 32, &["JobManagedBy"], None)]
    #[case::none_of_two_is_not(Needs { one_gate_of: BOTH, ..Needs::default() }, 32, BOTH,
        Some("needs a gate on: none of JobManagedBy, JobPodReplacementPolicy is"))]
    #[case::the_api_that_is_shown_counts_for_since(Needs { since: Some(Minor::new(1, 33)), ..Needs::default() }, 32, &[],
        Some("holds in other versions: since 1.33, and this cell behaves as 1.32"))]
    #[case::the_api_that_is_shown_counts_for_until(Needs { until: Some(Minor::new(1, 32)), ..Needs::default() }, 32, &[], None)]
    #[case::beyond_the_last_minor(Needs { until: Some(Minor::new(1, 31)), ..Needs::default() }, 32, &[],
        Some("holds in other versions: until 1.31, and this cell behaves as 1.32"))]
    #[case::a_lone_controller_where_the_built_in_one_is_gone(Needs { stands_alone: true, ..Needs::default() }, 32, &[], None)]
    #[case::a_gate_that_can_be_switched(Needs { flips: GATE, ..Needs::default() }, 32, &[], None)]
    #[case::a_gate_to_be_switched_that_is_locked(Needs { flips: GATE, ..Needs::default() }, 35, &[],
        Some("switches a gate off and on: JobSuccessPolicy is locked to on here"))]
    #[case::a_gate_to_be_switched_that_is_off_already(Needs { flips: GATE, ..Needs::default() }, 32, GATE,
        Some("switches a gate off and on: JobSuccessPolicy is off"))]
    #[case::no_other_version(Needs { other_version: Some(Neighbour::Any), ..Needs::default() }, 32, &[],
        Some("changes to another Kubernetes: this cell has none"))]
    #[case::no_proxy_to_interfere_on(Needs { faults: FaultNeeds::OwnRequests, ..Needs::default() }, 32, &[],
        Some("interferes with the controller's requests: they pass no proxy of ours here"))]
    #[case::binaries_count_for_fixes(Needs { binaries_since: Some(Minor::new(1, 36)), ..Needs::default() }, 35, &[],
        Some("holds with newer binaries: since 1.36, and these are 1.35.4"))]
    #[case::binaries_count_for_rules_that_went(Needs { binaries_until: Some(Minor::new(1, 34)), ..Needs::default() }, 32, &[],
        Some("holds with older binaries: until 1.34, and these are 1.35.4"))]
    #[case::the_last_binaries_with_a_rule(Needs { binaries_until: Some(Minor::new(1, 35)), ..Needs::default() }, 35, &[], None)]
    fn fits(#[case] needs: Needs, #[case] minor: u32, #[case] off: &[&str], #[case] skip: Option<&str>) {
        let found = fit(&needs, &emulating(minor, off), &LOCAL, GateTable::embedded());
        assert_eq!(found, skip.map_or(Fit::Fits, |why| Fit::Skip(why.to_owned())));
    }

    #[rstest]
    #[case::up(Neighbour::Newer, KubeVersion::new(1, 36, 4), None)]
    #[case::down(Neighbour::Older, KubeVersion::new(1, 34, 4), None)]
    #[case::either_way(Neighbour::Any, KubeVersion::new(1, 34, 4), None)]
    #[case::up_where_it_only_goes_down(
        Neighbour::Newer,
        KubeVersion::new(1, 34, 4),
        Some("changes to a newer Kubernetes: this cell has 1.34.4")
    )]
    fn with_another_version_beside(#[case] way: Neighbour, #[case] other: KubeVersion, #[case] skip: Option<&str>) {
        let spec = ClusterSpec { other: Some(other), ..ClusterSpec::of(KubeVersion::new(1, 35, 4)) };
        let needs = Needs { other_version: Some(way), ..Needs::default() };
        let found = fit(&needs, &spec, &LOCAL, GateTable::embedded());
        assert_eq!(found, skip.map_or(Fit::Fits, |why| Fit::Skip(why.to_owned())));
    }

    #[rstest]
    #[case::anything_on_fake_nodes(PodNeeds::Any, &LOCAL, None)]
    #[case::anything_on_kubelets(PodNeeds::Any, &KIND, None)]
    #[case::containers_on_fake_nodes(PodNeeds::Real { nodes: 1 }, &LOCAL,
        Some("needs pods that really run: nobody runs containers here"))]
    #[case::containers_on_kubelets(PodNeeds::Real { nodes: 1 }, &KIND, None)]
    #[case::more_nodes_than_there_are(PodNeeds::Real { nodes: 2 }, &KIND,
        Some("needs more nodes for pods: 2, and this cluster has 1"))]
    #[case::a_story_on_fake_nodes(PodNeeds::Played("it chooses when a container ended"), &LOCAL, None)]
    #[case::a_story_on_kubelets(PodNeeds::Played("it chooses when a container ended"), &KIND,
        Some("needs played pods: it chooses when a container ended"))]
    fn fits_whoever_runs_pods(#[case] pods: PodNeeds, #[case] can: &Capabilities, #[case] skip: Option<&str>) {
        let spec = ClusterSpec { nodes: 1, ..emulating(32, &[]) };
        let found = fit(&Needs { pods, ..Needs::default() }, &spec, can, GateTable::embedded());
        assert_eq!(found, skip.map_or(Fit::Fits, |why| Fit::Skip(why.to_owned())));
    }

    #[test]
    fn a_case_of_another_api_is_none_of_the_cells_cases() {
        let needs = Needs { api: JobApi::Volcano, ..Needs::default() };
        assert_eq!(fit(&needs, &emulating(32, &[]), &LOCAL, GateTable::embedded()), Fit::Foreign);
    }

    #[rstest]
    #[case::where_they_are_ours(&KIND, None)]
    #[case::where_they_are_not(&crate::cluster::existing::CAPABILITIES,
        Some("acts on nodes or chooses them by our label: the nodes of this provider are not ours"))]
    fn a_script_that_acts_on_nodes_fits(#[case] can: &Capabilities, #[case] skip: Option<&str>) {
        let needs = Needs { own_nodes: true, ..Needs::default() };
        let found = fit(&needs, &emulating(32, &[]), can, GateTable::embedded());
        assert_eq!(found, skip.map_or(Fit::Fits, |why| Fit::Skip(why.to_owned())));
    }

    #[rstest]
    #[case::where_the_cluster_is_ours(&KIND, None)]
    #[case::where_it_is_not(&crate::cluster::existing::CAPABILITIES,
        Some("has writes refused by a policy: nothing may be installed in this cluster"))]
    fn a_script_that_has_writes_refused_fits(#[case] can: &Capabilities, #[case] skip: Option<&str>) {
        let needs = Needs { refuses_writes: true, ..Needs::default() };
        let found = fit(&needs, &emulating(32, &[]), can, GateTable::embedded());
        assert_eq!(found, skip.map_or(Fit::Fits, |why| Fit::Skip(why.to_owned())));
    }

    #[rstest]
    #[case::of_processes(SubjectKind::BuiltIn, &LOCAL, None)]
    #[case::where_all_controllers_are_one_program(SubjectKind::BuiltIn, &KIND,
        Some("needs the garbage collector while the subject is away: here both are one program"))]
    #[case::where_the_subject_is_another_program(SubjectKind::drop_in("controller"), &KIND, None)]
    #[case::where_kubelets_start_the_subject_again(
        SubjectKind::in_pods(ControllerImage::Name("controller".to_owned()), None), &KIND,
        Some("restarts the subject: it runs in pods, which their kubelets start again"))]
    fn others_go_on_while_the_subject_is_away(
        #[case] subject: SubjectKind,
        #[case] can: &Capabilities,
        #[case] skip: Option<&str>,
    ) {
        let spec = ClusterSpec { subject, ..emulating(32, &[]) };
        let needs = Needs { restarts_subject: true, others_go_on: true, ..Needs::default() };
        let found = fit(&needs, &spec, can, GateTable::embedded());
        assert_eq!(found, skip.map_or(Fit::Fits, |why| Fit::Skip(why.to_owned())));
    }

    #[rstest]
    #[case::of_the_built_in_controller(SubjectKind::BuiltIn, None)]
    #[case::of_a_program(SubjectKind::drop_in("controller"), None)]
    #[case::and_of_none_in_pods(SubjectKind::in_pods(ControllerImage::Name("controller".to_owned()), None),
        Some("needs a controller whose metrics are at hand: this one shows none here"))]
    fn metrics_are_read(#[case] subject: SubjectKind, #[case] skip: Option<&str>) {
        let spec = ClusterSpec { subject, ..emulating(32, &[]) };
        let needs = Needs { reads_metrics: true, ..Needs::default() };
        let found = fit(&needs, &spec, &LOCAL, GateTable::embedded());
        assert_eq!(found, skip.map_or(Fit::Fits, |why| Fit::Skip(why.to_owned())));
    }

    fn without_election() -> SubjectKind {
        let SubjectKind::Program(program) = SubjectKind::drop_in("controller") else { unreachable!() };
        SubjectKind::Program(crate::cluster::ControllerProgram { election: Vec::new(), ..program })
    }

    #[rstest]
    #[case::of_the_built_in_controller(SubjectKind::BuiltIn, Route::Proxied, &LOCAL, None)]
    #[case::of_a_program(SubjectKind::drop_in("controller"), Route::Proxied, &LOCAL, None)]
    #[case::and_of_none_that_does_not_elect(without_election(), Route::Proxied, &LOCAL,
        Some("needs two instances of the controller: this one is not known to elect a leader"))]
    #[case::and_of_none_without_a_proxy(SubjectKind::BuiltIn, Route::Direct, &LOCAL,
        Some("needs two instances of the controller: they are told apart by proxies of ours, and there are none here"))]
    #[case::and_of_none_in_kind(SubjectKind::BuiltIn, Route::Proxied, &KIND,
        Some("needs two instances of the controller: this provider starts one"))]
    fn a_second_instance_is_started(
        #[case] subject: SubjectKind,
        #[case] route: Route,
        #[case] can: &Capabilities,
        #[case] skip: Option<&str>,
    ) {
        let spec = ClusterSpec { subject, route, ..emulating(32, &[]) };
        let needs = Needs { second_instance: true, ..Needs::default() };
        let found = fit(&needs, &spec, can, GateTable::embedded());
        assert_eq!(found, skip.map_or(Fit::Fits, |why| Fit::Skip(why.to_owned())));
    }

    #[rstest]
    #[case::of_the_built_in_controller(SubjectKind::BuiltIn, None)]
    #[case::of_a_program(SubjectKind::drop_in("controller"), None)]
    #[case::and_a_controller_in_pods_does_not_hear_of_it(
        SubjectKind::in_pods(ControllerImage::Name("controller".to_owned()), None),
        Some("switches a gate off and on: the controller runs in pods, and its manifests stay as they are"))]
    fn a_gate_is_switched(#[case] subject: SubjectKind, #[case] skip: Option<&str>) {
        let spec = ClusterSpec { subject, ..emulating(32, &[]) };
        let needs = Needs { flips: GATE, ..Needs::default() };
        let found = fit(&needs, &spec, &KIND, GateTable::embedded());
        assert_eq!(found, skip.map_or(Fit::Fits, |why| Fit::Skip(why.to_owned())));
    }

    #[rstest]
    #[case::whatever_the_gate("needs a gate off: JobManagedBy is on", "needs a gate off")]
    #[case::what_a_case_says_may_have_a_colon("needs played pods: it says: now", "needs played pods")]
    #[case::a_reason_without_more("nobody knows", "nobody knows")]
    fn a_reason_has_a_kind(#[case] reason: &str, #[case] expected: &str) {
        assert_eq!(kind(reason), expected);
    }

    #[rstest]
    #[case::most_cases_do(false, &[], None)]
    #[case::a_claim_about_a_lone_controller(true, &[],
        Some("needs a controller in the place of the built-in one: this one works beside it"))]
    #[case::nobody_can_be_named_with_the_gate_off(false, &["JobManagedBy"],
        Some("needs a gate on for a controller beside: JobManagedBy is off"))]
    fn beside_the_built_in_controller_fits(
        #[case] stands_alone: bool,
        #[case] off: &[&str],
        #[case] skip: Option<&str>,
    ) {
        let mut spec = emulating(32, off);
        spec.subject = SubjectKind::beside("controller", "example.com/it");
        let needs = Needs { stands_alone, ..Needs::default() };
        let found = fit(&needs, &spec, &LOCAL, GateTable::embedded());
        assert_eq!(found, skip.map_or(Fit::Fits, |why| Fit::Skip(why.to_owned())));
    }
}
