//! Volumes of a job (VJ-074 to VJ-077).

use std::collections::BTreeSet;

use jobsworth_volcano_api::VolumeSpec;

use super::{Findings, names};

pub(super) fn check(volumes: &[VolumeSpec], findings: &mut Findings) {
    let mut paths = BTreeSet::new();
    for volume in volumes {
        if volume.mount_path.is_empty() {
            findings.add("mountPath is required;");
        } else if !paths.insert(volume.mount_path.as_str()) {
            findings.add(format!("duplicated mountPath: {};", volume.mount_path));
        }
        check_claim(volume, findings);
    }
}

fn check_claim(volume: &VolumeSpec, findings: &mut Findings) {
    let name = volume.volume_claim_name.as_str();
    match (name.is_empty(), volume.volume_claim.is_some()) {
        (true, false) => findings.add("either VolumeClaim or VolumeClaimName must be specified;"),
        (false, true) => findings.add(
            "conflict: If you want to use an existing PVC, just specify VolumeClaimName. If you want to create a new PVC, you do not need to \
             specify VolumeClaimName;",
        ),
        (true, true) => {}
        (false, false) => {
            let wrong = names::against_subdomain(name);
            if !wrong.is_empty() {
                findings.add(format!("invalid VolumeClaimName {name} : [{}];", wrong.join(" ")));
            }
        }
    }
}
