//! Secrets in files: what must never leave the machine in a bundle.
//!
//! What is found is named by its kind and line, never shown.

use regex::bytes::{Regex, RegexSet};
use std::sync::LazyLock;

/// Something that looks like a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it looks like, with its article.
    pub what: &'static str,
    /// The line it begins in, from 1.
    pub line: usize,
}

impl std::fmt::Display for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} holds what looks like {}", self.line, self.what)
    }
}

/// Kinds of secrets and how they are written. JSON within JSON has its quotation marks escaped.
const KINDS: [(&str, &str); 10] = [
    ("a private key", r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY"),
    // The same in base64, as kubeconfigs have it; certificates begin otherwise.
    ("a private key in base64", r"LS0tLS1CRUdJTi(?:BSU0Eg|BFQyBQ|BQUklW|BFTkNS|BPUEVO|BEU0Eg)"),
    ("the key of a kubeconfig", r#"client-key-data\\*["']?\s*:\s*\\*["']?[A-Za-z0-9+/=]{8,}"#),
    ("a JSON Web Token, as service accounts have", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("a bearer token", r"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}"),
    (
        "a token",
        r#"(?i)(?:^|[\s{,"'\\_-])(?:token|id-token|access-token|refresh-token|access_token|api[_-]?key)\\*["']?[ \t]*[:=][ \t]*\\*["']?[A-Za-z0-9._~+/=-]{16,}"#,
    ),
    (
        "a password",
        r#"(?i)(?:^|[\s{,"'\\_-])(?:password|passwd|passphrase)\\*["']?[ \t]*[:=][ \t]*\\*["']?[^\s"'\\,;{}()<>*]{4,}"#,
    ),
    ("an address with a password", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:[^\s/@:]{3,100}@"),
    (
        "the data of a Secret",
        r#"\\*"kind\\*"\s*:\s*\\*"Secret\\*"[^\n]{0,4000}\\*"(?:data|stringData)\\*"\s*:\s*\{\s*\\*""#,
    ),
    ("the key of a cloud or a forge", r"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|glpat-[A-Za-z0-9_-]{20})\b"),
];

/// Bytes, not letters: what is looked for is ASCII, and classes of Unicode letters cost many times as much.
fn pattern(written: &str) -> String {
    format!("(?m-u){written}")
}

/// All kinds at once: most files have none, and are gone through once.
static ANY: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(KINDS.map(|(_, written)| pattern(written))).expect("a unit test compiles every pattern")
});

/// One by one, to find the place.
static EACH: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compiled = KINDS.map(|(_, written)| Regex::new(&pattern(written)).expect("a unit test compiles every pattern"));
    compiled.into()
});

/// The first secret of the first kind that there is one of.
#[must_use]
pub fn find(content: &[u8]) -> Option<Secret> {
    let kind = ANY.matches(content).iter().next()?;
    let (Some((what, _)), Some(found)) = (KINDS.get(kind), EACH.get(kind)?.find(content)) else { return None };
    let before = content.get(..found.start()).unwrap_or_default();
    // A pattern may begin at the line break before it.
    let before_it = before.iter().chain(found.as_bytes().iter().take_while(|byte| byte.is_ascii_whitespace()));
    let line = 1 + before_it.filter(|byte| **byte == b'\n').count();
    Some(Secret { what, line })
}

/// Why a file is left out whatever is in it: its name says that it is a secret.
#[must_use]
pub fn by_name(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match (name.as_str(), extension) {
        (_, "key" | "p12" | "pfx" | "jks") => Some("its name is that of a key"),
        (_, "kubeconfig") | ("kubeconfig" | "admin.conf", _) => Some("its name is that of a kubeconfig"),
        ("token" | "token.txt" | "known_tokens.csv" | "id_rsa" | "id_ed25519" | "id_ecdsa", _) => {
            Some("its name is that of a token or a key")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// Put together here, so that nobody finds it in the source.
    fn jwt() -> String {
        ["eyJhbGciOiJSUzI1NiIsImtpZCI6", "eyJpc3MiOiJrdWJlcm5ldGVz", "c2lnbmF0dXJlLXNpZ25hdHVyZQ"].join(".")
    }

    #[rstest]
    #[case::a_pem_block("x\n-----BEGIN RSA PRIVATE KEY-----\nMII", "a private key")]
    #[case::a_plain_pem_block("x\n-----BEGIN PRIVATE KEY-----\nMII", "a private key")]
    #[case::a_key_of_a_kubeconfig(
        "users:\n  client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo=",
        "a private key in base64"
    )]
    #[case::another_key_of_a_kubeconfig(
        "users:\n  \"client-key-data\": \"MIIEpAIBAAKCAQ==\"",
        "the key of a kubeconfig"
    )]
    #[case::a_token_of_a_kubeconfig("users:\n    token: abcdef.0123456789abcdef", "a token")]
    #[case::a_token_in_json("\n{\"token\":\"abcdef0123456789abcdef\"}", "a token")]
    #[case::a_token_in_json_in_json("\n{\"a\":\"{\\\"token\\\":\\\"abcdef0123456789abcdef\\\"}\"}", "a token")]
    #[case::a_flag("\nkube-apiserver --token=abcdef0123456789abcdef", "a token")]
    #[case::a_header("\n> Authorization: Bearer abcdef0123456789abcdef", "a bearer token")]
    #[case::a_password("\n  password: hunter22", "a password")]
    #[case::a_variable("\nPGPASSWORD=\"x\"\nDB_PASSWORD=hunter22", "a password")]
    #[case::an_address("\nhttps://me:hunter22@example.com/", "an address with a password")]
    #[case::a_secret_object(
        "\n{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"data\":{\"a\":\"Yg==\"}}",
        "the data of a Secret"
    )]
    fn a_secret_is_told_by_kind_and_line(#[case] text: &str, #[case] what: &str) {
        let found = find(text.as_bytes()).unwrap();
        assert_eq!(found.what, what);
        assert!(found.line >= 2, "{found}");
    }

    #[test]
    fn a_token_of_a_service_account_is_found_within_a_line() {
        let found = find(format!("first\nsecond\nthe header was {} and more", jwt()).as_bytes()).unwrap();
        assert_eq!(found.to_string(), "line 3 holds what looks like a JSON Web Token, as service accounts have");
    }

    #[rstest]
    #[case::a_projected_token(r#"{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}"#)]
    #[case::a_certificate("-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----")]
    #[case::a_certificate_in_base64("certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t")]
    #[case::a_flag_with_a_file("--service-account-signing-key-file=/x/sa.key --token-auth-file=/x/y.csv")]
    #[case::a_redacted_token("token: <redacted>\npassword: ***")]
    #[case::a_word("the bearer of this; a token a day; no password")]
    #[case::a_reference(r#"{"involvedObject":{"kind":"Secret","name":"x"}}"#)]
    #[case::an_image("docker://registry.example:5000/a@sha256:00ff")]
    #[case::an_address_with_a_port("http://[::1]:2379 https://127.0.0.1:6443/x@y")]
    fn what_only_looks_so_at_a_glance_is_none(#[case] text: &str) {
        assert_eq!(find(text.as_bytes()), None);
    }

    #[rstest]
    #[case("cells/a/cluster/sa.key", true)]
    #[case("KUBECONFIG", true)]
    #[case("cells/a/admin.kubeconfig", true)]
    #[case("cells/a/token", true)]
    #[case("cells/a/cluster/audit.log", false)]
    #[case("run.json", false)]
    fn some_names_are_enough(#[case] path: &str, #[case] left_out: bool) {
        assert_eq!(by_name(path).is_some(), left_out);
    }
}
