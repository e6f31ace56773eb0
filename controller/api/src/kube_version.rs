//! Kubernetes versions: `1.37.1` of a binary, `1.32` of an emulated API. In files they are texts.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{fmt, str::FromStr};

/// The version of a Kubernetes binary, major, minor and patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KubeVersion {
    /// Always 1 so far.
    pub major: u32,
    /// The minor version, for example 36.
    pub minor: u32,
    /// The patch version.
    pub patch: u32,
}

/// A minor version of the Kubernetes API, for example `1.32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Minor {
    /// Always 1 so far.
    pub major: u32,
    /// The minor version.
    pub minor: u32,
}

/// A text that is not a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a Kubernetes version: expected {expected}")]
pub struct VersionError {
    text: String,
    expected: &'static str,
}

impl KubeVersion {
    /// A version from its three numbers.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// The minor version that this version belongs to.
    #[must_use]
    pub const fn minor_version(self) -> Minor {
        Minor { major: self.major, minor: self.minor }
    }
}

impl Minor {
    /// A minor version from its two numbers.
    #[must_use]
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for KubeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl fmt::Display for Minor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for KubeVersion {
    type Err = VersionError;

    /// Reads `1.37.1`, with or without a leading `v`.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        match numbers(text).as_deref() {
            Some(&[major, minor, patch]) => Ok(Self { major, minor, patch }),
            _ => Err(VersionError { text: text.to_owned(), expected: "three numbers, like 1.37.1" }),
        }
    }
}

impl FromStr for Minor {
    type Err = VersionError;

    /// Reads `1.32`, with or without a leading `v`.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        match numbers(text).as_deref() {
            Some(&[major, minor]) => Ok(Self { major, minor }),
            _ => Err(VersionError { text: text.to_owned(), expected: "two numbers, like 1.32" }),
        }
    }
}

impl Serialize for KubeVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KubeVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Serialize for Minor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Minor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    let text = text.strip_prefix('v').unwrap_or(text);
    text.split('.').map(|part| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok()).flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::{KubeVersion, Minor};
    use rstest::rstest;

    #[rstest]
    #[case::three_numbers("1.37.1", Some(KubeVersion::new(1, 37, 1)))]
    #[case::a_leading_v("v1.32.2", Some(KubeVersion::new(1, 32, 2)))]
    #[case::a_minor_is_not_enough("1.36", None)]
    #[case::signs_are_not_digits("1.+6.3", None)]
    #[case::nothing("", None)]
    fn reads_versions(#[case] text: &str, #[case] expected: Option<KubeVersion>) {
        assert_eq!(text.parse().ok(), expected);
    }

    #[test]
    fn in_files_versions_are_texts() {
        let written = serde_json::to_string(&(KubeVersion::new(1, 37, 1), Minor::new(1, 32))).unwrap();
        assert_eq!(written, r#"["1.37.1","1.32"]"#);
        let read: (KubeVersion, Minor) = serde_json::from_str(r#"["v1.37.1", "1.32"]"#).unwrap();
        assert_eq!(read, (KubeVersion::new(1, 37, 1), Minor::new(1, 32)));
        let error = serde_json::from_str::<KubeVersion>("\"1.37\"").unwrap_err().to_string();
        assert!(error.starts_with("`1.37` is not a Kubernetes version: expected three numbers"), "{error}");
    }

    #[test]
    fn versions_order_by_number_and_not_by_text() {
        assert!(KubeVersion::new(1, 33, 13) > KubeVersion::new(1, 33, 2));
        assert!("1.9".parse::<Minor>().unwrap() < Minor::new(1, 36));
    }
}
