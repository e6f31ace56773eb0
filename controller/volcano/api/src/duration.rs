//! Lengths of time as Kubernetes writes them: `1h30m`, `1.5s`, `-300ms`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

const NANOS: i128 = 1_000_000_000;

/// A length of time, as it was written.
///
/// The schema takes any text, and an object that holds a wrong one can be stored where no webhook stands. So the text is kept, and
/// only who asks for the length learns that there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Duration(String);

/// Why a text is no length of time, in the words of Go's standard library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// It has no number, or is out of range (some 292 years).
    #[error("time: invalid duration {0:?}")]
    Invalid(String),
    /// A number has no unit.
    #[error("time: missing unit in duration {0:?}")]
    MissingUnit(String),
    /// A number has a unit that is none of `ns`, `us`, `ms`, `s`, `m`, `h`.
    #[error("time: unknown unit {unit:?} in duration {text:?}")]
    UnknownUnit {
        /// What stands in its place.
        unit: String,
        /// The whole text.
        text: String,
    },
}

impl Duration {
    /// The text as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The length in nanoseconds; may be negative.
    ///
    /// # Errors
    /// The text is no length of time.
    pub fn as_nanos(&self) -> Result<i64, DurationError> {
        parse(&self.0)
    }

    /// The length in milliseconds, rounded up; may be negative.
    ///
    /// # Errors
    /// The text is no length of time.
    pub fn as_millis(&self) -> Result<i64, DurationError> {
        let nanos = self.as_nanos()?;
        let whole = nanos.div_euclid(1_000_000);
        Ok(whole.saturating_add(i64::from(nanos.rem_euclid(1_000_000) != 0)))
    }

    /// A length in its canonical form, such as `1h0m0s`.
    #[must_use]
    pub fn from_nanos(nanos: i64) -> Self {
        Self(canonical(nanos))
    }

    /// A length of whole seconds.
    #[must_use]
    pub fn from_secs(seconds: i64) -> Self {
        Self::from_nanos(seconds.saturating_mul(1_000_000_000))
    }
}

impl From<&str> for Duration {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for Duration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

fn parse(text: &str) -> Result<i64, DurationError> {
    let invalid = || DurationError::Invalid(text.to_owned());
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut nanos: i128 = 0;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let scale = scale(unit, text)?;
        nanos = length(whole, fraction, scale).and_then(|part| nanos.checked_add(part)).ok_or_else(invalid)?;
        rest = after;
    }
    let signed = if negative { nanos.checked_neg() } else { Some(nanos) };
    signed.and_then(|nanos| i64::try_from(nanos).ok()).ok_or_else(invalid)
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

fn scale(unit: &str, text: &str) -> Result<i128, DurationError> {
    match unit {
        "" => Err(DurationError::MissingUnit(text.to_owned())),
        "ns" => Ok(1),
        "us" | "µs" | "μs" => Ok(1_000),
        "ms" => Ok(1_000_000),
        "s" => Ok(NANOS),
        "m" => Ok(60_000_000_000),
        "h" => Ok(3_600_000_000_000),
        _ => Err(DurationError::UnknownUnit { unit: unit.to_owned(), text: text.to_owned() }),
    }
}

/// None if it is out of any range.
fn length(whole: &str, fraction: &str, scale: i128) -> Option<i128> {
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()?.into() };
    // What is beyond 18 digits is less than a nanosecond, for every unit.
    let fraction = fraction.get(..fraction.len().min(18))?;
    let power = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let part: i128 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    whole.checked_mul(scale)?.checked_add(part.checked_mul(scale)?.checked_div(power)?)
}

fn canonical(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let length = nanos.unsigned_abs();
    if length == 0 {
        return "0s".to_owned();
    }
    for (unit, size) in [("ns", 1_u64), ("µs", 1_000), ("ms", 1_000_000)] {
        if length < size.saturating_mul(1_000) {
            return format!("{sign}{}{unit}", decimal(length, size));
        }
    }
    let (minutes, rest) = (length / 60_000_000_000, length % 60_000_000_000);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    let seconds = decimal(rest, 1_000_000_000);
    match (hours, minutes) {
        (0, 0) => format!("{sign}{seconds}s"),
        (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
        (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
    }
}

/// `count / size` as a decimal fraction without trailing zeros; `size` is a power of ten.
fn decimal(count: u64, size: u64) -> String {
    let (whole, rest) = (count.checked_div(size).unwrap_or_default(), count.checked_rem(size).unwrap_or_default());
    if rest == 0 {
        return whole.to_string();
    }
    let width = usize::try_from(size.ilog10()).unwrap_or_default();
    let fraction = format!("{rest:0width$}");
    format!("{whole}.{}", fraction.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::zero_needs_no_unit("0", 0)]
    #[case::seconds("5s", 5_000_000_000)]
    #[case::several_units("1h30m", 5_400_000_000_000)]
    #[case::a_fraction("1.5s", 1_500_000_000)]
    #[case::a_fraction_without_a_whole(".5ms", 500_000)]
    #[case::negative("-300ms", -300_000_000)]
    #[case::two_spellings_of_micro("1µs1us", 2_000)]
    #[case::the_longest("2562047h47m16.854775807s", i64::MAX)]
    #[case::the_shortest("-2562047h47m16.854775808s", i64::MIN)]
    fn a_text_has_a_length(#[case] text: &str, #[case] nanos: i64) {
        assert_eq!(Duration::from(text).as_nanos(), Ok(nanos));
    }

    /// (VJ-083: the text of a refusal that was seen)
    #[rstest]
    #[case::no_unit("5", "time: missing unit in duration \"5\"")]
    #[case::a_strange_unit("5d", "time: unknown unit \"d\" in duration \"5d\"")]
    #[case::nothing("", "time: invalid duration \"\"")]
    #[case::a_sign_alone("-", "time: invalid duration \"-\"")]
    #[case::a_point_alone(".s", "time: invalid duration \".s\"")]
    #[case::words("soon", "time: invalid duration \"soon\"")]
    #[case::too_long("2562047h47m16.854775808s", "time: invalid duration \"2562047h47m16.854775808s\"")]
    fn a_refusal_says_what_is_wrong(#[case] text: &str, #[case] says: &str) {
        assert_eq!(Duration::from(text).as_nanos().unwrap_err().to_string(), says);
    }

    #[rstest]
    #[case(0, "0s")]
    #[case(1, "1ns")]
    #[case(1_100, "1.1µs")]
    #[case(2_200_000, "2.2ms")]
    #[case(3_300_000_000, "3.3s")]
    #[case(245_000_000_000, "4m5s")]
    #[case(3_600_000_000_000, "1h0m0s")]
    #[case(i64::MIN, "-2562047h47m16.854775808s")]
    fn the_canonical_form_is_that_of_go(#[case] nanos: i64, #[case] text: &str) {
        assert_eq!(Duration::from_nanos(nanos).as_str(), text);
    }

    #[rstest]
    #[case("1500us", 2)]
    #[case("-1500us", -1)]
    #[case("2s", 2_000)]
    fn milliseconds_are_rounded_up(#[case] text: &str, #[case] millis: i64) {
        assert_eq!(Duration::from(text).as_millis(), Ok(millis));
    }

    proptest! {
        #[test]
        fn the_canonical_form_has_its_length(nanos in any::<i64>()) {
            prop_assert_eq!(Duration::from_nanos(nanos).as_nanos(), Ok(nanos));
        }

        #[test]
        fn no_text_is_too_strange(text in "[-+]?[0-9.]{0,40}[a-zµ]{0,3}.{0,10}") {
            let _ = Duration::from(text.as_str()).as_nanos();
        }
    }
}
