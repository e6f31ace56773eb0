//! A selection cut into slices that run elsewhere: what each is told, so that all of them mean the same.

use super::{Failure, Selection, read_at_most};
use crate::cluster::{Provider as _, existing::Existing};
use std::path::Path;

/// What slices are of.
pub(in crate::cli) struct Sliced {
    /// The whole of it, on the cluster that is there already.
    pub selection: Selection,
    /// The flags of `run` by which a slice asks for the same, and the cases that are named; without the way to the cluster.
    pub arguments: Vec<String>,
    /// The text of the plan file, if one was named.
    pub plan: Option<String>,
}

impl Selection {
    /// The same on a cluster that is there already, where slices share it under a word of `name` and the seed, unless the user has one:
    /// slices of another run do not share it. A slice finds the plan file at `plan_at`.
    ///
    /// # Errors
    /// When it is one slice already, for another provider, or the plan file cannot be read.
    pub(in crate::cli) fn sliced(mut self, name: &str, plan_at: &str) -> Result<Sliced, Failure> {
        self.can_be_cut("cases")?;
        // Chosen once: slices of another order are slices all the same, but nobody could repeat them as one run.
        let seed = *self.seed.get_or_insert_with(|| u64::from(rand::random::<u32>()));
        self.way = self.way.shared_as(&format!("{name}-{seed:x}"));
        let plan = self.plan.as_deref().map(|path| read_at_most(path, "plan")).transpose()?;
        let mut arguments = self.flags_elsewhere();
        arguments.extend(plan.is_some().then(|| format!("--plan={plan_at}")));
        arguments.extend(self.names.iter().cloned());
        Ok(Sliced { selection: self, arguments, plan })
    }

    /// Whether slices can be made of what is asked for, on the cluster that is there already.
    ///
    /// # Errors
    /// When it is one slice already, or for another provider.
    pub(super) fn can_be_cut(&mut self, what: &str) -> Result<(), Failure> {
        if let Some(partition) = &self.partition {
            let says = format!("failed to cut the {what} into slices: they are the slice {partition} already");
            return Err(Failure::misuse_with(says, "leave --partition out, and JOBSWORTH_PARTITION unset"));
        }
        let existing = Existing.name();
        let provider = self.clusters.provider.get_or_insert_with(|| existing.to_owned());
        if provider.as_str() != existing {
            let says = format!("failed to cut the {what} into slices: --provider {provider} makes clusters of its own");
            return Err(Failure::misuse_with(says, "slices run in a cluster that is there: --provider existing"));
        }
        Ok(())
    }

    /// The way to the cluster that was named: its context and its uid.
    pub(in crate::cli) fn cluster(&self) -> Option<(&str, &str)> {
        self.way.named()
    }

    /// The kubeconfig in which it is.
    pub(in crate::cli) fn kubeconfig(&self) -> Option<&Path> {
        self.way.kubeconfig()
    }

    /// The word under which slices share it.
    pub(in crate::cli) fn sharing(&self) -> Option<&str> {
        self.way.sharing()
    }

    fn flags_elsewhere(&self) -> Vec<String> {
        let text = |value: &Option<String>| value.clone();
        let kubernetes = Some(self.kubernetes.join(",")).filter(|text| !text.is_empty());
        let named = [
            ("--filter", text(&self.filter)),
            ("--profile", text(&self.profile)),
            ("--kubernetes", kubernetes),
            ("--emulate", text(&self.emulate)),
            ("--gates", text(&self.gates)),
            ("--nodes", self.clusters.nodes.map(|number| number.to_string())),
            ("--repeat", self.repeat.map(|number| number.to_string())),
            ("--seed", self.seed.map(|number| number.to_string())),
            ("--jobs", self.jobs.map(|number| number.to_string())),
            ("--max-fail", self.max_fail.map(|number| number.to_string())),
        ];
        let given = named.into_iter().filter_map(|(flag, value)| Some(format!("{flag}={}", value?)));
        given.chain(self.controllers.flags_elsewhere()).chain(self.way.flags_elsewhere()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use rstest::rstest;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        selection: Selection,
    }

    fn selection(words: &[&str]) -> Selection {
        Line::parse_from(["run"].iter().chain(words)).selection
    }

    #[test]
    fn slices_are_told_what_was_asked_for_and_find_their_own_way_to_the_cluster() {
        let asked = [
            "-E",
            "suite(ttl) and not restarts()",
            "--seed",
            "7",
            "--manager",
            "example.com/mine",
            "ttl",
            "--repeat",
            "2",
        ];
        let way =
            ["--kubeconfig", "mine", "--context", "kind-ex", "--yes-cluster", "1234abcd", "--agent-image", "agent:v1"];
        let sliced = selection(&[asked.as_slice(), way.as_slice()].concat())
            .sliced("nightly", "plan.yaml")
            .unwrap_or_else(|_| panic!("refused"));
        let told = [
            "--filter=suite(ttl) and not restarts()",
            "--repeat=2",
            "--seed=7",
            "--manager=example.com/mine",
            "--agent-image=agent:v1",
            "--sharing=nightly-7",
            "ttl",
        ];
        assert_eq!(sliced.arguments, told);
        assert_eq!(sliced.selection.cluster(), Some(("kind-ex", "1234abcd")));
        assert_eq!(sliced.selection.kubeconfig(), Some(Path::new("mine")));
        assert_eq!(sliced.selection.sharing(), Some("nightly-7"));
        // Whoever reads these words means the same.
        let words: Vec<&str> = sliced.arguments.iter().map(String::as_str).collect();
        let read = selection(&words);
        assert_eq!(
            (read.names, read.seed, read.repeat, read.filter),
            (vec!["ttl".to_owned()], Some(7), Some(2), Some("suite(ttl) and not restarts()".to_owned()))
        );
    }

    #[test]
    fn all_slices_have_one_seed_and_the_plan_that_was_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.yaml");
        std::fs::write(&file, "the plan").unwrap();
        let named = selection(&["--plan", file.to_str().unwrap(), "--sharing", "others"]);
        let sliced = named.sliced("nightly", "/there/plan.yaml").unwrap_or_else(|_| panic!("refused"));
        let seed = sliced.selection.seed.unwrap();
        let seed = format!("--seed={seed}");
        assert_eq!(sliced.arguments, [seed.as_str(), "--sharing=others", "--plan=/there/plan.yaml"]);
        assert_eq!(sliced.plan.as_deref(), Some("the plan"));
    }

    #[rstest]
    #[case::what_is_a_slice_already(&["--partition", "slice:1/2"])]
    #[case::clusters_that_are_made(&["--provider", "kind"])]
    fn no_slices_are_made_of(#[case] words: &[&str]) {
        assert!(selection(words).sliced("nightly", "plan.yaml").is_err());
    }
}
