//! Charts that lie in the run's folder as SVG files, as pictures of the page.
//!
//! # Guarantees
//! A chart is an image: whatever is in the file, a browser runs none of it, follows no link of it and loads nothing for it, and
//! it cannot change the page around it. What is no SVG, or too large, is named and not shown.

use super::shown;
use crate::report::{
    escape::link,
    evidence::{Evidence, FoundFile},
    wording,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use maud::{Markup, html};
use quick_xml::{Reader, events::Event};

/// Charts that are shown.
const CHARTS: usize = 24;
/// Room on the page for all of them, in bytes of their files.
const ROOM: u64 = 300_000;

/// An SVG file as it may be shown.
#[derive(Debug, PartialEq, Eq)]
struct Chart {
    /// What it shows, in words: its first title.
    title: String,
    /// Its text.
    svg: String,
}

pub(super) fn section(evidence: &dyn Evidence) -> Markup {
    let files: Vec<&FoundFile> = evidence.files().iter().filter(|file| file.path.ends_with(".svg")).collect();
    let mut left = ROOM;
    let mut shown_files = Vec::new();
    for file in files.iter().take(CHARTS) {
        let chart = match left.checked_sub(file.bytes) {
            Some(rest) => evidence.text(&file.path).and_then(|text| read(&text)).inspect(|_| left = rest),
            None => Err("there is no more room for it on this page".to_owned()),
        };
        shown_files.push((file, chart));
    }
    html! {
        @if !files.is_empty() {
            section #charts aria-labelledby="charts-h" {
                h2 #charts-h { "Charts" }
                @for (file, chart) in &shown_files { (figure(file, chart)) }
                @if files.len() > CHARTS { p.note { "and " (files.len() - CHARTS) " charts more, as files" } }
            }
        }
    }
}

fn figure(file: &FoundFile, chart: &Result<Chart, String>) -> Markup {
    let name = html! { a href=(link(&file.path)) { (shown(&file.path)) } };
    match chart {
        Ok(chart) => {
            let title = if chart.title.is_empty() { file.path.as_str() } else { chart.title.as_str() };
            html! {
                figure.chart {
                    figcaption { (shown(title)) " " span.dim { (name) } }
                    img alt=(shown(title)) src={ "data:image/svg+xml;base64," (BASE64_STANDARD.encode(&chart.svg)) };
                }
            }
        }
        Err(because) => html! {
            p.note { "Not shown: " (name) " (" (wording::size(file.bytes)) "): " (shown(because)) }
        },
    }
}

/// Reads a file to its end: half of one, or something else, would be shown as a broken picture.
///
/// # Errors
/// Why it is no chart.
fn read(text: &str) -> Result<Chart, String> {
    let mut reader = Reader::from_str(text);
    let (mut depth, mut title, mut in_title, mut is_svg) = (0_usize, None::<String>, false, false);
    loop {
        match reader.read_event().map_err(|error| format!("it is not well-formed: {error}"))? {
            Event::Start(element) | Event::Empty(element) if depth == 0 && element.local_name().as_ref() != b"svg" => {
                return Err("its first element is not svg".to_owned());
            }
            Event::Empty(_) if depth == 0 => is_svg = true,
            Event::Start(element) => {
                (depth, is_svg) = (depth + 1, true);
                in_title = depth == 2 && title.is_none() && element.local_name().as_ref() == b"title";
            }
            Event::End(_) => (depth, in_title) = (depth.saturating_sub(1), false),
            Event::Text(text) if in_title => {
                title.get_or_insert_default().push_str(&text.decode().unwrap_or_default());
            }
            Event::GeneralRef(name) if in_title => {
                title.get_or_insert_default().push_str(&referred(&name.decode().unwrap_or_default()));
            }
            Event::Eof if depth > 0 => return Err("it is cut off: an element has no end".to_owned()),
            Event::Eof if !is_svg => return Err("there is no svg element in it".to_owned()),
            Event::Eof => break,
            _ => {}
        }
    }
    Ok(Chart { title: title.unwrap_or_default().trim().to_owned(), svg: text.to_owned() })
}

/// What an entity of XML stands for; others stay as they are written.
fn referred(name: &str) -> String {
    quick_xml::escape::resolve_predefined_entity(name).map_or_else(|| format!("&{name};"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const SVG: &str = r#"<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>Ends &amp; starts</title><g><title>not this</title><path d="M0 0"/></g></svg>"#;

    #[test]
    fn a_chart_has_the_title_of_its_file() {
        let chart = read(SVG).unwrap();
        assert_eq!((chart.title.as_str(), chart.svg.as_str()), ("Ends & starts", SVG));
    }

    #[rstest]
    #[case::half_a_file("<svg><g>", "it is cut off")]
    #[case::another_picture("<html><svg/></html>", "its first element is not svg")]
    #[case::nothing("", "there is no svg element")]
    #[case::words("a chart", "there is no svg element")]
    #[case::tags_that_cross("<svg><g></svg></g>", "it is not well-formed")]
    fn what_is_no_chart_is_refused(#[case] text: &str, #[case] because: &str) {
        let error = read(text).unwrap_err();
        assert!(error.contains(because), "{error}");
    }
}
