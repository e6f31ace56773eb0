//! What KEPs ask for, read from data: one YAML file each, embedded in the program.

use crate::{
    case::Catalogue,
    yaml::{self, FileError, Limits},
};
use serde::Deserialize;

/// The schema that such a file names in its first key.
pub const SCHEMA: &str = "jobsworth/kep/v1";

const LIMITS: Limits = Limits { what: "KEP", largest: 256 * 1024, documents: 1, depth: 8, nodes: 20_000 };

/// A KEP, and what it asks for.
#[derive(Clone, Debug)]
pub struct Kep {
    /// Its number.
    pub number: u16,
    /// What it is about, in a few words.
    pub title: String,
    /// The feature gates that it brought.
    pub gates: Vec<String>,
    /// Where it can be read.
    pub source: String,
    /// What it asks for, in its order.
    pub criteria: Vec<Criterion>,
}

/// One thing that a KEP asks for.
#[derive(Clone, Debug)]
pub struct Criterion {
    /// The section of the KEP.
    pub section: String,
    /// The criterion, in our words.
    pub says: String,
    /// How it is shown.
    pub proof: Proof,
}

/// How a criterion is shown.
#[derive(Clone, Debug)]
pub enum Proof {
    /// By cases that check these requirements; all of them.
    Requirements(Vec<String>),
    /// By people, for this reason.
    ByHand(String),
}

/// Why there is no such KEP.
#[derive(Debug, thiserror::Error)]
pub enum KepError {
    /// This program knows nothing of it.
    #[error("there is no sign-off sheet for `{asked}`")]
    Unknown {
        /// What was asked for.
        asked: String,
        /// Number and title of each that there is.
        known: Vec<String>,
    },
    /// Its file has a mistake.
    #[error(transparent)]
    File(#[from] FileError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KepText {
    schema: String,
    kep: u16,
    title: String,
    gates: Vec<String>,
    source: String,
    criteria: Vec<CriterionText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CriterionText {
    section: String,
    says: String,
    #[serde(default)]
    requirements: Vec<String>,
    by_hand: Option<String>,
}

/// Reads a file; `name` is for messages.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str, name: &str) -> Result<Kep, FileError> {
    let written: KepText = yaml::one(text, name, &LIMITS)?;
    let refuse = |says: String| FileError {
        what: LIMITS.what,
        name: name.to_owned(),
        text: text.to_owned(),
        problems: vec![yaml::Place::default().problem(says, None)],
    };
    if written.schema != SCHEMA {
        return Err(refuse(format!("its schema is `{}`; this program reads `{SCHEMA}`", written.schema)));
    }
    let criteria = written.criteria.into_iter().map(|CriterionText { section, says, requirements, by_hand }| {
        let proof = match (requirements.is_empty(), by_hand) {
            (false, None) => Proof::Requirements(requirements),
            (true, Some(why)) => Proof::ByHand(why),
            _ => return Err(refuse(format!("`{says}` needs either `requirements` or `by-hand`"))),
        };
        Ok(Criterion { section, says, proof })
    });
    Ok(Kep {
        number: written.kep,
        title: written.title,
        gates: written.gates,
        source: written.source,
        criteria: criteria.collect::<Result<_, _>>()?,
    })
}

/// Every KEP that the catalogue knows.
///
/// # Errors
/// The first file with a mistake.
pub fn all(catalogue: &Catalogue) -> Result<Vec<Kep>, FileError> {
    catalogue.keps.iter().map(|(number, text)| read(text, &format!("{number}.yaml"))).collect()
}

/// The KEP that is asked for: `KEP-3998`, `kep 3998` or `3998`.
///
/// # Errors
/// When there is no such one; the error names those that there are.
pub fn find(asked: &str, catalogue: &Catalogue) -> Result<Kep, KepError> {
    let lower = asked.trim().to_ascii_lowercase();
    let number = lower.strip_prefix("kep").unwrap_or(&lower).trim_start_matches(['-', ' ', '_']);
    let all = all(catalogue)?;
    let known = all.iter().map(|kep| format!("KEP-{}: {}", kep.number, kep.title)).collect();
    let wanted: Option<u16> = number.parse().ok();
    let found = all.into_iter().find(|kep| Some(kep.number) == wanted);
    found.ok_or_else(|| KepError::Unknown { asked: asked.to_owned(), known })
}
