//! As much of Kubernetes' protobuf encoding as tells what an object is called and which version it is.
//!
//! Numbers of fields are those of `generated.proto` in k8s.io/apimachinery, which never change.

/// What objects in this encoding begin with; a `runtime.Unknown` follows.
const MAGIC: &[u8] = b"k8s\0";

/// The fields of a message, in order, one level deep.
struct Fields<'m>(&'m [u8]);

/// What a field holds.
enum Field<'m> {
    Number(u64),
    Bytes(&'m [u8]),
}

impl<'m> Iterator for Fields<'m> {
    type Item = (u64, Field<'m>);

    /// Ends at the first thing that is no field.
    fn next(&mut self) -> Option<Self::Item> {
        let key = self.number()?;
        let field = match key & 7 {
            0 => Field::Number(self.number()?),
            1 => Field::Bytes(self.take(8)?),
            2 => {
                let length = usize::try_from(self.number()?).ok()?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Bytes(self.take(4)?),
            _ => return None,
        };
        Some((key >> 3, field))
    }
}

impl<'m> Fields<'m> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'m [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

/// The bytes of a field of a message, if it has one of that number.
fn bytes(message: &[u8], number: u64) -> Option<&[u8]> {
    Fields(message).find_map(|field| match field {
        (found, Field::Bytes(bytes)) if found == number => Some(bytes),
        _ => None,
    })
}

fn number(message: &[u8], number: u64) -> Option<u64> {
    Fields(message).find_map(|field| match field {
        (found, Field::Number(value)) if found == number => Some(value),
        _ => None,
    })
}

fn text(message: &[u8], number: u64) -> Option<String> {
    bytes(message, number)
        .and_then(|bytes| str::from_utf8(bytes).ok())
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// An object in protobuf: its kind, and the message.
pub(super) struct Object<'m> {
    kind: String,
    message: &'m [u8],
}

impl<'m> Object<'m> {
    /// Nothing where it is none.
    pub fn read(body: &'m [u8]) -> Option<Self> {
        let unknown = body.strip_prefix(MAGIC)?;
        let kind = bytes(unknown, 1).and_then(|kind| text(kind, 2)).unwrap_or_default();
        Some(Self { kind, message: bytes(unknown, 2).unwrap_or_default() })
    }

    /// A field of its metadata, or of the preconditions of a deletion.
    fn identity(&self, of_metadata: u64, of_preconditions: u64) -> Option<String> {
        match self.kind.as_str() {
            "DeleteOptions" => text(bytes(self.message, 2)?, of_preconditions),
            "Status" => None,
            _ => text(bytes(self.message, 1)?, of_metadata),
        }
    }

    /// Its UID, or the one that a deletion insists on.
    pub fn uid(&self) -> Option<String> {
        self.identity(5, 1)
    }

    /// Its resourceVersion, or the one that a deletion insists on.
    pub fn revision(&self) -> Option<u64> {
        self.identity(6, 2)?.parse().ok()
    }

    /// The holder of a Lease, and for how many seconds.
    pub fn tenure(&self) -> Option<(Option<String>, Option<u64>)> {
        let spec = (self.kind == "Lease").then(|| bytes(self.message, 2).unwrap_or_default())?;
        Some((text(spec, 1), number(spec, 2)))
    }

    /// What a Status says.
    pub fn message(&self) -> Option<String> {
        (self.kind == "Status").then(|| text(self.message, 3)).flatten()
    }
}

/// Namespace and name of the object that an event of a watch is about; nothing where the event is not understood.
pub(super) fn object_of_event(event: &[u8]) -> Option<(String, String)> {
    // `WatchEvent` is a type, and an object within a `RawExtension`.
    let object = Object::read(bytes(bytes(event, 2)?, 1)?)?;
    let metadata = bytes(object.message, 1)?;
    Some((text(metadata, 3).unwrap_or_default(), text(metadata, 1).unwrap_or_default()))
}

/// Messages for tests.
#[cfg(test)]
pub(super) mod sample {
    use super::MAGIC;

    pub(in super::super) fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let mut whole = vec![number << 3 | 2, u8::try_from(bytes.len()).unwrap()];
        whole.extend(bytes);
        whole
    }

    pub(in super::super) fn object(kind: &str, message: &[u8]) -> Vec<u8> {
        let names = [field(1, b"v1"), field(2, kind.as_bytes())].concat();
        [MAGIC.to_vec(), field(1, &names), field(2, message)].concat()
    }

    /// An event about a pod of this name.
    pub(in super::super) fn event(namespace: &str, name: &str) -> Vec<u8> {
        let metadata = [field(1, name.as_bytes()), field(3, namespace.as_bytes())].concat();
        let pod = object("Pod", &field(1, &metadata));
        [field(1, b"ADDED"), field(2, &field(1, &pod))].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        sample::{field, object},
        *,
    };
    use proptest::prelude::*;

    #[test]
    fn a_job_says_who_it_is_and_which_version() {
        // A number stands between texts, as `generation` does.
        let metadata = [field(1, b"job"), field(5, b"uid"), field(6, b"17"), vec![7 << 3, 0x96, 0x01]].concat();
        let job = object("Job", &field(1, &metadata));
        let job = Object::read(&job).unwrap();
        assert_eq!((job.uid().as_deref(), job.revision(), job.message()), (Some("uid"), Some(17), None));
    }

    #[test]
    fn a_deletion_says_what_it_insists_on() {
        let options = object("DeleteOptions", &field(2, &field(1, b"uid")));
        let options = Object::read(&options).unwrap();
        assert_eq!((options.uid().as_deref(), options.revision()), (Some("uid"), None));
    }

    #[test]
    fn a_lease_says_who_holds_it_and_for_how_long() {
        let spec = [field(1, b"me"), vec![2 << 3, 15]].concat();
        let lease = object("Lease", &[field(1, &field(1, b"lease")), field(2, &spec)].concat());
        assert_eq!(Object::read(&lease).unwrap().tenure(), Some((Some("me".to_owned()), Some(15))));
        assert_eq!(Object::read(&object("Pod", &field(2, &spec))).unwrap().tenure(), None);
    }

    #[test]
    fn a_refusal_says_why() {
        let status = object("Status", &[field(2, b"Failure"), field(3, b"no")].concat());
        assert_eq!(Object::read(&status).unwrap().message().as_deref(), Some("no"));
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_left(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let whole = [MAGIC.to_vec(), bytes].concat();
            let object = Object::read(&whole).unwrap();
            let _ = (object.uid(), object.revision(), object.message(), object.tenure(), object_of_event(&whole));
        }
    }
}
