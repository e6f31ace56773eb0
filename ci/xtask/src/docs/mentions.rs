//! Requirement numbers named by functions and by tests, read from the text of Rust files.
//!
//! The text is read line by line and relies on rustfmt: an item ends at a closing brace with the indentation of its head.

use std::collections::BTreeSet;

/// A function or test that names numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// `Type::function`, `test` or `test::case`.
    pub name: String,
    /// Whether it is a test, or a case of one.
    pub is_test: bool,
    /// The numbers.
    pub numbers: BTreeSet<String>,
}

/// The functions whose documentation names requirements, and the tests that name them anywhere. A comment above a
/// `#[case::name(...)]` belongs to that case.
pub fn mentions(path: &str, text: &str) -> Vec<Mention> {
    let mut reader = Reader { tests_only: path.contains("/tests/") || path.ends_with("tests.rs"), ..Reader::default() };
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        at = reader.take(&lines, at);
    }
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Mention>,
    /// Whether the rest of the file is tests.
    tests_only: bool,
    /// The type whose `impl` block this is.
    owner: Option<String>,
    /// Documentation of the item to come.
    doc: String,
    /// Comments since the last attribute.
    comment: String,
    /// Cases of the test to come, with the text that names their numbers.
    cases: Vec<(String, String)>,
    is_test: bool,
}

impl Reader {
    /// Reads what begins at this line; the line after it.
    fn take(&mut self, lines: &[&str], at: usize) -> usize {
        let line = lines[at].trim_start();
        let indent = lines[at].len() - line.len();
        if let Some(doc) = line.strip_prefix("///") {
            self.doc.push_str(doc);
            return at + 1;
        }
        if let Some(comment) = line.strip_prefix("//") {
            self.comment.push_str(comment);
            return at + 1;
        }
        if line.starts_with("#[") {
            let end = end_of(lines, at, indent, ']');
            self.attribute(lines[at..end].join(" ").trim_start());
            return end;
        }
        if let Some(name) = function_name(line) {
            let end = end_of(lines, at, indent, '}');
            let next = if self.is_test || self.tests_only { end } else { at + 1 };
            self.function(name, &lines[at..end].join(" "));
            self.forget();
            return next;
        }
        if indent == 0 && line.starts_with("impl") {
            self.owner = Some(implemented(line));
        } else if indent == 0 && line.starts_with('}') {
            self.owner = None;
        }
        self.forget();
        at + 1
    }

    fn attribute(&mut self, text: &str) {
        self.tests_only |= text.starts_with("#[cfg(test)]");
        self.is_test |= ["#[test]", "#[rstest]", "#[tokio::test"].iter().any(|start| text.starts_with(start));
        if let Some(rest) = text.strip_prefix("#[case::") {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let comment = std::mem::take(&mut self.comment);
            self.cases.push((name, format!("{comment} {text}")));
        }
    }

    fn function(&mut self, name: &str, body: &str) {
        let mut found = |name: String, is_test, text: &str| {
            let numbers = numbers(text);
            if !numbers.is_empty() {
                self.found.push(Mention { name, is_test, numbers });
            }
        };
        if self.is_test {
            for (case, text) in &self.cases {
                found(format!("{name}::{case}"), true, text);
            }
            found(name.to_owned(), true, &format!("{} {} {body}", self.doc, self.comment));
        } else if !self.tests_only {
            let name = self.owner.as_ref().map_or_else(|| name.to_owned(), |owner| format!("{owner}::{name}"));
            found(name, false, &self.doc);
        }
    }

    fn forget(&mut self) {
        self.doc.clear();
        self.comment.clear();
        self.cases.clear();
        self.is_test = false;
    }
}

/// The line after the item that begins here: the first one that closes it at the same depth.
fn end_of(lines: &[&str], at: usize, indent: usize, closing: char) -> usize {
    if lines[at].trim_end().ends_with(closing) || lines[at].trim_end().ends_with(';') {
        return at + 1;
    }
    let closes = |line: &&str| line.len() - line.trim_start().len() == indent && line.trim_end().ends_with(closing);
    lines[at + 1..].iter().position(closes).map_or(lines.len(), |offset| at + 1 + offset + 1)
}

/// The name of the function whose head this line begins.
fn function_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let leading = ["pub", "pub(crate)", "pub(super)", "async", "const"];
    let keyword = words.find(|word| !leading.contains(word))?;
    let name = words.next().filter(|_| keyword == "fn")?;
    name.split(['(', '<']).next()
}

/// The type of an `impl` line, without its parameters.
fn implemented(line: &str) -> String {
    let head = line.split(" for ").last().unwrap_or(line);
    let head = head.strip_prefix("impl").unwrap_or(head);
    let head = if head.starts_with('<') { head.split_once("> ").map_or(head, |(_, rest)| rest) } else { head };
    head.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The numbers in a text; `SUC-001 to SUC-003` and `SUC-001..003` are all in between, too.
pub fn numbers(text: &str) -> BTreeSet<String> {
    let spaced = text.replace("..", " to ");
    let words: Vec<&str> = spaced.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let mut all = BTreeSet::new();
    for (at, word) in words.iter().enumerate() {
        let Some((family, first)) = parts(word) else { continue };
        let last = match words.get(at + 1..at + 3) {
            Some(["to", end]) => match parts(end) {
                Some((other, last)) if other == family => last,
                None if end.len() == 3 => end.parse().unwrap_or(first),
                _ => first,
            },
            _ => first,
        };
        all.extend((first..=last).map(|number| format!("{family}-{number:03}")));
    }
    all
}

fn parts(word: &str) -> Option<(&str, u32)> {
    let (family, number) = word.split_once('-')?;
    let is_family = family.len() == 3 && family.bytes().all(|byte| byte.is_ascii_uppercase());
    // A part of a requirement of Volcano's is called by a letter: `VJ-189a`.
    let number = if family == "VJ" { number.trim_end_matches(|c: char| c.is_ascii_lowercase()) } else { number };
    let fits = (is_family || family == "VJ") && number.len() == 3;
    fits.then(|| number.parse().ok()).flatten().map(|number| (family, number))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn said(path: &str, text: &str) -> Vec<String> {
        let list = |mention: &Mention| mention.numbers.iter().cloned().collect::<Vec<_>>().join(" ");
        let kind = |mention: &Mention| if mention.is_test { "test" } else { "function" };
        mentions(path, text).iter().map(|m| format!("{} {}: {}", kind(m), m.name, list(m))).collect()
    }

    #[rstest]
    #[case::a_list("SUC-001, PFP-002", &["PFP-002", "SUC-001"])]
    #[case::a_range("SUC-001 to SUC-003", &["SUC-001", "SUC-002", "SUC-003"])]
    #[case::a_short_range("SUC-001..003", &["SUC-001", "SUC-002", "SUC-003"])]
    #[case::two_families_are_no_range("SUC-001 to PFP-003", &["PFP-003", "SUC-001"])]
    #[case::of_volcano("VJ-008 to VJ-010, VJ-189e, VJ-B03", &["VJ-008", "VJ-009", "VJ-010", "VJ-189"])]
    #[case::other_words_are_none("UTF-8, KEP-592x, S01", &[])]
    fn numbers_of_a_text(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(numbers(text).into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn functions_speak_by_their_documentation_only() {
        let text = "impl<T> Shape for Ring<T> {\n    /// Round (PAR-001 to\n    /// PAR-002).\n    #[must_use]\n    \
                    pub fn area(&self) {\n        // PAR-009\n    }\n}\n\n/// (IDX-001)\nstruct No;\n\n/// (IDX-002)\nfn free() {}\n";
        assert_eq!(said("a/src/b.rs", text), ["function Ring::area: PAR-001 PAR-002", "function free: IDX-002"]);
    }

    #[test]
    fn tests_speak_by_documentation_cases_and_body() {
        let text = "/// (PAR-001)\n#[rstest]\n// PAR-002\n#[case::one(\n    \"x\",\n)]\n#[case::two(\"y\")]\nfn table() {\n    \
                    // PAR-003\n}\n\n/// PAR-004\nfn helper() {}\n";
        assert_eq!(said("a/tests/b.rs", text), ["test table::one: PAR-002", "test table: PAR-001 PAR-003"]);
    }

    #[test]
    fn what_follows_the_tests_of_a_file_is_no_function_of_it() {
        let text = "/// SYN-001\nfn real() {}\n\n#[cfg(test)]\nmod tests {\n    /// SYN-002\n    fn helper() {}\n\n    \
                    /// SYN-003\n    #[tokio::test(start_paused = true)]\n    async fn works() {\n    }\n}\n";
        assert_eq!(said("a/src/b.rs", text), ["function real: SYN-001", "test works: SYN-003"]);
    }
}
