//! Service levels beside the cases of a cell: what its components say of themselves at the end. They change no verdict.

use super::prepared_cell::PreparedCell;
use crate::{
    cluster::Component,
    slo::{
        answer::{self, Finding},
        objective::{Objective, Scraped},
        scrape::{self, MeasuredByObjective},
    },
};

/// What the components have measured since they were started. An API server that others use too says nothing about us, and a controller
/// that was started anew in between says what it knows since then; who shows no metrics says nothing.
pub(super) async fn told(stage: &PreparedCell, objectives: &[Objective]) -> Vec<Finding> {
    let is_ours = stage.cluster.namespace_policy().is_none();
    let mut said = MeasuredByObjective::new();
    for of in scrape::asked(objectives).into_iter().filter(|of| is_ours || *of == Scraped::Controller) {
        let text = match of {
            Scraped::Controller => stage.subject.metrics().await,
            Scraped::ApiServer => stage.cluster.metrics(Component::ApiServer).await,
        };
        said.extend(text.map(|text| scrape::read(&text, of, objectives)).unwrap_or_default());
    }
    answer::aside(objectives, &stage.cell.subject, stage.cell.spec.rate.qps, &said)
}
