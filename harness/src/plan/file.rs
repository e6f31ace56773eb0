//! Plan files: YAML that says which cells and which cases.
//!
//! [`parse`] is the only way in. It refuses what is too large before it reads it, and what is hostile
//! (alias bombs, deep nesting, keys given twice, unknown keys) while it does; what it accepts has been
//! checked as a whole, and every mistake is told with its line and column.

mod axes;
mod check;

use super::{CellRequest, controller::ControllerText};
use crate::subject::Subject;
use crate::yaml::{self, FileError, Limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Spanned;
use std::collections::BTreeMap;

/// The schema that a plan file names in its first key.
pub const SCHEMA: &str = "jobsworth/plan/v1";
/// The largest plan file, in bytes.
pub const LARGEST: usize = 3 * 1024 * 1024;

const LIMITS: Limits = Limits { what: "plan", largest: LARGEST, documents: 1, depth: 32, nodes: 250_000 };

/// A plan file, read and checked.
#[derive(Clone, Debug)]
pub struct PlanFile {
    /// Its name.
    pub name: String,
    /// What it is for, in a sentence.
    pub says: String,
    /// Its cells, those of its matrix included; none means the default cell.
    pub cells: Vec<CellRequest>,
    /// Controllers of its own.
    pub controllers: Vec<Subject>,
    /// What its matrix left out, and why, in sentences.
    pub left_out: Vec<String>,
    /// Which cases.
    pub filter: Option<super::Filter>,
    /// How many cases side by side.
    pub jobs: Option<usize>,
    /// How often each case.
    pub repeat: Option<u32>,
    /// Stop after so many failed cases.
    pub max_fail: Option<u32>,
}

impl PlanFile {
    /// With these in the place of its own controllers, in its cells, too.
    #[must_use]
    pub fn with_controllers(self, controllers: Vec<Subject>) -> Self {
        let own = |named: Subject| controllers.iter().find(|own| own.name == named.name).cloned().unwrap_or(named);
        let cells = self.cells.into_iter();
        let cells = cells.map(|cell| CellRequest { controller: cell.controller.map(own), ..cell }).collect();
        Self { cells, controllers, ..self }
    }
}

/// Reads and checks the text of a plan file; `name` is for messages.
///
/// # Errors
/// All mistakes that were found. What is not YAML, or has keys that are unknown or given twice, is
/// refused at the first such mistake.
pub fn parse(text: &str, name: &str) -> Result<PlanFile, FileError> {
    let written: PlanText = yaml::one(text, name, &LIMITS)?;
    check::checked(written, text).map_err(|problems| FileError {
        what: LIMITS.what,
        name: name.to_owned(),
        text: text.to_owned(),
        problems,
    })
}

/// The JSON schema of plan files.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(PlanText)
}

/// A plan: which cells, and which cases in them.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Plan")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PlanText {
    /// Always `jobsworth/plan/v1`.
    #[schemars(with = "String", extend("const" = SCHEMA))]
    schema: Spanned<String>,
    /// Name of the plan: a-z, 0-9, `_` and `-`.
    #[schemars(with = "String", regex(pattern = "^[a-z][a-z0-9_-]{0,59}$"))]
    name: Spanned<String>,
    /// What the plan is for, in a sentence.
    #[serde(default)]
    says: String,
    /// Controllers of your own, which cells name.
    #[serde(default)]
    controllers: Vec<ControllerText>,
    /// The cells, each written out. Without any: the newest known version with the built-in controller.
    #[serde(default)]
    cells: Vec<CellText>,
    /// Axes whose values are combined into more cells. Combinations that cannot exist are left out; `plan` names them.
    #[serde(default)]
    matrix: Option<MatrixText>,
    /// Which cases, as a filter expression. Without it: all.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    filter: Option<Spanned<String>>,
    /// How many cases run side by side.
    #[serde(default)]
    #[schemars(with = "Option<u16>", range(min = 1, max = 256))]
    jobs: Option<Spanned<u16>>,
    /// How often each case is run.
    #[serde(default)]
    #[schemars(with = "Option<u32>", range(min = 1, max = 10000))]
    repeat: Option<Spanned<u32>>,
    /// Stop after so many failed cases.
    #[serde(default)]
    #[schemars(with = "Option<u32>", range(min = 1))]
    max_fail: Option<Spanned<u32>>,
}

/// One combination of version, emulation, gates and controller.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Cell")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct CellText {
    /// Version of the binaries, for example `1.37.1`.
    #[serde(default)]
    #[schemars(with = "Option<String>", regex(pattern = r"^v?[0-9]+\.[0-9]+\.[0-9]+$"))]
    kubernetes: Option<Spanned<String>>,
    /// The version to which cases that upgrade or downgrade change it, for example `1.35.4`.
    #[serde(default)]
    #[schemars(with = "Option<String>", regex(pattern = r"^v?[0-9]+\.[0-9]+\.[0-9]+$"))]
    other_kubernetes: Option<Spanned<String>>,
    /// The minor version they emulate, for example `1.32`.
    #[serde(default)]
    #[schemars(with = "Option<String>", regex(pattern = r"^v?[0-9]+\.[0-9]+$"))]
    emulate: Option<Spanned<String>>,
    /// Feature gates by name.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, bool>")]
    gates: BTreeMap<String, Spanned<bool>>,
    /// The controller under test: `builtin`, `reference`, `beside`, or one of `controllers`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    controller: Option<Spanned<String>>,
    /// How many nodes pods can be put on; with kind more than one makes so many workers.
    #[serde(default)]
    #[schemars(with = "Option<u32>", range(min = 1))]
    nodes: Option<Spanned<u32>>,
}

/// Axes, each with its values; one without values is not varied.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Matrix")]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct MatrixText {
    /// Which combinations become cells.
    combine: Combine,
    /// Versions of the binaries, for example `1.37.1`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    kubernetes: Vec<Spanned<String>>,
    /// Minor versions that they emulate; `own` is their own.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    emulate: Vec<Spanned<String>>,
    /// Sets of feature gates; `{}` leaves all as they are.
    #[serde(default)]
    #[schemars(with = "Vec<BTreeMap<String, bool>>")]
    gates: Vec<BTreeMap<String, Spanned<bool>>>,
    /// Controllers under test: `builtin`, `reference`, `beside`, or some of `controllers`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    controller: Vec<Spanned<String>>,
}

/// Which combinations of a matrix become cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Combine {
    /// Every one.
    All,
    /// So few that every two values of two axes meet.
    Pairwise,
}

#[cfg(test)]
mod tests;
