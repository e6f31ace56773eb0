//! How far apart in the network the pods of a gang may run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire::{SUBDOMAIN, is_default, word};
use crate::words::words;

/// A limit to how far apart pods may run (VJ-022). The two tier fields exclude each other (VJ-088).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkTopology {
    /// Whether the limit is a must (`hard`, the default) or a wish (`soft`).
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "word")]
    #[schemars(extend("default" = "hard"))]
    pub mode: Option<TopologyMode>,
    /// The highest tier that pods may be apart, at least 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub highest_tier_allowed: Option<i64>,
    /// The same by the tier's name, at most 253 characters; empty for none.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(length(max = 253), regex(pattern = SUBDOMAIN))]
    pub highest_tier_name: String,
}

words! { open
    /// Whether a topology is a must or a wish. The schema refuses every other word (VJ-053).
    TopologyMode {
        /// A must.
        Hard = "hard",
        /// A wish.
        Soft = "soft",
    }
}
words!(enum TopologyMode);
