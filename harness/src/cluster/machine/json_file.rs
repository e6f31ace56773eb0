//! Documents beside a cluster, written so that readers see them whole or not at all.

use crate::cluster::contract::ClusterError;
use crate::whole_file;
use serde::Serialize;
use std::path::Path;

/// Writes a document as JSON.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write(path: &Path, document: &impl Serialize) -> Result<(), ClusterError> {
    let text = serde_json::to_vec_pretty(document).expect("our documents are JSON");
    whole_file::write(path, &text).map_err(|source| ClusterError::File { what: "write", path: path.to_owned(), source })
}
