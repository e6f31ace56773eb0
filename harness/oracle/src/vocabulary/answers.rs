//! Words about what the API server said to writes of the script.

use crate::{
    fact::{Answer, Cause},
    predicate::Predicate,
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

    /// The write was refused on `field` and on no other, with a cause of this kind whose message contains
    /// `text`: the write breaks one rule and keeps all others.
    #[must_use]
    pub fn is_refused_only(&self, field: &'static str, kind: &'static str, text: &'static str) -> Predicate {
        let saying = if text.is_empty() { String::new() } else { format!(" saying “{text}”") };
        self.asks(format!("is refused on {field} alone as {kind}{saying}"), move |answer| {
            let alone = answer.causes.iter().all(|cause| cause.field == field);
            let meant = |cause: &Cause| cause.reason == kind && cause.message.contains(text);
            answer.code == 422 && alone && answer.causes.iter().any(meant)
        })
    }

    /// The write was refused with this status code and a message that contains `text`.
    #[must_use]
    pub fn is_refused_as(&self, code: u16, text: &'static str) -> Predicate {
        self.asks(format!("is refused with {code} saying “{text}”"), move |answer| {
            answer.code == code && answer.message.contains(text)
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

    /// The object in the answer has the same value at both JSON pointers, and has one.
    #[must_use]
    pub fn has_same(&self, pointer: &'static str, other: &'static str) -> Predicate {
        self.asks(format!("has the same at {pointer} as at {other}"), move |answer| {
            let value = answer.body.pointer(pointer);
            value.is_some() && value == answer.body.pointer(other)
        })
    }

    /// The answer carries no warning.
    #[must_use]
    pub fn has_no_warning(&self) -> Predicate {
        self.asks("has no warning".to_owned(), |answer| answer.warnings.is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fact::Fact, world::World};
    use serde_json::json;
    use std::{sync::Arc, time::Duration};

    fn refused(causes: &[(&str, &str, &str)]) -> World {
        let causes = causes.iter().map(|(field, reason, message)| Cause {
            field: (*field).to_owned(),
            reason: (*reason).to_owned(),
            message: (*message).to_owned(),
        });
        heard(422, "Invalid", causes.collect(), Value::Null)
    }

    fn heard(code: u16, message: &str, causes: Vec<Cause>, body: Value) -> World {
        let answer = Answer {
            to: "it".to_owned(),
            code,
            reason: String::new(),
            message: message.to_owned(),
            causes,
            warnings: Vec::new(),
            body: Arc::new(body),
        };
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &Fact::Answer(answer));
        world
    }

    #[test]
    fn a_refusal_on_one_field_tolerates_no_other_field() {
        let asked = answer("it").is_refused_only("spec.a", "FieldValueInvalid", "immutable");
        let meant = ("spec.a", "FieldValueInvalid", "Invalid value: field is immutable");
        assert!(asked.holds(&refused(&[meant, ("spec.a", "FieldValueRequired", "")])));
        assert!(!asked.holds(&refused(&[meant, ("spec.b", "FieldValueInvalid", "immutable")])));
        assert!(!asked.holds(&refused(&[("spec.a", "FieldValueInvalid", "too large")])));
        assert!(!asked.holds(&refused(&[])));
    }

    #[test]
    fn a_refusal_that_names_no_field_is_known_by_its_message() {
        let world = heard(400, "unknown field \"spec.x\"", Vec::new(), Value::Null);
        assert!(answer("it").is_refused_as(400, "unknown field").holds(&world));
        assert!(!answer("it").is_refused_as(400, "cannot unmarshal").holds(&world));
        assert!(!answer("it").is_refused_as(422, "unknown field").holds(&world));
    }

    #[test]
    fn two_absent_values_are_not_the_same() {
        let world = heard(200, "", Vec::new(), json!({"a": 1, "b": 1}));
        assert!(answer("it").has_same("/a", "/b").holds(&world));
        assert!(!answer("it").has_same("/c", "/d").holds(&world));
        assert!(answer("it").has_no_warning().holds(&world));
    }
}
