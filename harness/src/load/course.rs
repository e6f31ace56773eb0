//! Trials one after the other, each entered into the record as it ends.

use super::Trouble;
use super::arm::{LineUp, Side};
use super::comparison::{Comparison, WARM_UP};
use super::control::Control;
use super::goal::Goals;
use super::ratio;
use super::record::Trial;
use super::trial::{TrialGround, Turn};
use super::workload::Workload;

/// What a trial is done for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It counts.
    Measuring,
    /// It never counts, whatever comes of it: the ones after it find everything warm.
    WarmUp,
}

/// What trials are done by, where, and into what they are entered.
pub struct Course<'a> {
    /// Who does them.
    pub line_up: &'a LineUp,
    /// Decides in which order they take turns.
    pub seed: u64,
    /// Where.
    pub ground: TrialGround<'a>,
    /// What they are entered into.
    pub record: &'a mut Comparison,
    /// Who hears of each.
    pub told: &'a (dyn Fn(&Comparison) + Send + Sync),
    /// What ratios are held against; nothing where trials are no pairs.
    pub goals: Option<Goals>,
    /// How many there were.
    pub number: u32,
}

impl Course<'_> {
    /// Does a trial for this purpose; as it was entered.
    ///
    /// # Errors
    /// When a component ended, and so no further trial can be done.
    pub async fn run(
        &mut self,
        workload: &Workload,
        pair: u32,
        side: Side,
        purpose: Purpose,
    ) -> Result<Trial, Trouble> {
        let arm = self.line_up.arm(side);
        self.number += 1;
        let mut trial = self.ground.trial(Turn { workload, arm, side, pair, number: self.number }).await;
        trial.warm_up = purpose == Purpose::WarmUp;
        trial.void = trial.void.or_else(|| trial.warm_up.then(|| WARM_UP.to_owned()));
        self.enter(trial)
    }

    /// Enters a trial into the record; as it was entered.
    ///
    /// # Errors
    /// When a component ended, and so no further trial can be done.
    pub fn enter(&mut self, trial: Trial) -> Result<Trial, Trouble> {
        self.record.trials.push(trial.clone());
        if let Some(goals) = &self.goals {
            if self.line_up.is_control() {
                self.record.ratios = ratio::all(&self.record.trials, &Goals::default());
                self.record.control = Control::of(&self.record.ratios, goals);
            } else {
                self.record.ratios = ratio::all(&self.record.trials, goals);
            }
        }
        (self.told)(self.record);
        match self.ground.cluster.unexpected_exit().borrow().clone() {
            None => Ok(trial),
            Some(lost) => Err(Trouble::new(format!("{} ended unasked with {}", lost.component, lost.status))),
        }
    }
}
