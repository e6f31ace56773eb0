//! Service levels beside the cases of a cell: what its components say of themselves at the end. They change no verdict.

use super::{CellPlan, prepared_cell::PreparedCell};
use crate::{
    cluster::Component,
    slo::{
        answer::{self, Finding},
        objective::{Objective, Scraped},
        scrape::{self, MeasuredByObjective},
    },
};
use std::sync::{Mutex, PoisonError};

/// What the components of the clusters that cases share have measured since they were started, added up. Clusters that one case has for
/// itself are left out: such a case changes its cluster, and with it what is measured.
#[derive(Default)]
pub(super) struct ServiceLevels(Mutex<MeasuredByObjective>);

impl ServiceLevels {
    /// Adds what the components of one cluster say. An API server that others use too says nothing about us, and a controller that was
    /// started anew in between says what it knows since then; who shows no metrics says nothing.
    pub async fn hear(&self, stage: &PreparedCell, objectives: &[Objective]) {
        let is_ours = stage.cluster.namespace_policy().is_none();
        for of in scrape::asked(objectives).into_iter().filter(|of| is_ours || *of == Scraped::Controller) {
            let text = match of {
                Scraped::Controller => stage.subject.metrics().await,
                Scraped::ApiServer => stage.cluster.metrics(Component::ApiServer).await,
            };
            self.add(&text.map(|text| scrape::read(&text, of, objectives)).unwrap_or_default());
        }
    }

    fn add(&self, said: &MeasuredByObjective) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        scrape::add(&mut all, said);
    }

    /// What was heard says of the cell.
    pub fn findings(&self, plan: &CellPlan<'_>, objectives: &[Objective]) -> Vec<Finding> {
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answer::aside(objectives, &plan.cell.subject, plan.cell.spec.rate.qps, &said)
    }
}
