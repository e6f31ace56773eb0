//! The table against what components were seen to accept and to refuse.

use rstest::rstest;

use crate::gates::*;

#[track_caller]
fn check(version: &str, emulated: &str, gates: &str) -> Result<(), GateRefusal> {
    let emulated = (!emulated.is_empty()).then(|| emulated.parse().unwrap());
    let gates = gates
        .split_whitespace()
        .map(|gate| gate.split_once('=').unwrap())
        .map(|(name, on)| (name.to_owned(), on == "true"))
        .collect();
    GateTable::embedded().check(version.parse().unwrap(), emulated, &gates)
}

#[rstest]
#[case::emulation_frees_a_locked_gate("1.35.4", "1.32", "JobSuccessPolicy=false")]
#[case::the_locked_value_may_be_named("1.36.4", "", "JobSuccessPolicy=true")]
#[case::a_beta_gate_is_free("1.36.4", "", "StaleControllerConsistencyJob=false")]
#[case::an_alpha_gate_with_what_it_needs("1.36.4", "", "GenericWorkload=true WorkloadWithJob=true")]
#[case::replacement_on_the_newest_binary("1.36.4", "1.33", "JobPodReplacementPolicy=false JobManagedBy=false")]
#[case::a_gate_that_is_off_needs_nothing("1.36.4", "", "WorkloadWithJob=false")]
#[case::a_beta_gate_that_is_off_and_what_needs_it("1.37.1", "", "GenericWorkload=true WorkloadWithJob=true")]
#[case::the_manager_on_the_newest_binary("1.37.1", "1.34", "JobManagedBy=false")]
#[case::nothing_asked("1.32.2", "", "")]
fn is_possible(#[case] version: &str, #[case] emulated: &str, #[case] gates: &str) {
    assert_eq!(check(version, emulated, gates), Ok(()));
}

#[rstest]
#[case::a_locked_gate("1.36.4", "", "JobSuccessPolicy=false")]
#[case::a_locked_gate_under_an_emulation_that_is_too_new("1.35.4", "1.33", "JobSuccessPolicy=false")]
#[case::a_removed_gate("1.35.4", "", "PodIndexLabel=true")]
#[case::a_removed_gate_even_when_emulating("1.35.4", "1.32", "PodIndexLabel=true")]
#[case::a_gate_of_the_future("1.35.4", "", "StaleControllerConsistencyJob=true")]
#[case::a_gate_of_the_emulated_future("1.36.4", "1.34", "MutablePodResourcesForSuspendedJobs=true")]
#[case::a_slip_of_the_pen("1.36.4", "", "JobSucessPolicy=false")]
#[case::an_unlike_name("1.36.4", "", "Zebra=true")]
#[case::a_need_that_is_not_met("1.36.4", "", "WorkloadWithJob=true")]
#[case::an_emulation_too_far_back("1.36.4", "1.32", "")]
#[case::an_emulation_below_the_floor("1.33.13", "1.30", "")]
#[case::an_emulation_of_the_future("1.35.4", "1.36", "")]
#[case::a_gate_that_went_with_the_newest_binary("1.37.1", "", "JobSuccessPolicy=true")]
#[case::a_gate_that_went_though_it_is_emulated("1.37.1", "1.34", "JobPodReplacementPolicy=false")]
fn is_refused(#[case] version: &str, #[case] emulated: &str, #[case] gates: &str) {
    let refusal = check(version, emulated, gates).unwrap_err().to_string();
    let name = std::thread::current().name().unwrap_or_default().rsplit("::").next().unwrap_or_default().to_owned();
    insta::assert_snapshot!(name, refusal);
}

#[rstest]
#[case::by_default("1.36.4", "", "JobManagedBy", Some(true))]
#[case::off_by_default_in_the_emulated_past("1.36.4", "1.35", "MutablePodResourcesForSuspendedJobs", Some(false))]
#[case::not_there_in_the_emulated_past("1.36.4", "1.34", "MutablePodResourcesForSuspendedJobs", None)]
#[case::on_for_good_after_removal("1.36.4", "", "IndexedJob", Some(true))]
#[case::on_for_good_since_1_37("1.37.1", "", "JobSuccessPolicy", Some(true))]
#[case::off_by_default_though_beta("1.37.1", "", "GenericWorkload", Some(false))]
fn is_effective(#[case] version: &str, #[case] emulated: &str, #[case] gate: &str, #[case] on: Option<bool>) {
    let emulated = (!emulated.is_empty()).then(|| emulated.parse().unwrap());
    let effective = GateTable::embedded().effective(version.parse().unwrap(), emulated, &BTreeMap::new(), gate);
    assert_eq!(effective, on);
}

#[test]
fn an_override_beats_the_default() {
    let off = BTreeMap::from([("JobSuccessPolicy".to_owned(), false)]);
    let version = KubeVersion::new(1, 35, 4);
    let effective = GateTable::embedded().effective(version, Some(Minor::new(1, 32)), &off, "JobSuccessPolicy");
    assert_eq!(effective, Some(false));
}

#[test]
fn where_a_gate_can_be_off_is_known_for_every_binary() {
    let places = GateTable::embedded().possible("JobSuccessPolicy", false);
    let texts: Vec<String> = places.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["1.35.4 emulating 1.32", "1.34.4 emulating 1.32", "1.33.13 emulating 1.32", "1.32.2"]);
}

#[test]
fn stages_of_every_gate_are_in_order_and_end_before_its_removal() {
    for gate in GateTable::embedded().gates() {
        assert!(gate.stages.is_sorted_by_key(|stage| stage.since), "{}", gate.name);
        let last = gate.stages.last().expect("a gate has a stage").since;
        assert!(gate.removed.is_none_or(|removed| last < removed), "{}", gate.name);
    }
}
