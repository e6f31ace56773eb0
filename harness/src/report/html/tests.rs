//! The page of runs that nobody meant well with, of long runs, of runs that were cut off.

use super::*;
use crate::report::{
    escape::NASTY,
    evidence::FoundFile,
    schema::{Breach, CaseRecord, Failure, Source, sample},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use flate2::read::GzDecoder;
use jobsworth_oracle::{Entry, Fact, Timeline, fact::Notice, wire};
use proptest::prelude::*;
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest as _, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::BufReader,
    path::PathBuf,
    sync::LazyLock,
};

/// Timelines in memory, by path.
#[derive(Default)]
struct InMemory {
    timelines: BTreeMap<String, Timeline>,
    texts: BTreeMap<String, String>,
    files: Vec<FoundFile>,
}

impl Evidence for InMemory {
    fn timeline(&self, path: &str) -> Result<Timeline, String> {
        self.timelines.get(path).cloned().ok_or_else(|| format!("failed to open {path}: there is no such file"))
    }

    fn text(&self, path: &str) -> Result<String, String> {
        self.texts.get(path).cloned().ok_or_else(|| format!("failed to read {path}: there is no such file"))
    }

    fn files(&self) -> &[FoundFile] {
        &self.files
    }
}

/// The recordings that the judge is tested on; reading them takes a while.
static RECORDED: LazyLock<Vec<(String, Timeline)>> = LazyLock::new(|| {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("oracle/tests/timelines/recorded");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        let timeline = wire::read(BufReader::new(GzDecoder::new(fs::File::open(path).unwrap()))).unwrap();
        (timeline.setting.case.clone(), timeline)
    };
    files.into_iter().map(read).collect()
});

/// A case of `name` whose history broke a claim in its middle.
fn failed(name: &str, timeline: &Timeline) -> CaseRecord {
    let entry = &timeline.entries()[timeline.entries().len() / 2];
    let mut case = CaseRecord { case: name.to_owned(), ..sample::case("x", Verdict::Fail) };
    case.failures.push(Failure {
        source: Source("S07".to_owned()),
        says: "Failed and SuccessCriteriaMet are never both true".to_owned(),
        breach: Breach {
            revision: entry.revision,
            at_us: u64::try_from(entry.at.as_micros()).unwrap(),
            expected: "never: both".to_owned(),
            observed: "both".to_owned(),
        },
        excerpt: "an excerpt".to_owned(),
    });
    case
}

/// A run of many turns over recorded histories: each history in turn in each of the cells.
fn long(turns: usize, cells: usize) -> (Run, InMemory) {
    let mut run = sample::empty();
    let first = run.cells[0].clone();
    run.cells = (0..cells)
        .map(|number| crate::report::schema::CellRecord {
            id: format!("1.{}.1-local-builtin", 30 + number),
            ..first.clone()
        })
        .collect();
    let mut evidence = InMemory::default();
    for number in 0..turns {
        let (name, timeline) = &RECORDED[number % RECORDED.len()];
        let cell = run.cells[(number / RECORDED.len()) % cells].id.clone();
        let path = format!("cells/{cell}/{}-{number}.timeline.ndjson", name.replace('/', "-"));
        let mut case = match number % 50 {
            7 => failed(name, &again(timeline, number)),
            _ => CaseRecord { case: name.clone(), ..sample::case("x", Verdict::Pass) },
        };
        (case.cell, case.timeline) = (cell, Some(path.clone()));
        case.attempt = u32::try_from(number / RECORDED.len() / cells + 1).unwrap();
        run.cases.push(case);
        evidence.timelines.insert(path, again(timeline, number));
    }
    (run, evidence)
}

/// The same history as another run has it: each time a little else, other revisions.
fn again(timeline: &Timeline, number: usize) -> Timeline {
    let number = u32::try_from(number).unwrap();
    let later = |entry: &Entry| Entry {
        revision: entry.revision + u64::from(number),
        at: entry.at * (1_000 + number * 37 % 400) / 1_000,
        fact: entry.fact.clone(),
    };
    Timeline::seal(timeline.setting.clone(), timeline.entries().iter().map(later).collect(), timeline.ending.clone())
}

fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(page: &Html) -> String {
    all(page, "main").into_iter().flat_map(|main| main.text()).collect()
}

/// Every element with its attributes' names, in order.
fn skeleton(page: &Html) -> Vec<(String, BTreeSet<String>)> {
    let names = |element: ElementRef<'_>| {
        let attributes = element.value().attrs().map(|(name, _)| name.to_owned()).collect();
        (element.value().name().to_owned(), attributes)
    };
    all(page, "*").into_iter().map(names).collect()
}

/// The words of the page: its order and what it says of a run with everything that can go wrong.
#[test]
fn a_run_with_every_verdict_in_words() {
    let page = Html::parse_document(&render(&sample::nasty(), &InMemory::default()));
    let words = all(&page, "main h1, main h2, main h3, main summary, main p, main li, main dd, main td, main th");
    let words: Vec<String> = words
        .into_iter()
        .map(|element| element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty())
        .collect();
    insta::assert_snapshot!(words.join("\n"));
}

#[test]
fn nothing_of_a_nasty_run_is_obeyed() {
    let page = render(&sample::nasty(), &InMemory::default());
    assert!(!page.chars().any(|c| c != '\n' && c != '\t' && jobsworth_swimlane::plain::is_hostile(c)));
    let page = Html::parse_document(&page);
    assert_eq!(page.errors, Vec::<std::borrow::Cow<'static, str>>::new());
    assert!(all(&page, "b, img, testcase, iframe, link, base, form").is_empty());
    assert!(text(&page).contains("<b>&\"'|`` ```"), "the text is there, as text");
    assert_eq!(all(&page, "script:not([type])").len(), 1);
    for link in all(&page, "[href]") {
        let href = link.attr("href").unwrap();
        assert!(href.starts_with('#') || href.starts_with("./"), "{href}");
    }
}

#[test]
fn the_policy_allows_this_style_and_this_script_and_nothing_else() {
    let page = Html::parse_document(&render(&sample::empty(), &InMemory::default()));
    let policy = all(&page, "meta[http-equiv=Content-Security-Policy]")[0].attr("content").unwrap();
    let hash = |selector: &str| {
        let text: String = all(&page, selector)[0].text().collect();
        format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
    };
    let (style, script) = (hash("style"), hash("script:not([type])"));
    let wanted = format!(
        "default-src 'none'; style-src {style}; script-src {script}; img-src data:; base-uri 'none'; form-action 'none'"
    );
    assert_eq!(policy, wanted);
    let inline = |name: &str| name == "style" || name.starts_with("on");
    let attributes = skeleton(&page).into_iter().flat_map(|(_, attributes)| attributes);
    assert_eq!(attributes.filter(|name| inline(name)).collect::<Vec<_>>(), Vec::<String>::new());
}

/// What a cluster may write into names and messages.
fn hostile() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        NASTY.to_owned(),
        "</script><script>alert(1)</script>".to_owned(),
        "</style></svg></title><img src=x onerror=alert(1)>".to_owned(),
        "javascript:alert(1)".to_owned(),
        "\" onmouseover=\"alert(1)".to_owned(),
        "' autofocus onfocus='alert(1)".to_owned(),
        "\u{202e}txt.exe\u{2066}".to_owned(),
        "\u{0}\u{1b}[31m\u{1b}]8;;http://e.vil\u{7}".to_owned(),
        "<!--".to_owned(),
        "]]><![CDATA[".to_owned(),
        "&lt;b&gt;".to_owned(),
        "x".repeat(50_000),
    ]);
    prop_oneof![known, "\\PC{0,40}", "[<>&\"'/= a-z]{0,40}"]
}

/// A run in which everything that a cluster or a user may name is called so.
fn called(name: &str) -> (Run, InMemory) {
    let (_, timeline) = &RECORDED[30];
    let mut entries: Vec<Entry> = timeline.entries().to_vec();
    let at = entries[3].at;
    let notice = Notice {
        kind: name.to_owned(),
        reason: name.to_owned(),
        message: name.to_owned(),
        about: name.to_owned(),
        count: 2,
    };
    for fact in [Fact::Mark(name.to_owned()), Fact::Notice(notice), Fact::Gap(name.to_owned())] {
        entries.push(Entry { revision: entries[3].revision, at, fact });
    }
    let setting = jobsworth_oracle::Setting { case: name.to_owned(), ..timeline.setting.clone() };
    let timeline = Timeline::seal(setting, entries, jobsworth_oracle::Ending::Fault(name.to_owned()));
    let mut case = failed("suite/case", &timeline);
    for text in [&mut case.claim, &mut case.source, &mut case.again, &mut case.failures[0].breach.observed] {
        name.clone_into(text);
    }
    case.failures[0].source = Source(name.to_owned());
    case.doubts.push(name.to_owned());
    case.because = Some(name.to_owned());
    let mut run = sample::nasty();
    run.warnings = vec![name.to_owned()];
    let (path, files) = (case.timeline.clone().unwrap(), vec![FoundFile { path: format!("{name}/x"), bytes: 3 }]);
    run.cases = vec![case];
    run.plan.provider = name.to_owned();
    (run, InMemory { timelines: [(path, timeline)].into(), files, ..InMemory::default() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_text_adds_no_element_and_no_attribute(name in hostile()) {
        let (run, evidence) = called(&name);
        let page = render(&run, &evidence);
        prop_assert!(!page.chars().any(|c| c != '\n' && c != '\t' && jobsworth_swimlane::plain::is_hostile(c)));
        let page = Html::parse_document(&page);
        prop_assert!(page.errors.is_empty(), "{:?}", page.errors);
        let allowed = [
            "html", "head", "meta", "title", "style", "body", "a", "svg", "defs", "pattern", "rect", "main", "header", "p", "h1",
            "h2", "h3", "span", "ul", "li", "dl", "div", "dt", "dd", "section", "details", "summary", "strong", "pre", "code",
            "table", "caption", "thead", "tbody", "tr", "th", "td", "wbr", "small", "article", "figure", "figcaption", "g", "line",
            "text", "path", "footer", "script",
        ];
        for (element, attributes) in skeleton(&page) {
            prop_assert!(allowed.contains(&element.as_str()), "{element}");
            prop_assert!(!attributes.iter().any(|name| name.starts_with("on") || name == "style" || name == "src"));
        }
        for link in all(&page, "[href]") {
            let href = link.attr("href").unwrap();
            prop_assert!(href.starts_with('#') || href.starts_with("./"), "{href}");
        }
        let claim: String = all(&page, ".claim")[0].text().collect();
        prop_assert_eq!(claim, format!("{0}: {0}", shown(&name)));
    }
}

#[test]
fn a_page_of_two_thousand_turns_is_below_five_megabytes_and_every_passed_case_has_its_swimlane() {
    let (run, evidence) = long(2_000, 5);
    let page = render(&run, &evidence);
    assert!(page.len() < 5_000_000, "{}", page.len());
    // Counted as text: a parser takes longer than all the rest.
    let count = |words: &str| page.matches(words).count();
    let passed = run.cases.iter().filter(|case| case.verdict == Verdict::Pass).count();
    assert_eq!(count("<td data-lane="), passed);
    let failed = run.cases.iter().filter(|case| case.verdict == Verdict::Fail).count();
    assert_eq!(count("<figure class=\"swimlane\">") + count("<p class=\"later\" data-lane="), failed);
}

#[test]
fn what_is_packed_is_what_the_script_reads() {
    let (run, evidence) = long(3, 1);
    let page = Html::parse_document(&render(&run, &evidence));
    let place = all(&page, "[data-lane]")[1].attr("data-lane").unwrap().to_owned();
    assert_eq!(place, "0/1");
    let pack: String = all(&page, "#pack0")[0].text().collect();
    let bytes = BASE64_STANDARD.decode(pack).unwrap();
    let pack: serde_json::Value = serde_json::from_reader(flate2::read::ZlibDecoder::new(&bytes[..])).unwrap();
    let lanes = &pack[1];
    let (told, picture) = (lanes["c"][2].as_array().unwrap().len(), &lanes["p"][0]);
    assert_eq!(picture[0], "The whole recording");
    let kinds = lanes["k"].as_array().unwrap().len() as u64;
    for (list, length, kind, change) in [(3, 6, 4, Some(5)), (4, 5, 4, None), (5, 4, 2, None), (6, 4, 2, Some(3))] {
        let numbers = picture[list].as_array().unwrap();
        assert!(!numbers.is_empty() && numbers.len() % length == 0, "{list}");
        for shape in numbers.chunks(length) {
            assert!(shape[kind].as_u64().unwrap() < kinds, "{shape:?}");
            let number = change.map_or(-1, |place: usize| shape[place].as_i64().unwrap());
            assert!((-1..i64::try_from(told).unwrap()).contains(&number), "{shape:?}");
        }
    }
}

#[test]
fn a_failure_is_drawn_around_its_breach_and_leads_to_its_row() {
    let (mut run, evidence) = long(40, 1);
    run.cases.retain(|case| case.verdict == Verdict::Fail);
    let page = Html::parse_document(&render(&run, &evidence));
    let card = all(&page, ".card")[0];
    let within = |selector: &str| card.select(&Selector::parse(selector).unwrap()).count();
    assert!(within("line.mark") >= 1 && within("tr.breach") == 1, "{}", card.html());
    assert_eq!(within(".broken pre"), 0, "no excerpt beside the swimlane");
    assert_eq!(within("pre.why"), 1, "why the Job is as it is stands below the picture");
    let ids: BTreeSet<&str> = all(&page, "[id]").iter().map(|element| element.attr("id").unwrap()).collect();
    assert_eq!(ids.len(), all(&page, "[id]").len(), "no id twice");
    for link in all(&page, "a[href^='#']") {
        assert!(ids.contains(&link.attr("href").unwrap()[1..]), "{}", link.html());
    }
}

#[test]
fn a_run_of_one_case_shows_its_swimlane_at_once_on_the_page_and_in_the_terminal() {
    let (run, evidence) = long(1, 1);
    let page = Html::parse_document(&render(&run, &evidence));
    assert_eq!(all(&page, "#recording figure.swimlane").len(), 1);
    let told = crate::report::swimlane_text::of_single_turn(&run, &evidence, 90).unwrap();
    assert!(told.contains("Job job") && told.lines().all(|line| line.chars().count() <= 90), "{told}");
    let (several, evidence) = long(2, 1);
    assert!(crate::report::swimlane_text::of_single_turn(&several, &evidence, 90).is_none());
}

#[test]
fn a_run_that_was_cut_off_says_what_is_missing() {
    let (_, timeline) = RECORDED[3].clone();
    let path = "cells/1.37.1-builtin/some-case-1.timeline.ndjson".to_owned();
    let files = vec![FoundFile { path: path.clone(), bytes: 1 }, FoundFile { path: "run.json".to_owned(), bytes: 2 }];
    let evidence = InMemory { timelines: [(path, timeline)].into(), files, ..InMemory::default() };
    let run = Run { state: State::Running, exit: None, took_ms: None, ..sample::empty() };
    let page = Html::parse_document(&render(&run, &evidence));
    let text = text(&page);
    for said in [
        "No verdict: the run did not end in order",
        "Not there: verdicts.json, events.ndjson, junit.xml, summary.md.",
        "Recordings without a verdict of this run: 1.",
        "No case is on record.",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    assert_eq!(all(&page, "#unjudged [data-lane]").len(), 1);
}

#[test]
fn a_recording_that_cannot_be_read_leaves_the_words_around_the_breach() {
    let (mut run, _) = long(40, 1);
    run.cases.retain(|case| case.verdict == Verdict::Fail);
    let page = Html::parse_document(&render(&run, &InMemory::default()));
    let text = text(&page);
    assert!(text.contains("There is no swimlane: failed to open") && text.contains("an excerpt"), "{text}");
}

#[test]
fn skips_are_told_by_reason() {
    let run =
        sample::skipping(&["needs a gate off: A is on", "needs a gate off: B is on", "acts on nodes: none is ours"]);
    let page = Html::parse_document(&render(&run, &InMemory::default()));
    let told: Vec<String> = all(&page, "#untested summary").iter().map(|line| line.text().collect()).collect();
    assert_eq!(told, ["2 skipped: needs a gate off", "1 skipped: acts on nodes"]);
}

#[test]
fn charts_of_the_folder_are_pictures_and_whatever_is_in_them_stays_in_them() {
    let hostile = "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"><title>\"&gt;&lt;b&gt; x</title>\
        <script>alert(1)</script><image href=\"http://e.vil/x.png\"/></svg></section><h1>All is well</h1>";
    let texts = [
        ("charts/a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>Time from decision to end</title></svg>"),
        ("charts/b.svg", hostile),
        ("charts/c.svg", "<svg><g>"),
        ("charts/d.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"),
    ];
    let texts: BTreeMap<String, String> =
        texts.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
    let size = |path: &str, text: &str| if path.contains("/d") { 400_000 } else { text.len() as u64 };
    let files = texts.iter().map(|(path, text)| FoundFile { path: path.clone(), bytes: size(path, text) }).collect();
    let evidence = InMemory { texts, files, ..InMemory::default() };
    let page = Html::parse_document(&render(&sample::empty(), &evidence));
    assert_eq!(all(&page, "#charts svg, #charts script, #charts image, #charts h1, #charts b").len(), 0);
    let images = all(&page, "img");
    let alts: Vec<&str> = images.iter().filter_map(|image| image.attr("alt")).collect();
    assert_eq!(alts, ["Time from decision to end"]);
    assert!(images.iter().all(|image| image.attr("src").unwrap().starts_with("data:image/svg+xml;base64,")));
    let told: Vec<String> = all(&page, "#charts .note").into_iter().map(|note| note.text().collect()).collect();
    let because = [
        ("charts/b.svg", "it is not well-formed"),
        ("charts/c.svg", "it is cut off: an element has no end"),
        ("charts/d.svg", "there is no more room for it on this page"),
    ];
    for (said, (file, because)) in told.iter().zip(because) {
        assert!(said.contains(file) && said.contains(because), "{said}");
    }
    assert_eq!(told.len(), 3, "{told:?}");
}

#[test]
fn a_run_without_charts_has_no_section_for_them() {
    let page = Html::parse_document(&render(&sample::empty(), &InMemory::default()));
    assert!(all(&page, "#charts").is_empty());
}

#[test]
fn pages_are_valid_and_can_be_read_without_a_pointer() {
    let (failing, evidence) = long(60, 2);
    let charts = InMemory {
        texts: [("a.svg".to_owned(), "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_owned())].into(),
        files: vec![FoundFile { path: "a.svg".to_owned(), bytes: 41 }],
        ..InMemory::default()
    };
    let (single, alone) = long(1, 1);
    let pages = [
        render(&sample::nasty(), &InMemory::default()),
        render(&sample::empty(), &charts),
        render(&failing, &evidence),
        render(&single, &alone),
    ];
    for page in pages {
        assert_eq!(rules::broken(&page), Vec::<String>::new());
    }
}
