//! Colour, where it is wanted. It never carries a meaning that the word does not.

/// Whether to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Colour {
    /// If the output is a terminal; `NO_COLOR` and `CLICOLOR_FORCE` are obeyed.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Colours words, or leaves them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint(Wanted);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Plain,
    Coloured,
}

/// What the surroundings say about colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The output is a terminal that understands colour.
    pub terminal: bool,
    /// `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `CLICOLOR_FORCE` is set and not `0`.
    pub force: bool,
}

impl Paint {
    /// No colour.
    pub const PLAIN: Self = Self(Wanted::Plain);

    /// What the flag and the surroundings come to.
    #[must_use]
    pub fn choose(flag: Colour, around: Surroundings) -> Self {
        let coloured = match flag {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => !around.no_color && (around.force || around.terminal),
        };
        Self(if coloured { Wanted::Coloured } else { Wanted::Plain })
    }

    /// Whether it colours.
    #[must_use]
    pub fn colours(self) -> bool {
        self.0 == Wanted::Coloured
    }

    /// For what held.
    #[must_use]
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// For what broke.
    #[must_use]
    pub fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// For what could not be told.
    #[must_use]
    pub fn warn(self, text: &str) -> String {
        self.paint("33", text)
    }

    /// For what matters less.
    #[must_use]
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colours() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_terminal(Colour::Auto, Surroundings { terminal: true, ..Surroundings::default() }, true)]
    #[case::a_pipe(Colour::Auto, Surroundings::default(), false)]
    #[case::no_color_wins_over_the_terminal(Colour::Auto, Surroundings { terminal: true, no_color: true, force: false }, false)]
    #[case::force_wins_over_the_pipe(Colour::Auto, Surroundings { force: true, ..Surroundings::default() }, true)]
    #[case::the_flag_wins_over_no_color(Colour::Always, Surroundings { no_color: true, ..Surroundings::default() }, true)]
    #[case::never(Colour::Never, Surroundings { terminal: true, no_color: false, force: true }, false)]
    fn colours(#[case] flag: Colour, #[case] around: Surroundings, #[case] expected: bool) {
        assert_eq!(Paint::choose(flag, around).colours(), expected);
    }
}
