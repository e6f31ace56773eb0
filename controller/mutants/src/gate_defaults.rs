//! What the reference controller takes for the defaults of feature gates is what the harness's table of their lives says.
//!
//! It stands here because nobody else may know both: the controller is a black box to the harness.

use jobsworth_api::Minor;
use jobsworth_controller::gates::{emulated, parse, switched};
use jobsworth_harness::gates::{Gate, GateTable};

/// A default is found by naming it: then nothing changes.
fn is_default(gate: &Gate, on: bool, minor: Minor) -> bool {
    let named = parse(&format!("{}={on}", gate.name)).unwrap();
    switched(Some(minor), &[named]) == switched(Some(minor), &[])
}

#[test]
fn each_emulated_version_has_the_defaults_of_its_gates() {
    let mut compared = 0;
    for minor in (31..=37).map(|minor| Minor::new(1, minor)) {
        assert_eq!(emulated(&minor.to_string()), Ok(minor));
        let gates = GateTable::embedded().gates();
        for gate in gates.filter(|gate| parse(&format!("{}=true", gate.name)).is_ok()) {
            // Before its time a feature is off.
            let on = gate.stage(minor).is_some_and(|stage| stage.default);
            assert!(is_default(gate, on, minor), "{} in {minor} is {on} by default", gate.name);
            compared += 1;
        }
    }
    assert!(compared > 7 * 10, "{compared}");
}
