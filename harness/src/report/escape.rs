//! Text from a cluster is hostile: each way out has its own escape.
//!
//! Pod messages, names and conditions may hold terminal sequences, markup, or commands to a CI runner.
//! Nothing from a cluster reaches a writer but through one of these functions.

use jobsworth_swimlane::plain::is_hostile;
use std::fmt::Write as _;

/// For terminals and logs: no control sequences, no tricks with the direction of writing. Line breaks
/// become visible too; [`block`] keeps them.
#[must_use]
pub fn terminal(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut safe, c| {
        match c {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            c if is_hostile(c) => {
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
            }
            c => safe.push(c),
        }
        safe
    })
}

/// As [`terminal`], for text before which nothing of ours stands in its line but spaces: it does not begin a command to a CI runner.
#[must_use]
pub fn at_line_start(text: &str) -> String {
    let safe = terminal(text);
    if safe.trim_start().starts_with("::") { safe.replacen(':', "\\u{3a}", 1) } else { safe }
}

/// As [`at_line_start`], but with its line breaks: every line after the first is marked with a bar, so that none
/// can pose as a line of ours or as a command to a CI runner, which may stand behind spaces.
#[must_use]
pub fn lines(text: &str) -> String {
    let mut lines = text.trim_end_matches('\n').split('\n');
    let first = lines.next().map(at_line_start).into_iter();
    first.chain(lines.map(terminal)).collect::<Vec<_>>().join("\n  | ")
}

/// As [`terminal`], line by line, for text that we broke into lines ourselves.
#[must_use]
pub fn block(text: &str) -> String {
    text.split('\n').map(terminal).collect::<Vec<_>>().join("\n")
}

/// For XML: characters that XML 1.0 does not know become visible; quoting is the writer's.
#[must_use]
pub fn xml(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut safe, c| {
        match c {
            '\n' | '\t' => safe.push(c),
            c if is_hostile(c) => {
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
            }
            c => safe.push(c),
        }
        safe
    })
}

/// For running text in Markdown and cells of its tables: no markup, no HTML, no mentions, one line.
#[must_use]
pub fn markdown(text: &str) -> String {
    terminal(text).chars().fold(String::with_capacity(text.len()), |mut safe, c| {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '@' => safe.push_str("&#64;"),
            '|' => safe.push_str("&#124;"),
            '`' => safe.push_str("&#96;"),
            '\\' | '*' | '_' | '[' | ']' | '(' | ')' | '#' | '!' | '~' | '$' => {
                safe.push('\\');
                safe.push(c);
            }
            // A bare address becomes a link by itself.
            ':' => safe.push_str("&#58;"),
            c => safe.push(c),
        }
        safe
    })
}

/// For a block of preformatted text in Markdown: a fence that the text cannot close.
#[must_use]
pub fn fenced(text: &str) -> String {
    let safe = block(text);
    let longest = safe.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", safe.trim_end_matches('\n'))
}

/// A path below the folder as the target of a link: it stays a path whatever it is made of.
#[must_use]
pub fn link(path: &str) -> String {
    path.bytes().fold("./".to_owned(), |mut link, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => link.push(char::from(byte)),
            byte => {
                let _ = write!(link, "%{byte:02X}");
            }
        }
        link
    })
}

/// For the message of a workflow command (`::error::`): line breaks encoded, nothing begins a command.
#[must_use]
pub fn command_data(text: &str) -> String {
    block(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// For a property of a workflow command (`title=`).
#[must_use]
pub fn command_property(text: &str) -> String {
    command_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
pub(crate) const NASTY: &str = "a\u{1b}[31mred\u{1b}]0;title\u{7}\r\n::error::x\u{0}\u{9b}1m \u{202e}evil\u{2066} \
    <b>&\"'|`` ```\n</testcase>]]> \u{feff}\u{fffe}\u{ffff} ![x](http://e.vil) @team $(rm) %0A \u{85}\u{2028}end";

#[cfg(test)]
mod tests;
