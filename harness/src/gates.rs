//! Feature gates over the versions: which can be set where, and why not elsewhere. Pure.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use jobsworth_api::{KubeVersion, Minor};
use serde::Deserialize;

use crate::binaries::KNOWN_VERSIONS;

mod refusal;

pub use refusal::GateRefusal;

const TABLE: &str = include_str!("gates.yaml");

static EMBEDDED: LazyLock<GateTable> = LazyLock::new(|| parse(TABLE).expect("a unit test reads the embedded table"));

/// The first minor version that can be emulated.
const EMULATION_FLOOR: Minor = Minor::new(1, 31);
/// How many minor versions back a binary can emulate.
const EMULATION_SPAN: u32 = 3;

/// The lives of all gates of the Job API.
#[derive(Clone, Debug)]
pub struct GateTable {
    gates: Vec<Gate>,
}

/// The life of one gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Its name.
    pub name: String,
    /// Which components read it.
    pub components: Vec<Reader>,
    /// What it switches, in words.
    pub switches: String,
    /// A gate that must be on for this one to be on.
    pub needs: Option<String>,
    /// Its stages, oldest first.
    pub stages: Vec<Stage>,
    /// The first minor version whose binaries do not know it.
    pub removed: Option<Minor>,
}

/// A component that reads a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Reader {
    /// kube-apiserver.
    #[serde(rename = "A")]
    ApiServer,
    /// kube-controller-manager.
    #[serde(rename = "C")]
    Controller,
}

/// A stage of a gate's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The minor version it begins with.
    pub since: Minor,
    /// How mature it is.
    pub maturity: Maturity,
    /// What it is if nobody says anything.
    pub default: bool,
    /// Whether it can be set at all.
    pub freedom: Freedom,
}

/// How mature a feature is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Maturity {
    /// Off unless asked for.
    Alpha,
    /// Usually on.
    Beta,
    /// Here to stay.
    Ga,
}

/// Whether a gate can differ from its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// It can.
    Free,
    /// Naming the default is all that is allowed.
    Locked,
}

/// A combination of binary and emulated version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// The binary's version.
    pub binary: KubeVersion,
    /// The version it pretends to be.
    pub emulated: Option<Minor>,
}

impl Versions {
    /// The minor version whose behaviour is shown.
    #[must_use]
    pub fn behaves_as(self) -> Minor {
        self.emulated.unwrap_or_else(|| self.binary.minor_version())
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.emulated {
            None => write!(f, "{}", self.binary),
            Some(minor) => write!(f, "{} emulating {minor}", self.binary),
        }
    }
}

impl Gate {
    /// The stage at a minor version; `None` before the gate's time.
    #[must_use]
    pub fn stage(&self, at: Minor) -> Option<Stage> {
        self.stages.iter().rev().find(|stage| stage.since <= at).copied()
    }

    /// Whether binaries of this version know the gate.
    #[must_use]
    pub fn known_to(&self, binary: KubeVersion) -> bool {
        let minor = binary.minor_version();
        self.removed.is_none_or(|removed| minor < removed) && self.stage(minor).is_some()
    }
}

impl Gate {
    /// Whether a component of these versions accepts the gate with this value.
    fn allows(&self, at: Versions, on: bool) -> bool {
        let stage = self.stage(at.behaves_as()).filter(|_| self.known_to(at.binary));
        stage.is_some_and(|stage| stage.freedom == Freedom::Free || stage.default == on)
    }
}

impl GateTable {
    /// The table that comes with the program, read once.
    #[must_use]
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// All gates, in the table's order.
    pub fn gates(&self) -> impl Iterator<Item = &Gate> {
        self.gates.iter()
    }

    /// A gate by its name.
    #[must_use]
    pub fn gate(&self, name: &str) -> Option<&Gate> {
        self.gates.iter().find(|gate| gate.name == name)
    }

    /// Whether a control plane can be had with these settings.
    ///
    /// # Errors
    /// Says why the components would refuse to start, and where the setting is possible.
    pub fn check(
        &self,
        version: KubeVersion,
        emulated: Option<Minor>,
        gates: &BTreeMap<String, bool>,
    ) -> Result<(), GateRefusal> {
        let versions = Versions { binary: version, emulated };
        if let Some(wanted) = emulated {
            let (from, to) = emulation_window(version);
            if !(from..=to).contains(&wanted) {
                return Err(GateRefusal::Emulation { version, wanted, from, to });
            }
        }
        gates.iter().try_for_each(|(name, &on)| {
            self.check_one(versions, name, on)?;
            self.check_need(versions, name, on, gates)
        })
    }

    /// Whether a feature is on: the override, else the default at the version that is shown. What
    /// was removed after it became stable is on for good. `None` when there is no such feature yet.
    #[must_use]
    pub fn effective(
        &self,
        version: KubeVersion,
        emulated: Option<Minor>,
        overrides: &BTreeMap<String, bool>,
        gate: &str,
    ) -> Option<bool> {
        let versions = Versions { binary: version, emulated };
        let stage = self.gate(gate)?.stage(versions.behaves_as())?;
        Some(overrides.get(gate).copied().unwrap_or(stage.default))
    }

    /// Where `gate` can be set to `on`, among the versions that we can build: without emulation if
    /// possible, else with the newest that allows it.
    #[must_use]
    pub fn possible(&self, gate: &str, on: bool) -> Vec<Versions> {
        let Some(gate) = self.gate(gate) else { return Vec::new() };
        let first_place = |binary: KubeVersion| {
            let (from, own) = emulation_window(binary);
            let past = (from.minor..own.minor).rev().map(|minor| Some(Minor::new(own.major, minor)));
            std::iter::once(None)
                .chain(past)
                .map(|emulated| Versions { binary, emulated })
                .find(|&versions| gate.allows(versions, on))
        };
        KNOWN_VERSIONS.into_iter().filter_map(first_place).collect()
    }

    fn check_one(&self, at: Versions, name: &str, on: bool) -> Result<(), GateRefusal> {
        let Some(gate) = self.gate(name) else {
            return Err(GateRefusal::Unknown { gate: name.to_owned(), nearest: self.nearest(name) });
        };
        if gate.allows(at, on) {
            return Ok(());
        }
        let (gate_name, elsewhere) = (name.to_owned(), self.possible(name, on));
        if let Some(removed) = gate.removed.filter(|&removed| removed <= at.binary.minor_version()) {
            return Err(GateRefusal::Removed { gate: gate_name, removed, at, elsewhere });
        }
        Err(match gate.stage(at.behaves_as()) {
            Some(Stage { default: to, since, .. }) => GateRefusal::Locked { gate: gate_name, to, since, at, elsewhere },
            None => {
                let since = gate.stages.first().map_or(EMULATION_FLOOR, |stage| stage.since);
                GateRefusal::NotYet { gate: gate_name, since, at, elsewhere }
            }
        })
    }

    fn check_need(
        &self,
        at: Versions,
        name: &str,
        on: bool,
        gates: &BTreeMap<String, bool>,
    ) -> Result<(), GateRefusal> {
        let Some(needed) = self.gate(name).and_then(|gate| gate.needs.as_deref()).filter(|_| on) else {
            return Ok(());
        };
        match self.effective(at.binary, at.emulated, gates, needed) {
            Some(true) => Ok(()),
            _ => Err(GateRefusal::Needs { gate: name.to_owned(), needed: needed.to_owned() }),
        }
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        let mut names: Vec<(f64, &str)> = self
            .gates
            .iter()
            .map(|gate| {
                let likeness = strsim::jaro_winkler(&name.to_lowercase(), &gate.name.to_lowercase());
                (likeness, gate.name.as_str())
            })
            .filter(|(likeness, _)| *likeness > 0.75)
            .collect();
        names.sort_by(|a, b| b.0.total_cmp(&a.0));
        names.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
    }
}

/// The minor versions that a binary can emulate, from and to, its own included.
#[must_use]
pub fn emulation_window(version: KubeVersion) -> (Minor, Minor) {
    let own = version.minor_version();
    let back = Minor::new(own.major, own.minor.saturating_sub(EMULATION_SPAN));
    (back.max(EMULATION_FLOOR).min(own), own)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableText {
    gates: Vec<GateText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GateText {
    name: String,
    components: Vec<Reader>,
    switches: String,
    #[serde(default)]
    needs: Option<String>,
    stages: Vec<StageText>,
    #[serde(default)]
    removed: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StageText {
    since: String,
    stage: Maturity,
    default: bool,
    #[serde(default)]
    locked: bool,
}

fn parse(text: &str) -> Result<GateTable, String> {
    let table: TableText = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
    let gates = table.gates.into_iter().map(gate).collect::<Result<_, _>>()?;
    Ok(GateTable { gates })
}

fn gate(text: GateText) -> Result<Gate, String> {
    let minor = |text: &str| text.parse::<Minor>().map_err(|error| error.to_string());
    let stage = |text: StageText| {
        let freedom = if text.locked { Freedom::Locked } else { Freedom::Free };
        Ok(Stage { since: minor(&text.since)?, maturity: text.stage, default: text.default, freedom })
    };
    Ok(Gate {
        name: text.name,
        components: text.components,
        switches: text.switches,
        needs: text.needs,
        stages: text.stages.into_iter().map(stage).collect::<Result<_, String>>()?,
        removed: text.removed.as_deref().map(minor).transpose()?,
    })
}

#[cfg(test)]
mod tests;
