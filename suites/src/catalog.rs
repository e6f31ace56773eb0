//! How suites and their cases are listed: each is named once, and module, entry and id follow from it.

use jobsworth_harness::AnyCase;

/// Makes a module and an entry of the catalogue of every suite, in this order.
macro_rules! suites {
    ($($name:ident,)*) => {
        $(pub mod $name;)*

        /// The cases of every suite.
        const SUITES: &[&[&dyn jobsworth_harness::AnyCase]] = &[$($name::CASES,)*];
    };
}
pub(crate) use suites;

/// How many cases there are in these suites.
pub(crate) const fn count(suites: &[&[&dyn AnyCase]]) -> usize {
    let (mut sum, mut at) = (0, 0);
    while at < suites.len() {
        sum += suites[at].len();
        at += 1;
    }
    sum
}

/// The cases of these suites, one after the other.
pub(crate) const fn joined<const COUNT: usize>(
    suites: &'static [&'static [&'static dyn AnyCase]],
) -> [&'static dyn AnyCase; COUNT] {
    let mut cases = [suites[0][0]; COUNT];
    let (mut suite, mut to) = (0, 0);
    while suite < suites.len() {
        let mut from = 0;
        while from < suites[suite].len() {
            cases[to] = suites[suite][from];
            (from, to) = (from + 1, to + 1);
        }
        suite += 1;
    }
    cases
}

/// Makes a module, an entry of `CASES` and, with [`case_id!`](crate::case_id), the id of every case of a suite.
///
/// In `success_policy.rs`, `leader_index_decides` stands for `success_policy/leader_index_decides.rs`, whose `This` is the case
/// `success-policy/leader-index-decides`. The order is that of the catalogue.
#[macro_export]
macro_rules! cases {
    ($($name:ident,)*) => {
        $(pub mod $name;)*

        /// The cases of this suite, in the order of the catalogue.
        pub const CASES: &[&dyn jobsworth_harness::AnyCase] = &[$(&$name::This,)*];
    };
}

/// The id of the case in this file, made from where it is: suite and name, with hyphens.
#[macro_export]
macro_rules! case_id {
    () => {
        const {
            const PATH: &str = module_path!();
            const ID: [u8; $crate::catalog::id_length(PATH)] = $crate::catalog::id(PATH);
            match str::from_utf8(&ID) {
                Ok(id) => id,
                Err(_) => panic!("a module's path is text"),
            }
        }
    };
}

/// How long the id of the case in a module is: what follows the crate's name, with one `/` for the `::` in between.
#[must_use]
pub const fn id_length(path: &str) -> usize {
    path.len() - start(path) - 1
}

/// The id of the case in a module, as ASCII bytes.
#[must_use]
pub const fn id<const LENGTH: usize>(path: &str) -> [u8; LENGTH] {
    let (path, mut from) = (path.as_bytes(), start(path));
    let (mut id, mut to) = ([0; LENGTH], 0);
    while from < path.len() {
        id[to] = match path[from] {
            b':' => {
                from += 1;
                b'/'
            }
            b'_' => b'-',
            other => other,
        };
        (from, to) = (from + 1, to + 1);
    }
    id
}

/// Where the crate's name and the `::` after it end.
const fn start(path: &str) -> usize {
    let path = path.as_bytes();
    let mut at = 0;
    while path[at] != b':' {
        at += 1;
    }
    at + 2
}

#[cfg(test)]
mod tests {
    use super::{id, id_length};
    use crate::CATALOGUE;
    use std::{collections::BTreeSet, path::Path};

    #[test]
    fn the_id_is_suite_and_name_with_hyphens() {
        const PATH: &str = "a_crate::a_suite::a_case_of_it";
        assert_eq!(id::<{ id_length(PATH) }>(PATH), *b"a-suite/a-case-of-it");
    }

    #[test]
    fn every_file_with_a_case_is_in_the_catalogue() {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let suites = std::fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
        let files = suites.flat_map(|suite| std::fs::read_dir(suite).unwrap().map(|entry| entry.unwrap().path()));
        let cases = files.filter(|file| std::fs::read_to_string(file).unwrap().contains("\nimpl Case for This {"));
        let id =
            |file: &Path| file.with_extension("").strip_prefix(source).unwrap().to_str().unwrap().replace('_', "-");
        let written: BTreeSet<String> = cases.map(|file| id(&file)).collect();
        // Races are lines of a table.
        let filed = CATALOGUE.cases.iter().map(|case| case.about()).filter(|about| about.suite() != "races");
        assert_eq!(filed.map(|about| about.id.to_owned()).collect::<BTreeSet<_>>(), written);
    }
}
