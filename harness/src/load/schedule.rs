//! The order of trials: A B B A, so that what changes slowly on the machine hits both sides alike.

/// Which of the two.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The one that is compared with.
    Base,
    /// The one that is compared, or the only one.
    Head,
}

/// The sides of pair number `pair`, counted from 0, in the order in which they run.
#[must_use]
pub fn order(pair: u32) -> [Side; 2] {
    if pair.is_multiple_of(2) { [Side::Base, Side::Head] } else { [Side::Head, Side::Base] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_interleaved_a_b_b_a() {
        let all: Vec<Side> = (0..4).flat_map(order).collect();
        use Side::{Base as A, Head as B};
        assert_eq!(all, [A, B, B, A, A, B, B, A]);
    }

    #[test]
    fn each_side_runs_once_in_each_pair() {
        assert!((0..100).all(|pair| order(pair)[0] != order(pair)[1]));
    }
}
