//! The cells in which a test may play, and what their clusters are called.

use crate::{case::Needs, cluster::ClusterSpec, gates::GateTable, plan::fit::gates_text};
use jobsworth_api::{KubeVersion, Minor};
use std::fmt::Write as _;

/// The default cell, then those in which the case's gates can be as it wants them, newest first.
///
/// All cells are of two versions, as every one more is built first, in minutes. The older one is the last that emulates
/// a minor in which most gates are free; an upgrade from it skips a minor, which asks more of the controller than the
/// version skew policy does. The plan `skew` has the pairs that the policy knows.
pub(super) fn candidates(needs: &Needs, table: &GateTable) -> Vec<ClusterSpec> {
    let newest = crate::binaries::DEFAULT_VERSION;
    let before = KubeVersion::new(1, 35, 4);
    let cells = [
        (newest, None),
        (newest, Some(Minor::new(1, 34))),
        (before, Some(Minor::new(1, 33))),
        (before, Some(Minor::new(1, 32))),
    ];
    let neighbours = needs.other_version.map(|_| [(newest, before), (before, newest)]).into_iter().flatten();
    let with_other = neighbours.map(|(version, other)| ClusterSpec { other: Some(other), ..ClusterSpec::of(version) });
    let with_gates = cells.into_iter().filter_map(|(version, emulated)| {
        let mut spec = ClusterSpec { emulated, ..ClusterSpec::of(version) };
        let is_off = |gate: &&&str| table.effective(version, emulated, &spec.gates, gate) != Some(true);
        let on: Vec<String> =
            needs.gates.iter().chain(needs.flips).filter(is_off).map(|gate| (*gate).to_owned()).collect();
        spec.gates.extend(on.into_iter().map(|gate| (gate, true)));
        spec.gates.extend(needs.gates_off.iter().map(|gate| ((*gate).to_owned(), false)));
        table.check(spec.version, spec.emulated, &spec.gates).is_ok().then_some(spec)
    });
    std::iter::once(ClusterSpec::of(newest)).chain(with_other).chain(with_gates).collect()
}

/// The same name for the same cell, in every process.
pub(super) fn cell_name(spec: &ClusterSpec) -> String {
    let mut name = format!("test-{}", spec.version);
    if let Some(minor) = spec.emulated {
        let _ = write!(name, "-as-{minor}");
    }
    if !spec.gates.is_empty() {
        let sum = gates_text(&spec.gates).bytes().fold(5381_u32, |sum, byte| sum.wrapping_mul(33) ^ u32::from(byte));
        let _ = write!(name, "-{sum:08x}");
    }
    name.replace('.', "-")
}
