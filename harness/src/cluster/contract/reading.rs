//! What a component's metrics say about the component itself.

use std::collections::BTreeMap;

/// What a component's metrics say about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Its version, with whatever a vendor adds.
    pub build: Option<String>,
    /// The version without that.
    pub binary: Option<String>,
    /// The minor version that it shows.
    pub emulation: Option<String>,
    /// Every gate that it knows.
    pub gates: BTreeMap<String, bool>,
}

impl Reading {
    /// Reads a component's metrics; what they do not say is left out.
    #[must_use]
    pub fn of(metrics: &str) -> Self {
        let mut reading = Self::default();
        let lines = metrics.lines().filter(|line| speaks_of_itself(line)).map(|line| Ok(line.to_owned()));
        let Ok(scrape) = prometheus_parse::Scrape::parse(lines) else { return reading };
        for sample in scrape.samples {
            let label = |name: &str| sample.labels.get(name).map(str::to_owned);
            let on = match sample.value {
                prometheus_parse::Value::Gauge(value)
                | prometheus_parse::Value::Untyped(value)
                | prometheus_parse::Value::Counter(value) => value > 0.5,
                _ => continue,
            };
            match sample.metric.as_str() {
                "kubernetes_build_info" => reading.build = label("git_version"),
                "version_info" => {
                    reading.binary = label("binary");
                    reading.emulation = label("emulation");
                }
                _ => {
                    if let Some(name) = label("name") {
                        reading.gates.insert(name, on);
                    }
                }
            }
        }
        reading
    }
}

/// Most of a component's metrics are not about itself, and there are thousands.
fn speaks_of_itself(line: &str) -> bool {
    ["kubernetes_feature_enabled{", "kubernetes_build_info{", "version_info{"]
        .iter()
        .any(|prefix| line.starts_with(prefix))
}
