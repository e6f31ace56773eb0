//! Which provider brings up the clusters.

use super::PlanError;
use crate::cluster::{
    PROVIDERS, Provider,
    provider::{Keepable, NotReady, Ready},
};

/// A provider, what it found, and why it was chosen.
#[derive(Debug)]
pub struct Choice {
    /// The provider.
    pub provider: &'static dyn Provider,
    /// What it found.
    pub ready: Ready,
    /// Why, as the first line of a run says it.
    pub because: String,
}

/// The provider of this name.
///
/// # Errors
/// When there is none; names the nearest.
pub fn named(name: &str) -> Result<&'static dyn Provider, PlanError> {
    let found = PROVIDERS.iter().copied().find(|known| known.name() == name);
    found.ok_or_else(|| PlanError::none_of("provider", name, PROVIDERS.iter().map(|known| known.name())))
}

/// The one that is tried first where nobody names one.
#[must_use]
pub fn first() -> &'static dyn Provider {
    PROVIDERS[0]
}

/// Names of providers whose clusters can stay so far, in words: `local or kind`.
#[must_use]
pub fn that_can_keep(wanted: &[Keepable]) -> String {
    let keeps = PROVIDERS.iter().filter(|known| wanted.contains(&known.can_keep()));
    keeps.map(|known| known.name()).collect::<Vec<_>>().join(" or ")
}

/// What was asked for, and found.
#[must_use]
pub fn asked_for(provider: &'static dyn Provider, ready: Ready) -> Choice {
    let because = match provider.name() == first().name() {
        // Nobody had to ask for it.
        true => ready.says.clone(),
        false => format!("asked for; {}", ready.says),
    };
    Choice { provider, ready, because }
}

/// Chooses a provider: the one that is asked for; without a word the first that comes unasked and can be used. `probe` looks
/// whether one can.
///
/// # Errors
/// When what is asked for cannot be had, or nothing can; names the ways out.
pub fn choose(
    asked: Option<&'static dyn Provider>,
    probe: impl Fn(&'static dyn Provider) -> Result<Ready, NotReady>,
) -> Result<Choice, PlanError> {
    let wanted = asked.unwrap_or(first());
    let mut trouble = match probe(wanted) {
        Ok(ready) => return Ok(asked_for(wanted, ready)),
        Err(trouble) => trouble.to_string(),
    };
    let unasked = PROVIDERS.iter().copied().filter(|known| known.comes_unasked());
    for other in unasked.skip_while(|known| known.name() != wanted.name()).skip(1) {
        let name = other.name();
        match probe(other) {
            Ok(ready) if asked.is_none() => {
                let because = format!("{}, and {trouble}", ready.says);
                return Ok(Choice { provider: other, ready, because });
            }
            Ok(ready) => {
                let says = format!("{trouble}; or use --provider {name}: {}", ready.says);
                return Err(PlanError::NoProvider(says));
            }
            Err(why) => trouble = format!("{trouble}; and for --provider {name}: {why}"),
        }
    }
    Err(PlanError::NoProvider(trouble))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// What each provider finds on a machine, by name; the others must not be asked.
    type Machine = &'static [(&'static str, Result<&'static str, &'static str>)];

    const BARE: Machine = &[("local", Err("`local` needs etcd")), ("kind", Err("no runtime is installed"))];
    const READY: Machine = &[("local", Ok("its programs are in /opt/kube"))];
    const PODMAN: Machine = &[("local", Err("`local` needs etcd")), ("kind", Ok("podman works"))];
    const CONTAINERS: Machine =
        &[("containers", Ok("podman 4.3.1 at /run/podman.sock; its programs are in /opt/kube"))];

    fn chosen(asked: Option<&str>, machine: Machine) -> Result<(&'static str, String), String> {
        let asked = asked.map(|name| named(name).unwrap());
        let probe = |provider: &'static dyn Provider| {
            let found = machine.iter().find(|(name, _)| *name == provider.name());
            let (_, found) = found.unwrap_or_else(|| unreachable!("nobody asks for {}", provider.name()));
            let ready = |says: &str| Ready::new(says, |_| unreachable!("nothing is made"));
            found.map(ready).map_err(NotReady::new)
        };
        let choice = choose(asked, probe).map_err(|error| error.to_string())?;
        Ok((choice.provider.name(), choice.because))
    }

    #[rstest]
    #[case::ready_programs_need_no_runtime(None, READY, "local", "its programs are in /opt/kube")]
    #[case::asking_for_what_comes_first_says_no_more(Some("local"), READY, "local", "its programs are in /opt/kube")]
    #[case::a_runtime_helps_out(None, PODMAN, "kind", "podman works, and `local` needs etcd")]
    #[case::kind_though_local_would_do(Some("kind"), PODMAN, "kind", "asked for; podman works")]
    #[case::containers(
        Some("containers"),
        CONTAINERS,
        "containers",
        "asked for; podman 4.3.1 at /run/podman.sock; its programs are in /opt/kube"
    )]
    fn the_choice_says_why(
        #[case] asked: Option<&str>,
        #[case] machine: Machine,
        #[case] name: &str,
        #[case] because: &str,
    ) {
        assert_eq!(chosen(asked, machine), Ok((name, because.to_owned())));
    }

    #[rstest]
    #[case::of_everything_that_comes_unasked(
        None,
        BARE,
        "`local` needs etcd; and for --provider kind: no runtime is installed"
    )]
    #[case::who_asks_for_local_does_not_get_kind(
        Some("local"),
        PODMAN,
        "`local` needs etcd; or use --provider kind: podman works"
    )]
    #[case::who_asks_for_kind_hears_of_nothing_else(Some("kind"), BARE, "no runtime is installed")]
    fn without_any_the_error_names_the_ways_out(
        #[case] asked: Option<&str>,
        #[case] machine: Machine,
        #[case] says: &str,
    ) {
        assert_eq!(chosen(asked, machine), Err(format!("failed to choose a provider: {says}")));
    }

    #[test]
    fn a_misspelt_provider_gets_a_hint() {
        let error = named("kindd").unwrap_err().to_string();
        assert!(error.contains("kind"), "{error}");
    }

    #[test]
    fn every_provider_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<&str> = PROVIDERS.iter().map(|known| known.name()).collect();
        assert_eq!(names.len(), PROVIDERS.len());
    }
}
