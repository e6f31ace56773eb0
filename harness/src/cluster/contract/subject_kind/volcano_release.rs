//! The release of Volcano whose deviations are known. Of another one nobody could say whether a breach is news.

use jobsworth_api::Minor;

/// It.
pub const VOLCANO_RELEASE: Minor = Minor::new(1, 15);

/// Whether a version, as `v1.15.1`, is of it.
#[must_use]
pub fn is_of_known_release(version: &str) -> bool {
    let mut parts = version.trim_start_matches('v').split('.').map(|part| part.parse().ok());
    let minor = parts.next().flatten().zip(parts.next().flatten());
    minor.is_some_and(|(major, minor)| Minor::new(major, minor) == VOLCANO_RELEASE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_patch("v1.15.1", true)]
    #[case::without_a_letter("1.15.0", true)]
    #[case::a_candidate("v1.15.2-rc.1", true)]
    #[case::an_earlier_one("v1.14.4", false)]
    #[case::a_word("latest", false)]
    #[case::half_a_version("v1", false)]
    fn a_version_is_of_it(#[case] version: &str, #[case] is: bool) {
        assert_eq!(is_of_known_release(version), is);
    }
}
