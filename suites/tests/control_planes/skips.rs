//! What may be skipped in a cell is a list: any other skip is a failure, and so is an entry that is no longer skipped.

/// What is wrong with how a case came out, if anything is; `because` is why it was skipped, if it was.
pub fn trouble(id: &str, because: Option<&str>, listed: &[&str]) -> Option<String> {
    match (because, listed.contains(&id)) {
        (None, false) | (Some(_), true) => None,
        (None, true) => Some(format!("{id} is no longer skipped: take it off the list")),
        (Some(because), false) => Some(format!("{id} is skipped, and not on the list of what may be: {because}")),
    }
}

#[rstest::rstest]
#[case::that_ran(None, &[], None)]
#[case::that_may_be_skipped(Some("needs much"), &["a/case"], None)]
#[case::that_is_skipped_unasked(Some("needs much"), &["other/case"],
    Some("a/case is skipped, and not on the list of what may be: needs much"))]
#[case::that_is_not_skipped_any_more(None, &["a/case"], Some("a/case is no longer skipped: take it off the list"))]
fn a_case(#[case] because: Option<&str>, #[case] listed: &[&str], #[case] expected: Option<&str>) {
    assert_eq!(trouble("a/case", because, listed).as_deref(), expected);
}
