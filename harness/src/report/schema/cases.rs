//! Cases in `run.json`.

use crate::run::CaseReport;
use jiff::Timestamp;
use jobsworth_oracle::{Deviation, judge, property};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One case in one cell, once.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CaseRecord {
    /// The cell.
    pub cell: String,
    /// Id of the case.
    pub case: String,
    /// Which repetition, from 1; 0 when it did not apply.
    pub attempt: u32,
    /// How it came out.
    pub verdict: Verdict,
    /// The claim in words.
    pub claim: String,
    /// Who makes the claim, for example `KEP-3998`.
    pub source: String,
    /// Numbers of the requirements it checks.
    pub requirements: Vec<String>,
    /// Why it was skipped or is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Its namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Wall clock at its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub started: Option<Timestamp>,
    /// How long it took, in milliseconds of a monotonic clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// The recorded timeline, relative to the run's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
    /// Every broken sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Why the evidence does not suffice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// The known deviation of this controller that showed, or that did not though it was put to the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<DeviationRecord>,
    /// How many claims and invariants were judged to hold, with an occasion to be broken.
    #[serde(default)]
    pub held: usize,
    /// The command that runs just this again.
    pub again: String,
}

/// How a case came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every claim and every invariant held.
    Pass,
    /// What was broken is a known deviation of this controller in this version, and nothing else was.
    Deviates,
    /// A claim or an invariant was broken.
    Fail,
    /// The evidence does not suffice.
    Inconclusive,
    /// It does not apply in the cell.
    Skip,
    /// It did not get to its end, or never began.
    Incomplete,
}

impl Verdict {
    /// The word for it, as in the JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Deviates => "deviates",
            Self::Fail => "fail",
            Self::Inconclusive => "inconclusive",
            Self::Skip => "skip",
            Self::Incomplete => "incomplete",
        }
    }
}

impl From<judge::Verdict> for Verdict {
    fn from(verdict: judge::Verdict) -> Self {
        match verdict {
            judge::Verdict::Pass => Self::Pass,
            judge::Verdict::Deviates => Self::Deviates,
            judge::Verdict::Skip => Self::Skip,
            judge::Verdict::Inconclusive => Self::Inconclusive,
            judge::Verdict::Fail => Self::Fail,
        }
    }
}

/// A known deviation in one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviationRecord {
    /// Where it was shown.
    pub source: String,
    /// Whether it showed here, too. If not, it may be mended.
    pub shown: bool,
}

impl From<Deviation> for DeviationRecord {
    fn from(deviation: Deviation) -> Self {
        Self { source: deviation.source.to_owned(), shown: deviation.shown }
    }
}

/// One broken sentence.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// `claim`, the number of the invariant, for example `S01`, or `controller`: it ended by itself.
    pub source: Source,
    /// The claim in words.
    pub says: String,
    /// Where and how it was broken.
    #[serde(flatten)]
    pub breach: Breach,
    /// The timeline around it, as text.
    pub excerpt: String,
}

impl Failure {
    /// Every broken sentence of a case, with its excerpt.
    #[must_use]
    pub fn all_of(report: &CaseReport) -> Vec<Self> {
        let excerpts = report.excerpts.iter().map(String::as_str).chain(std::iter::repeat(""));
        report
            .judgement
            .broken()
            .zip(excerpts)
            .filter_map(|(sentence, excerpt)| {
                Some(Self {
                    source: Source::from(&sentence.source),
                    says: sentence.says.clone(),
                    breach: sentence.breach()?.into(),
                    excerpt: excerpt.to_owned(),
                })
            })
            .collect()
    }
}

/// Where a sentence comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Source(pub String);

impl From<&judge::Source> for Source {
    fn from(source: &judge::Source) -> Self {
        Self(source.as_str().to_owned())
    }
}

/// Where and how a sentence was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Breach {
    /// The resourceVersion at which it broke; 0 when something never came.
    pub revision: u64,
    /// When that arrived, in microseconds since the timeline's start.
    pub at_us: u64,
    /// What the claim asks for.
    pub expected: String,
    /// What was seen instead.
    pub observed: String,
}

impl From<&property::Breach> for Breach {
    fn from(breach: &property::Breach) -> Self {
        Self {
            revision: breach.revision,
            at_us: u64::try_from(breach.at.as_micros()).unwrap_or(u64::MAX),
            expected: breach.expected.clone(),
            observed: breach.observed.clone(),
        }
    }
}
