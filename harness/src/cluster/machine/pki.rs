//! A cluster's own certificate authority and everything it signs: made fresh, valid for a day at most.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, DnValue, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, date_time_ymd,
};

use crate::cluster::contract::ClusterError;
use crate::cluster::contract::layout::{Layout, write_private};

/// How long certificates are valid. A cluster that is older must be made anew.
pub const VALIDITY: Duration = Duration::from_secs(24 * 60 * 60 - 600);
/// Certificates begin a little in the past: clocks of containers on one machine differ by seconds.
const BACKDATED: Duration = Duration::from_secs(300);

/// Who a certificate is for.
struct Identity {
    /// The file's name.
    file: &'static str,
    /// The user's name, or the server's.
    name: &'static str,
    /// The user's group.
    group: Option<&'static str>,
    usage: Usage,
}

#[derive(Clone, Copy)]
enum Usage {
    Client,
    Server,
    /// etcd members are server and client of each other.
    Peer,
}

/// The group of all service accounts of kube-system.
const KUBE_SYSTEM_ACCOUNTS: &str = "system:serviceaccounts:kube-system";

/// Only the administrator is in `system:masters`; all others have what the default roles give them.
const IDENTITIES: &[Identity] = &[
    Identity {
        file: "administrator",
        name: "jobsworth:administrator",
        group: Some("system:masters"),
        usage: Usage::Client,
    },
    Identity { file: "base", name: "system:kube-controller-manager", group: None, usage: Usage::Client },
    Identity { file: "subject", name: "system:kube-controller-manager", group: None, usage: Usage::Client },
    // The built-in controllers' service accounts: a program in their place has the rights that they have, and no others. The
    // group puts it into the same priority level of the API server, too (flow schema kube-system-service-accounts).
    Identity {
        file: "job-controller",
        name: "system:serviceaccount:kube-system:job-controller",
        group: Some(KUBE_SYSTEM_ACCOUNTS),
        usage: Usage::Client,
    },
    Identity {
        file: "ttl-controller",
        name: "system:serviceaccount:kube-system:ttl-after-finished-controller",
        group: Some(KUBE_SYSTEM_ACCOUNTS),
        usage: Usage::Client,
    },
    Identity { file: "scheduler", name: "system:kube-scheduler", group: None, usage: Usage::Client },
    Identity { file: "kwok", name: "jobsworth:kwok", group: None, usage: Usage::Client },
    Identity { file: "etcd-client", name: "jobsworth:etcd-client", group: None, usage: Usage::Client },
    Identity { file: "etcd-server", name: "etcd", group: None, usage: Usage::Peer },
    Identity { file: "api-server", name: "kube-apiserver", group: None, usage: Usage::Server },
    Identity { file: "base-server", name: "kube-controller-manager", group: None, usage: Usage::Server },
    Identity { file: "subject-server", name: "job-controller", group: None, usage: Usage::Server },
    Identity { file: "scheduler-server", name: "kube-scheduler", group: None, usage: Usage::Server },
    Identity { file: "kwok-server", name: "kwok", group: None, usage: Usage::Server },
    Identity { file: "proxy-server", name: "kube-apiserver", group: None, usage: Usage::Server },
];

/// Names that a server's certificate is good for.
const SERVER_NAMES: [&str; 5] = ["127.0.0.1", "localhost", "kubernetes", "kubernetes.default.svc", "10.0.0.1"];

/// Makes the authority, all certificates and the service-account key pair, and writes them.
/// The authority's key is never written.
///
/// # Errors
/// When a file is there already or cannot be written.
pub fn create(layout: &Layout) -> Result<(), ClusterError> {
    let failed = |subject: &str| {
        let subject = subject.to_owned();
        move |source| ClusterError::Certificate { subject, source }
    };
    let key = new_key("the authority")?;
    let mut authority = CertificateParams::new(Vec::new()).map_err(failed("the authority"))?;
    limit(&mut authority);
    authority.distinguished_name.push(DnType::CommonName, "jobsworth cluster authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let certificate = authority.self_signed(&key).map_err(failed("the authority"))?;
    write_private(&layout.authority_certificate(), certificate.pem().as_bytes())?;

    let issuer = Issuer::new(authority, key);
    IDENTITIES.iter().try_for_each(|identity| sign(layout, identity, &issuer))?;
    let key = new_key("service accounts")?;
    write_private(&layout.key("service-accounts"), key.serialize_pem().as_bytes())?;
    write_private(&layout.pki().join("service-accounts.pub"), key.public_key_pem().as_bytes())
}

/// Makes certificates for a cluster that has an authority already, and writes them as [`create`] does.
/// The authority's key is used here and kept nowhere.
///
/// # Errors
/// When the key cannot be read, a file is there already, or cannot be written.
pub fn adopt(layout: &Layout, certificate: &str, key: &str) -> Result<(), ClusterError> {
    let failed = |subject: &str| {
        let subject = subject.to_owned();
        move |source| ClusterError::Certificate { subject, source }
    };
    write_private(&layout.authority_certificate(), certificate.as_bytes())?;
    let key = KeyPair::from_pem(key).map_err(failed("the cluster's own authority"))?;
    let mut authority = CertificateParams::new(Vec::new()).map_err(failed("the authority"))?;
    authority.distinguished_name = rcgen::DistinguishedName::new();
    // Servers written in Go compare names byte by byte, and Go writes this one as a printable string.
    let name = KUBEADM_AUTHORITY.try_into().map_err(failed("the authority"))?;
    authority.distinguished_name.push(DnType::CommonName, DnValue::PrintableString(name));
    let issuer = Issuer::new(authority, key);
    IDENTITIES.iter().try_for_each(|identity| sign(layout, identity, &issuer))
}

/// The name under which kubeadm signs.
const KUBEADM_AUTHORITY: &str = "kubernetes";

fn sign(layout: &Layout, identity: &Identity, issuer: &Issuer<'_, KeyPair>) -> Result<(), ClusterError> {
    let key = new_key(identity.name)?;
    let certificate = parameters(identity)
        .and_then(|parameters| parameters.signed_by(&key, issuer))
        .map_err(|source| ClusterError::Certificate { subject: identity.name.to_owned(), source })?;
    write_private(&layout.certificate(identity.file), certificate.pem().as_bytes())?;
    write_private(&layout.key(identity.file), key.serialize_pem().as_bytes())
}

fn new_key(subject: &str) -> Result<KeyPair, ClusterError> {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)
        .map_err(|source| ClusterError::Certificate { subject: subject.to_owned(), source })
}

fn parameters(identity: &Identity) -> Result<CertificateParams, rcgen::Error> {
    let names: Vec<String> = match identity.usage {
        Usage::Client => Vec::new(),
        Usage::Server | Usage::Peer => SERVER_NAMES.map(str::to_owned).to_vec(),
    };
    let mut parameters = CertificateParams::new(names)?;
    limit(&mut parameters);
    parameters.distinguished_name.push(DnType::CommonName, identity.name);
    if let Some(group) = identity.group {
        parameters.distinguished_name.push(DnType::OrganizationName, group);
    }
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    parameters.extended_key_usages = match identity.usage {
        Usage::Client => vec![ExtendedKeyUsagePurpose::ClientAuth],
        Usage::Server => vec![ExtendedKeyUsagePurpose::ServerAuth],
        Usage::Peer => vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth],
    };
    parameters.use_authority_key_identifier_extension = true;
    Ok(parameters)
}

fn limit(parameters: &mut CertificateParams) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970");
    let epoch = date_time_ymd(1970, 1, 1);
    parameters.not_before = epoch + now.saturating_sub(BACKDATED);
    parameters.not_after = epoch + now.saturating_sub(BACKDATED) + VALIDITY;
    parameters.distinguished_name = rcgen::DistinguishedName::new();
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::cluster::layout::Ports;

    fn site(folder: &std::path::Path) -> Layout {
        let ports = Ports::fixed();
        let site = Layout::new(folder.join("cluster"), ports);
        site.create().unwrap();
        site
    }

    #[test]
    fn keys_are_their_owners_only_and_the_authority_keeps_none() {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path());
        create(&site).unwrap();
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(site.folder()), 0o700);
        for identity in IDENTITIES {
            assert_eq!(mode(&site.key(identity.file)), 0o600, "{}", identity.file);
        }
        assert!(!site.key("authority").exists());
    }

    #[test]
    fn nothing_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path());
        create(&site).unwrap();
        assert!(matches!(create(&site), Err(ClusterError::File { what: "write", .. })));
    }

    #[test]
    fn only_the_administrator_is_a_master() {
        let masters: Vec<_> = IDENTITIES.iter().filter(|identity| identity.group == Some("system:masters")).collect();
        assert_eq!(masters.len(), 1);
        assert_eq!(masters[0].file, "administrator");
        assert!(VALIDITY <= Duration::from_secs(24 * 60 * 60));
    }
}
