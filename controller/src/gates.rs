//! Feature gates by name: which can be switched, which are settled, which do not exist.

use jobsworth_api::Minor;
use jobsworth_core::Gates;

/// Gates of the Job API that are settled; naming their value is allowed, changing it is not.
const LOCKED_ON: &[&str] = &[
    "ElasticIndexedJob",
    "IndexedJob",
    "JobMutableNodeSchedulingDirectives",
    "JobReadyPods",
    "JobTrackingWithFinalizers",
    "PodDisruptionConditions",
    "SuspendJob",
    "TTLAfterFinished",
];

/// Gates of the Job API that other components read.
const WITHOUT_EFFECT: &[&str] = &["GenericWorkload", "MutablePodResourcesForSuspendedJobs"];

/// Gates that this controller can switch.
const SWITCHABLE: &[&str] = &[
    "JobBackoffLimitPerIndex",
    "JobManagedBy",
    "JobPodFailurePolicy",
    "JobPodReplacementPolicy",
    "JobSuccessPolicy",
    "MutableSchedulingDirectivesForSuspendedJobs",
    "PodIndexLabel",
    "StaleControllerConsistencyJob",
    "WorkloadWithJob",
];

/// The first version whose defaults are known here, and the last one.
const EMULATED: (Minor, Minor) = (Minor::new(1, 31), Minor::new(1, 37));

/// Since when those are on by default that have not been in all versions that can be emulated.
const ON_SINCE: &[(&str, Minor)] = &[
    ("JobManagedBy", Minor::new(1, 32)),
    ("MutableSchedulingDirectivesForSuspendedJobs", Minor::new(1, 36)),
    ("StaleControllerConsistencyJob", Minor::new(1, 36)),
];

/// One `NAME=BOOL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    name: String,
    on: bool,
}

/// Reads one `NAME=BOOL`.
///
/// # Errors
/// When the gate does not exist, is locked to the other value, or the value is none.
pub fn parse(text: &str) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "must be NAME=true or NAME=false".to_owned())?;
    let on: bool =
        value.to_ascii_lowercase().parse().map_err(|_| format!("the value of {name} must be true or false"))?;
    if LOCKED_ON.contains(&name) && !on {
        return Err(format!("{name} is locked to true"));
    }
    if [LOCKED_ON, WITHOUT_EFFECT, SWITCHABLE].iter().all(|list| !list.contains(&name)) {
        return Err(format!("there is no gate {name}; near it: {}", nearest(name).join(", ")));
    }
    Ok(Setting { name: name.to_owned(), on })
}

/// Reads a minor version whose defaults are known.
///
/// # Errors
/// When it is no version, or another one.
pub fn emulated(text: &str) -> Result<Minor, String> {
    let (first, last) = EMULATED;
    let known = || format!("must be a minor version from {first} to {last}");
    text.parse().ok().filter(|minor| (first..=last).contains(minor)).ok_or_else(known)
}

/// All gates by the defaults of this version, the newest one without any, with these settings; the last one of a name counts.
#[must_use]
pub fn switched(emulated: Option<Minor>, settings: &[Setting]) -> Gates {
    let mut gates = Gates::V1_36;
    for (name, since) in ON_SINCE {
        if emulated.is_some_and(|minor| minor < *since) {
            gates.switch(name, false);
        }
    }
    for setting in settings {
        if !gates.switch(&setting.name, setting.on) && WITHOUT_EFFECT.contains(&setting.name.as_str()) {
            tracing::warn!(gate = setting.name, "this gate changes nothing in this controller");
        }
    }
    gates
}

fn nearest(name: &str) -> Vec<&'static str> {
    let mut all: Vec<&str> = [SWITCHABLE, LOCKED_ON, WITHOUT_EFFECT].concat();
    let far = |other: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    all.sort_by_key(|other| (far(other), *other));
    all.truncate(3);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gate_that_is_said_to_be_switchable_switches_something() {
        for name in SWITCHABLE {
            let as_told = |on: bool| switched(None, &[parse(&format!("{name}={on}")).unwrap()]);
            assert_ne!(as_told(true), as_told(false), "{name}");
        }
    }

    #[test]
    fn naming_the_value_of_a_settled_gate_is_allowed() {
        assert_eq!(switched(None, &[parse("IndexedJob=true").unwrap()]), Gates::V1_36);
    }

    #[test]
    fn an_older_version_has_its_own_defaults_and_settings_win_over_them() {
        let clears = |emulated: Option<&str>, settings: &[&str]| {
            let settings: Vec<_> = settings.iter().map(|text| parse(text).unwrap()).collect();
            switched(emulated.map(|text| super::emulated(text).unwrap()), &settings).mutable_scheduling_directives
        };
        assert!(clears(None, &[]) && clears(Some("1.36"), &[]));
        assert!(!clears(Some("1.35"), &[]));
        assert!(clears(Some("1.35"), &["MutableSchedulingDirectivesForSuspendedJobs=true"]));
    }

    #[test]
    fn every_gate_that_came_is_one_that_can_be_switched() {
        for (name, since) in ON_SINCE {
            assert!(SWITCHABLE.contains(name) && *since > EMULATED.0 && *since <= EMULATED.1, "{name}");
        }
    }
}
