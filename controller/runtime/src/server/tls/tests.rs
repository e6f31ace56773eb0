//! What is made of changed files, look by look.

use std::io;
use std::sync::Mutex;

use rstest::rstest;
use tracing_subscriber::fmt::MakeWriter;

use super::*;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

struct Site {
    folder: tempfile::TempDir,
    tls: Tls,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
        let (first, first_key) = pair();
        fs::write(&certificate, first).unwrap();
        fs::write(&key, first_key).unwrap();
        let tls = Tls::open(Pair::Files { certificate, key }, None).unwrap();
        Self { folder, tls }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Whether this look led to another certificate.
    fn look(&mut self) -> bool {
        let before = Arc::clone(self.tls.acceptor.config());
        self.tls.look_again();
        !Arc::ptr_eq(&before, self.tls.acceptor.config())
    }
}

fn pair() -> (String, String) {
    let pair = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    (pair.cert.pem(), pair.signing_key.serialize_pem())
}

#[rstest]
#[case::a_key_that_is_not_the_certificates(|site: &Site| site.write("tls.key", &pair().1))]
#[case::a_certificate_that_is_none(|site: &Site| site.write("tls.crt", "not a certificate"))]
#[case::a_key_that_is_none(|site: &Site| site.write("tls.key", "not a key"))]
#[case::a_file_that_is_gone(|site: &Site| fs::remove_file(site.folder.path().join("tls.crt")).unwrap())]
fn a_bad_pair_is_told_once_and_the_good_one_before_it_goes_on(#[case] spoil: fn(&Site)) {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).with_ansi(false).finish();
    tracing::subscriber::with_default(subscriber, || {
        let mut site = Site::new();
        assert!(!site.look());
        spoil(&site);
        assert!(!site.look());
        assert!(!site.look());
        assert_eq!(log.text().matches("cannot be used").count(), 1, "{}", log.text());
        assert!(!log.text().contains("PRIVATE"), "{}", log.text());
        let (certificate, key) = pair();
        site.write("tls.crt", &certificate);
        site.write("tls.key", &key);
        assert!(site.look());
        assert!(!site.look());
    });
}

#[test]
fn a_bad_pair_at_the_start_is_an_error_that_names_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
    let open = || Tls::open(Pair::Files { certificate: certificate.clone(), key: key.clone() }, None).err().unwrap();
    assert!(open().to_string().contains("tls.crt"), "{}", open());
    let (first, first_key) = pair();
    fs::write(&certificate, first).unwrap();
    assert!(open().to_string().contains("tls.key"), "{}", open());
    fs::write(&key, pair().1).unwrap();
    assert!(matches!(open(), TlsError::Pair(_)));
    fs::write(&key, first_key).unwrap();
    Tls::open(Pair::Files { certificate, key }, None).unwrap();
}
