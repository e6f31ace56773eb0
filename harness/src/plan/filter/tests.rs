//! Filters over a small catalogue of their own.

use super::*;
use crate::case::{Claim, Needs};
use proptest::prelude::*;
use rstest::rstest;

fn abouts() -> Vec<About> {
    let about = |id, source, requirements, needs| About {
        id,
        claim: Claim { source, section: "Design", says: "it holds" },
        requirements,
        needs,
    };
    let gate: &[&str] = &["JobSuccessPolicy"];
    vec![
        about(
            "success-policy/leader",
            Source::Kep(3998),
            &["SUC-002", "SUC-010"],
            Needs { gates: gate, ..Needs::default() },
        ),
        about(
            "success-policy/gate-off",
            Source::Kep(3998),
            &["SUC-017"],
            Needs { gates_off: gate, ..Needs::default() },
        ),
        about("ttl/zero", Source::Kep(592), &["TTL-001"], Needs::default()),
        about(
            "backoff/crash",
            Source::JobController,
            &["BOF-003"],
            Needs { restarts_subject: true, ..Needs::default() },
        ),
    ]
}

#[rstest]
#[case::everything("all()", &["success-policy/leader", "success-policy/gate-off", "ttl/zero", "backoff/crash"])]
#[case::nothing("none()", &[])]
#[case::a_suite("suite(ttl)", &["ttl/zero"])]
#[case::a_part_of_an_id("case(gate-)", &["success-policy/gate-off"])]
#[case::a_regular_expression("case(/^(ttl|backoff)/)", &["ttl/zero", "backoff/crash"])]
#[case::a_kep("kep(3998)", &["success-policy/leader", "success-policy/gate-off"])]
#[case::a_requirement("requirement(SUC-010)", &["success-policy/leader"])]
#[case::the_letters_of_requirements("requirement(SUC)", &["success-policy/leader", "success-policy/gate-off"])]
#[case::a_gate_on_or_off("gate(JobSuccessPolicy)", &["success-policy/leader", "success-policy/gate-off"])]
#[case::restarts("restarts()", &["backoff/crash"])]
#[case::and_binds_closer_than_or("suite(ttl) or kep(3998) and case(leader)", &["success-policy/leader", "ttl/zero"])]
#[case::parentheses("(suite(ttl) or kep(3998)) and case(leader)", &["success-policy/leader"])]
#[case::signs("!(suite(ttl) | restarts()) & !case(leader)", &["success-policy/gate-off"])]
#[case::doubled_signs("suite(ttl) || restarts() && all()", &["ttl/zero", "backoff/crash"])]
#[case::not_not("not not suite(ttl)", &["ttl/zero"])]
#[case::no_spaces("suite(ttl)|restarts()", &["ttl/zero", "backoff/crash"])]
fn selects(#[case] text: &str, #[case] expected: &[&str]) {
    let filter = parse(text).unwrap();
    let found: Vec<&str> = abouts().iter().filter(|about| filter.matches(about)).map(|about| about.id).collect();
    assert_eq!(found, expected);
}

#[rstest]
#[case::nothing("", 1, "an expression is missing")]
#[case::an_unknown_word("kep(592) and siute(ttl)", 14, "`siute` is not known; did you mean `suite`?")]
#[case::a_missing_parenthesis("suite(ttl", 10, "a `)` is missing")]
#[case::an_open_group("(all()", 7, "a `)` is missing")]
#[case::two_expressions("all() all()", 7, "`all` is not expected here")]
#[case::no_argument("suite()", 7, "`suite` needs something between the parentheses")]
#[case::too_much("all(x)", 5, "`all` takes nothing")]
#[case::not_a_number("kep(x)", 5, "`x` is not the number of a KEP")]
#[case::a_bad_regex("case(/(/)", 6, "unclosed group")]
#[case::an_endless_regex("case(/x", 6, "the regular expression has no end")]
#[case::columns_count_characters("case(ü) & ?", 11, "`?` is not expected here")]
fn mistakes_have_a_column(#[case] text: &str, #[case] column: usize, #[case] says: &str) {
    let error = parse(text).unwrap_err();
    assert_eq!((error.column, error.says.as_str()), (column, says));
}

#[test]
fn deep_nesting_is_refused_and_does_not_exhaust_the_stack() {
    let error = parse(&"(".repeat(10_000)).unwrap_err();
    assert_eq!(error.says, "it is nested deeper than 64");
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,60}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_heap_of_words_makes_the_parser_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("case("), Just("/"), Just(")"), Just("("), Just("!"), Just(" and "), Just("or"), Just("|"),
                Just("&"), Just("all()"), Just("kep(1)"), Just("ü"), Just(" "), Just("suite(x)"), Just("not "),
            ],
            0..30,
        ),
    ) {
        let text: String = parts.concat();
        if let Err(error) = parse(&text) {
            prop_assert!(error.column >= 1 && error.column <= text.chars().count() + 1);
        }
    }
}
