//! The file against the rules of the format, as the specification of OpenMetrics 1.0 has them.

use super::*;
use crate::report::{escape::NASTY, schema::sample};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A sample: its name, its labels, its value.
type Sample = (String, BTreeMap<String, String>, f64);

/// Reads a page; panics where it breaks a rule.
fn read(page: &str) -> Vec<Sample> {
    let body = page.strip_suffix("# EOF\n").expect("the last line is # EOF");
    assert!(!body.contains("# EOF"), "nothing follows the end");
    let (mut families, mut samples) = (BTreeMap::new(), Vec::new());
    let (mut family, mut seen) = (String::new(), BTreeSet::new());
    for line in body.split_terminator('\n') {
        assert!(!line.is_empty(), "there are no empty lines");
        if let Some(told) = line.strip_prefix("# TYPE ") {
            let (name, kind) = told.split_once(' ').unwrap();
            assert!(["info", "gauge"].contains(&kind), "{kind}");
            family = name.to_owned();
            assert!(
                families.insert(family.clone(), kind.to_owned()).is_none(),
                "{name} is declared once and stands together"
            );
        } else if let Some(told) = line.strip_prefix("# UNIT ") {
            let (name, unit) = told.split_once(' ').unwrap();
            assert!(name == family && name.ends_with(&format!("_{unit}")), "{name} ends with its unit {unit}");
        } else if let Some(told) = line.strip_prefix("# HELP ") {
            assert_eq!(told.split_once(' ').unwrap().0, family);
        } else {
            let sample = sample_of(line);
            let suffix = if families[&family] == "info" { "_info" } else { "" };
            assert_eq!(sample.0, format!("{family}{suffix}"), "a sample stands below its family");
            assert!(seen.insert((sample.0.clone(), sample.1.clone())), "a sample stands once: {line}");
            samples.push(sample);
        }
    }
    samples
}

fn is_name(name: &str) -> bool {
    let first = name.chars().next().unwrap();
    (first.is_ascii_alphabetic() || first == '_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn sample_of(line: &str) -> Sample {
    let end = line.find(['{', ' ']).unwrap();
    let (name, mut rest) = line.split_at(end);
    let mut labels = BTreeMap::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        loop {
            let (label, after) = rest.split_once("=\"").unwrap();
            let mut value = String::new();
            let mut letters = after.char_indices();
            let closed = loop {
                match letters.next().expect("a value is closed") {
                    (at, '"') => break at,
                    (_, '\\') => match letters.next().unwrap().1 {
                        'n' => value.push('\n'),
                        c @ ('\\' | '"') => value.push(c),
                        c => panic!("\\{c} is no escape"),
                    },
                    (_, c) => value.push(c),
                }
            };
            assert!(is_name(label) && labels.insert(label.to_owned(), value).is_none(), "{label}");
            rest = &after[closed + 1..];
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => break,
            }
        }
        rest = rest.strip_prefix('}').unwrap();
    }
    assert!(is_name(name), "{name}");
    (name.to_owned(), labels, rest.strip_prefix(' ').unwrap().parse().unwrap())
}

#[test]
fn a_run_with_a_nasty_text_everywhere_keeps_the_rules() {
    let mut run = sample::nasty();
    run.cases[0].case = NASTY.to_owned();
    let page = render(&run);
    insta::assert_snapshot!(page);
    let samples = read(&page);
    let count = |verdict: &str| {
        let is_it = |(name, labels, _): &&Sample| name == "jobsworth_cases" && labels["verdict"] == verdict;
        samples.iter().find(is_it).unwrap().2
    };
    assert_eq!([count("pass"), count("fail"), count("skip"), count("incomplete")], [1.0; 4]);
}

#[test]
fn a_collector_for_prometheus_reads_it_too() {
    let page = render(&sample::nasty());
    let lines = page.lines().map(|line| Ok(line.to_owned()));
    let read = prometheus_parse::Scrape::parse(lines).unwrap();
    assert_eq!(read.samples.iter().filter(|sample| sample.metric == "jobsworth_cases").count(), 6);
}

proptest! {
    #[test]
    fn whatever_names_are_made_of_they_come_back(name in any::<String>(), plan in any::<String>()) {
        let mut run = sample::empty();
        run.cells[0].id.clone_from(&name);
        run.plan.name = Some(plan.clone());
        let samples = read(&render(&run));
        let info = samples.iter().find(|(name, _, _)| name == "jobsworth_cell_info").unwrap();
        prop_assert_eq!(&info.1["cell"], &terminal(&name));
        prop_assert_eq!(&samples[0].1["plan"], &terminal(&plan));
    }
}
