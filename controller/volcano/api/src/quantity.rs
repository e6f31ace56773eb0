//! Amounts of a resource: `500m`, `1.5Gi`, `2e3`. Exact to a billionth, as in Kubernetes.

use std::fmt;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

const NANO: i128 = 1_000_000_000;
/// The most that an amount can be; what is more counts as this.
const MOST: i128 = 9_223_372_036_854_775_807 * NANO;

/// How an amount was written, and is written again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Powers of 1000: `500m`, `12k`.
    #[default]
    Decimal,
    /// Powers of 1024: `12Ki`.
    Binary,
    /// Powers of ten: `12e3`.
    Exponent,
}

/// A parsed quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    nanos: i128,
    format: Format,
}

/// Why a text is no quantity, in the words of Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// It is not a number and a suffix (VJ-083).
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Format,
    /// The number has two points.
    #[error("unable to parse numeric part of quantity")]
    Number,
    /// The suffix has no meaning.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

impl Amount {
    /// Reads a quantity.
    ///
    /// # Errors
    /// The text is none.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, text.get(1..).unwrap_or_default()),
            Some(b'+') => (false, text.get(1..).unwrap_or_default()),
            _ => (false, text),
        };
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(end);
        if number.is_empty() || !is_suffix(suffix) {
            return Err(QuantityError::Format);
        }
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
            return Err(QuantityError::Number);
        }
        let (base, power, format) = meaning(suffix).ok_or(QuantityError::Suffix)?;
        let nanos = if base == 1024 { binary(whole, fraction, power) } else { decimal(whole, fraction, power) };
        Ok(Self { nanos: if negative { nanos.saturating_neg() } else { nanos }, format })
    }

    /// A whole number of units.
    #[must_use]
    pub fn whole(units: i64) -> Self {
        Self { nanos: i128::from(units).saturating_mul(NANO), format: Format::Decimal }
    }

    /// Whether it is a whole number of units.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.nanos.checked_rem(NANO) == Some(0)
    }

    /// Whether it is nothing.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Billionths of a unit.
    #[must_use]
    pub fn nanos(self) -> i128 {
        self.nanos
    }

    /// Both together, at most what a quantity can be. Written as the first, or as the second if the first is nothing.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let format = if self.is_zero() { other.format } else { self.format };
        Self { nanos: self.nanos.saturating_add(other.nanos).clamp(MOST.saturating_neg(), MOST), format }
    }

    /// So many times as much, at most what a quantity can be.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        let nanos = self.nanos.saturating_mul(count.into()).clamp(MOST.saturating_neg(), MOST);
        Self { nanos, format: self.format }
    }
}

impl TryFrom<&Quantity> for Amount {
    type Error = QuantityError;

    fn try_from(quantity: &Quantity) -> Result<Self, QuantityError> {
        Self::parse(&quantity.0)
    }
}

impl From<Amount> for Quantity {
    fn from(amount: Amount) -> Self {
        Self(amount.to_string())
    }
}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.nanos.partial_cmp(&other.nanos)
    }
}

/// The canonical form: the greatest suffix that needs no fraction.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nanos == 0 {
            return f.write_str("0");
        }
        let small = self.nanos.unsigned_abs() < 1024_u128.saturating_mul(NANO.unsigned_abs());
        if self.format == Format::Binary && self.is_whole() && !small {
            let (count, power) = reduced(self.nanos / NANO, 1024, 6);
            let suffix = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].get(power).copied().unwrap_or_default();
            return write!(f, "{count}{suffix}");
        }
        // From billionths to 10^18.
        let (count, power) = reduced(self.nanos, 1000, 9);
        if self.format == Format::Exponent {
            let exponent = i64::try_from(power).unwrap_or_default().saturating_mul(3).saturating_sub(9);
            return if exponent == 0 { write!(f, "{count}") } else { write!(f, "{count}e{exponent}") };
        }
        let suffix = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].get(power).copied().unwrap_or_default();
        write!(f, "{count}{suffix}")
    }
}

/// Divides as long as nothing is left over, at most `most` times.
fn reduced(mut count: i128, base: i128, most: usize) -> (i128, usize) {
    let mut power = 0_usize;
    while power < most && count.checked_rem(base) == Some(0) {
        count = count.checked_div(base).unwrap_or_default();
        power = power.saturating_add(1);
    }
    (count, power)
}

/// Letters, then a sign, then digits.
fn is_suffix(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| "eEinumkKMGTP".contains(c));
    let digits = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    digits.chars().all(|c| c.is_ascii_digit())
}

/// Base, power and format.
fn meaning(suffix: &str) -> Option<(u32, i32, Format)> {
    let table = [
        ("n", 10, -9),
        ("u", 10, -6),
        ("m", 10, -3),
        ("", 10, 0),
        ("k", 10, 3),
        ("M", 10, 6),
        ("G", 10, 9),
        ("T", 10, 12),
        ("P", 10, 15),
        ("E", 10, 18),
        ("Ki", 1024, 1),
        ("Mi", 1024, 2),
        ("Gi", 1024, 3),
        ("Ti", 1024, 4),
        ("Pi", 1024, 5),
        ("Ei", 1024, 6),
    ];
    if let Some((_, base, power)) = table.iter().find(|(word, ..)| *word == suffix) {
        return Some((*base, *power, if *base == 1024 { Format::Binary } else { Format::Decimal }));
    }
    let power = suffix.strip_prefix(['e', 'E'])?.parse::<i32>().ok()?;
    Some((10, power, Format::Exponent))
}

/// `whole.fraction * 10^power` in billionths, rounded up.
fn decimal(whole: &str, fraction: &str, power: i32) -> i128 {
    let all = [whole, fraction].concat();
    let digits = all.trim_start_matches('0');
    if digits.is_empty() {
        return 0;
    }
    // How many digits stand before the point when it is counted in billionths.
    let leading = i64::try_from(all.len().saturating_sub(digits.len())).unwrap_or(i64::MAX);
    let before = i64::try_from(whole.len()).unwrap_or(i64::MAX).saturating_sub(leading);
    let before = before.saturating_add(i64::from(power)).saturating_add(9);
    if before > 28 {
        return MOST;
    }
    let Ok(before) = usize::try_from(before) else { return 1 };
    let kept = digits.get(..before.min(digits.len())).unwrap_or_default();
    let dropped = digits.get(kept.len()..).unwrap_or_default().contains(|c| c != '0');
    let zeros = u32::try_from(before.saturating_sub(kept.len())).unwrap_or_default();
    let count = kept.parse::<i128>().unwrap_or_default().saturating_mul(10_i128.saturating_pow(zeros));
    count.saturating_add(i128::from(dropped)).min(MOST)
}

/// `whole.fraction * 1024^power` in billionths, rounded up.
fn binary(whole: &str, fraction: &str, power: i32) -> i128 {
    let scale = 1024_i128.saturating_pow(u32::try_from(power).unwrap_or_default());
    let whole = whole.trim_start_matches('0');
    if whole.len() > 19 {
        return MOST;
    }
    let whole = whole.parse::<i128>().unwrap_or_default().saturating_mul(scale).saturating_mul(NANO);
    let kept = fraction.get(..fraction.len().min(18)).unwrap_or_default();
    let dropped = fraction.get(kept.len()..).unwrap_or_default().contains(|c| c != '0');
    let part = format!("{kept:0<18}").parse::<i128>().unwrap_or_default().saturating_add(i128::from(dropped));
    let part = part.saturating_mul(scale);
    let rest = i128::from(part.checked_rem(NANO) != Some(0));
    whole.saturating_add(part.checked_div(NANO).unwrap_or_default()).saturating_add(rest).min(MOST)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing("0", 0)]
    #[case::a_plain_number("2", 2 * NANO)]
    #[case::thousandths("50m", NANO / 20)]
    #[case::a_fraction("0.5", NANO / 2)]
    #[case::a_fraction_alone(".5", NANO / 2)]
    #[case::a_point_at_the_end("1.", NANO)]
    #[case::binary("1.5Ki", 1536 * NANO)]
    #[case::an_exponent("2e3", 2000 * NANO)]
    #[case::exa_is_no_exponent("1E", 1_000_000_000_000_000_000 * NANO)]
    #[case::less_than_a_billionth_is_one("1e-12", 1)]
    #[case::rounded_up("1.0000000001", NANO + 1)]
    #[case::a_bit_of_a_kibi("0.0000000001Ki", 103)]
    #[case::too_much("1e30", MOST)]
    #[case::too_much_in_binary("9999999Ei", MOST)]
    #[case::negative("-1k", -1000 * NANO)]
    fn a_text_is_an_amount(#[case] text: &str, #[case] nanos: i128) {
        assert_eq!(Amount::parse(text).unwrap().nanos(), nanos);
    }

    /// (VJ-083)
    #[rstest]
    #[case::nothing("", QuantityError::Format)]
    #[case::a_word("much", QuantityError::Format)]
    #[case::a_blank("1 Gi", QuantityError::Format)]
    #[case::something_behind("1Gi!", QuantityError::Format)]
    #[case::two_points("1.2.3", QuantityError::Number)]
    #[case::a_point(".", QuantityError::Number)]
    #[case::an_unknown_suffix("1Mib", QuantityError::Format)]
    #[case::a_suffix_of_wrong_letters("1mM", QuantityError::Suffix)]
    #[case::an_exponent_without_a_number("1e", QuantityError::Suffix)]
    fn a_refusal_says_what_is_wrong(#[case] text: &str, #[case] error: QuantityError) {
        assert_eq!(Amount::parse(text), Err(error));
    }

    #[rstest]
    #[case("0.05", "50m")]
    #[case("1000m", "1")]
    #[case("1500m", "1500m")]
    #[case("2048Ki", "2Mi")]
    #[case("1536Mi", "1536Mi")]
    #[case("512Ki", "512Ki")]
    #[case("1023", "1023")]
    #[case("0.5Ki", "512")]
    #[case("12e6", "12e6")]
    #[case("1e0", "1")]
    #[case("-2k", "-2k")]
    #[case("0.1Ki", "102400m")]
    fn the_canonical_form_needs_no_fraction(#[case] text: &str, #[case] canonical: &str) {
        assert_eq!(Amount::parse(text).unwrap().to_string(), canonical);
    }

    #[test]
    fn a_sum_is_written_as_its_first_part() {
        let sum = |a: &str, b: &str| Amount::parse(a).unwrap().plus(Amount::parse(b).unwrap()).to_string();
        assert_eq!(sum("1Gi", "1024Mi"), "2Gi");
        assert_eq!(sum("0", "1Gi"), "1Gi");
        assert_eq!(sum("50m", "100m"), "150m");
        assert_eq!(Amount::parse("50m").unwrap().times(3).to_string(), "150m");
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_the_same_amount(number in 0_u64..1_000_000_000_000, suffix in "(|m|n|k|M|Ki|Mi|Gi|e3|e-2)") {
            let amount = Amount::parse(&format!("{number}{suffix}")).unwrap();
            let again = Amount::parse(&amount.to_string()).unwrap();
            prop_assert_eq!(amount.nanos(), again.nanos());
            prop_assert_eq!(amount.to_string(), again.to_string());
        }

        #[test]
        fn no_text_is_too_strange(text in "[-+]?[0-9.]{0,50}[eEinumkKMGTP]{0,3}[-+]?[0-9]{0,12}.{0,3}") {
            let _ = Amount::parse(&text);
        }
    }
}
