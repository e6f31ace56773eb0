//! Whether each crate compiles with no features of its dependencies but those that it asks for itself.
//!
//! Cargo gives what is built in one command one set of features of each dependency: a crate that uses what only another one asks for
//! compiles beside it, and not by itself. One command for each crate would compile k8s-openapi and its like a dozen times. So crates
//! share a command where none of them gets more from a dependency that it names than it gets alone, by what cargo says of both.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use crate::workspace::{output_of, root};

/// What each crate gets: for each package that it names itself, the features of it.
type Features = BTreeMap<String, BTreeMap<String, String>>;

/// What cargo says that these crates get when they are built together.
type Ask<'a> = &'a dyn Fn(&[String]) -> Result<Features>;

/// The crates, in as few commands as cargo's answers allow; the order of the crates decides which come together.
pub fn groups(packages: &[String]) -> Result<Vec<Vec<String>>> {
    grouped(packages, &ask_cargo)
}

/// The command that checks a group.
pub fn command(group: &[String]) -> Vec<String> {
    let named = group.iter().flat_map(|package| ["-p".to_owned(), package.clone()]);
    ["cargo", "check"].map(str::to_owned).into_iter().chain(named).collect()
}

fn grouped(packages: &[String], ask: Ask<'_>) -> Result<Vec<Vec<String>>> {
    let mut alone = Features::new();
    let mut groups: Vec<Vec<String>> = Vec::new();
    'packages: for package in packages {
        alone.extend(ask(std::slice::from_ref(package))?);
        for group in &mut groups {
            group.push(package.clone());
            if get_no_more(group, &alone, &ask(group)?) {
                continue 'packages;
            }
            group.pop();
        }
        groups.push(vec![package.clone()]);
    }
    Ok(groups)
}

/// Whether each of a group gets together what it gets alone.
fn get_no_more(group: &[String], alone: &Features, together: &Features) -> bool {
    group.iter().all(|package| alone.contains_key(package) && alone.get(package) == together.get(package))
}

fn ask_cargo(packages: &[String]) -> Result<Features> {
    let mut words = vec!["tree", "--locked", "--edges", "normal", "--depth", "1", "--no-dedupe"];
    words.extend(["--prefix", "depth", "--format", " {p}|{f}"]);
    words.extend(packages.iter().flat_map(|package| ["-p", package.as_str()]));
    read(&output_of(&root(), "cargo", &words)?)
}

/// Reads lines like `1 serde v1.0.229|derive,std`: depth, package, features.
fn read(text: &str) -> Result<Features> {
    let mut features = Features::new();
    let mut of = None;
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (depth, rest) = line.split_once(' ').with_context(|| format!("`cargo tree` says no depth in `{line}`"))?;
        let (package, theirs) =
            rest.split_once('|').with_context(|| format!("`cargo tree` says no features in `{line}`"))?;
        if depth == "0" {
            let name = package.split(' ').next().unwrap_or(package).to_owned();
            features.insert(name.clone(), BTreeMap::new());
            of = Some(name);
        } else {
            let of = of.as_ref().with_context(|| format!("`cargo tree` does not say who needs `{line}`"))?;
            features.entry(of.clone()).or_default().insert(package.to_owned(), theirs.to_owned());
        }
    }
    Ok(features)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What a resolver makes of these: each crate, what it names, and the features that it asks for.
    fn resolver(crates: &'static [(&str, &str, &str)]) -> impl Fn(&[String]) -> Result<Features> {
        move |asked| {
            let united = |dependency: &str| {
                let is_asked = |name: &str| asked.iter().any(|one| one == name);
                let all = crates.iter().filter(|(name, named, _)| *named == dependency && is_asked(name));
                let features: BTreeSet<&str> = all.map(|(.., features)| *features).collect();
                features.into_iter().collect::<Vec<_>>().join(",")
            };
            let gets = |asked: &String| {
                let own = crates.iter().filter(|(name, ..)| name == asked);
                own.map(|(_, named, _)| ((*named).to_owned(), united(named))).collect()
            };
            Ok(asked.iter().map(|name| (name.clone(), gets(name))).collect())
        }
    }

    fn groups_of(crates: &'static [(&str, &str, &str)], packages: &[&str]) -> Vec<String> {
        let packages: Vec<String> = packages.iter().map(|name| (*name).to_owned()).collect();
        let groups = grouped(&packages, &resolver(crates)).unwrap();
        groups.iter().map(|group| group.join(" ")).collect()
    }

    #[test]
    fn crates_that_ask_for_the_same_share_a_command() {
        let crates = &[("a", "kube", "client"), ("b", "kube", "client"), ("c", "serde", "derive")];
        assert_eq!(groups_of(crates, &["a", "b", "c"]), ["a b c"]);
    }

    #[test]
    fn a_crate_that_would_be_given_what_it_does_not_ask_for_is_not_beside_the_one_that_does() {
        let crates = &[("a", "kube", "client"), ("b", "kube", "ws"), ("c", "kube", "client")];
        assert_eq!(groups_of(crates, &["a", "b", "c"]), ["a c", "b"]);
        // Nor when the one that asks for more comes first.
        assert_eq!(groups_of(crates, &["b", "a"]), ["b", "a"]);
    }

    #[test]
    fn features_of_what_a_crate_does_not_name_are_not_its_concern() {
        let crates = &[("a", "serde", "derive"), ("b", "kube", "ws")];
        assert_eq!(groups_of(crates, &["a", "b"]), ["a b"]);
    }

    #[test]
    fn what_cargo_prints_is_read() {
        let text = "0 a v0.1.0 (/a)|\n1 serde v1.0.229|derive,std\n1 b v0.1.0 (/b)|\n\n0 b v0.1.0 (/b)|\n";
        let features = read(text).unwrap();
        assert_eq!(features["a"]["serde v1.0.229"], "derive,std");
        assert_eq!(features["a"]["b v0.1.0 (/b)"], "");
        assert!(features["b"].is_empty());
    }

    #[test]
    fn a_line_that_cannot_be_read_is_an_error_and_no_group() {
        assert!(read("1 serde v1|derive\n").is_err());
        assert!(read("0 serde\n").is_err());
    }

    #[test]
    fn every_crate_of_this_workspace_is_in_one_group() {
        let mut packages = crate::check::packages().unwrap();
        let mut grouped = groups(&packages).unwrap().concat();
        packages.sort();
        grouped.sort();
        assert_eq!(grouped, packages);
    }

    #[test]
    fn the_command_names_every_crate_of_its_group() {
        assert_eq!(command(&["a".to_owned(), "b".to_owned()]).join(" "), "cargo check -p a -p b");
    }
}
