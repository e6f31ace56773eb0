//! The first line of a timeline file: the circumstances.

use super::{SCHEMA, line, regime};
use crate::regime::Regime;
use crate::setting::{Ownership, Setting};
use jobsworth_api::Resource;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadLine {
    schema: String,
    case: String,
    namespace: String,
    started: jiff::Timestamp,
    kubernetes: String,
    emulated: Option<String>,
    gates: BTreeMap<String, bool>,
    subject: String,
    /// Absent where it is `batch/v1` Jobs, which it always was at first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judged: Option<JudgedLine>,
    /// `built-in`, `drop-in`, or the value of `spec.managedBy`.
    ownership: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    shared: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgedLine {
    group: String,
    version: String,
    plural: String,
    kind: String,
}

/// The first line of a timeline file, without its line break.
#[must_use]
pub fn head(setting: &Setting) -> String {
    let ownership = match &setting.ownership {
        Ownership::BuiltIn => "built-in".to_owned(),
        Ownership::DropIn => "drop-in".to_owned(),
        Ownership::ManagedBy(name) => name.clone(),
    };
    line(&HeadLine {
        schema: SCHEMA.to_owned(),
        case: setting.case.clone(),
        namespace: setting.namespace.clone(),
        started: setting.started,
        kubernetes: setting.kubernetes.to_string(),
        emulated: setting.emulated.map(|minor| minor.to_string()),
        gates: setting.gates.clone(),
        subject: setting.subject.clone(),
        judged: (setting.judged != Resource::JOBS).then(|| judged_line(&setting.judged)),
        ownership,
        shared: setting.shared,
    })
}

fn judged_line(judged: &Resource) -> JudgedLine {
    JudgedLine {
        group: judged.group.clone().into_owned(),
        version: judged.version.clone().into_owned(),
        plural: judged.plural.clone().into_owned(),
        kind: judged.kind.clone().into_owned(),
    }
}

/// What the line says, or what is wrong with it.
pub(super) fn setting(text: &str) -> Result<Setting, String> {
    let head: HeadLine = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if head.schema != SCHEMA {
        return Err(format!("its schema is `{}`", head.schema));
    }
    let Regime { kubernetes, emulated, gates } = regime(&head.kubernetes, head.emulated.as_deref(), head.gates)?;
    let ownership = match head.ownership.as_str() {
        "built-in" => Ownership::BuiltIn,
        "drop-in" => Ownership::DropIn,
        _ => Ownership::ManagedBy(head.ownership),
    };
    Ok(Setting {
        case: head.case,
        namespace: head.namespace,
        started: head.started,
        kubernetes,
        emulated,
        gates,
        subject: head.subject,
        judged: head.judged.map_or(Resource::JOBS, judged),
        ownership,
        shared: head.shared,
    })
}

fn judged(JudgedLine { group, version, plural, kind }: JudgedLine) -> Resource {
    Resource { group: group.into(), version: version.into(), plural: plural.into(), kind: kind.into() }
}
