//! What a picture is made of.

/// One shape. Classes are those of the style sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Something that was so for a while, or a plane behind others.
    Bar {
        /// Left edge.
        x: u32,
        /// Upper edge.
        y: u32,
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// Class.
        class: &'static str,
        /// Number of the change that began it.
        change: Option<usize>,
    },
    /// A line down or across.
    Line {
        /// Where it begins.
        from: (u32, u32),
        /// Where it ends.
        to: (u32, u32),
        /// Class.
        class: &'static str,
    },
    /// Words.
    Text {
        /// Where they begin; where the middle is for those of the axis.
        x: u32,
        /// The base line.
        y: u32,
        /// Class.
        class: &'static str,
        /// The words.
        text: String,
    },
    /// Something that happened at one moment.
    Sign {
        /// Its middle.
        x: u32,
        /// Its middle.
        y: u32,
        /// Class.
        class: &'static str,
        /// Number of the change.
        change: usize,
    },
}

impl Shape {
    /// The number of the change that it points at.
    #[must_use]
    pub const fn change(&self) -> Option<usize> {
        match self {
            Self::Bar { change, .. } => *change,
            Self::Sign { change, .. } => Some(*change),
            Self::Line { .. } | Self::Text { .. } => None,
        }
    }
}
