//! What a controller is known to do otherwise than a case claims: told and counted, and no failure where nothing else is wrong.

use crate::setting::Setting;
use jobsworth_api::{KubeVersion, Minor};

/// What may show in any case, by luck.
pub(crate) const ANYWHERE: [Anywhere; 2] = [
    Anywhere {
        known: KnownDeviation {
            subject: "builtin",
            since: Minor::new(1, 31),
            until: Some(Minor::new(1, 35)),
            // The later patches of 1.35 are mended, but which one was the first is in no source that we have.
            mended_in: &[],
            unless: None,
            breaks: &["W01"],
            source: "https://github.com/kubernetes/kubernetes/issues/139428",
        },
        seen: "cannot set more ready pods than active",
    },
    // On a machine that is busy: `bad-days/a-decision-is-known-before-it-is-seen` makes an occasion for it.
    Anywhere {
        known: KnownDeviation {
            subject: "builtin",
            since: Minor::new(1, 31),
            until: None,
            mended_in: &[],
            unless: Some("StaleControllerConsistencyJob"),
            breaks: &["S07", "S16"],
            source: "https://github.com/kubernetes/kubernetes/issues/130683",
        },
        seen: SEEN_AS_IT_WAS,
    },
];

/// What is told of a pod that was made from a Job as it had been before what forbids the pod.
pub(crate) const SEEN_AS_IT_WAS: &str = "the controller saw the Job as it had been at revision";

/// A known deviation of one subject in a range of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownDeviation {
    /// Name of the subject, as a run names it: `builtin`.
    pub subject: &'static str,
    /// The lowest minor of the binaries that deviates.
    pub since: Minor,
    /// The highest minor of the binaries that deviates; without it, it is not mended yet.
    pub until: Option<Minor>,
    /// The first releases that do not deviate any more, where a fix came in a patch of a minor of that range: at most one for
    /// each minor. Later patches of the same minor do not deviate either; a minor without an entry deviates in all of its patches.
    pub mended_in: &'static [KubeVersion],
    /// The gate that mends it where it is on.
    pub unless: Option<&'static str>,
    /// Sentences of claims and numbers of invariants (`S13`) that may be broken then. Any other breach fails as ever.
    pub breaks: &'static [&'static str],
    /// Where it was shown: an issue, or a page of this project.
    pub source: &'static str,
}

impl KnownDeviation {
    /// Whether it is known of the subject and version of this recording.
    #[must_use]
    pub fn applies_to(&self, setting: &Setting) -> bool {
        let version = setting.kubernetes;
        let minor = version.minor_version();
        let is_mended = |first: &KubeVersion| first.minor_version() == minor && *first <= version;
        self.subject == setting.subject
            && self.since <= minor
            && self.until.is_none_or(|until| minor <= until)
            && !self.mended_in.iter().any(is_mended)
            && self.unless.is_none_or(|gate| setting.gates.get(gate) != Some(&true))
    }
}

/// A deviation that is bound to no case. That it did not show says nothing.
pub(crate) struct Anywhere {
    pub known: KnownDeviation,
    /// What is seen of it, in part: any other breach of the same sentence fails as ever.
    pub seen: &'static str,
}

/// What became of a known deviation in one recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// Where it is known from.
    pub source: &'static str,
    /// Whether it showed. If not, what is known may be out of date.
    pub shown: bool,
}
