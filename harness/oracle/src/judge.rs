//! From claims and a timeline to one verdict, sentence by sentence.

use crate::{
    deviation::{ANYWHERE, Anywhere, Deviation, KnownDeviation},
    invariants,
    predicate::Predicate,
    property::{Breach, Check, Property},
    setting::Setting,
    starved,
    timeline::{Ending, Timeline},
};

/// The claims of a case, each with its sentence, and what is known to break them.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    claims: Vec<Expectation>,
    known: Vec<KnownDeviation>,
    possible: Vec<KnownDeviation>,
}

/// One claim of a case.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The claim as a sentence.
    pub says: String,
    /// The claim as a property.
    pub property: Property,
}

impl Expectations {
    /// No claims yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { claims: Vec::new(), known: Vec::new(), possible: Vec::new() }
    }

    /// One claim more.
    #[must_use]
    pub fn and(mut self, says: impl Into<String>, property: Property) -> Self {
        self.claims.push(Expectation { says: says.into(), property });
        self
    }

    /// One known deviation more, which shows each time: a pass is news. Nothing is loosened for other subjects and versions.
    #[must_use]
    pub fn known(mut self, deviation: KnownDeviation) -> Self {
        self.known.push(deviation);
        self
    }

    /// One known deviation more, which shows now and then: a pass is no news.
    #[must_use]
    pub fn possibly(mut self, deviation: KnownDeviation) -> Self {
        self.possible.push(deviation);
        self
    }

    /// The known deviations in order, those that show each time first.
    pub fn deviations(&self) -> impl Iterator<Item = &KnownDeviation> {
        self.known.iter().chain(&self.possible)
    }

    /// The known deviation that shows each time in such a setting, so that a pass is news.
    #[must_use]
    pub fn due(&self, setting: &Setting) -> Option<&KnownDeviation> {
        self.known.iter().find(|known| known.applies_to(setting))
    }

    /// The claims in order.
    pub fn iter(&self) -> impl Iterator<Item = &Expectation> {
        self.claims.iter()
    }

    /// The Events that claims wait for. Controllers write them by and by, after what they tell of: a recording that ends before
    /// they had their time shows nothing of their absence.
    pub fn awaited_events(&self) -> impl Iterator<Item = &Predicate> {
        self.claims.iter().filter_map(|claim| claim.property.awaited_event())
    }

    /// How many claims there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.claims.len()
    }

    /// Whether there is no claim.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }
}

impl<const N: usize> From<[(&str, Property); N]> for Expectations {
    fn from(claims: [(&str, Property); N]) -> Self {
        claims.into_iter().fold(Self::new(), |all, (says, property)| all.and(says, property))
    }
}

/// What a case in a cell comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Every claim and every invariant held.
    Pass,
    /// The case does not apply here.
    Skip,
    /// The evidence does not suffice.
    Inconclusive,
    /// What was broken is a known deviation of this controller in this version, and nothing else was.
    Deviates,
    /// A claim or an invariant was broken.
    Fail,
}

impl Verdict {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Skip => "skip",
            Self::Inconclusive => "inconclusive",
            Self::Deviates => "deviates",
            Self::Fail => "fail",
        }
    }
}

/// Where a sentence comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A claim of the case.
    Claim,
    /// The universal invariant with this id.
    Invariant(&'static str),
    /// What is asked of the controller under test as a program.
    Controller,
}

impl Source {
    /// The word for it: `claim`, `controller`, or the number of the invariant.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Invariant(id) => id,
            Self::Controller => "controller",
        }
    }
}

/// One claim or invariant, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Where it comes from.
    pub source: Source,
    /// The claim as a sentence.
    pub says: String,
    /// How it came out.
    pub check: Check,
}

impl Sentence {
    /// How it was broken, if it was.
    #[must_use]
    pub fn breach(&self) -> Option<&Breach> {
        match &self.check {
            Check::Broken(breach) => Some(breach),
            _ => None,
        }
    }
}

/// The verdict and all that it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Every claim and every invariant.
    pub sentences: Vec<Sentence>,
    /// Why the evidence does not suffice, where it does not.
    pub doubts: Vec<String>,
    /// The known deviation that showed, or that did not though it shows each time and every claim was put to the test.
    pub deviation: Option<Deviation>,
}

impl Judgement {
    /// The sentences that were broken.
    pub fn broken(&self) -> impl Iterator<Item = &Sentence> {
        self.sentences.iter().filter(|sentence| sentence.breach().is_some())
    }
}

/// Judges a timeline by the claims of its case and by every invariant of the API that is judged.
///
/// # Guarantees
/// *Fail* when anything was broken, or the controller ended unasked; *deviates* when all that was broken is known of this controller in
/// this version. Otherwise *inconclusive* when the history has a hole or no end, when
/// the script waited in vain or its wait was cut short, when a claim did not hold beside a pod that its machine could not start, or when a claim of the case found no occasion to be broken. Otherwise
/// *pass*. An invariant without an occasion (no TTL in the case, say) is no doubt. The same timeline
/// gives the same judgement, always.
#[must_use]
pub fn judge(timeline: &Timeline, expectations: &Expectations) -> Judgement {
    let starved = starved::doubt(timeline);
    let claims = expectations.iter().map(|expectation| Sentence {
        source: Source::Claim,
        says: expectation.says.clone(),
        check: match (expectation.property.check(timeline), &starved) {
            (Check::Broken(_), Some(why)) => Check::Vacuous(why.clone()),
            (check, _) => check,
        },
    });
    let invariants = invariants::of(&timeline.setting.judged).iter().map(|invariant| Sentence {
        source: Source::Invariant(invariant.id()),
        says: invariant.says().to_owned(),
        check: invariant.check(timeline),
    });
    let sentences: Vec<Sentence> = claims.chain(invariants).chain(death(timeline)).collect();
    let doubts = doubts(timeline, &sentences);
    let known: Vec<_> = expectations.deviations().filter(|known| known.applies_to(&timeline.setting)).collect();
    let anywhere: Vec<_> = ANYWHERE.iter().filter(|it| it.known.applies_to(&timeline.setting)).collect();
    let is_known = |sentence: &Sentence| {
        known.iter().any(|known| explains(known, sentence)) || anywhere.iter().any(|it| shows(it, sentence))
    };
    let mut broken = sentences.iter().filter(|sentence| sentence.breach().is_some()).peekable();
    let verdict = match (broken.peek().is_some(), doubts.is_empty()) {
        (true, _) if broken.all(is_known) => Verdict::Deviates,
        (true, _) => Verdict::Fail,
        (false, false) => Verdict::Inconclusive,
        (false, true) => Verdict::Pass,
    };
    let deviation = match verdict {
        Verdict::Deviates => {
            shown(&known, &anywhere, &sentences).map(|it| Deviation { source: it.source, shown: true })
        }
        Verdict::Pass => {
            expectations.due(&timeline.setting).map(|known| Deviation { source: known.source, shown: false })
        }
        _ => None,
    };
    Judgement { verdict, sentences, doubts, deviation }
}

/// Whether this sentence is among those that this deviation breaks.
fn explains(known: &KnownDeviation, sentence: &Sentence) -> bool {
    known.breaks.iter().any(|&it| it == sentence.says || it == sentence.source.as_str())
}

/// Whether this sentence is broken by what may show anywhere.
fn shows(it: &Anywhere, sentence: &Sentence) -> bool {
    explains(&it.known, sentence) && sentence.breach().is_some_and(|breach| breach.observed.contains(it.seen))
}

/// Of several that are known the one that showed is told, the first in the order of the case, then what may show anywhere.
fn shown<'a>(
    known: &[&'a KnownDeviation],
    anywhere: &[&'a Anywhere],
    sentences: &[Sentence],
) -> Option<&'a KnownDeviation> {
    let broken = || sentences.iter().filter(|sentence| sentence.breach().is_some());
    let of_the_case = known.iter().find(|known| broken().any(|sentence| explains(known, sentence))).copied();
    let of_any = || anywhere.iter().find(|it| broken().any(|sentence| shows(it, sentence))).map(|it| &it.known);
    of_the_case.or_else(of_any)
}

/// Only where it happened: a timeline knows nothing of a controller that lives.
fn death(timeline: &Timeline) -> Option<Sentence> {
    let Ending::Death(death) = &timeline.ending else { return None };
    let last = timeline.entries().last();
    let breach = Breach {
        revision: last.map_or(0, |entry| entry.revision),
        at: timeline.entries().iter().map(|entry| entry.at).max().unwrap_or_default(),
        expected: "it runs until it is told to stop".to_owned(),
        observed: format!("it ended unasked with {}", death.status),
    };
    let says = "the controller does not end by itself".to_owned();
    Some(Sentence { source: Source::Controller, says, check: Check::Broken(breach) })
}

fn doubts(timeline: &Timeline, sentences: &[Sentence]) -> Vec<String> {
    let mut doubts: Vec<String> = timeline.doubt().into_iter().collect();
    if let Ending::Stalled { waited_for, limit } = &timeline.ending {
        doubts.push(format!("the script waited {}s in vain for: {waited_for}", limit.as_secs()));
    }
    for sentence in sentences {
        if let (Source::Claim, Check::Vacuous(why)) = (&sentence.source, &sentence.check) {
            doubts.push(format!("“{}” was not put to the test: {why}", sentence.says));
        }
    }
    doubts
}
