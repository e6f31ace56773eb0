//! Requirements that were judged in this run, by number.

use super::shown;
use crate::report::schema::{CaseRecord, Run, Verdict};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Turns that check a requirement, each with its place in the run.
type Turns<'a> = Vec<(usize, &'a CaseRecord)>;

pub(super) fn section(run: &Run) -> Markup {
    let mut groups: BTreeMap<&str, BTreeMap<&str, Turns<'_>>> = BTreeMap::new();
    for (number, case) in run.cases.iter().enumerate().filter(|(_, case)| case.verdict != Verdict::Skip) {
        for id in &case.requirements {
            let group = id.split_once('-').map_or(id.as_str(), |(group, _)| group);
            groups.entry(group).or_default().entry(id).or_default().push((number, case));
        }
    }
    let all: usize = groups.values().map(BTreeMap::len).sum();
    html! {
        section #requirements aria-labelledby="requirements-h" {
            h2 #requirements-h { "Requirements judged" }
            @if all == 0 {
                p { "No requirement was judged." }
            } @else {
                p {
                    "Judged here: " (all) ", each with its turns that passed. What a number stands for: "
                    code { "jobsworth list requirements" } "; here it leads to the first case that checks it, one that failed before others."
                }
                @for (group, requirements) in &groups {
                    p.chips {
                        strong { (shown(group)) } " "
                        @for (id, cases) in requirements { (chip(id, cases)) " " }
                    }
                }
            }
        }
    }
}

fn chip(id: &str, cases: &[(usize, &CaseRecord)]) -> Markup {
    let of = |verdict| cases.iter().filter(|(_, case)| case.verdict == verdict).count();
    let (passed, failed) = (of(Verdict::Pass), of(Verdict::Fail));
    let (sign, class) = match (failed, passed == cases.len()) {
        (1.., _) => ("✖", "bad"),
        (0, true) => ("✔", "good"),
        (0, false) => ("~", "open"),
    };
    let worst = cases.iter().find(|(_, case)| case.verdict == Verdict::Fail).or(cases.first());
    let names: std::collections::BTreeSet<&str> = cases.iter().map(|(_, case)| case.case.as_str()).collect();
    let title = names.into_iter().take(8).collect::<Vec<_>>().join("\n");
    html! {
        a class={ "v " (class) } href={ "#c" (worst.map_or(0, |(number, _)| *number)) } title=(shown(&title)) {
            (sign) " " (shown(id)) " " (passed) "/" (cases.len())
        }
    }
}
