//! Which cell of HEAD stands for which of BASE.
//!
//! The same id, or else the one that has most in common, if that is one and it sees it the same way: a version or a
//! controller may be what is compared.

use crate::report::schema::CellRecord;

/// Cells that stand for each other, and those that stand alone.
#[derive(Debug, Default)]
pub struct Pairs<'r> {
    /// BASE's and HEAD's.
    pub pairs: Vec<(&'r CellRecord, &'r CellRecord)>,
    /// Those of BASE that are left.
    pub only_base: Vec<&'r CellRecord>,
    /// Those of HEAD that are left.
    pub only_head: Vec<&'r CellRecord>,
}

/// Pairs the cells of two runs.
#[must_use]
pub fn pair<'r>(base: &'r [CellRecord], head: &'r [CellRecord]) -> Pairs<'r> {
    let mut pairs = Pairs { pairs: Vec::new(), only_base: base.iter().collect(), only_head: head.iter().collect() };
    pairs.take(|one, other, _| one.id == other.id);
    // A pair that is taken may make another one unique.
    while pairs.take(|one, other, left| {
        let best_for = |cell: &CellRecord, others: &[&CellRecord]| {
            let best = others.iter().map(|it| in_common(cell, it)).max();
            best.filter(|best| others.iter().filter(|it| in_common(cell, it) == *best).count() == 1)
        };
        let mutual = Some(in_common(one, other));
        best_for(one, &left.only_head) == mutual && best_for(other, &left.only_base) == mutual
    }) {}
    pairs
}

impl<'r> Pairs<'r> {
    /// Takes the first two that fit out of those that are left, again and again; whether it took any.
    fn take(&mut self, fit: impl Fn(&CellRecord, &CellRecord, &Self) -> bool) -> bool {
        let before = self.pairs.len();
        let mut at = 0;
        while at < self.only_base.len() {
            let base = self.only_base[at];
            match self.only_head.iter().position(|head| fit(base, head, self)) {
                Some(place) => {
                    self.only_base.remove(at);
                    let head = self.only_head.remove(place);
                    self.pairs.push((base, head));
                }
                None => at += 1,
            }
        }
        self.pairs.len() > before
    }
}

/// How many coordinates are the same.
fn in_common(one: &CellRecord, other: &CellRecord) -> usize {
    let same = [
        one.wanted.kubernetes == other.wanted.kubernetes,
        one.wanted.emulated == other.wanted.emulated,
        one.wanted.other == other.wanted.other,
        one.wanted.gates == other.wanted.gates,
        one.subject == other.subject,
        one.provider == other.provider,
    ];
    same.into_iter().filter(|same| *same).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::sample;
    use rstest::rstest;

    /// A cell by version, controller and one gate.
    fn cell(id: &str) -> CellRecord {
        let mut cell = sample::empty().cells.remove(0);
        let parts: Vec<&str> = id.split('-').collect();
        cell.id = id.to_owned();
        cell.wanted.kubernetes = parts[0].to_owned();
        cell.subject = parts[1].to_owned();
        if let Some(gate) = parts.get(2) {
            cell.wanted.gates.insert((*gate).to_owned(), true);
        }
        cell
    }

    #[rstest]
    #[case::the_same(&["1.37-a", "1.36-a"], &["1.36-a", "1.37-a"], &[("1.37-a", "1.37-a"), ("1.36-a", "1.36-a")])]
    #[case::another_controller(&["1.37-a"], &["1.37-b"], &[("1.37-a", "1.37-b")])]
    #[case::another_controller_in_each(&["1.37-a", "1.36-a"], &["1.36-b", "1.37-b"], &[("1.37-a", "1.37-b"), ("1.36-a", "1.36-b")])]
    #[case::another_version_in_each(&["1.36-a", "1.36-b"], &["1.37-b", "1.37-a"], &[("1.36-a", "1.37-a"), ("1.36-b", "1.37-b")])]
    #[case::one_of_two_is_the_same(&["1.36-a"], &["1.36-a", "1.37-a"], &[("1.36-a", "1.36-a")])]
    #[case::nobody_can_say_which(&["1.36-a"], &["1.36-b", "1.36-c"], &[])]
    #[case::what_is_left_is_nearer(&["1.37-a", "1.37-a-G"], &["1.37-b-G", "1.37-b"], &[("1.37-a", "1.37-b"), ("1.37-a-G", "1.37-b-G")])]
    fn cells_stand_for_each_other(#[case] base: &[&str], #[case] head: &[&str], #[case] expected: &[(&str, &str)]) {
        let (base, head): (Vec<_>, Vec<_>) =
            (base.iter().map(|id| cell(id)).collect(), head.iter().map(|id| cell(id)).collect());
        let pairs = pair(&base, &head);
        let found: Vec<_> = pairs.pairs.iter().map(|(one, other)| (one.id.as_str(), other.id.as_str())).collect();
        assert_eq!(found, expected);
        assert_eq!(pairs.only_base.len() + pairs.pairs.len(), base.len());
        assert_eq!(pairs.only_head.len() + pairs.pairs.len(), head.len());
    }
}
