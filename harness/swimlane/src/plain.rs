//! Text from a cluster without what could steer a terminal or a reader's eye.

use std::fmt::Write as _;

/// Whether a character does something else than being seen: C0, C1 and delete; direction controls and isolates; invisible
/// separators; byte order marks; what is no character at all.
#[must_use]
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || u32::from(c) & 0xfffe == 0xfffe
        || matches!(c, '\u{feff}' | '\u{061c}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text with such characters as `\u{1b}`, and `…` instead of what is beyond `longest` characters.
#[must_use]
pub fn shown(text: &str, longest: usize) -> String {
    let mut safe = String::with_capacity(text.len().min(longest));
    for (number, c) in text.chars().enumerate() {
        if number == longest {
            safe.push('…');
            break;
        }
        if is_hostile(c) {
            let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// As much of a text as has room in so many characters, `…` at its end where something is missing.
#[must_use]
pub fn fitted(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(std::iter::once('…').filter(|_| room > 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_obeyed_is_seen_instead() {
        assert_eq!(shown("a\u{1b}[31m\u{202e}b\u{0}", 99), "a\\u{1b}[31m\\u{202e}b\\u{0}");
    }

    #[test]
    fn a_very_long_text_ends_early_and_says_so() {
        assert_eq!(shown(&"x".repeat(9_000), 3), "xxx…");
        assert_eq!(fitted("abcdef", 4), "abc…");
        assert_eq!(fitted("abcd", 4), "abcd");
        assert_eq!(fitted("abcd", 0), "");
    }
}
