//! What a plan may say about a cluster that is there already: nothing but what is so.

use super::{CellRequest, PlanFile, fit::gates_text, request::Flags};
use crate::gates::GateTable;
use crate::{
    cluster::{SubjectKind, existing::Refusal, provider::Standing},
    run::Keep,
    subject::BUILT_IN,
};
use jobsworth_api::KubeVersion;
use std::collections::BTreeMap;

/// Makes the flags describe the one cell that there is.
///
/// # Errors
/// When the flags or the plan file ask for anything else, with the reason.
pub fn take_over(flags: &mut Flags, plan: Option<&PlanFile>, there: &Standing) -> Result<(), Refusal> {
    asked(flags)?.iter().try_for_each(|(wanted, controller)| same("the flags ask", wanted, *controller, there))?;
    if let Some(plan) = plan {
        let says = format!("the plan {} asks", plan.name);
        if plan.cells.len() > 1 {
            return differs(format!("{says} for {} cells, and one cluster is one cell", plan.cells.len()));
        }
        let name = |cell: &CellRequest| cell.controller.as_ref().map(|subject| subject.name.clone());
        plan.cells.iter().try_for_each(|cell| same(&says, cell, name(cell).as_deref(), there))?;
    }
    if let Some(nodes) = flags.nodes.filter(|nodes| *nodes != there.open_nodes) {
        return differs(format!("--nodes asks for {nodes}, and {} are open to pods", there.open_nodes));
    }
    if flags.keep.is_some_and(|keep| keep != Keep::Never) {
        return differs("--keep asks for something to stay, and nothing of ours stays in it".to_owned());
    }
    if let Some(program) = flags.described.iter().find(|subject| subject.kind.program().is_some()) {
        let says = format!("the flags ask to start the controller {}, and no program is put into it", program.name);
        return differs(format!(
            "{says}: install it there and name its manager with --manager, or describe it with `image`"
        ));
    }
    for subject in &flags.described {
        let SubjectKind::Deployed(controller) = &subject.kind else { continue };
        let says = |what: &str| format!("the flags ask to {what} of the controller {}", subject.name);
        if controller.manager.is_none() {
            let says = says("switch off the built-in Job controller for the pods");
            return differs(format!("{says}, and it is not ours: give it `ownership: {{managed-by: ...}}`"));
        }
        if controller.image.file().is_some() {
            let says = says("load the image");
            let help = "push it, or load it into each, and write `image: {name: REF}`";
            return differs(format!("{says}, and the nodes are not ours: {help}"));
        }
    }
    if flags.described.len() > 1 {
        return differs(format!(
            "the flags ask for {} controllers, and one cluster is one cell",
            flags.described.len()
        ));
    }
    flags.kubernetes = vec![there.version.to_string()];
    flags.other_kubernetes = None;
    flags.emulate = there.emulated.map(|minor| minor.to_string());
    flags.gates = Some(gates_text(&there.gates));
    flags.controllers = Vec::new();
    flags.nodes = Some(there.open_nodes);
    Ok(())
}

/// The cells that the flags speak of, and the controller that each names. What cannot be read is refused as it would be
/// elsewhere.
fn asked(flags: &Flags) -> Result<Vec<(CellRequest, Option<&str>)>, Refusal> {
    let unreadable = |error: super::PlanError| Refusal::Differs(error.to_string());
    let read = |text: &String| super::request::kubernetes(Some(text)).map_err(unreadable);
    let wanted = CellRequest {
        emulate: super::request::emulate(flags.emulate.as_deref()).map_err(unreadable)?,
        gates: flags.gates.as_deref().map(super::request::gates).transpose().map_err(unreadable)?.unwrap_or_default(),
        other: flags.other_kubernetes.as_ref().map(read).transpose()?,
        ..CellRequest::default()
    };
    let versions: Vec<KubeVersion> = flags.kubernetes.iter().map(read).collect::<Result<_, _>>()?;
    let with_version = |version| (CellRequest { kubernetes: Some(version), ..wanted.clone() }, None);
    let mut cells: Vec<(CellRequest, Option<&str>)> = versions.into_iter().map(with_version).collect();
    cells.extend(flags.controllers.iter().map(|name| (wanted.clone(), Some(name.as_str()))));
    cells.push((wanted, None));
    Ok(cells)
}

/// Whether everything that is asked for is so.
fn same(who: &str, wanted: &CellRequest, controller: Option<&str>, there: &Standing) -> Result<(), Refusal> {
    if let Some(version) = wanted.kubernetes.filter(|version| *version != there.version) {
        return differs(format!("{who} for Kubernetes {version}, and it has {}", there.version));
    }
    if let Some(other) = wanted.other {
        return differs(format!("{who} for changes to Kubernetes {other}, and it is not ours to change"));
    }
    if let Some(nodes) = wanted.nodes.filter(|nodes| *nodes > there.open_nodes) {
        return differs(format!("{who} for {nodes} nodes, and {} are open to pods", there.open_nodes));
    }
    let shown = there.emulated.unwrap_or_else(|| there.version.minor_version());
    if let Some(minor) = wanted.emulate.filter(|minor| *minor != shown) {
        return differs(format!("{who} for the behaviour of {minor}, and it behaves as {shown}"));
    }
    if let Some(controller) = controller.filter(|controller| *controller != BUILT_IN) {
        return differs(format!("{who} for the controller {controller}, and the one that runs there is {BUILT_IN}"));
    }
    let table = GateTable::embedded();
    let state = |gate: &str| table.effective(there.version, there.emulated, &there.gates, gate);
    match wanted.gates.iter().find(|(gate, on)| state(gate) != Some(**on)) {
        Some((gate, on)) => {
            let wanted = BTreeMap::from([(gate.clone(), *on)]);
            let is = state(gate).map_or("not known there".to_owned(), |on| if on { "on" } else { "off" }.to_owned());
            differs(format!("{who} for {}, and it is {is}", gates_text(&wanted)))
        }
        None => Ok(()),
    }
}

fn differs(says: String) -> Result<(), Refusal> {
    Err(Refusal::Differs(says))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{provider::Consent, subject_kind::ControllerImage};
    use crate::subject::Subject;
    use jobsworth_api::Minor;
    use rstest::rstest;

    fn there() -> Standing {
        Standing {
            uid: "1234abcd-0000".to_owned(),
            version: KubeVersion::new(1, 35, 4),
            emulated: Some(Minor::new(1, 32)),
            gates: [("JobSuccessPolicy".to_owned(), false)].into(),
            open_nodes: 2,
            described: String::new(),
            consent: Consent::Given,
        }
    }

    fn plan(cells: &str) -> PlanFile {
        super::super::file::parse(&format!("schema: jobsworth/plan/v1\nname: mine\n{cells}"), "mine.yaml").unwrap()
    }

    #[test]
    fn without_a_word_the_cell_is_what_is_there() {
        let mut flags = Flags::default();
        take_over(&mut flags, None, &there()).unwrap();
        assert_eq!(flags.kubernetes, ["1.35.4"]);
        assert_eq!(flags.emulate.as_deref(), Some("1.32"));
        assert_eq!(flags.gates.as_deref(), Some("JobSuccessPolicy=false"));
        assert_eq!(flags.nodes, Some(2));
    }

    #[rstest]
    #[case::the_same_version(Flags { kubernetes: vec!["1.35.4".to_owned()], ..Flags::default() }, None)]
    #[case::another_version(
        Flags { kubernetes: vec!["1.37.1".to_owned()], ..Flags::default() },
        Some("the flags ask for Kubernetes 1.37.1, and it has 1.35.4")
    )]
    #[case::a_version_to_change_to(
        Flags { other_kubernetes: Some("1.37.1".to_owned()), ..Flags::default() },
        Some("the flags ask for changes to Kubernetes 1.37.1, and it is not ours to change")
    )]
    #[case::another_emulation(
        Flags { emulate: Some("1.33".to_owned()), ..Flags::default() },
        Some("the flags ask for the behaviour of 1.33, and it behaves as 1.32")
    )]
    #[case::a_gate_as_it_is(Flags { gates: Some("JobSuccessPolicy=false".to_owned()), ..Flags::default() }, None)]
    #[case::a_gate_as_it_is_not(
        Flags { gates: Some("JobSuccessPolicy=true".to_owned()), ..Flags::default() },
        Some("the flags ask for JobSuccessPolicy=true, and it is off")
    )]
    #[case::the_builtin_controller(Flags { controllers: vec!["builtin".to_owned()], ..Flags::default() }, None)]
    #[case::another_controller(
        Flags { controllers: vec!["builtin".to_owned(), "reference".to_owned()], ..Flags::default() },
        Some("the flags ask for the controller reference, and the one that runs there is builtin")
    )]
    #[case::more_nodes(Flags { nodes: Some(3), ..Flags::default() }, Some("--nodes asks for 3, and 2 are open to pods"))]
    #[case::something_to_stay(
        Flags { keep: Some(Keep::Always), ..Flags::default() },
        Some("--keep asks for something to stay, and nothing of ours stays in it")
    )]
    fn flags_may_say_what_is_so(#[case] mut flags: Flags, #[case] refusal: Option<&str>) {
        let said = take_over(&mut flags, None, &there()).err();
        assert_eq!(said, refusal.map(|says| Refusal::Differs(says.to_owned())));
    }

    fn in_pods(image: ControllerImage, manager: Option<&str>) -> Flags {
        Flags { described: vec![Subject::of("mine", SubjectKind::in_pods(image, manager))], ..Flags::default() }
    }

    #[rstest]
    #[case::by_its_name(in_pods(ControllerImage::Name("i".to_owned()), Some("example.com/mine")), None)]
    #[case::as_an_archive(
        in_pods(ControllerImage::Archive("i.tar".into()), Some("example.com/mine")),
        Some("and the nodes are not ours: push it")
    )]
    #[case::in_the_place_of_the_built_in_one(
        in_pods(ControllerImage::Name("i".to_owned()), None),
        Some("switch off the built-in Job controller")
    )]
    fn a_controller_is_put_there(#[case] mut flags: Flags, #[case] refusal: Option<&str>) {
        let said = take_over(&mut flags, None, &there()).err().map(|refusal| refusal.to_string());
        match refusal {
            None => assert_eq!(said, None),
            Some(words) => assert!(said.as_ref().is_some_and(|said| said.contains(words)), "{said:?}"),
        }
    }

    #[rstest]
    #[case::no_cells("", None)]
    #[case::the_cell_that_is_there("cells: [{kubernetes: 1.35.4, emulate: '1.32'}]", None)]
    #[case::a_cell_of_another_version(
        "cells: [{kubernetes: 1.37.1}]",
        Some("the plan mine asks for Kubernetes 1.37.1, and it has 1.35.4")
    )]
    #[case::a_cell_of_another_controller(
        "cells: [{kubernetes: 1.35.4, controller: beside}]",
        Some("the plan mine asks for the controller beside, and the one that runs there is builtin")
    )]
    #[case::as_many_nodes_as_there_are("cells: [{nodes: 2}]", None)]
    #[case::more_nodes("cells: [{nodes: 3}]", Some("the plan mine asks for 3 nodes, and 2 are open to pods"))]
    #[case::two_cells(
        "matrix: {combine: all, kubernetes: [1.35.4, 1.37.1]}",
        Some("the plan mine asks for 2 cells, and one cluster is one cell")
    )]
    fn a_plan_file_may_say_what_is_so(#[case] cells: &str, #[case] refusal: Option<&str>) {
        let said = take_over(&mut Flags::default(), Some(&plan(cells)), &there()).err();
        assert_eq!(said, refusal.map(|says| Refusal::Differs(says.to_owned())));
    }
}
