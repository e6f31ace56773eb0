//! Reads filter expressions, by recursive descent, with the column of every mistake.

use super::{Filter, FilterError, Node, Question};
use crate::nearest::{hint, nearest};

/// The words of the language and what they take.
pub const WORDS: [(&str, &str); 8] = [
    ("case", "case(part of an id) or case(/regex/)"),
    ("suite", "suite(name)"),
    ("kep", "kep(number)"),
    ("requirement", "requirement(SUC-002) or requirement(SUC)"),
    ("gate", "gate(Name)"),
    ("restarts", "restarts()"),
    ("all", "all()"),
    ("none", "none()"),
];

/// How deep parentheses and negations may be nested.
const DEPTH: usize = 64;
/// How long an expression may be, in bytes.
const LENGTH: usize = 16 * 1024;

/// Reads an expression.
///
/// # Errors
/// Says what is wrong and in which column.
pub fn parse(text: &str) -> Result<Filter, FilterError> {
    let mut reader = Reader { text, rest: text };
    if text.len() > LENGTH {
        return Err(reader.error(text, format!("it is longer than {LENGTH} bytes")));
    }
    let root = reader.any_of(0)?;
    reader.skip_space();
    if !reader.rest.is_empty() {
        let says = format!("`{}` is not expected here", first_word(reader.rest));
        return Err(reader.error(reader.rest, says).with("join expressions with `and`, `or`, `&` or `|`"));
    }
    Ok(Filter { text: text.to_owned(), root })
}

impl FilterError {
    fn with(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn error(&self, at: &str, says: impl Into<String>) -> FilterError {
        FilterError { text: self.text.to_owned(), column: self.column(at), says: says.into(), help: None }
    }

    /// The column of `at`, which must be a tail of the text.
    fn column(&self, at: &str) -> usize {
        self.text[..self.text.len() - at.len()].chars().count() + 1
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes one of the operators, if one comes; a word is taken only as a whole.
    fn take(&mut self, sign: char, word: &str) -> bool {
        self.skip_space();
        if let Some(rest) = self.rest.strip_prefix(sign) {
            // `&&` and `||` mean what they mean elsewhere.
            self.rest = if sign == '!' { rest } else { rest.strip_prefix(sign).unwrap_or(rest) };
            return true;
        }
        if first_word(self.rest) == word {
            self.rest = &self.rest[word.len()..];
            return true;
        }
        false
    }

    fn any_of(&mut self, depth: usize) -> Result<Node, FilterError> {
        let mut node = self.all_of(depth)?;
        while self.take('|', "or") {
            node = Node::Or(Box::new(node), Box::new(self.all_of(depth)?));
        }
        Ok(node)
    }

    fn all_of(&mut self, depth: usize) -> Result<Node, FilterError> {
        let mut node = self.one(depth)?;
        while self.take('&', "and") {
            node = Node::And(Box::new(node), Box::new(self.one(depth)?));
        }
        Ok(node)
    }

    fn one(&mut self, depth: usize) -> Result<Node, FilterError> {
        self.skip_space();
        if depth >= DEPTH {
            return Err(self.error(self.rest, format!("it is nested deeper than {DEPTH}")));
        }
        if self.take('!', "not") {
            return Ok(Node::Not(Box::new(self.one(depth + 1)?)));
        }
        let start = self.rest;
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let node = self.any_of(depth + 1)?;
            self.skip_space();
            self.rest = self
                .rest
                .strip_prefix(')')
                .ok_or_else(|| self.error(self.rest, "a `)` is missing").with(opened(self.column(start))))?;
            return Ok(node);
        }
        self.question()
    }

    fn question(&mut self) -> Result<Node, FilterError> {
        let start = self.rest;
        let word = first_word(start);
        if word.is_empty() {
            let says = match start.chars().next() {
                None => "an expression is missing".to_owned(),
                Some(other) => format!("`{other}` is not expected here"),
            };
            return Err(self.error(start, says).with(vocabulary()));
        }
        let Some((word, usage)) = WORDS.into_iter().find(|(known, _)| *known == word) else {
            let near = nearest(word, WORDS.map(|(known, _)| known));
            return Err(self.error(start, format!("`{word}` is not known{}", hint(&near))).with(vocabulary()));
        };
        self.rest = &start[word.len()..];
        self.skip_space();
        let Some(inside) = self.rest.strip_prefix('(') else {
            return Err(self.error(self.rest, format!("`(` is missing after `{word}`")).with(usage));
        };
        let argument = self.argument(inside, start)?;
        let question = self.question_of(word, usage, inside, argument)?;
        Ok(Node::Ask { question, column: self.column(start) })
    }

    /// Takes everything up to the closing parenthesis; a regular expression ends with `/)`.
    fn argument(&mut self, inside: &'a str, start: &str) -> Result<&'a str, FilterError> {
        let trimmed = inside.trim_start();
        let (argument, rest) = if let Some(pattern) = trimmed.strip_prefix('/') {
            let end = pattern.find("/)").ok_or_else(|| {
                self.error(inside, "the regular expression has no end").with("it ends with `/)`: case(/zero|late/)")
            })?;
            (&trimmed[..end + 2], &pattern[end + 2..])
        } else {
            let end = inside.find(')').ok_or_else(|| {
                self.error(&inside[inside.len()..], "a `)` is missing").with(opened(self.column(start)))
            })?;
            (inside[..end].trim(), &inside[end + 1..])
        };
        self.rest = rest;
        Ok(argument)
    }

    fn question_of(&self, word: &str, usage: &str, at: &str, argument: &str) -> Result<Question, FilterError> {
        let error = |says: String| self.error(at, says).with(usage);
        let takes_none = matches!(word, "all" | "none" | "restarts");
        if takes_none && !argument.is_empty() {
            return Err(error(format!("`{word}` takes nothing")));
        }
        if !takes_none && argument.is_empty() {
            return Err(error(format!("`{word}` needs something between the parentheses")));
        }
        Ok(match word {
            "all" => Question::All,
            "none" => Question::None,
            "restarts" => Question::Restarts,
            "suite" => Question::Suite(argument.to_owned()),
            "requirement" => Question::Requirement(argument.to_owned()),
            "gate" => Question::Gate(argument.to_owned()),
            "kep" => {
                let number = argument.strip_prefix("KEP-").unwrap_or(argument).parse();
                Question::Kep(number.map_err(|_| error(format!("`{argument}` is not the number of a KEP")))?)
            }
            _ => match argument.strip_prefix('/').and_then(|inner| inner.strip_suffix('/')) {
                None => Question::Contains(argument.to_owned()),
                Some(pattern) => {
                    Question::Matches(regex::Regex::new(pattern).map_err(|problem| error(short(&problem.to_string())))?)
                }
            },
        })
    }
}

/// The last line of what the regex library says; the others draw the place.
fn short(problem: &str) -> String {
    problem.lines().last().unwrap_or(problem).trim_start_matches("error: ").to_owned()
}

fn opened(column: usize) -> String {
    format!("it was opened at column {column}")
}

fn vocabulary() -> String {
    let usages: Vec<&str> = WORDS.iter().map(|(_, usage)| *usage).collect();
    format!("there are {}", usages.join(", "))
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(text.len());
    &text[..end]
}
