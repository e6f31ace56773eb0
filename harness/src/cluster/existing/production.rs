//! Whether a name looks like production. Such a cluster is never used, whatever else is said.

/// Words that stand for clusters on which people rely.
const WORDS: [&str; 4] = ["prod", "production", "prd", "live"];

/// The word in `name` by which it looks like production. Words end where letters end: `prod-eu`, `eu.prod2` and
/// `my_live_cluster` have one, `reproduction` and `preprod` have none.
#[must_use]
pub fn word_of(name: &str) -> Option<&'static str> {
    let written = name.split(|c: char| !c.is_ascii_alphabetic());
    written.into_iter().find_map(|word| WORDS.into_iter().find(|known| word.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::at_the_beginning("prod-eu-1", Some("prod"))]
    #[case::at_the_end("k8s.eu.production", Some("production"))]
    #[case::in_capitals("EU_PRD", Some("prd"))]
    #[case::with_a_number("prod01", Some("prod"))]
    #[case::as_part_of_a_resource_name("arn:aws:eks:eu-west-1:1:cluster/live", Some("live"))]
    #[case::where_it_is_denied_all_the_same("non-prod", Some("prod"))]
    #[case::inside_of_another_word("reproduction", None)]
    #[case::grown_together("preprod", None)]
    #[case::alive_is_not_live("alive", None)]
    #[case::nothing_of_the_kind("kind-ex", None)]
    #[case::nothing_at_all("", None)]
    fn a_name_looks_like_production_by_a_word_of_its_own(#[case] name: &str, #[case] word: Option<&str>) {
        assert_eq!(word_of(name), word);
    }
}
