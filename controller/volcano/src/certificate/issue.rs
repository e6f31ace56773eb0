//! Whether a certificate will do, and a new one.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PublicKeyData as _,
};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::pem::Pem;
use x509_parser::prelude::FromDer as _;

/// How long a certificate lasts.
const LASTS: SignedDuration = SignedDuration::from_hours(365 * 24);
/// A certificate that ends sooner than this is replaced.
const RENEWED_BEFORE: SignedDuration = SignedDuration::from_hours(90 * 24);
/// Clocks differ: it holds from a little before now on.
const BACKDATED: SignedDuration = SignedDuration::from_mins(5);

/// A certificate, its key, and who vouches for it: PEM each. Empty where something is missing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Issued {
    /// The certificate of the webhook.
    pub certificate: Vec<u8>,
    /// Its key.
    pub key: Vec<u8>,
    /// The authority that signed it, followed by the one before.
    pub authorities: Vec<u8>,
}

impl Issued {
    /// What a secret of the type `kubernetes.io/tls` holds.
    #[must_use]
    pub fn read(secret: &Secret) -> Self {
        let of =
            |name: &str| secret.data.as_ref().and_then(|data| data.get(name)).map_or_else(Vec::new, |it| it.0.clone());
        Self { certificate: of("tls.crt"), key: of("tls.key"), authorities: of("ca.crt") }
    }
}

/// Whether a certificate can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It can.
    Good {
        /// Its last moment.
        until: Timestamp,
    },
    /// A new one is wanted, for this reason.
    Wanting(&'static str),
}

/// The names by which a service is known in its cluster.
#[must_use]
pub fn names(service: &str, namespace: &str) -> Vec<String> {
    let short = format!("{service}.{namespace}");
    vec![format!("{short}.svc"), format!("{short}.svc.cluster.local"), short]
}

/// Whether what is stored will do for these names.
#[must_use]
pub fn standing(stored: Option<&Issued>, names: &[String], now: Timestamp) -> Standing {
    let Some(stored) = stored else { return Standing::Wanting("there is none") };
    let (Some(pem), Some(authority)) = (first(&stored.certificate), first(&stored.authorities)) else {
        return Standing::Wanting("the secret holds none that can be read");
    };
    let (Ok((_, certificate)), Ok((_, authority))) =
        (X509Certificate::from_der(&pem.contents), X509Certificate::from_der(&authority.contents))
    else {
        return Standing::Wanting("the secret holds none that can be read");
    };
    let Some(key) = std::str::from_utf8(&stored.key).ok().and_then(|text| KeyPair::from_pem(text).ok()) else {
        return Standing::Wanting("its key cannot be read");
    };
    if key.subject_public_key_info() != certificate.public_key().raw {
        return Standing::Wanting("its key is another's");
    }
    if certificate.verify_signature(Some(authority.public_key())).is_err() {
        return Standing::Wanting("the authority beside it did not sign it");
    }
    if !names.iter().all(|name| has_name(&certificate, name)) {
        return Standing::Wanting("it is for other names");
    }
    match Timestamp::from_second(certificate.validity().not_after.timestamp()) {
        Ok(until) if until.duration_since(now) > RENEWED_BEFORE => Standing::Good { until },
        _ => Standing::Wanting("it ends soon"),
    }
}

/// A new authority, and a certificate that it signed; the authority's key is given up. The authority of `before`, if there was one,
/// stays in the bundle.
///
/// # Errors
/// When a name is no name of a host.
pub fn issue(names: &[String], now: Timestamp, before: Option<&Issued>) -> Result<Issued, rcgen::Error> {
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.distinguished_name.push(DnType::CommonName, format!("jobsworth-volcano {}", now.as_second()));
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let mut certificate = CertificateParams::new(names)?;
    certificate.distinguished_name.push(DnType::CommonName, names.first().map_or("", String::as_str));
    certificate.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    certificate.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    #[expect(clippy::arithmetic_side_effects, reason = "a year around now is far from the ends of time")]
    let date = |later: SignedDuration| {
        let seconds = u64::try_from((now + later).as_second()).unwrap_or(0);
        rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds)
    };
    for params in [&mut authority, &mut certificate] {
        params.not_before = date(-BACKDATED);
        params.not_after = date(LASTS);
    }
    let authority_key = KeyPair::generate()?;
    let signed_by_itself = authority.self_signed(&authority_key)?;
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate()?;
    let signed = certificate.signed_by(&key, &issuer)?;
    let mut authorities = signed_by_itself.pem();
    if let Some(before) = before.and_then(|before| text_of_first(&before.authorities)) {
        authorities.push_str(&before);
    }
    Ok(Issued {
        certificate: signed.pem().into_bytes(),
        key: key.serialize_pem().into_bytes(),
        authorities: authorities.into_bytes(),
    })
}

/// The first certificate of a bundle.
fn first(bundle: &[u8]) -> Option<Pem> {
    Pem::iter_from_buffer(bundle).next()?.ok()
}

/// The same as text, by itself.
fn text_of_first(bundle: &[u8]) -> Option<String> {
    const END: &str = "-----END CERTIFICATE-----\n";
    first(bundle)?;
    let text = std::str::from_utf8(bundle).ok()?;
    let (before, _) = text.split_once(END)?;
    Some(format!("{before}{END}"))
}

fn has_name(certificate: &X509Certificate<'_>, name: &str) -> bool {
    let Ok(Some(names)) = certificate.subject_alternative_name() else { return false };
    names.value.general_names.iter().any(|it| matches!(it, GeneralName::DNSName(found) if *found == name))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const DAY: SignedDuration = SignedDuration::from_hours(24);

    fn now() -> Timestamp {
        "2026-01-01T00:00:00Z".parse().unwrap()
    }

    fn ours() -> Vec<String> {
        names("hook", "ns")
    }

    fn made(before: Option<&Issued>) -> Issued {
        issue(&ours(), now(), before).unwrap()
    }

    fn wanting(stored: &Issued, names: &[String], days: i32) -> &'static str {
        match standing(Some(stored), names, now() + DAY * days) {
            Standing::Wanting(why) => why,
            Standing::Good { until } => panic!("good until {until}"),
        }
    }

    #[rstest]
    #[case::at_once(0)]
    #[case::after_nine_months(274)]
    fn a_new_one_is_good(#[case] days: i32) {
        let standing = standing(Some(&made(None)), &ours(), now() + DAY * days);
        assert_eq!(standing, Standing::Good { until: "2027-01-01T00:00:00Z".parse().unwrap() });
    }

    #[test]
    fn there_is_none() {
        assert_eq!(standing(None, &ours(), now()), Standing::Wanting("there is none"));
        assert_eq!(wanting(&Issued::default(), &ours(), 0), "the secret holds none that can be read");
    }

    #[test]
    fn three_months_before_its_end_a_new_one_is_wanted() {
        assert_eq!(wanting(&made(None), &ours(), 276), "it ends soon");
        assert_eq!(wanting(&made(None), &ours(), 400), "it ends soon");
    }

    #[test]
    fn a_service_of_another_name_wants_another() {
        assert_eq!(wanting(&made(None), &names("other", "ns"), 0), "it is for other names");
    }

    #[test]
    fn parts_that_do_not_belong_together_are_told_apart() {
        let (one, other) = (made(None), made(None));
        let foreign_key = Issued { key: other.key.clone(), ..one.clone() };
        assert_eq!(wanting(&foreign_key, &ours(), 0), "its key is another's");
        let foreign_authority = Issued { authorities: other.authorities.clone(), ..one.clone() };
        assert_eq!(wanting(&foreign_authority, &ours(), 0), "the authority beside it did not sign it");
        let no_key = Issued { key: b"no key".to_vec(), ..one };
        assert_eq!(wanting(&no_key, &ours(), 0), "its key cannot be read");
    }

    #[test]
    fn the_authority_before_stays_in_the_bundle_and_the_one_before_that_goes() {
        let first = made(None);
        let second = made(Some(&first));
        let third = made(Some(&second));
        let text = |issued: &Issued| String::from_utf8(issued.authorities.clone()).unwrap();
        assert_eq!(text(&second).matches("BEGIN CERTIFICATE").count(), 2);
        assert!(text(&second).ends_with(&text(&first)));
        assert_eq!(text(&third).matches("BEGIN CERTIFICATE").count(), 2);
        assert!(!text(&third).contains(&text(&first)));
        assert!(matches!(standing(Some(&third), &ours(), now()), Standing::Good { .. }));
    }
}
