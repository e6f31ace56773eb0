//! Pairs of keys for `plugin::ssh` (VJ-285).

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa::{KeyPair as Rsa, KeySize};
use aws_lc_rs::signature::KeyPair as _;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jobsworth_volcano_core::plugin::ssh::KeyPair;

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const OCTET_STRING: u8 = 0x04;
const PEM_COLUMNS: usize = 64;

/// There is no pair of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no pair of keys could be made")]
pub struct NoKeys;

/// Makes a pair: 2048-bit RSA in PKCS#1 PEM, and a line for `authorized_keys`. It takes a second or so of computing.
///
/// # Errors
/// When there is no randomness to be had.
pub fn generate() -> Result<KeyPair, NoKeys> {
    let pair = Rsa::generate(KeySize::Rsa2048).map_err(|_| NoKeys)?;
    let wrapped: Pkcs8V1Der<'_> = pair.as_der().map_err(|_| NoKeys)?;
    let private = pkcs1(wrapped.as_ref()).ok_or(NoKeys)?;
    let public = line(pair.public_key().as_ref()).ok_or(NoKeys)?;
    Ok(KeyPair { private: pem(private), public })
}

/// The value with this tag at the start, and what comes after it.
fn value(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (head, rest) = der.split_first_chunk::<2>()?;
    let [found, length] = *head;
    // From 128 on the length has bytes of its own, and their number stands here.
    let (length, rest) = match length.checked_sub(128) {
        None => (usize::from(length), rest),
        Some(bytes) => {
            let (bytes, rest) = rest.split_at_checked(usize::from(bytes))?;
            let add = |sum: usize, byte: &u8| sum.checked_mul(256)?.checked_add(usize::from(*byte));
            (bytes.iter().try_fold(0_usize, add)?, rest)
        }
    };
    if found == tag { rest.split_at_checked(length) } else { None }
}

/// PKCS#8 is version, algorithm, and the key as PKCS#1 has it.
fn pkcs1(pkcs8: &[u8]) -> Option<&[u8]> {
    let (fields, _) = value(pkcs8, SEQUENCE)?;
    let (_version, fields) = value(fields, INTEGER)?;
    let (_algorithm, fields) = value(fields, SEQUENCE)?;
    Some(value(fields, OCTET_STRING)?.0)
}

fn pem(der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines = text.as_bytes().chunks(PEM_COLUMNS).map(String::from_utf8_lossy);
    let body: String = lines.flat_map(|line| [line.into_owned(), "\n".to_owned()]).collect();
    // In halves: whoever looks for keys in this repository is not to find one here.
    let edge = |word: &str| format!("-----{word} RSA PRIVATE {}-----\n", "KEY");
    format!("{}{body}{}", edge("BEGIN"), edge("END"))
}

/// RFC 4253, section 6.6: the algorithm, the exponent, the modulus. DER and SSH write integers in the same way.
fn line(public: &[u8]) -> Option<String> {
    const ALGORITHM: &str = "ssh-rsa";
    let (fields, _) = value(public, SEQUENCE)?;
    let (modulus, fields) = value(fields, INTEGER)?;
    let (exponent, _) = value(fields, INTEGER)?;
    let mut blob = Vec::new();
    for part in [ALGORITHM.as_bytes(), exponent, modulus] {
        blob.extend(u32::try_from(part.len()).ok()?.to_be_bytes());
        blob.extend(part);
    }
    Some(format!("{ALGORITHM} {}\n", STANDARD.encode(blob)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (VJ-285)
    #[test]
    fn a_pair_is_one_key_in_two_forms() {
        let pair = generate().unwrap();
        let body: String = pair.private.lines().filter(|line| !line.starts_with('-')).collect();
        let der = STANDARD.decode(body).unwrap();
        let (fields, rest) = value(&der, SEQUENCE).unwrap();
        let (_version, fields) = value(fields, INTEGER).unwrap();
        let (modulus, _) = value(fields, INTEGER).unwrap();
        assert_eq!((modulus.len(), rest.len()), (2048 / 8 + 1, 0));
        let words: Vec<_> = pair.public.split_whitespace().collect();
        assert_eq!(words[0], "ssh-rsa");
        let blob = STANDARD.decode(words[1]).unwrap();
        assert!(blob.ends_with(modulus), "the public line is of another key");
        assert_eq!(&blob[..22], b"\0\0\0\x07ssh-rsa\0\0\0\x03\x01\0\x01\0\0\x01\x01"[..22].as_ref());
    }

    #[test]
    fn what_is_cut_off_is_no_value() {
        assert_eq!(value(&[SEQUENCE, 0x82, 1, 0, 5], SEQUENCE), None);
        assert_eq!(value(&[SEQUENCE], SEQUENCE), None);
        assert_eq!(value(&[INTEGER, 1, 5, 9], INTEGER), Some((&[5_u8][..], &[9_u8][..])));
    }
}
