//! What the page of a load shows, and that it shows nothing of others as markup.

use super::*;
use crate::load::control::{Control, Noise};
use crate::load::{pictures, sample};
use crate::report::html::rules;
use rstest::rstest;

fn record() -> Comparison {
    let mut record = sample::record_alone("builtin", "indexed-500", &[9000.0, 9100.0]);
    record.stopped = Some("<b>stopped</b>".to_owned());
    record.baseline = Some(sample::baseline());
    record.trials[0].circumstances.probe_p99_ms = Some(3.25);
    record
}

#[test]
fn a_page_has_every_trial_and_no_markup_of_others() {
    let record = record();
    let page = render(&record, &pictures::all(&record).expect("they can be drawn"), &[]);
    assert_eq!(rules::broken(&page), Vec::<String>::new());
    assert!(page.contains("ends 250 pods a second") && page.contains(">3.25<"), "{page}");
    let page = scraper::Html::parse_document(&page);
    let rows = scraper::Selector::parse("#trials tr").expect("a selector");
    assert_eq!(page.select(&rows).count(), 3, "a head and two trials");
    let bold = scraper::Selector::parse("b").expect("a selector");
    assert_eq!(page.select(&bold).count(), 0);
}

#[test]
fn a_search_has_its_probes_instead_of_figures() {
    let mut record = record();
    record.largest_rates = Some(sample::largest_rates(&[(8.0, None), (16.0, Some(Cause::Backlog))]));
    let page = render(&record, &[], &[]);
    assert_eq!(rules::broken(&page), Vec::<String>::new());
    assert!(page.contains("8 to 16 Jobs a second") && !page.contains("Figures of indexed-500"), "{page}");
}

#[test]
fn a_search_with_a_goal_has_its_answer_as_the_headline() {
    let mut record = record();
    let mut rates = sample::largest_rates(&[(8.0, None), (16.0, Some(Cause::Backlog))]);
    rates.found.insert(Side::Base, rates.found[&Side::Head].clone());
    rates.ratio_goal = Some(1.05);
    record.largest_rates = Some(rates);
    let page = render(&record, &[], &[]);
    assert!(page.contains("The goal for the largest rate: cannot tell"), "{page}");
    assert!(page.contains("0.50–2.00; the goal is 1.05 at least: cannot tell"), "{page}");
}

#[test]
fn tenants_have_tables_of_their_own() {
    let page = render(&sample::record_beside_tenants(), &[], &[]);
    assert_eq!(rules::broken(&page), Vec::<String>::new());
    let page = scraper::Html::parse_document(&page);
    let titles = scraper::Selector::parse("h2").expect("a selector");
    let titles: Vec<String> = page.select(&titles).map(|title| title.text().collect()).collect();
    assert!(titles.iter().any(|title| title.starts_with("Tenants (closed loop)")), "{titles:?}");
    assert!(titles.iter().any(|title| title.starts_with("With tenants over without")), "{titles:?}");
}

#[test]
fn a_soak_has_what_grows_and_a_picture_of_memory() {
    let mut record = sample::record_alone("builtin", "soak", &[]);
    record.soaks = vec![sample::soak(2.0)];
    let drawn = pictures::all(&record).expect("they can be drawn");
    assert_eq!(drawn.iter().map(|picture| picture.name.as_str()).collect::<Vec<_>>(), ["memory"]);
    let page = render(&record, &drawn, &[]);
    assert_eq!(rules::broken(&page), Vec::<String>::new());
    assert!(page.contains("at most 8 MiB/h: met"), "{page}");
}

#[rstest]
#[case::of_all_that_was_to_be_done(None, None, "All 1 goals met")]
#[case::of_what_was_done_before_somebody_stopped_it(Some("stopped"), None, "1 goals met so far; not all was done")]
#[case::beside_trials_that_do_not_count(None, Some("late"), "1 goals met so far; not all was done")]
fn goals_that_are_met(#[case] stopped: Option<&str>, #[case] void: Option<&str>, #[case] headline: &str) {
    let mut record = sample::record_alone("builtin", "indexed-500", &[9000.0, 9100.0]);
    record.ratios = vec![sample::ratio(Some(Answer::Met))];
    record.stopped = stopped.map(str::to_owned);
    record.trials[1].void = void.map(str::to_owned);
    assert!(render(&record, &[], &[]).contains(headline));
}

#[rstest]
#[case::one_cannot_be_told(&[Answer::Met, Answer::CannotTell], "1 of 2 goals cannot be told", "~ cannot tell by 1 pair")]
#[case::one_is_missed(&[Answer::Missed, Answer::CannotTell], "1 of 2 goals missed", "✖ missed by 1 pair")]
fn goals_that_are_not_met(#[case] answers: &[Answer], #[case] headline: &str, #[case] cell: &str) {
    let mut record = sample::record_alone("reference", "indexed-500", &[9000.0, 9100.0]);
    record.arms.insert(Side::Base, "builtin".to_owned());
    record.ratios = answers.iter().map(|answer| sample::ratio(Some(*answer))).collect();
    let page = render(&record, &[], &[]);
    assert!(page.contains(headline) && page.contains(cell), "{page}");
    assert_eq!(rules::broken(&page), Vec::<String>::new());
}

#[rstest]
#[case::quiet(Noise::Quiet, "One controller on both sides: quiet")]
#[case::noisy(Noise::Noisy, "One controller on both sides: noisy")]
fn a_controller_beside_itself_shows_how_quiet_the_machine_was(#[case] noise: Noise, #[case] headline: &str) {
    let mut record = sample::record_alone("builtin", "indexed-500", &[9000.0, 9100.0]);
    record.control = Some(Control { noise, figures: Vec::new() });
    assert!(render(&record, &[], &[]).contains(headline));
}

#[test]
fn histories_that_were_given_up_are_told_of() {
    let mut record = record();
    record.trials[0].judged = Some(Judged { given_up: 1, ..Judged::default() });
    assert!(render(&record, &[], &[]).contains("the histories of 1 Jobs grew too large to judge"));
}

#[test]
fn a_broken_invariant_is_the_headline() {
    let mut record = record();
    let broken = Broken {
        invariant: "S17".to_owned(),
        says: "no pod too many".to_owned(),
        expected: "at most 400".to_owned(),
        observed: "401".to_owned(),
        revision: 7,
        at_ms: 1234,
    };
    record.trials[0].judged = Some(Judged { jobs: 1, broken_jobs: 1, broken: vec![broken], ..Judged::default() });
    let page = render(&record, &[], &[]);
    assert!(page.contains("An invariant is broken") && page.contains("at most 400") && page.contains("S17"), "{page}");
}
