//! Where a decorator can take hold of a controller. Every hook does nothing unless it is written.

use std::sync::Arc;
use std::time::Duration;

use jobsworth_api::Resource;
use jobsworth_controller::args::Args;
use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_controller_runtime::client::Deadlines;
use jobsworth_core::{Decision, Outcome};
use serde_json::Value;

use crate::call::{Answer, Call};
use crate::observed::Observed;

/// Something between a controller and its world.
pub trait Decorator: Send + Sync {
    /// Changes the flags it was started with.
    fn flags(&self, _args: &mut Args) {}

    /// Changes how long requests may take.
    fn deadlines(&self, _deadlines: &mut Deadlines) {}

    /// Other pods than those of the Job.
    fn gather(&self, _job: &CachedJob, _pods: &Pods) -> Option<Vec<Arc<CachedPod>>> {
        None
    }

    /// Changes what a sync sees.
    fn see(&self, _sight: &mut Observed) {}

    /// Changes a decision: the first one of a sync, and those that follow.
    fn say(&self, _sight: &Observed, _decision: &mut Decision) {}

    /// Changes what a sync is told of its calls.
    fn hear(&self, _sight: &Observed, _outcomes: &mut Vec<Vec<Outcome>>) {}

    /// Changes a request, or decides what becomes of it.
    fn ask(&self, _call: &mut Call) -> Fate {
        Fate::Send
    }

    /// Changes an answer.
    fn told(&self, _call: &Call, _answer: &mut Answer) -> Next {
        Next::Take
    }

    /// Whether it wants to see objects that lists and watches bring.
    fn shows(&self) -> bool {
        false
    }

    /// Changes an object that a list or watch brings.
    fn show(&self, _call: &Call, _object: &mut Value) {}

    /// Changes a line of a watch, or ends the watch instead. Only who wants to see objects is asked.
    fn line(&self, _call: &Call, _frame: &mut Value) -> Line {
        Line::Pass
    }

    /// Requests that go out before this one, which nobody waits for but the decorator.
    fn beside(&self, _call: &Call) -> Vec<Call> {
        Vec::new()
    }

    /// What one of these was answered.
    fn overhear(&self, _call: &Call, _answer: &Answer) {}

    /// How far behind a watch is.
    fn lag(&self, _call: &Call) -> Duration {
        Duration::ZERO
    }

    /// After which time a watch is cut.
    fn cut(&self, _call: &Call) -> Option<Duration> {
        None
    }
}

/// What becomes of a request.
#[derive(Debug)]
pub enum Fate {
    /// It goes out.
    Send,
    /// It goes out after this time.
    Late(Duration),
    /// It does not go out; this is the answer.
    Answered(Answer),
    /// It does not go out, and there is no answer.
    Swallowed,
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It is handed over.
    Take,
    /// The request is sent once more instead.
    Again,
}

/// What becomes of a line of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// It is handed over.
    Pass,
    /// It is not, and the watch ends.
    End,
}

/// Changes nothing: the controller as it is.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl Decorator for Nothing {}

/// Changes what a sync sees, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct See(pub fn(&mut Observed));

impl Decorator for See {
    fn see(&self, observed: &mut Observed) {
        self.0(observed);
    }
}

/// Changes decisions, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Say(pub fn(&Observed, &mut Decision));

impl Decorator for Say {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        self.0(observed, decision);
    }
}

/// Changes or stops requests, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Ask(pub fn(&mut Call) -> Fate);

impl Decorator for Ask {
    fn ask(&self, call: &mut Call) -> Fate {
        self.0(call)
    }
}

/// Changes or repeats answers, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Told(pub fn(&Call, &mut Answer) -> Next);

impl Decorator for Told {
    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        self.0(call, answer)
    }
}

/// Changes Jobs that lists and watches bring, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct ShowJob(pub fn(&mut Value));

impl Decorator for ShowJob {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        if call.reads_all(&Resource::JOBS) {
            self.0(object);
        }
    }
}

/// Changes pods that lists and watches bring, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct ShowPod(pub fn(&mut Value));

impl Decorator for ShowPod {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        if call.reads_all(&Resource::PODS) {
            self.0(object);
        }
    }
}
