//! What every page of ours keeps to, so that it is valid and can be read by keyboard and screen reader: checked by tests, without
//! a browser. What only a browser can tell (contrast, what overflows) is not in here.

use scraper::{ElementRef, Html, Selector};
use std::collections::BTreeSet;

/// The rules that a page breaks, each with its place; none where it is as it should be.
#[must_use]
pub(crate) fn broken(text: &str) -> Vec<String> {
    let page = Html::parse_document(text);
    let mut broken: Vec<String> = page.errors.iter().map(|error| format!("parse error: {error}")).collect();
    for rule in [head, headings, names_and_links, tables, boxes, contents] {
        broken.extend(rule(&page));
    }
    broken
}

fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).expect("a selector of these rules")).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect::<String>().trim().to_owned()
}

/// The beginning of an element, to find it by.
fn at(element: ElementRef<'_>) -> String {
    element.html().chars().take(120).collect()
}

fn parents<'a>(element: ElementRef<'a>) -> impl Iterator<Item = &'a str> {
    element.ancestors().filter_map(ElementRef::wrap).map(|parent| parent.value().name())
}

fn parent<'a>(element: ElementRef<'a>) -> &'a str {
    parents(element).next().unwrap_or_default()
}

fn where_not(page: &Html, selector: &str, rule: &str, holds: impl Fn(ElementRef<'_>) -> bool) -> Vec<String> {
    all(page, selector).into_iter().filter(|it| !holds(*it)).map(|it| format!("{rule}: {}", at(it))).collect()
}

fn head(page: &Html) -> Vec<String> {
    let once = |selector: &str| match all(page, selector).len() {
        1 => None,
        number => Some(format!("{number} times {selector}, not once")),
    };
    let mut broken: Vec<String> = ["html[lang]", "head > title", "main", "h1", "meta[charset]", "meta[name=viewport]"]
        .into_iter()
        .filter_map(once)
        .collect();
    broken.extend(where_not(page, "head > title", "a title without words", |it| !text(it).is_empty()));
    broken
}

/// No level is left out, and each has words.
fn headings(page: &Html) -> Vec<String> {
    let mut before = 0;
    let mut broken = where_not(page, "h1, h2, h3, h4", "a heading without words", |it| !text(it).is_empty());
    for heading in all(page, "h1, h2, h3, h4") {
        let level = heading.value().name().as_bytes().get(1).map_or(0, |digit| usize::from(digit - b'0'));
        if level > before + 1 {
            broken.push(format!("a heading of level {level} after one of level {before}: {}", at(heading)));
        }
        before = level;
    }
    broken
}

/// Each id is there once, and what refers to one finds it.
fn names_and_links(page: &Html) -> Vec<String> {
    let ids: Vec<&str> = all(page, "[id]").into_iter().filter_map(|it| it.attr("id")).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    let mut broken: Vec<String> = Vec::new();
    if unique.len() != ids.len() {
        broken.push(format!("{} ids are there twice", ids.len() - unique.len()));
    }
    for attribute in ["href", "aria-labelledby", "aria-controls", "aria-describedby", "for"] {
        let finds = |it: ElementRef<'_>| {
            let target = it.attr(attribute).unwrap_or_default();
            match (attribute, target.strip_prefix('#')) {
                ("href", Some(id)) => unique.contains(id),
                ("href", None) => true,
                _ => unique.contains(target),
            }
        };
        broken.extend(where_not(page, &format!("[{attribute}]"), &format!("{attribute} leads nowhere"), finds));
    }
    broken
}

/// Heads say what they are heads of, and all rows of a table are equally long.
fn tables(page: &Html) -> Vec<String> {
    let mut broken =
        where_not(page, "th", "a head without scope or words", |it| it.attr("scope").is_some() && !text(it).is_empty());
    let row = Selector::parse("tr").expect("a selector of these rules");
    for table in all(page, "table") {
        let rows = table.select(&row);
        let rows = rows.filter(|row| {
            row.ancestors().filter_map(ElementRef::wrap).find(|it| it.value().name() == "table") == Some(table)
        });
        let width = |row: ElementRef<'_>| -> usize {
            let cells =
                row.child_elements().map(|cell| cell.attr("colspan").and_then(|span| span.parse().ok()).unwrap_or(1));
            cells.sum()
        };
        let widths: BTreeSet<usize> = rows.map(width).collect();
        if widths.len() > 1 {
            broken.push(format!("a table with rows of {widths:?} columns: {}", at(table)));
        }
    }
    broken
}

/// What scrolls can be scrolled by keyboard, and has a name; so has every picture.
fn boxes(page: &Html) -> Vec<String> {
    let named =
        |it: ElementRef<'_>| it.attr("aria-label").or(it.attr("alt")).is_some_and(|name| !name.trim().is_empty());
    let mut broken = where_not(page, ".wide, .scroll", "a box that scrolls, without tabindex, role or name", |it| {
        it.attr("tabindex") == Some("0") && it.attr("role").is_some() && named(it)
    });
    broken.extend(where_not(page, "svg, img", "a picture without a name", |it| {
        it.attr("aria-hidden") == Some("true") || named(it)
    }));
    broken.extend(where_not(page, "section", "a section without a name", |it| {
        it.attr("aria-labelledby").is_some() || named(it)
    }));
    broken
}

/// What stands in what, and nothing that can be pressed in something else that can.
fn contents(page: &Html) -> Vec<String> {
    let pressed = ["a", "button", "summary", "label"];
    let mut broken = where_not(page, "a, button, input", "something to press within another", |it| {
        !parents(it).any(|parent| pressed.contains(&parent))
    });
    broken.extend(where_not(page, "a", "a link without words", |it| {
        !text(it).is_empty() || it.attr("aria-label").is_some()
    }));
    broken.extend(where_not(page, "li", "an item without a list", |it| matches!(parent(it), "ul" | "ol")));
    broken.extend(where_not(page, "dt, dd", "a term without a list", |it| matches!(parent(it), "dl" | "div")));
    broken.extend(where_not(page, "details", "details without a summary", |it| {
        it.child_elements().next().is_some_and(|first| first.value().name() == "summary" && !text(first).is_empty())
    }));
    broken.extend(where_not(page, "p, span", "a block within a line", |it| {
        let blocks = ["div", "p", "ul", "table", "section", "pre", "details", "dl"];
        !it.descendants().skip(1).filter_map(ElementRef::wrap).any(|inner| blocks.contains(&inner.value().name()))
    }));
    broken
}

#[cfg(test)]
mod tests {
    use super::broken;
    use rstest::rstest;

    fn page(body: &str) -> String {
        format!(
            "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"x\"><title>t</title></head>\
             <body><main><h1>Head</h1>{body}</main></body></html>"
        )
    }

    #[test]
    fn a_plain_page_breaks_none() {
        let body = "<h2 id=\"a\">A</h2><p><a href=\"#a\">to A</a></p><table><tr><th scope=\"col\">x</th><td>y</td></tr></table>";
        assert_eq!(broken(&page(body)), Vec::<String>::new());
    }

    #[rstest]
    #[case::a_level_left_out("<h3>x</h3>", "level 3 after one of level 1")]
    #[case::an_id_twice("<p id=\"a\">x</p><p id=\"a\">y</p>", "ids are there twice")]
    #[case::a_link_to_nowhere("<a href=\"#b\">x</a>", "href leads nowhere")]
    #[case::an_empty_head("<table><tr><th scope=\"col\"></th></tr></table>", "a head without")]
    #[case::a_head_without_scope("<table><tr><th>x</th></tr></table>", "a head without")]
    #[case::a_short_row("<table><tr><td>x</td><td>y</td></tr><tr><td>x</td></tr></table>", "rows of {1, 2} columns")]
    #[case::a_box_that_no_key_scrolls("<div class=\"wide\">x</div>", "a box that scrolls")]
    #[case::a_picture_without_words("<svg></svg>", "a picture without a name")]
    #[case::a_section_without_a_name("<section>x</section>", "a section without a name")]
    #[case::a_link_in_a_summary(
        "<details><summary>x <a href=\"y\">z</a></summary></details>",
        "something to press within another"
    )]
    #[case::an_empty_link("<a href=\"x\"></a>", "a link without words")]
    #[case::an_item_in_a_paragraph("<div><li>x</li></div>", "an item without a list")]
    #[case::a_tag_without_an_end("<p><b>x</p>", "parse error")]
    #[case::two_first_headings("<h1>again</h1>", "2 times h1")]
    fn each_rule_is_broken_by(#[case] body: &str, #[case] says: &str) {
        let broken = broken(&page(body));
        assert!(broken.iter().any(|line| line.contains(says)), "{broken:?}");
    }
}
