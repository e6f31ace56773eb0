//! The flags of a run as far as a load has them, too, for a load that is cut into slices; the others are refused.

use super::{Failure, Selection};
use crate::cli::existing::Way;

/// What slices of a load are told beside their profiles and sizes.
pub(in crate::cli) struct SlicedLoad {
    /// The way to the cluster that is there already, which slices share under one word.
    pub way: Way,
    /// The flags of `load` by which a slice asks for the same; without the way to the cluster.
    pub arguments: Vec<String>,
}

impl Selection {
    /// The same for a load on a cluster that is there already, where slices share it under a word of `name` and a number, unless the user
    /// has one: slices of another load do not share it.
    ///
    /// # Errors
    /// When it is one slice already, for another provider, or says something that is about cases.
    pub(in crate::cli) fn sliced_load(mut self, name: &str) -> Result<SlicedLoad, Failure> {
        self.can_be_cut("Jobs of a load")?;
        if let Some(flag) = self.about_cases() {
            let says = format!("failed to cut the load into slices: {flag} is about cases, and a load has none");
            return Err(Failure::misuse_with(says, "leave it out, and its variable unset"));
        }
        let word = self.seed.unwrap_or_else(|| u64::from(rand::random::<u32>()));
        let way = self.way.shared_as(&format!("{name}-{word:x}"));
        let named = [
            ("--seed", self.seed.map(|number| number.to_string())),
            ("--kubernetes", Some(self.kubernetes.join(",")).filter(|text| !text.is_empty())),
        ];
        let given = named.into_iter().filter_map(|(flag, value)| Some(format!("{flag}={}", value?)));
        let arguments = given.chain(self.controllers.flags_elsewhere()).chain(way.flags_elsewhere()).collect();
        Ok(SlicedLoad { way, arguments })
    }

    /// What is said that no load has, if something is. Where things are on this machine is nothing to slices, of cases or of a load.
    fn about_cases(&self) -> Option<&'static str> {
        let said = [
            ("a CASE", !self.names.is_empty()),
            ("--filter", self.filter.is_some()),
            ("--profile", self.profile.is_some()),
            ("--plan", self.plan.is_some()),
            ("--other-kubernetes", self.other_kubernetes.is_some()),
            ("--emulate", self.emulate.is_some()),
            ("--gates", self.gates.is_some()),
            ("--controller-file", self.controllers.names_files()),
            ("--nodes", self.clusters.nodes.is_some()),
            ("--repeat", self.repeat.is_some()),
            ("--jobs", self.jobs.is_some()),
            ("--keep", self.keep.is_some()),
            ("--max-fail", self.max_fail.is_some()),
        ];
        said.into_iter().find_map(|(flag, is_said)| is_said.then_some(flag))
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
        Line::parse_from(["write"].iter().chain(words)).selection
    }

    #[test]
    fn slices_of_a_load_are_told_the_same_and_share_the_cluster() {
        let asked = ["--seed", "7", "--manager", "example.com/mine", "--kubernetes", "1.37.1"];
        let way = ["--kubeconfig", "mine", "--context", "kind-ex", "--yes-cluster", "1234abcd"];
        let sliced = selection(&[asked.as_slice(), &way].concat()).sliced_load("nightly");
        let sliced = sliced.unwrap_or_else(|_| panic!("refused"));
        let told = ["--seed=7", "--kubernetes=1.37.1", "--manager=example.com/mine", "--sharing=nightly-7"];
        assert_eq!(sliced.arguments, told);
        assert_eq!(sliced.way.named(), Some(("kind-ex", "1234abcd")));
    }

    #[test]
    fn profiles_keep_their_seeds_where_nobody_says_one() {
        let sliced = selection(&[]).sliced_load("nightly").unwrap_or_else(|_| panic!("refused"));
        let [sharing] = sliced.arguments.as_slice() else { panic!("{:?}", sliced.arguments) };
        assert!(sharing.starts_with("--sharing=nightly-"), "{sharing}");
    }

    #[rstest]
    #[case::cases(&["ttl"])]
    #[case::a_filter(&["-E", "suite(ttl)"])]
    #[case::a_plan(&["--plan", "mine.yaml"])]
    #[case::a_repetition(&["--repeat", "2"])]
    #[case::a_file(&["--controller-file", "mine.yaml"])]
    #[case::what_is_a_slice_already(&["--partition", "slice:1/2"])]
    #[case::clusters_that_are_made(&["--provider", "kind"])]
    fn no_slices_of_a_load_are_made_of(#[case] words: &[&str]) {
        assert!(selection(words).sliced_load("nightly").is_err());
    }
}
