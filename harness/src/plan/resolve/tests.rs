//! Plans from flags and a small catalogue.

use super::*;
use crate::{
    About, Case, Claim, Needs, Scene, Source, Stop,
    cluster::subject_kind::ControllerImage,
    plan::{PlanFile, file, request::Flags},
    subject::Subject,
};
use jobsworth_oracle::Expectations;
use rstest::rstest;

struct Listed(&'static str, &'static [&'static str]);

impl Case for Listed {
    fn about(&self) -> About {
        let claim = Claim { source: Source::Kep(592), section: "Design", says: "it holds" };
        let needs = Needs { gates_off: self.1, ..Needs::default() };
        About { id: self.0, claim, requirements: &["TTL-001"], needs }
    }

    async fn script(&self, _: &mut Scene) -> Result<(), Stop> {
        Ok(())
    }

    fn expects(&self) -> Expectations {
        Expectations::new()
    }
}

const CATALOGUE: Catalogue = Catalogue {
    cases: &[
        &Listed("ttl/zero", &[]),
        &Listed("ttl/late", &[]),
        &Listed("success-policy/leader", &[]),
        &Listed("success-policy/gate-off", &["JobSuccessPolicy"]),
    ],
    requirements: "TTL-001 removed in time",
    plans: &[],
    keps: &[],
    loads: &[],
    known_ends: &[],
    races: Vec::new,
    objectives: "schema: jobsworth/objectives/v1\nobjectives: []\n",
};

fn planned(flags: Flags, plan: Option<PlanFile>) -> Result<Resolved<'static>, PlanError> {
    let request = Request::of(flags, plan, 7, 4)?;
    resolve(request, "id".to_owned(), &CATALOGUE, &crate::cluster::local::Local)
}

#[rstest]
#[case::every_program_is_led_there(Proxied::All, Keep::Never, SubjectKind::BuiltIn, Route::Proxied)]
#[case::nothing_outlives_our_proxy(Proxied::All, Keep::Always, SubjectKind::BuiltIn, Route::Direct)]
#[case::our_program_beside_nodes(Proxied::Programs, Keep::Never, SubjectKind::drop_in("x"), Route::Proxied)]
#[case::a_program_in_a_node_is_left_alone(Proxied::Programs, Keep::Never, SubjectKind::BuiltIn, Route::Direct)]
#[case::none_is_ours(Proxied::Nobody, Keep::Never, SubjectKind::drop_in("x"), Route::Direct)]
fn requests_pass_a_proxy_where_it_is_reached_and_stays_as_long_as_they_do(
    #[case] proxied: Proxied,
    #[case] keep: Keep,
    #[case] subject: SubjectKind,
    #[case] takes: Route,
) {
    assert_eq!(route(proxied, keep, &subject), takes);
}

#[test]
fn a_controller_in_pods_needs_kubelets() {
    let image = ControllerImage::Name("mine".to_owned());
    let described = vec![Subject::of("mine", SubjectKind::in_pods(image, None))];
    let error = planned(Flags { described, ..Flags::default() }, None).err().unwrap().to_string();
    assert!(error.contains("nobody runs containers in clusters of the provider local"), "{error}");
}

fn flags(names: &[&str]) -> Flags {
    Flags { names: names.iter().map(|name| (*name).to_owned()).collect(), ..Flags::default() }
}

fn text(resolved: &Resolved<'_>) -> String {
    let mut lines = Vec::new();
    for cell in &resolved.run.cells {
        lines.push(cell.cell.id.clone());
        lines.extend(cell.turns.iter().map(|turn| format!("  {} #{}", turn.case.about().id, turn.attempt)));
        lines.extend(cell.skips.iter().map(|(case, why)| format!("  skip {}: {why}", case.about().id)));
    }
    lines.join("\n")
}

#[test]
fn without_flags_every_case_meets_the_newest_version() {
    insta::assert_snapshot!(text(&planned(Flags::default(), None).unwrap()), @r"
    1.37.1-builtin
      ttl/late #1
      success-policy/leader #1
      ttl/zero #1
      skip success-policy/gate-off: needs a gate off: JobSuccessPolicy is on
    ");
}

#[test]
fn a_gate_off_under_emulation_is_a_cell_of_its_own_name() {
    let mut flags = flags(&["success-policy"]);
    flags.kubernetes = vec!["1.35.4".to_owned()];
    flags.emulate = Some("1.32".to_owned());
    flags.gates = Some("JobSuccessPolicy=false".to_owned());
    flags.repeat = Some(2);
    insta::assert_snapshot!(text(&planned(flags, None).unwrap()), @r"
    1.35.4-as-1.32-JobSuccessPolicy-off-builtin
      success-policy/leader #1
      success-policy/gate-off #1
      success-policy/gate-off #2
      success-policy/leader #2
    ");
}

#[test]
fn flags_win_over_the_plan() {
    let plan = "schema: jobsworth/plan/v1\nname: mine\ncells: [{kubernetes: 1.34.4}]\nfilter: suite(ttl)\nrepeat: 3\njobs: 2\n";
    let plan = || Some(file::parse(plan, "mine").unwrap());
    let unchanged = planned(Flags::default(), plan()).unwrap();
    assert_eq!(
        (unchanged.run.cells[0].cell.id.as_str(), unchanged.turns(), unchanged.run.jobs),
        ("1.34.4-builtin", 6, 2)
    );
    let mut flags = flags(&["success-policy/leader"]);
    flags.kubernetes = vec!["1.33.13".to_owned(), "1.37.1".to_owned()];
    flags.repeat = Some(1);
    let changed = planned(flags, plan()).unwrap();
    assert_eq!(
        text(&changed),
        "1.33.13-builtin\n  success-policy/leader #1\n1.37.1-builtin\n  success-policy/leader #1"
    );
}

#[rstest]
#[case::a_case("ttl/zeroo", "failed to find the case `ttl/zeroo`; did you mean `ttl/zero`")]
#[case::a_suite("tl", "failed to find the case or suite `tl`; did you mean `ttl`")]
fn an_unknown_name_is_told_with_the_nearest(#[case] name: &str, #[case] says: &str) {
    let error = planned(flags(&[name]), None).err().unwrap().to_string();
    assert!(error.starts_with(says), "{error}");
}

#[rstest]
#[case::a_filter(Flags { filter: Some("suite(tll)".to_owned()), ..Flags::default() }, "there is no suite `tll`; did you mean `ttl`?")]
#[case::a_requirement(Flags { filter: Some("requirement(TTL-009)".to_owned()), ..Flags::default() }, "did you mean `TTL-001`?")]
#[case::a_kep(Flags { filter: Some("kep(1)".to_owned()), ..Flags::default() }, "no case checks KEP-1; there are 592")]
#[case::a_gate(Flags { gates: Some("JobSucessPolicy=false".to_owned()), ..Flags::default() }, "did you mean `JobSuccessPolicy`")]
#[case::a_version(Flags { kubernetes: vec!["1.37.4".to_owned()], ..Flags::default() }, "did you mean `1.37.1`")]
#[case::no_version(Flags { kubernetes: vec!["latest".to_owned()], ..Flags::default() }, "`latest` is not a Kubernetes version")]
#[case::a_controller(Flags { controllers: vec!["built-in".to_owned()], ..Flags::default() }, "did you mean `builtin`?")]
#[case::half_a_gate(Flags { gates: Some("JobManagedBy".to_owned()), ..Flags::default() }, "`JobManagedBy` has no `=`")]
#[case::a_gate_twice(Flags { gates: Some("A=true,A=false".to_owned()), ..Flags::default() }, "`A` is named twice")]
#[case::a_cell_twice(Flags { kubernetes: vec!["1.37.1".to_owned(), "1.37.1".to_owned()], ..Flags::default() }, "asked for twice")]
fn misuse_is_told(#[case] flags: Flags, #[case] says: &str) {
    let error = planned(flags, None).err().unwrap().to_string();
    assert!(error.contains(says), "{error}");
}

#[test]
fn a_locked_gate_is_refused_with_where_it_would_be_possible() {
    let gates = Some("JobSuccessPolicy=false".to_owned());
    let flags = Flags { kubernetes: vec!["1.36.4".to_owned()], gates, ..Flags::default() };
    let error = planned(flags, None).err().unwrap();
    let PlanError::ImpossibleCell { cell, why } = error else { panic!("{error}") };
    assert_eq!(cell, "1.36.4-JobSuccessPolicy-off-builtin");
    assert!(why.to_string().contains("locked to true since 1.33; possible with 1.35.4 emulating 1.32"), "{why}");
}

#[test]
fn shards_together_run_every_case_once() {
    let mut seen = Vec::new();
    for shard in 1..=3 {
        let flags = Flags { partition: Some(format!("slice:{shard}/3")), ..Flags::default() };
        let plan = planned(flags, None).unwrap().run;
        let cell = &plan.cells[0];
        seen.extend(cell.turns.iter().map(|turn| turn.case.about().id));
        seen.extend(cell.skips.iter().map(|(case, _)| case.about().id));
    }
    seen.sort_unstable();
    assert_eq!(seen, ["success-policy/gate-off", "success-policy/leader", "ttl/late", "ttl/zero"]);
}

/// A case that leaves nothing of the controller's bucket to others.
struct Flood;

impl Case for Flood {
    fn about(&self) -> About {
        About {
            id: "ttl/flood",
            needs: Needs { fills_rate_limit: true, ..Needs::default() },
            ..Case::about(&Listed("", &[]))
        }
    }

    async fn script(&self, _: &mut Scene) -> Result<(), Stop> {
        Ok(())
    }

    fn expects(&self) -> Expectations {
        Expectations::new()
    }
}

const WITH_A_FLOOD: Catalogue = Catalogue { cases: &[&Listed("ttl/zero", &[]), &Flood], ..CATALOGUE };

#[test]
fn in_a_cluster_that_is_shared_a_case_that_bears_no_other_is_skipped_once_however_often_it_repeats() {
    let request = Request::of(Flags { repeat: Some(2), ..Flags::default() }, None, 7, 4).unwrap();
    let mut resolved = resolve(request, "id".to_owned(), &WITH_A_FLOOD, &crate::cluster::local::Local).unwrap();
    assert_eq!(resolved.turns(), 4);
    resolved.share_the_cluster();
    let lines = [
        "1.37.1-builtin",
        "  ttl/zero #1",
        "  ttl/zero #2",
        "  skip ttl/flood: bears no other case beside it: other runs share this cluster",
    ];
    assert_eq!(text(&resolved), lines.join("\n"));
}

fn cell_ids(controllers: &[&str], plan: Option<PlanFile>) -> Vec<String> {
    let controllers = controllers.iter().map(|name| (*name).to_owned()).collect();
    let resolved = planned(Flags { controllers, ..Flags::default() }, plan).unwrap();
    resolved.run.cells.into_iter().map(|cell| cell.cell.id).collect()
}

#[test]
fn each_controller_makes_a_cell() {
    let ids = cell_ids(&["builtin", "reference", "beside"], None);
    assert_eq!(ids, ["1.37.1-builtin", "1.37.1-reference", "1.37.1-beside"]);
}

#[test]
fn controllers_take_the_place_of_those_in_the_cells_of_a_plan() {
    let text = "schema: jobsworth/plan/v1\nname: mine\ncells: [{kubernetes: 1.37.1}, {kubernetes: 1.37.1, controller: beside}, \
                {kubernetes: 1.35.4}]\n";
    let plan = file::parse(text, "mine").unwrap();
    assert_eq!(cell_ids(&["reference"], Some(plan)), ["1.37.1-reference", "1.35.4-reference"]);
}
