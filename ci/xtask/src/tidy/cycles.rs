//! No two modules of a crate import each other, directly or around a circle.
//!
//! Looked at folder by folder: the modules side by side in one folder form no cycle, each taken with all that is below it. What a
//! module and the file above it say to each other is not looked at: a child may use what its parent defines.

mod modules;

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::{astar, tarjan_scc};
use petgraph::graphmap::DiGraphMap;

use self::modules::{Arrow, ModulePath, Modules};
use super::Finding;
use crate::workspace::Tree;

/// Circles that are there still: the folder in which they are, how many modules they go through, and why.
/// A circle that grows is an error, and so is a number here that is too large: what was untied stays so.
const KNOWN: &[(&str, usize, &str)] = &[];

/// Findings for every circle of modules.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let roots =
        tree.files.iter().filter(|file| file.path.ends_with("src/lib.rs") || file.path.ends_with("src/main.rs"));
    roots.flat_map(|root| of_crate(&root.path, tree)).collect()
}

fn of_crate(root: &str, tree: &Tree) -> Vec<Finding> {
    let modules = match Modules::below(root, tree) {
        Ok(modules) => modules,
        Err((file, error)) => {
            let line = error.span().start().line;
            return vec![Finding::error(&file, line, format!("failed to read it as Rust: {error}"))];
        }
    };
    let arrows = modules.arrows();
    let folders: BTreeSet<&[String]> = modules.paths().filter_map(|path| Some(path.split_last()?.1)).collect();
    folders.into_iter().flat_map(|folder| in_folder(folder, &arrows, &modules)).collect()
}

/// Circles among the modules right below `folder`.
fn in_folder(folder: &[String], arrows: &BTreeSet<Arrow>, modules: &Modules) -> Vec<Finding> {
    let mut causes: BTreeMap<(&str, &str), &Arrow> = BTreeMap::new();
    for arrow in arrows {
        if let (Some(from), Some(to)) = (below(folder, &arrow.from), below(folder, &arrow.to))
            && from != to
        {
            causes.entry((from, to)).or_insert(arrow);
        }
    }
    let graph: DiGraphMap<&str, ()> = causes.keys().copied().collect();
    let circles: Vec<Vec<&str>> = tarjan_scc(&graph).into_iter().filter(|members| members.len() > 1).collect();
    let place = modules.folder_of(folder);
    let sizes: Vec<usize> = circles.iter().map(Vec::len).collect();
    match KNOWN.iter().find(|(known, ..)| *known == place) {
        Some((_, known, _)) if sizes == [*known] => Vec::new(),
        Some((_, known, _)) if sizes.iter().all(|size| size < known) => {
            let says =
                format!("no circle of {known} modules is left here: say how many they are, or take the line away");
            vec![Finding::error(&place, 0, says)]
        }
        _ => circles.iter().map(|members| finding(members, &graph, &causes, modules)).collect(),
    }
}

/// The name right below `folder` on the way to `path`.
fn below<'a>(folder: &[String], path: &'a ModulePath) -> Option<&'a str> {
    path.strip_prefix(folder)?.first().map(String::as_str)
}

/// One circle through `members` in words: the shortest way round from its first member.
fn finding(
    members: &[&str],
    graph: &DiGraphMap<&str, ()>,
    causes: &BTreeMap<(&str, &str), &Arrow>,
    modules: &Modules,
) -> Finding {
    let mut members = members.to_vec();
    members.sort_unstable();
    let start = members[0];
    let ways = graph.neighbors(start).filter_map(|next| astar(graph, next, |at| at == start, |_| 1, |_| 0));
    let way = ways.min_by_key(|(length, _)| *length).map(|(_, way)| way).unwrap_or_default();
    let round: Vec<&str> = std::iter::once(start).chain(way).collect();
    let steps: Vec<String> = round
        .windows(2)
        .filter_map(|pair| {
            let arrow = causes.get(&(pair[0], pair[1]))?;
            Some(format!("{} names {} ({}:{})", pair[0], pair[1], modules.file_of(&arrow.from), arrow.line))
        })
        .collect();
    let first = causes.get(&(round[0], round[1])).map_or("", |arrow| modules.file_of(&arrow.from));
    let says = format!("{} modules go round in a circle, {}: {}", members.len(), members.join(", "), steps.join("; "));
    Finding::error(first, 0, says)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::tree;
    use super::*;

    /// A crate of these modules; `a/b` is `b` inside of `a`.
    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let paths: Vec<(String, &str)> = files.iter().map(|(path, text)| (format!("x/src/{path}.rs"), *text)).collect();
        let files: Vec<(&str, &str)> = paths.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        check(&tree(&files)).into_iter().map(|finding| finding.says).collect()
    }

    #[rstest]
    #[case::a_use(&[("lib", "mod a;\nmod b;"), ("a", "use crate::b::X;"), ("b", "pub struct X;\nuse crate::a;")])]
    #[case::a_use_among_others(&[("lib", "mod a;\nmod b;"), ("a", "use crate::{b::{self, X}};"), ("b", "use super::a::Y;")])]
    #[case::a_path_in_code(&[("lib", "mod a;\nmod b;"), ("a", "fn f() { crate::b::g() }"), ("b", "fn g() { super::a::f() }")])]
    #[case::a_path_in_a_macro(&[("lib", "mod a;\nmod b;"), ("a", "fn f() { vec![crate::b::C]; }"), ("b", "use crate::a;")])]
    #[case::what_another_module_hands_on(&[
        ("lib", "mod a;\nmod b;\npub use b::X;"), ("a", "use crate::X;"), ("b", "pub struct X;\nuse crate::a;"),
    ])]
    #[case::all_that_another_module_hands_on(&[
        ("lib", "mod a;\nmod b;\npub use b::*;"), ("a", "use crate::X;"), ("b", "pub struct X;\nuse crate::a;"),
    ])]
    #[case::modules_below(&[
        ("lib", "mod a;\nmod b;"), ("a", "mod c;"), ("a/c", "use crate::b::X;"), ("b", "use crate::a;"),
    ])]
    #[case::modules_in_one_file(&[("lib", "mod a { use super::b::X; }\nmod b { use super::a; pub struct X; }")])]
    fn two_that_name_each_other_are_found(#[case] files: &[(&str, &str)]) {
        let says = findings(files);
        assert!(
            matches!(says.as_slice(), [one] if one.starts_with("2 modules go round in a circle, a, b: ")),
            "{says:?}"
        );
    }

    #[rstest]
    #[case::one_way(&[("lib", "mod a;\nmod b;"), ("a", "use crate::b::X;"), ("b", "pub struct X;")])]
    #[case::a_child_and_its_parent(&[("lib", "mod a;"), ("a", "mod b;\npub struct X;\nuse b::Y;"), ("a/b", "use super::X;\npub struct Y;")])]
    #[case::a_test(&[("lib", "mod a;\nmod b;"), ("a", "use crate::b::X;"), ("b", "#[cfg(test)]\nmod tests { use crate::a; }")])]
    #[case::a_name_of_another_crate(&[("lib", "mod a;\nmod b;"), ("a", "use crate::b;"), ("b", "use other::a::X;")])]
    fn what_goes_one_way_passes(#[case] files: &[(&str, &str)]) {
        assert_eq!(findings(files), [""; 0]);
    }

    #[test]
    fn the_shortest_way_round_is_told_with_the_lines() {
        let says = findings(&[
            ("lib", "mod a;\nmod b;\nmod c;"),
            ("a", "//! A.\nuse crate::b;"),
            ("b", "use crate::c;"),
            ("c", "use crate::{a, b};"),
        ]);
        let way = "a names b (x/src/a.rs:2); b names c (x/src/b.rs:1); c names a (x/src/c.rs:1)";
        assert_eq!(says, [format!("3 modules go round in a circle, a, b, c: {way}")]);
    }
}
