//! Takes timelines of a run over into the tree, where the judge is tested on them.
//!
//! What a field manager wrote when stays; the list of every single field it wrote (`fieldsV1`) goes: it
//! is most of the bytes and no judgement reads it.

use std::{fs, io::Write as _, path::Path};

use anyhow::{Context as _, Result, bail};
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

use crate::workspace;

/// Where recordings are kept, below the top of the tree.
const RECORDED: &str = "harness/oracle/tests/timelines/recorded";

/// Copies the timeline of each case that passed in this run, replacing an older one.
pub fn run(folder: &Path) -> Result<()> {
    let report = folder.join("run.json");
    let text = fs::read_to_string(&report).with_context(|| format!("failed to read {}", report.display()))?;
    let report: Value = serde_json::from_str(&text).context("failed to read run.json")?;
    let cases = report["cases"].as_array().context("run.json has no list of cases")?;
    let into = workspace::root().join(RECORDED);
    fs::create_dir_all(&into)?;
    let mut taken = 0;
    for case in cases.iter().filter(|case| case["verdict"] == "pass") {
        let (Some(id), Some(timeline)) = (case["case"].as_str(), case["timeline"].as_str()) else {
            bail!("a case of run.json that passed has no id or no timeline");
        };
        let from = folder.join(timeline);
        let text = fs::read_to_string(&from).with_context(|| format!("failed to read {}", from.display()))?;
        fs::write(into.join(format!("{}.ndjson.gz", id.replace('/', "-"))), packed(&trimmed(&text)?)?)?;
        taken += 1;
    }
    workspace::say(&format!("{taken} recordings taken over into {RECORDED}"));
    Ok(())
}

/// Packed: the same text always becomes the same bytes.
fn packed(text: &str) -> Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(text.as_bytes())?;
    Ok(packer.finish()?)
}

/// The same timeline without `fieldsV1`.
fn trimmed(timeline: &str) -> Result<String> {
    let mut lines = String::with_capacity(timeline.len());
    for line in timeline.lines() {
        let mut line: Value = serde_json::from_str(line).context("failed to read a line of a timeline")?;
        for object in ["/object/metadata/managedFields", "/body/metadata/managedFields"] {
            for manager in line.pointer_mut(object).and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(manager) = manager.as_object_mut() {
                    manager.remove("fieldsV1");
                }
            }
        }
        lines.push_str(&line.to_string());
        lines.push('\n');
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::trimmed;

    #[test]
    fn who_wrote_stays_and_what_he_wrote_in_detail_goes() {
        let line = r#"{"object":{"metadata":{"managedFields":[{"fieldsV1":{"f:spec":{}},"manager":"m"}]}}}"#;
        let expected = "{\"object\":{\"metadata\":{\"managedFields\":[{\"manager\":\"m\"}]}}}\n";
        assert_eq!(trimmed(line).unwrap(), expected);
    }

    #[test]
    fn lines_without_objects_stay_as_they_are() {
        assert_eq!(trimmed("{\"end\":\"complete\",\"entries\":0}").unwrap(), "{\"end\":\"complete\",\"entries\":0}\n");
    }
}
