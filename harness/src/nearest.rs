//! Names that look like one that nothing has.

/// How many are offered.
const OFFERED: usize = 3;
/// How alike a name must be, from 0 to 1.
const ALIKE: f64 = 0.72;

/// The names that look most like `wanted`, best first.
///
/// Names contain what was typed, or are alike by Jaro-Winkler; case does not matter. A name after a slash
/// is also compared by itself, so that `leader-idx` finds `success-policy/leader-index`.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (likeness(&wanted, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.cmp(right)));
    scored.dedup_by(|(_, left), (_, right)| left == right);
    scored.into_iter().take(OFFERED).map(|(_, name)| name.to_owned()).collect()
}

fn likeness(wanted: &str, name: &str) -> f64 {
    let last = name.rsplit('/').next().unwrap_or(name);
    let contained = if wanted.len() >= 3 && name.contains(wanted) { 0.95 } else { 0.0 };
    // One slip in a short name weighs too much otherwise.
    let alike = strsim::jaro_winkler(wanted, name);
    let slip = if strsim::osa_distance(wanted, name) <= 1 { 0.9 + alike / 10.0 } else { 0.0 };
    alike.max(strsim::jaro_winkler(wanted, last)).max(contained).max(slip)
}

/// What is said behind an error about a name: nothing, or the names that look like it.
#[must_use]
pub fn hint(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        [only] => format!("; did you mean `{only}`?"),
        [rest @ .., last] => {
            let rest: Vec<String> = rest.iter().map(|name| format!("`{name}`")).collect();
            format!("; did you mean {} or `{last}`?", rest.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::nearest::*;
    use rstest::rstest;

    const NAMES: [&str; 4] = ["success-policy/leader-index", "success-policy/all-must", "ttl/zero", "JobSuccessPolicy"];

    #[rstest]
    #[case::a_slip_of_the_finger("success-policy/leadr-index", &["success-policy/leader-index", "success-policy/all-must"])]
    #[case::the_part_after_the_slash("leader-idx", &["success-policy/leader-index"])]
    #[case::another_case("jobsuccesspolicy", &["JobSuccessPolicy"])]
    #[case::nothing_alike("volcano", &[])]
    fn offers(#[case] wanted: &str, #[case] expected: &[&str]) {
        assert_eq!(nearest(wanted, NAMES), expected);
    }

    #[rstest]
    #[case::none(&[], "")]
    #[case::one(&["a"], "; did you mean `a`?")]
    #[case::three(&["a", "b", "c"], "; did you mean `a`, `b` or `c`?")]
    fn hints(#[case] names: &[&str], #[case] expected: &str) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(hint(&names), expected);
    }
}
