//! What the structs of this crate share on their way to and from JSON.

use serde::{Deserialize, Deserializer};

/// What the API server takes for the name of an object: a DNS subdomain.
pub(crate) const SUBDOMAIN: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
/// What the API server takes for a DNS label.
pub(crate) const LABEL: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/// Whether a value is what an absent field stands for, so that it need not be written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A word, or none if the text is empty or, for a closed list of words, unknown.
pub(crate) fn word<'de, D: Deserializer<'de>, T: for<'a> TryFrom<&'a str>>(from: D) -> Result<Option<T>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    Ok(text.filter(|text| !text.is_empty()).and_then(|text| T::try_from(text.as_str()).ok()))
}
