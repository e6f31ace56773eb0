//! Words about what the API server said to writes of the script.

use crate::{
    predicate::Predicate,
    timeline::{Answer, Cause},
};
use serde_json::Value;

/// The answer to the script's write of this name.
#[must_use]
pub fn answer(to: &str) -> AnswerWord {
    AnswerWord { to: to.to_owned() }
}

/// One answer, by the name of the write.
#[derive(Clone, Debug)]
pub struct AnswerWord {
    to: String,
}

impl AnswerWord {
    /// The write was accepted.
    #[must_use]
    pub fn is_accepted(&self) -> Predicate {
        self.asks("is accepted".to_owned(), |answer| (200..300).contains(&answer.code))
    }

    /// The write was refused with a cause on `field` of this machine-readable kind
    /// (`FieldValueInvalid`, `FieldValueRequired`, `FieldValueDuplicate`, ...).
    #[must_use]
    pub fn is_refused(&self, field: &'static str, kind: &'static str) -> Predicate {
        self.asks(format!("is refused on {field} as {kind}"), move |answer| {
            answer.code == 422 && answer.causes.iter().any(|cause| cause.field == field && cause.reason == kind)
        })
    }

    /// The write was refused with a cause on `field` whose message contains `text`.
    #[must_use]
    pub fn is_refused_saying(&self, field: &'static str, text: &'static str) -> Predicate {
        let names = move |cause: &Cause| cause.field == field && cause.message.contains(text);
        self.asks(format!("is refused on {field} saying “{text}”"), move |answer| {
            answer.code >= 400 && answer.causes.iter().any(names)
        })
    }

    /// The write was refused with this status code.
    #[must_use]
    pub fn is_refused_with(&self, code: u16) -> Predicate {
        self.asks(format!("is refused with {code}"), move |answer| answer.code == code)
    }

    /// The object in the answer has this value at this JSON pointer; `null` also stands for absent.
    #[must_use]
    pub fn has(&self, pointer: &'static str, value: impl Into<Value>) -> Predicate {
        let value = value.into();
        self.asks(format!("has {value} at {pointer}"), move |answer| {
            answer.body.pointer(pointer).unwrap_or(&Value::Null) == &value
        })
    }

    /// The answer carries a warning that contains `text`.
    #[must_use]
    pub fn warns(&self, text: &'static str) -> Predicate {
        self.asks(format!("warns “{text}”"), move |answer| answer.warnings.iter().any(|w| w.contains(text)))
    }

    /// Any other question about the answer, in the case's own words.
    pub fn asks(&self, words: String, ask: impl Fn(&Answer) -> bool + Send + Sync + 'static) -> Predicate {
        let to = self.to.clone();
        Predicate::new(format!("[{}] {words}", self.to), move |world| world.answer(&to).is_some_and(&ask))
    }
}
