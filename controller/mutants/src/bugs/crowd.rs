//! *Crowd*: wrong only where there is much. No case of the catalogue has so many pods; a load has.
//!
//! Not on the list: each is put to a load, and to cases that it passes ([`BUGS`]).

use std::sync::Arc;

use jobsworth_core::Decision;

use crate::call::{Answer, Call};
use crate::decorator::{Fate, Next, Say};
use crate::observed::each_status;
use crate::{Decorator, Notes, Observed};

/// The creation that is made twice.
const TWICE: u32 = 400;
/// Counters are right up to here.
const RIGHT: u32 = 500;

/// A bug that shows in a crowd.
#[derive(Clone, Copy, Debug)]
pub struct Bug {
    /// Its name.
    pub name: &'static str,
    /// What is wrong.
    pub says: &'static str,
    /// Invariants of which at least one is broken where there is a crowd.
    pub breaks: &'static [&'static str],
    decorator: fn() -> Arc<dyn Decorator>,
}

impl Bug {
    /// It, ready to be put around a controller.
    #[must_use]
    pub fn make(&self) -> Arc<dyn Decorator> {
        (self.decorator)()
    }
}

/// All of them.
pub const BUGS: [Bug; 2] = [
    Bug {
        name: "one-too-many",
        says: "creates one pod too many at the 400th creation",
        breaks: &["S17", "S18", "S19"],
        decorator: || Arc::new(OneTooMany::default()),
    },
    Bug {
        name: "off-by-one",
        says: "counts one success too many above 500",
        breaks: &["S13", "S15"],
        decorator: || Arc::new(Say(off_by_one)),
    },
];

/// The bug of this name.
#[must_use]
pub fn bug(name: &str) -> Option<&'static Bug> {
    BUGS.iter().find(|bug| bug.name == name)
}

/// The 400th creation of a pod is sent twice, as one whose answer is taken for a failure.
#[derive(Debug, Default)]
pub struct OneTooMany {
    creations: Notes<u32>,
}

impl Decorator for OneTooMany {
    fn ask(&self, call: &mut Call) -> Fate {
        if call.creates_a_pod() {
            let mut creations = self.creations.open();
            *creations += 1;
            // Without a name of its own each gets one of the API server.
            if *creations == TWICE
                && let Some(metadata) = call.body["metadata"].as_object_mut()
            {
                metadata.remove("name");
            }
        }
        Fate::Send
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        let mut creations = self.creations.open();
        let is_it = call.creates_a_pod() && call.body["metadata"].get("name").is_none();
        if !is_it || *creations > 2 * TWICE || answer.code >= 300 {
            return Next::Take;
        }
        // Once is enough.
        *creations += 2 * TWICE;
        Next::Again
    }
}

/// The status that first counts more than 500 successes counts one more.
fn off_by_one(observed: &Observed, decision: &mut Decision) {
    let before = observed.job.status.succeeded;
    each_status(decision, |new| {
        if !observed.job.spec.is_indexed() && before <= RIGHT && new.status.succeeded > RIGHT {
            new.status.succeeded += 1;
        }
    });
}
