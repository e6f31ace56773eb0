//! What became of all goals of a record together, how the program ends by it, and what people are told of it in a line.

use super::comparison::Comparison;
use super::control::{Control, Noise};
use super::ratio::Ratio;
use super::record::Trial;
use crate::report::Exit;
use crate::slo::answer::Answer;

/// How many goals there are, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How many are met.
    pub met: usize,
    /// How many are missed.
    pub missed: usize,
    /// Of how many nobody can tell, for example since nothing was measured.
    pub open: usize,
}

impl Outcome {
    /// Of the goals that these ratios were held against.
    #[must_use]
    pub fn of(ratios: &[Ratio]) -> Self {
        let count = |answer: Answer| ratios.iter().filter(|ratio| ratio.answer == Some(answer)).count();
        let open = count(Answer::CannotTell) + count(Answer::NotMeasured);
        Self { met: count(Answer::Met), missed: count(Answer::Missed), open }
    }

    /// How many there are.
    #[must_use]
    pub const fn all(self) -> usize {
        self.met + self.missed + self.open
    }

    /// For people, for example `3 of 5 goals met, 1 missed, 1 cannot be told`.
    #[must_use]
    pub fn says(self) -> String {
        let some = |count: usize, word: &str| if count > 0 { format!(", {count} {word}") } else { String::new() };
        let (missed, open) = (some(self.missed, "missed"), some(self.open, "cannot be told"));
        format!("{} of {} goals met{missed}{open}", self.met, self.all())
    }
}

/// How the program ends. A broken invariant is that of a case. A trial that does not count leaves the question open; the warm-up
/// never counts. One controller alone has no goals, and beside itself it shows only how quiet the machine was.
#[must_use]
pub fn exit(record: &Comparison) -> Exit {
    let is_broken = |trial: &Trial| trial.judged.as_ref().is_some_and(|judged| !judged.broken.is_empty());
    if record.trials.iter().any(is_broken) {
        return Exit::Broken;
    }
    if let Some(rates) = &record.largest_rates {
        // Without a goal for their ratio they are figures of this machine: they are there or they are not.
        let is_found = record.stopped.is_none() && rates.is_whole();
        return if is_found { answered(rates.answer()) } else { Exit::Undecided };
    }
    if !record.soaks.is_empty() {
        return soaked(record);
    }
    let nothing = match record.alone() {
        Some(_) => record.trials.iter().all(|trial| trial.void.is_some()),
        None => record.ratios.is_empty(),
    };
    if nothing || is_partial(record) {
        return Exit::Undecided;
    }
    match &record.control {
        Some(control) if control.noise == Noise::Quiet => Exit::Held,
        Some(_) => Exit::Undecided,
        None => answered(record.ratios.iter().filter_map(|ratio| ratio.answer)),
    }
}

/// One goal that is missed is known to be, whatever cannot be told of others.
fn answered(answers: impl IntoIterator<Item = Answer>) -> Exit {
    let mut exit = Exit::Held;
    for answer in answers {
        match answer {
            Answer::Missed => return Exit::Missed,
            Answer::Met => {}
            Answer::CannotTell | Answer::NotMeasured | Answer::NotJudged => exit = Exit::Undecided,
        }
    }
    exit
}

/// A lap that does not count leaves open what came of it, and so does growth that cannot be told.
fn soaked(record: &Comparison) -> Exit {
    let exit = answered(record.soaks.iter().filter_map(|soak| soak.answer));
    if is_partial(record) && exit == Exit::Held { Exit::Undecided } else { exit }
}

/// What came of it all in a line, which agrees with how the program ends.
#[must_use]
pub fn headline(record: &Comparison) -> String {
    let exit = exit(record);
    let is_held = exit == Exit::Held;
    let answer = match exit {
        Exit::Held => Answer::Met,
        Exit::Missed => Answer::Missed,
        _ => Answer::CannotTell,
    };
    if exit == Exit::Broken {
        return "An invariant is broken".to_owned();
    }
    if let Some(rates) = &record.largest_rates {
        return match rates.answer() {
            Some(_) => format!("The goal for the largest rate: {}", answer.word()),
            None if is_held => "The largest rate is known, no goal".to_owned(),
            None => "The largest rate is not known".to_owned(),
        };
    }
    if !record.soaks.is_empty() {
        let has_goal = record.soaks.iter().any(|soak| soak.answer.is_some());
        return match (has_goal, is_held) {
            (true, _) => format!("The goal for the growth of memory: {}", answer.word()),
            (false, true) => "How everything grows is known, no goal".to_owned(),
            (false, false) => "Not all was done, no goal".to_owned(),
        };
    }
    let so_far = if exit == Exit::Undecided && is_partial(record) { "; not all was done" } else { "" };
    if let Some(control) = &record.control {
        return format!("One controller on both sides: {}{so_far}", control.noise.word());
    }
    let goals = Outcome::of(&record.ratios);
    match (goals.all(), goals.missed, goals.open) {
        (0, _, _) if is_held => "Figures of one machine, no goals".to_owned(),
        (0, _, _) => "Figures of one machine, no goals; not all was done".to_owned(),
        (all, 0, 0) if is_held => format!("All {all} goals met"),
        (all, 0, 0) => format!("{all} goals met so far; not all was done"),
        (all, 0, open) => format!("{open} of {all} goals cannot be told{so_far}"),
        (all, missed, _) => format!("{missed} of {all} goals missed{so_far}"),
    }
}

/// Whether something was not done, or does not count.
fn is_partial(record: &Comparison) -> bool {
    record.stopped.is_some() || record.spoiled().next().is_some()
}

/// The same for text that has room: goals are counted, and of a noisy machine it is told what was noisy.
#[must_use]
pub fn verdict(record: &Comparison) -> String {
    if record.largest_rates.is_some() || !record.soaks.is_empty() {
        return headline(record);
    }
    record.control.as_ref().map_or_else(|| Outcome::of(&record.ratios).says(), Control::says)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rstest::rstest;

    use super::*;
    use crate::load::arm::Side;
    use crate::load::largest_rate::Found;
    use crate::load::{judge, sample};

    const MET: Answer = Answer::Met;
    const MISSED: Answer = Answer::Missed;
    const OPEN: Answer = Answer::CannotTell;

    fn compared(answers: &[Answer]) -> Comparison {
        let mut record = sample::record_alone("reference", "indexed-500", &[9000.0, 9100.0]);
        record.arms.insert(Side::Base, "builtin".to_owned());
        record.ratios = answers.iter().map(|answer| sample::ratio(Some(*answer))).collect();
        record
    }

    #[rstest]
    #[case::all_are_met(&[MET, MET], Exit::Held, "2 of 2 goals met")]
    #[case::one_cannot_be_told(&[MET, OPEN], Exit::Undecided, "1 of 2 goals met, 1 cannot be told")]
    #[case::one_was_not_measured(
        &[MET, Answer::NotMeasured],
        Exit::Undecided,
        "1 of 2 goals met, 1 cannot be told"
    )]
    #[case::one_is_missed(&[MET, MISSED], Exit::Missed, "1 of 2 goals met, 1 missed")]
    #[case::one_is_missed_and_one_cannot_be_told(
        &[OPEN, MISSED, MET],
        Exit::Missed,
        "1 of 3 goals met, 1 missed, 1 cannot be told"
    )]
    fn goals_decide_how_the_program_ends(#[case] answers: &[Answer], #[case] wanted: Exit, #[case] says: &str) {
        let record = compared(answers);
        assert_eq!((exit(&record), verdict(&record).as_str()), (wanted, says));
    }

    #[test]
    fn ratios_without_goals_end_well_and_none_at_all_end_open() {
        let mut record = compared(&[]);
        assert_eq!(exit(&record), Exit::Undecided);
        record.ratios = vec![sample::ratio(None)];
        assert_eq!(exit(&record), Exit::Held);
    }

    #[test]
    fn a_warm_up_that_went_wrong_costs_no_answer() {
        let mut record = compared(&[MET]);
        record.trials[0].void = Some("late".to_owned());
        assert_eq!(exit(&record), Exit::Undecided);
        record.trials[0].warm_up = true;
        assert_eq!(exit(&record), Exit::Held);
    }

    #[test]
    fn what_was_not_done_leaves_a_missed_goal_open_and_a_broken_invariant_wins() {
        let mut record = compared(&[MISSED]);
        record.trials[0].void = Some("late".to_owned());
        assert_eq!(exit(&record), Exit::Undecided);
        let broken = judge::Broken {
            invariant: "S17".to_owned(),
            says: "no pod too many".to_owned(),
            expected: "at most 400".to_owned(),
            observed: "401".to_owned(),
            revision: 7,
            at_ms: 1234,
        };
        record.trials[1].judged = Some(judge::Judged { broken: vec![broken], ..judge::Judged::default() });
        assert_eq!(exit(&record), Exit::Broken);
    }

    #[rstest]
    #[case::quiet(Noise::Quiet, Exit::Held)]
    #[case::noisy(Noise::Noisy, Exit::Undecided)]
    #[case::too_few_pairs(Noise::CannotTell, Exit::Undecided)]
    fn a_controller_beside_itself_shows_how_quiet_the_machine_was(#[case] noise: Noise, #[case] wanted: Exit) {
        let mut record = compared(&[]);
        record.ratios = vec![sample::ratio(None)];
        record.control = Some(Control { noise, figures: Vec::new() });
        assert_eq!(exit(&record), wanted);
    }

    #[rstest]
    #[case::without_a_goal(None, Exit::Held, "The largest rate is known, no goal")]
    #[case::met(Some(1.5), Exit::Held, "The goal for the largest rate: met")]
    #[case::missed(Some(3.0), Exit::Missed, "The goal for the largest rate: missed")]
    #[case::within_the_brackets(Some(2.0), Exit::Undecided, "The goal for the largest rate: cannot tell")]
    fn the_ratio_of_the_largest_rates_is_held_against_its_goal(
        #[case] goal: Option<f64>,
        #[case] wanted: Exit,
        #[case] says: &str,
    ) {
        let mut record = compared(&[]);
        let found = |held: f64| Found { held: Some(held), not_held: Some(held * 1.05), ..Found::default() };
        let mut rates = sample::largest_rates(&[]);
        rates.found = BTreeMap::from([(Side::Base, found(10.0)), (Side::Head, found(20.0))]);
        rates.ratio_goal = goal;
        record.largest_rates = Some(rates);
        assert_eq!((exit(&record), headline(&record).as_str(), verdict(&record).as_str()), (wanted, says, says));
        // Whatever the brackets show so far: the search has not ended.
        record.stopped = Some("stopped".to_owned());
        let open =
            if goal.is_some() { "The goal for the largest rate: cannot tell" } else { "The largest rate is not known" };
        assert_eq!((exit(&record), headline(&record).as_str()), (Exit::Undecided, open));
    }

    #[rstest]
    #[case::little(2.0, None, Exit::Held, "The goal for the growth of memory: met")]
    #[case::little_so_far(2.0, Some("stopped"), Exit::Undecided, "The goal for the growth of memory: cannot tell")]
    #[case::too_much(12.0, Some("stopped"), Exit::Missed, "The goal for the growth of memory: missed")]
    fn a_soak_ends_by_what_memory_grows(
        #[case] mib: f64,
        #[case] stopped: Option<&str>,
        #[case] wanted: Exit,
        #[case] says: &str,
    ) {
        let mut record = compared(&[]);
        record.soaks = vec![sample::soak(mib)];
        record.stopped = stopped.map(str::to_owned);
        assert_eq!((exit(&record), headline(&record).as_str(), verdict(&record).as_str()), (wanted, says, says));
    }

    #[rstest]
    #[case::all_are_met(&[MET], None, Exit::Held, "All 1 goals met")]
    #[case::all_are_met_so_far(&[MET], Some("stopped"), Exit::Undecided, "1 goals met so far; not all was done")]
    #[case::one_cannot_be_told(&[MET, OPEN], None, Exit::Undecided, "1 of 2 goals cannot be told")]
    #[case::one_is_missed(&[MET, MISSED], None, Exit::Missed, "1 of 2 goals missed")]
    #[case::one_is_missed_so_far(
        &[MET, MISSED],
        Some("stopped"),
        Exit::Undecided,
        "1 of 2 goals missed; not all was done"
    )]
    #[case::there_is_none(&[], Some("stopped"), Exit::Undecided, "Figures of one machine, no goals; not all was done")]
    fn the_headline_agrees_with_how_the_program_ends(
        #[case] answers: &[Answer],
        #[case] stopped: Option<&str>,
        #[case] wanted: Exit,
        #[case] says: &str,
    ) {
        let mut record = compared(answers);
        record.stopped = stopped.map(str::to_owned);
        assert_eq!((exit(&record), headline(&record).as_str()), (wanted, says));
    }
}
