//! One nasty text through every escape.

use super::*;
use proptest::prelude::*;

#[test]
fn a_nasty_text_is_inert_everywhere() {
    insta::assert_snapshot!(
        [
            ("terminal", terminal(NASTY)),
            ("lines", lines(NASTY)),
            ("block", block(NASTY)),
            ("xml", xml(NASTY)),
            ("markdown", markdown(NASTY)),
            ("fenced", fenced(NASTY)),
            ("command data", command_data(NASTY)),
            ("command property", command_property(NASTY)),
        ]
        .map(|(name, text)| format!("--- {name}\n{text}"))
        .join("\n")
    );
}

proptest! {
    #[test]
    fn nothing_reaches_a_terminal_that_it_obeys(text in "\\PC*|[\\x00-\\x20\\u{7f}-\\u{a0}]*") {
        prop_assert!(!terminal(&text).chars().any(is_hostile));
        prop_assert!(!block(&text).chars().any(|c| c != '\n' && is_hostile(c)));
    }

    #[test]
    fn a_fence_is_never_closed_from_within(text in "[`a\\n]{0,40}") {
        let fenced = fenced(&text);
        let fence: String = fenced.chars().take_while(|c| *c == '`').collect();
        let inside: Vec<&str> = fenced.lines().skip(1).collect();
        prop_assert!(inside[..inside.len() - 1].iter().all(|line| !line.contains(fence.as_str())));
    }

    #[test]
    fn a_command_is_one_line(text in ".*|[\\n\\r:%,]*") {
        prop_assert!(!command_property(&text).contains(['\n', '\r', ':', ',']));
    }
}
