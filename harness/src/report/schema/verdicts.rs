//! The wire form of judgements: `verdicts.json`, schema `jobsworth/verdicts/v1`.
//!
//! It holds nothing but what follows from the timelines and the judge, so that judging again gives the
//! same bytes.

use super::{Breach, DeviationRecord, Source, Verdict};
use jobsworth_oracle::{Check, Judgement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema of `verdicts.json`.
pub const VERDICTS: &str = "jobsworth/verdicts/v1";

/// Every judged case of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdicts {
    /// Always `jobsworth/verdicts/v1`.
    #[schemars(extend("const" = VERDICTS))]
    pub schema: String,
    /// Id of the run.
    pub run: String,
    /// The judged cases, sorted by cell, id and attempt.
    pub cases: Vec<JudgedCase>,
}

impl Verdicts {
    /// Sorts the cases; the order in which they ended is chance.
    #[must_use]
    pub fn new(run: impl Into<String>, mut cases: Vec<JudgedCase>) -> Self {
        cases.sort_by(|a, b| (&a.cell, &a.case, a.attempt).cmp(&(&b.cell, &b.case, b.attempt)));
        Self { schema: VERDICTS.to_owned(), run: run.into(), cases }
    }
}

/// One judged case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedCase {
    /// The cell.
    pub cell: String,
    /// Id of the case.
    pub case: String,
    /// Which repetition, from 1.
    pub attempt: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// Every claim and every invariant.
    pub sentences: Vec<JudgedSentence>,
    /// Why the evidence does not suffice, where it does not.
    pub doubts: Vec<String>,
    /// The known deviation of this controller that showed, or that did not though it was put to the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<DeviationRecord>,
}

/// One claim or invariant, judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedSentence {
    /// `claim`, the number of the invariant, or `controller`: it ended by itself.
    pub source: Source,
    /// The claim in words.
    pub says: String,
    /// How it came out.
    pub check: CheckRecord,
}

/// How a sentence came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckRecord {
    /// It held, and there was occasion for it not to.
    Held,
    /// There was no occasion, for this reason.
    Vacuous(String),
    /// It was broken.
    Broken(Breach),
}

impl JudgedCase {
    /// What was broken, each with where it comes from and what was seen.
    #[must_use]
    pub fn broken_in_words(&self) -> Vec<String> {
        let words = |sentence: &JudgedSentence| match &sentence.check {
            CheckRecord::Broken(breach) => {
                Some(format!("{}: {}: {}", sentence.source.0, sentence.says, breach.observed))
            }
            _ => None,
        };
        self.sentences.iter().filter_map(words).collect()
    }

    /// The wire form of a judgement.
    #[must_use]
    pub fn of(cell: &str, case: &str, attempt: u32, judgement: &Judgement) -> Self {
        let sentences = judgement.sentences.iter().map(|sentence| JudgedSentence {
            source: Source::from(&sentence.source),
            says: sentence.says.clone(),
            check: match &sentence.check {
                Check::Held => CheckRecord::Held,
                Check::Vacuous(why) => CheckRecord::Vacuous(why.clone()),
                Check::Broken(breach) => CheckRecord::Broken(breach.into()),
            },
        });
        Self {
            cell: cell.to_owned(),
            case: case.to_owned(),
            attempt,
            verdict: judgement.verdict.into(),
            sentences: sentences.collect(),
            doubts: judgement.doubts.clone(),
            deviation: judgement.deviation.map(Into::into),
        }
    }
}

/// The JSON schema of `verdicts.json`.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(Verdicts)
}
