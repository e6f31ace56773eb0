//! Arguments of plugins: flags as Go programs take them.

use std::collections::BTreeMap;

/// Flags by name. What does not look like a flag ends the list, as it does in Go; a value that cannot be read is passed over
/// by whoever asks for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments(BTreeMap<String, String>);

impl Arguments {
    /// Reads `-name=value`, `--name value` and `--switch`.
    #[must_use]
    pub fn parse(words: &[String]) -> Self {
        let mut flags = BTreeMap::new();
        let mut words = words.iter().peekable();
        while let Some(flag) = words.next().and_then(|word| flag(word)) {
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, value.to_owned()),
                // A word behind it that is no flag is its value; a switch stands alone.
                None => (flag, words.next_if(|next| !next.starts_with('-')).map_or("true".to_owned(), Clone::clone)),
            };
            flags.insert(name.to_owned(), value);
        }
        Self(flags)
    }

    /// The text of a flag.
    #[must_use]
    pub fn text<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.0.get(name).map_or(default, String::as_str)
    }

    /// The number of a flag.
    #[must_use]
    pub fn number(&self, name: &str, default: i32) -> i32 {
        self.0.get(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    /// Whether a switch is on.
    #[must_use]
    pub fn switch(&self, name: &str, default: bool) -> bool {
        match self.0.get(name).map(String::as_str) {
            Some("1" | "t" | "T" | "true" | "TRUE" | "True") => true,
            Some("0" | "f" | "F" | "false" | "FALSE" | "False") => false,
            _ => default,
        }
    }
}

fn flag(word: &str) -> Option<&str> {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    (!name.is_empty() && !name.starts_with(['-', '='])).then_some(name)
}
