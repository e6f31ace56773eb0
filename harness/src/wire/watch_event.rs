//! Where one event of a watch ends and the next begins, and which object an event is about: pure.
//!
//! A watch says one event after the other, as lines of JSON or, to clients that ask for protobuf, each behind its length (four
//! bytes, the highest first). What arrives at a time need not end where an event does.

use super::protobuf;
use bytes::{Buf as _, Bytes, BytesMut};
use serde::Deserialize;

/// How the events of a watch are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Lines of JSON.
    Lines,
    /// Protobuf, each event behind its length.
    Lengths,
    /// Not known: whatever arrives at a time is passed on as it is.
    None,
}

/// Cuts what a watch says into its events.
#[derive(Debug)]
pub struct WatchEvents {
    /// How they are told apart.
    pub framing: Framing,
    /// What has arrived and is not given out yet.
    rest: BytesMut,
}

/// Namespace and name of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectName {
    /// Its namespace, empty where it has none.
    pub namespace: String,
    /// Its name, empty in a bookmark.
    pub name: String,
}

impl WatchEvents {
    /// By the `Content-Type` of the answer.
    #[must_use]
    pub fn of(content_type: &str) -> Self {
        let framing = match content_type {
            _ if content_type.contains("protobuf") => Framing::Lengths,
            _ if content_type.contains("json") => Framing::Lines,
            _ => Framing::None,
        };
        Self { framing, rest: BytesMut::new() }
    }

    /// More has arrived.
    pub fn arrived(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
    }

    /// The next event with all that frames it, once the whole of it has arrived.
    pub fn whole(&mut self) -> Option<Bytes> {
        let length = match self.framing {
            Framing::Lines => self.rest.iter().position(|byte| *byte == b'\n')? + 1,
            Framing::Lengths => {
                let mut head = self.rest.get(..4)?;
                usize::try_from(head.get_u32()).ok()?.checked_add(4)?
            }
            Framing::None if self.rest.is_empty() => return None,
            Framing::None => self.rest.len(),
        };
        (length <= self.rest.len()).then(|| self.rest.split_to(length).freeze())
    }

    /// What is left where a watch ends in the middle of an event.
    pub fn left(&mut self) -> Option<Bytes> {
        (!self.rest.is_empty()).then(|| self.rest.split().freeze())
    }
}

impl Framing {
    /// Which object an event is about, as far as it is understood.
    #[must_use]
    pub fn about(self, event: &[u8]) -> Option<ObjectName> {
        match self {
            Self::Lines => of_json(event),
            Self::Lengths => {
                let (namespace, name) = protobuf::object_of_event(event.get(4..)?)?;
                Some(ObjectName { namespace, name })
            }
            Self::None => None,
        }
    }
}

fn of_json(line: &[u8]) -> Option<ObjectName> {
    #[derive(Deserialize)]
    struct Event {
        object: Object,
    }
    #[derive(Deserialize)]
    struct Object {
        #[serde(default)]
        metadata: Metadata,
    }
    #[derive(Default, Deserialize)]
    struct Metadata {
        #[serde(default)]
        namespace: String,
        #[serde(default)]
        name: String,
    }
    let Metadata { namespace, name } = serde_json::from_slice::<Event>(line).ok()?.object.metadata;
    Some(ObjectName { namespace, name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const JSON: &str = "application/json";
    const PROTOBUF: &str = "application/vnd.kubernetes.protobuf;stream=watch";

    fn line(name: &str) -> Vec<u8> {
        let metadata = json!({"namespace": "n", "name": name, "labels": {"text": "a\nb"}});
        format!("{}\n", json!({"type": "ADDED", "object": {"kind": "Pod", "metadata": metadata}})).into_bytes()
    }

    fn frame(name: &str) -> Vec<u8> {
        let event = protobuf::sample::event("n", name);
        [&u32::try_from(event.len()).unwrap().to_be_bytes()[..], &event].concat()
    }

    /// Names in the order in which they are told of, where so many bytes arrive at a time.
    fn told(content_type: &str, said: &[u8], at_a_time: usize) -> Vec<String> {
        let mut events = WatchEvents::of(content_type);
        let mut names = Vec::new();
        for bytes in said.chunks(at_a_time) {
            events.arrived(bytes);
            while let Some(event) = events.whole() {
                let about = events.framing.about(&event).unwrap();
                assert_eq!(about.namespace, "n");
                names.push(about.name);
            }
        }
        assert_eq!(events.left(), None);
        names
    }

    proptest! {
        #[test]
        fn an_event_is_one_however_it_arrives(names in prop::collection::vec("[a-z]{1,40}", 0..6), at in 1_usize..200) {
            let said = |one: fn(&str) -> Vec<u8>| names.iter().flat_map(|name| one(name)).collect::<Vec<u8>>();
            prop_assert_eq!(&told(JSON, &said(line), at), &names);
            prop_assert_eq!(&told(PROTOBUF, &said(frame), at), &names);
        }

        #[test]
        fn nothing_is_lost_of_what_is_not_understood(said in prop::collection::vec(any::<u8>(), 0..64), kind in 0_usize..3) {
            let mut events = WatchEvents::of([JSON, PROTOBUF, "text/plain"][kind]);
            events.arrived(&said);
            let mut passed = Vec::new();
            while let Some(event) = events.whole() {
                let _ = events.framing.about(&event);
                passed.extend_from_slice(&event);
            }
            passed.extend(events.left().unwrap_or_default());
            prop_assert_eq!(passed, said);
        }
    }

    #[test]
    fn a_bookmark_is_about_no_object() {
        let said = format!("{}\n", json!({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "7"}}}));
        assert_eq!(WatchEvents::of(JSON).framing.about(said.as_bytes()), Some(ObjectName::default()));
    }
}
