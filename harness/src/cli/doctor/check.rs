//! One thing that was looked at, and how it is.

/// One thing that was looked at.
pub(super) struct Check {
    pub what: &'static str,
    pub state: State,
    pub found: String,
    pub fix: Option<String>,
}

/// How it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Fine,
    /// It works without.
    Worth,
    /// It works without, but not everything does.
    Obstacle,
    /// A run cannot begin.
    Missing,
}

impl State {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Worth | Self::Obstacle => "note",
            Self::Missing => "missing",
        }
    }
}

impl Check {
    pub(super) fn fine(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, state: State::Fine, found: found.into(), fix: None }
    }

    pub(super) fn of(what: &'static str, state: State, found: impl Into<String>, fix: impl Into<String>) -> Self {
        let fix = Some(fix.into()).filter(|_| state != State::Fine);
        Self { what, state, found: found.into(), fix }
    }
}
