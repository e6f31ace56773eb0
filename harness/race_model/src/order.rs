//! In which order two sources reach a controller.

use std::fmt;

/// How the first source meets the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// One look of the controller finds both.
    Together,
    /// What the first comes to is stored before the second is true.
    Then,
    /// The controller has decided for the first and dies before that is stored; the second comes true meanwhile.
    Crash,
    /// The write that would store what the first comes to is refused once; the second comes true meanwhile.
    Refused,
    /// Both are true, and the controller hears of the second late.
    Late,
}

impl Order {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Together, Self::Then, Self::Crash, Self::Refused, Self::Late];

    /// Whether it matters which of two sources is the first.
    #[must_use]
    pub const fn tells_apart(self) -> bool {
        !matches!(self, Self::Together)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Together => "in one sync",
            Self::Then => "one after the other",
            Self::Crash => "crash before the write",
            Self::Refused => "write refused once",
            Self::Late => "late watch",
        })
    }
}
