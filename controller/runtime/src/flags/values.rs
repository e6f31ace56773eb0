//! Values of flags that clap does not know.

use std::time::Duration;

/// A number of requests per second.
///
/// # Errors
/// When it is none above 0.
pub fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err("must be a number above 0".to_owned()),
    }
}

/// `15s`, `1m`, `500ms` or plain seconds.
///
/// # Errors
/// When it is no time above 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time; write 15s, 500ms or 1m");
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let scale = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * scale).ok().filter(|time| !time.is_zero()).ok_or_else(wrong)
}

/// A DNS label: the name becomes a part of a path.
///
/// # Errors
/// When no namespace could have it.
pub fn namespace(text: &str) -> Result<String, String> {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_name = !text.is_empty()
        && text.len() <= 63
        && text.chars().all(inner)
        && !text.starts_with('-')
        && !text.ends_with('-');
    if is_name { Ok(text.to_owned()) } else { Err("must be the name of a namespace".to_owned()) }
}
